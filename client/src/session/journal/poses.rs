//! What the hands of a recorded run did, without what came of it.

use std::time::Duration;

use super::{JournalError, Line, Tape, hand_pose, lines};
use crate::input::PlayedPose;

impl Tape {
    /// Every pose of a hand, since the first of them.
    pub fn poses(&self) -> Result<Vec<PlayedPose>, JournalError> {
        let (mut poses, mut begin, mut last) = (Vec::new(), None, 0.0_f64);
        for line in lines(&self.bytes) {
            let (hand, time, pose) = match line? {
                Line::Hand { hand, time, angles, wrist, .. } => {
                    (hand, time, Some(hand_pose(&angles, &wrist)?))
                }
                Line::Gone { hand, time, .. } => (hand, time, None),
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
            poses.push(PlayedPose { at, side: hand.into(), pose });
        }
        Ok(poses)
    }
}
