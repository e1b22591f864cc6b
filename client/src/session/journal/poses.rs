//! What the hands of a recorded run did, without what came of it.

use std::time::Duration;

use drivers::Hand as Side;

use super::{JournalError, Line, OrderFile, Tape, hand_pose, lines};
use crate::input::PlayedPose;

impl Tape {
    /// Every pose of a hand, since the first of them.
    pub fn poses(&self) -> Result<Vec<PlayedPose>, JournalError> {
        let (mut poses, mut begin, mut last) = (Vec::new(), None, 0.0_f64);
        // A hand that a headset saw has its own size, left first.
        let mut sizes = [None; 2];
        for line in lines(&self.bytes) {
            let (hand, time, pose) = match line? {
                Line::Hand { hand, time, angles, wrist, .. } => {
                    (hand, time, Some(hand_pose(&angles, &wrist)?))
                }
                Line::Gone { hand, time, .. } => (hand, time, None),
                Line::Order(OrderFile::Size { hand, size }) => {
                    sizes[Side::from(hand) as usize] = Some(size.size()?);
                    continue;
                }
                Line::Settings { .. }
                | Line::Emulated { .. }
                | Line::Thing(_)
                | Line::Shapes { .. }
                | Line::Passed { .. }
                | Line::Order(_)
                | Line::Frame { .. }
                | Line::Made { .. } => continue,
            };
            // Two hands, or one that is lost, may be told in another order than they moved in.
            last = last.max(time - *begin.get_or_insert(time));
            let at = Duration::try_from_secs_f64(last).map_err(|_| JournalError::Time(time))?;
            let side = Side::from(hand);
            let size = pose.and_then(|_| sizes[side as usize].take());
            poses.push(PlayedPose { at, side, pose, size });
        }
        Ok(poses)
    }
}
