//! The runtime's reference space (the room), and the position of the world in it.

use nalgebra::Isometry3;
use openxr as xr;

use super::align_link::{RoomId, RoomLifetime};
use super::error::HeadsetError;
use super::headset_link::{HeadsetLink, Stance, WorldPlacement};
use super::table_placement::{located, room_from_world};

/// A room. Lengths of the world are multiplied by `scale` in it.
pub(super) struct RoomSpace {
    /// Reference space of all poses from the runtime.
    space: xr::Space,
    kind: xr::ReferenceSpaceType,
    id: RoomId,
    head: xr::Space,
    placement: WorldPlacement,
    /// Pose of the table's middle, without the scale; `None` until the head has been seen.
    world_from_room: Option<Isometry3<f64>>,
    /// Number of the table placement.
    table: u32,
    /// Time of an announced move of the room by the runtime.
    table_due: Option<xr::Time>,
}

/// Reference spaces for a seated wearer: the origin is about where the head was at the start.
const SEATED: [xr::ReferenceSpaceType; 1] = [xr::ReferenceSpaceType::LOCAL];
/// Reference spaces for a standing wearer, best first: the floor is at height 0, except in the
/// last.
const STANDING: [xr::ReferenceSpaceType; 3] = [
    xr::ReferenceSpaceType::STAGE,
    xr::ReferenceSpaceType::LOCAL_FLOOR,
    xr::ReferenceSpaceType::LOCAL,
];

impl RoomSpace {
    pub(super) fn new(
        session: &xr::Session<xr::Vulkan>,
        link: &HeadsetLink,
    ) -> Result<Self, HeadsetError> {
        let placement = link.placement();
        let offered = session.enumerate_reference_spaces()?;
        let wanted: &[_] = match placement.stance {
            Stance::Seated => &SEATED,
            Stance::Standing => &STANDING,
        };
        // Every runtime supports the local space.
        let found = wanted.iter().copied().find(|kind| offered.contains(kind));
        let kind = found.unwrap_or(xr::ReferenceSpaceType::LOCAL);
        if placement.stance == Stance::Standing && kind == xr::ReferenceSpaceType::LOCAL {
            tracing::warn!("the OpenXR runtime knows no floor; the table stands below the eyes");
        }
        let lasts = match kind {
            xr::ReferenceSpaceType::STAGE => RoomLifetime::AsStage,
            _ => RoomLifetime::ForNow,
        };
        let space = |kind| session.create_reference_space(kind, xr::Posef::IDENTITY);
        Ok(Self {
            space: space(kind)?,
            kind,
            id: link.align.enter(lasts),
            head: space(xr::ReferenceSpaceType::VIEW)?,
            placement,
            world_from_room: None,
            table: link.next_table(),
            table_due: None,
        })
    }

    pub(super) fn space(&self) -> &xr::Space {
        &self.space
    }

    pub(super) fn id(&self) -> RoomId {
        self.id
    }

    pub(super) fn scale(&self) -> f64 {
        self.placement.scale
    }

    /// Number of the table placement; changes when the table is moved.
    pub(super) fn table(&self) -> u32 {
        self.table
    }

    pub(super) fn has_table(&self) -> bool {
        self.world_from_room.is_some()
    }

    /// Takes the runtime's announcement that it will move this kind of space (the user recentred
    /// the room). The table moves along.
    pub(super) fn will_move(
        &mut self,
        link: &HeadsetLink,
        kind: xr::ReferenceSpaceType,
        time: xr::Time,
    ) {
        if kind == self.kind {
            self.table_due = Some(time);
        } else if kind == xr::ReferenceSpaceType::STAGE {
            link.align.stage_moved();
        }
    }

    /// Places the table in front of the wearer: when the head is first seen, on request, and after
    /// a change of posture.
    pub(super) fn place_table(
        &mut self,
        session: &xr::Session<xr::Vulkan>,
        link: &HeadsetLink,
        now: xr::Time,
    ) -> Result<(), HeadsetError> {
        let placement = link.placement();
        if placement.stance != self.placement.stance {
            *self = Self::new(session, link)?;
        } else if placement.scale != self.placement.scale {
            // A new scale keeps the table's pose. The new table number marks the jump of all hand
            // positions in the world, which is no motion.
            self.placement = placement;
            self.table = link.next_table();
        }
        let has_moved = self.table_due.take_if(|due| now.as_nanos() >= due.as_nanos()).is_some();
        if has_moved {
            self.id = link.align.room_moved();
        }
        if link.takes_table() || has_moved {
            // The new pose replaces the tracker's.
            if link.align.take_table() {
                tracing::warn!(
                    "the table was put elsewhere: tracker and headset have to be aligned again"
                );
            }
            self.world_from_room = None;
            self.table = link.next_table();
        }
        if let Some(room_from_table) = link.align.table() {
            let world_from_room = room_from_table.inverse();
            if self.world_from_room.replace(world_from_room) != Some(world_from_room) {
                tracing::info!("headset: the table stands where the tracker says");
                link.log_scale();
                self.table = link.next_table();
            }
        }
        if self.world_from_room.is_none() {
            let head = self.head.locate(&self.space, now)?;
            let has_floor = self.kind != xr::ReferenceSpaceType::LOCAL;
            let head = located(head.location_flags, &head.pose);
            self.world_from_room = head.map(|head| room_from_world(&head, has_floor).inverse());
        }
        Ok(())
    }

    /// Returns the predicted pose of a space in the room, if tracked.
    pub(super) fn locate_in_room(
        &self,
        space: &xr::Space,
        time: xr::Time,
    ) -> Result<Option<Isometry3<f64>>, HeadsetError> {
        let location = space.locate(&self.space, time)?;
        Ok(located(location.location_flags, &location.pose))
    }

    /// Converts a pose in the room to the world; `None` before the table is placed.
    pub(super) fn in_world(&self, room_from_it: &Isometry3<f64>) -> Option<Isometry3<f64>> {
        let mut world_from_it = self.world_from_room? * room_from_it;
        world_from_it.translation.vector /= self.placement.scale;
        Some(world_from_it)
    }

    /// Returns the predicted pose of the head in the world, if tracked.
    pub(super) fn head(&self, time: xr::Time) -> Result<Option<Isometry3<f64>>, HeadsetError> {
        self.locate(&self.head, time)
    }

    /// Returns the predicted pose of a space in the world, if tracked.
    pub(super) fn locate(
        &self,
        space: &xr::Space,
        time: xr::Time,
    ) -> Result<Option<Isometry3<f64>>, HeadsetError> {
        let in_room = self.locate_in_room(space, time)?;
        Ok(in_room.and_then(|room_from_it| self.in_world(&room_from_it)))
    }
}
