//! Player for the poses of a recorded run, for recordings without device bytes.

use std::time::Duration;

use calibration::{HandPose, HandSize};
use drivers::Side;
use drivers::replay::ReplayClock;

/// A recorded pose of a hand, or its loss.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecordedPose {
    /// Time since the first pose.
    pub at: Duration,
    pub side: Side,
    /// The pose; `None` if the hand was lost.
    pub pose: Option<HandPose>,
    /// New size of the hand, if it changes here.
    pub size: Option<HandSize>,
}

/// Plays poses at their times.
pub struct PosePlayer {
    poses: Vec<RecordedPose>,
    clock: ReplayClock,
    next: usize,
    n_played: u64,
}

impl PosePlayer {
    /// Creates a player of `poses`, which are in order. Poses before the clock's first moment are
    /// skipped.
    pub fn new(poses: Vec<RecordedPose>, clock: ReplayClock) -> Self {
        let first = poses.partition_point(|pose| pose.at < clock.position());
        Self { poses, clock, next: first, n_played: 0 }
    }

    pub fn clock(&self) -> &ReplayClock {
        &self.clock
    }

    /// Poses that became due since the last call.
    pub fn take(&mut self) -> Vec<RecordedPose> {
        let n_due = self.poses[self.next..].iter().take_while(|pose| self.clock.is_due(pose.at));
        let due = self.next..self.next + n_due.count();
        self.next = due.end;
        self.n_played += due.len() as u64;
        self.poses[due].to_vec()
    }

    /// Time until the next pose, at most `patience`.
    pub fn patience(&self, patience: Duration) -> Duration {
        self.poses.get(self.next).map_or(patience, |next| self.clock.until(next.at).min(patience))
    }

    pub fn has_ended(&self) -> bool {
        self.next == self.poses.len()
    }

    pub fn n_played(&self) -> u64 {
        self.n_played
    }
}

#[cfg(test)]
mod tests {
    use calibration::JointAngles;
    use nalgebra::Isometry3;

    use super::*;

    fn played(from: f64, speed: f64) -> PosePlayer {
        let at = |n: u32| Duration::from_secs(n.into());
        let angles = JointAngles::default();
        let pose = Some(HandPose { angles, world_from_wrist: Isometry3::identity() });
        let poses = (0..5).map(|n| RecordedPose { at: at(n), side: Side::Right, pose, size: None });
        let clock = ReplayClock::new(speed).unwrap();
        PosePlayer::new(poses.collect(), clock.beginning_at(Duration::from_secs_f64(from)))
    }

    fn seconds(due: &[RecordedPose]) -> Vec<u64> {
        due.iter().map(|pose| pose.at.as_secs()).collect()
    }

    #[test]
    fn a_pose_comes_once_when_it_is_due_and_none_while_time_stands_still() {
        let mut hands = played(2.5, 1e-9);
        assert!(hands.take().is_empty() && !hands.has_ended());
        assert_eq!(hands.patience(Duration::from_millis(20)), Duration::from_millis(20));
        hands.clock().start();
        assert!(hands.take().is_empty());

        let mut quick = played(1.0, 1e9);
        assert_eq!(seconds(&quick.take()), [1]);
        quick.clock().start();
        let mut due = Vec::new();
        while !quick.has_ended() {
            due.extend(quick.take());
        }
        assert_eq!((seconds(&due), quick.n_played()), (vec![2, 3, 4], 4));
    }
}
