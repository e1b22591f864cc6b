//! Poses of the hands of a recorded run, without their effects.

use std::time::Duration;

use drivers::Side;

use super::{JournalError, JournalLine, OrderFile, RecordedJournal, hand_pose, lines};
use crate::input::RecordedPose;

impl RecordedJournal {
    /// All poses of hands, timed from the first one.
    pub fn poses(&self) -> Result<Vec<RecordedPose>, JournalError> {
        let (mut poses, mut begin, mut last) = (Vec::new(), None, 0.0_f64);
        // Sizes that a headset measured, left hand first.
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
            // Lines of two hands, or of a lost one, may be slightly out of order.
            last = last.max(time - *begin.get_or_insert(time));
            let at = Duration::try_from_secs_f64(last).map_err(|_| JournalError::Time(time))?;
            let side = Side::from(hand);
            let size = pose.and_then(|_| sizes[side as usize].take());
            poses.push(RecordedPose { at, side, pose, size });
        }
        Ok(poses)
    }
}
