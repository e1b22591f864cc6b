//! Bare hands, as the headset sees them.

use std::time::Instant;

use calibration::HandPose;
use drivers::Hand as Side;
use nalgebra::Isometry3;
use openxr as xr;

use super::error::HeadsetError;
use super::joints::{N_JOINTS, hand_pose};
use super::table::isometry;

/// A hand that is in sight.
#[derive(Debug, Clone, Copy)]
pub struct SeenHand {
    pub side: Side,
    pub pose: HandPose,
    /// When the runtime was asked. The pose is for a moment shortly after, when the picture will be seen.
    pub arrival: Instant,
    /// How often the table had been put somewhere by then: the pose is seen from there.
    pub table: u32,
}

/// Looks for both hands.
pub(super) struct HandTrackers([(Side, xr::HandTracker); 2]);

impl HandTrackers {
    pub(super) fn new(session: &xr::Session<xr::Vulkan>) -> Result<Self, HeadsetError> {
        Ok(Self([
            (Side::Left, session.create_hand_tracker(xr::Hand::LEFT)?),
            (Side::Right, session.create_hand_tracker(xr::Hand::RIGHT)?),
        ]))
    }

    /// Where the hands will be at that time, as far as they are in sight.
    pub(super) fn seen(
        &self,
        room: &xr::Space,
        time: xr::Time,
        (world_from_room, table): (&Isometry3<f64>, u32),
    ) -> Result<[Option<SeenHand>; 2], HeadsetError> {
        let mut seen = [None; 2];
        for ((side, tracker), seen) in self.0.iter().zip(&mut seen) {
            let arrival = Instant::now();
            let Some(locations) = room.locate_hand_joints(tracker, time)? else { continue };
            let mut joints = [Isometry3::identity(); N_JOINTS];
            let is_whole = joints.iter_mut().zip(&locations).all(|(joint, location)| {
                let needed = xr::SpaceLocationFlags::POSITION_VALID
                    | xr::SpaceLocationFlags::ORIENTATION_VALID;
                let found =
                    isometry(&location.pose).filter(|_| location.location_flags.contains(needed));
                found.inspect(|pose| *joint = world_from_room * pose).is_some()
            });
            if is_whole {
                let pose = hand_pose(*side, &joints);
                *seen = Some(SeenHand { side: *side, pose, arrival, table });
            }
        }
        Ok(seen)
    }
}
