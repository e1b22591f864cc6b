//! Hands that the headset tracks, bare or around a controller.

use std::time::Instant;

use calibration::{HandPose, HandSize};
use drivers::Side;
use nalgebra::Isometry3;
use openxr as xr;

use super::error::HeadsetError;
use super::joints::{N_JOINTS, WRIST, bones, hand_pose};
use super::room_space::RoomSpace;
use super::table_placement::located;

/// A tracked hand.
#[derive(Debug, Clone, Copy)]
pub struct SeenHand {
    pub side: Side,
    pub pose: HandPose,
    /// Hand size, if the headset measured it and it is plausible.
    pub size: Option<HandSize>,
    pub by: SeenBy,
    /// World scale when this hand was seen.
    pub world_scale: f64,
    /// Time of the query. The pose itself is predicted for shortly after it, when the picture is
    /// displayed.
    pub arrival: Instant,
    /// Number of the table placement that the pose refers to.
    pub table: u32,
}

/// Source of a hand's pose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeenBy {
    Joints,
    Controller,
}

/// Trackers of both hands, left first.
pub(super) struct HandTrackers([(Side, xr::HandTracker); 2]);

impl HandTrackers {
    pub(super) fn new(session: &xr::Session<xr::Vulkan>) -> Result<Self, HeadsetError> {
        Ok(Self([
            (Side::Left, session.create_hand_tracker(xr::Hand::LEFT)?),
            (Side::Right, session.create_hand_tracker(xr::Hand::RIGHT)?),
        ]))
    }

    pub(super) fn tracker(&self, hand: usize) -> &xr::HandTracker {
        &self.0[hand].1
    }

    /// Returns the predicted pose of a wrist in the room, if it is tracked.
    pub(super) fn wrist_in_room(
        &self,
        room: &RoomSpace,
        time: xr::Time,
        hand: usize,
    ) -> Result<Option<Isometry3<f64>>, HeadsetError> {
        let locations = room.space().locate_hand_joints(self.tracker(hand), time)?;
        let wrist = locations.as_ref().map(|locations| &locations[WRIST]);
        Ok(wrist.and_then(|wrist| located(wrist.location_flags, &wrist.pose)))
    }

    /// Returns a hand as predicted for `time`, if it is tracked.
    pub(super) fn seen(
        &self,
        room: &RoomSpace,
        time: xr::Time,
        hand: usize,
    ) -> Result<Option<SeenHand>, HeadsetError> {
        let (side, tracker) = &self.0[hand];
        let arrival = Instant::now();
        let Some(locations) = room.space().locate_hand_joints(tracker, time)? else {
            return Ok(None);
        };
        let mut in_room = [Isometry3::identity(); N_JOINTS];
        let mut in_world = in_room;
        for (i, location) in locations.iter().enumerate() {
            let found = located(location.location_flags, &location.pose);
            let placed = found.and_then(|pose| Some((pose, room.in_world(&pose)?)));
            let Some((room_from_joint, world_from_joint)) = placed else { return Ok(None) };
            (in_room[i], in_world[i]) = (room_from_joint, world_from_joint);
        }
        let radii = locations.map(|location| f64::from(location.radius));
        // Hand sizes are checked in metres of the room, independent of the world scale.
        let size = HandSize::seen(&bones(&in_room, &radii)).ok();
        Ok(Some(SeenHand {
            side: *side,
            pose: hand_pose(*side, &in_world),
            size: size.map(|size| size.times(1.0 / room.scale())),
            by: SeenBy::Joints,
            world_scale: room.scale(),
            arrival,
            table: room.table(),
        }))
    }
}
