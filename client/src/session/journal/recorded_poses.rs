//! What the hands of a recorded run did, without what came of it.

use std::time::Duration;

use drivers::Side;

use super::{JournalError, JournalLine, OrderFile, RecordedJournal, hand_pose, lines};
use crate::input::RecordedPose;

impl RecordedJournal {
    /// Every pose of a hand, since the first of them.
    pub fn poses(&self) -> Result<Vec<RecordedPose>, JournalError> {
        let (mut poses, mut begin, mut last) = (Vec::new(), None, 0.0_f64);
        // A hand that a headset saw has its own size, left first.
        let mut sizes = [None; 2];
        for line in lines(&self.bytes) {
            let (hand, time, pose) = match line? {
                JournalLine::Hand { hand, time, angles, wrist, .. } => {
                    (hand, time, Some(hand_pose(&angles, &wrist)?))
                }
                JournalLine::Gone { hand, time, .. } => (hand, time, None),
                JournalLine::Order(OrderFile::Size { hand, size }) => {
                    sizes[Side::from(hand) as usize] = Some(size.size()?);
                    continue;
                }
                JournalLine::Settings { .. }
                | JournalLine::Emulated { .. }
                | JournalLine::Thing(_)
                | JournalLine::Shapes { .. }
                | JournalLine::Passed { .. }
                | JournalLine::Order(_)
                | JournalLine::Frame { .. }
                | JournalLine::Made { .. } => continue,
            };
            // Two hands, or one that is lost, may be told in another order than they moved in.
            last = last.max(time - *begin.get_or_insert(time));
            let at = Duration::try_from_secs_f64(last).map_err(|_| JournalError::Time(time))?;
            let side = Side::from(hand);
            let size = pose.and_then(|_| sizes[side as usize].take());
            poses.push(RecordedPose { at, side, pose, size });
        }
        Ok(poses)
    }
}
