//! The room as the runtime knows it, and where the world is in it.

use nalgebra::Isometry3;
use openxr as xr;

use super::align_link::{RoomId, RoomLifetime};
use super::error::HeadsetError;
use super::headset_link::{HeadsetLink, Stance, WorldPlacement};
use super::table_placement::{located, room_from_world};

/// A room. What is in the world is `scale` times as large in it.
pub(super) struct RoomSpace {
    /// Where the runtime says that things are.
    space: xr::Space,
    kind: xr::ReferenceSpaceType,
    id: RoomId,
    head: xr::Space,
    placement: WorldPlacement,
    /// `None` until the head has been seen; where the table's middle is, not how large things are.
    world_from_room: Option<Isometry3<f64>>,
    /// Which of all tables it is.
    table: u32,
    /// When the runtime moves the room, if it has said so.
    table_due: Option<xr::Time>,
}

/// From the best one: for whoever sits, about where the head was when the runtime started; for whoever stands, with the
/// floor at height 0.
const SEATED: [xr::ReferenceSpaceType; 1] = [xr::ReferenceSpaceType::LOCAL];
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
        // Every runtime has a local space.
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

    /// Which of all tables it is that the headset has had: another one stands elsewhere.
    pub(super) fn table(&self) -> u32 {
        self.table
    }

    pub(super) fn has_table(&self) -> bool {
        self.world_from_room.is_some()
    }

    /// The runtime will move this kind of space: somebody has recentred the room. The table comes along.
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

    /// In front of the wearer as soon as the head is seen, and whenever that is asked for or another stance is.
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
            // The table stays where it is and what is on it grows; the hand has not moved as that seems.
            self.placement = placement;
            self.table = link.next_table();
        }
        let has_moved = self.table_due.take_if(|due| now.as_nanos() >= due.as_nanos()).is_some();
        if has_moved {
            self.id = link.align.room_moved();
        }
        if link.takes_table() || has_moved {
            // Where it was is not where the tracker says any more.
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
                link.tell_scale();
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

    /// Where a space will be in the room, if the runtime knows.
    pub(super) fn locate_in_room(
        &self,
        space: &xr::Space,
        time: xr::Time,
    ) -> Result<Option<Isometry3<f64>>, HeadsetError> {
        let location = space.locate(&self.space, time)?;
        Ok(located(location.location_flags, &location.pose))
    }

    /// Where something of the room is in the world, if there is a world yet.
    pub(super) fn in_world(&self, room_from_it: &Isometry3<f64>) -> Option<Isometry3<f64>> {
        let mut world_from_it = self.world_from_room? * room_from_it;
        world_from_it.translation.vector /= self.placement.scale;
        Some(world_from_it)
    }

    /// Where the head will be in the world, if the runtime knows.
    pub(super) fn head(&self, time: xr::Time) -> Result<Option<Isometry3<f64>>, HeadsetError> {
        self.locate(&self.head, time)
    }

    /// Where a space will be in the world, if the runtime knows.
    pub(super) fn locate(
        &self,
        space: &xr::Space,
        time: xr::Time,
    ) -> Result<Option<Isometry3<f64>>, HeadsetError> {
        let in_room = self.locate_in_room(space, time)?;
        Ok(in_room.and_then(|room_from_it| self.in_world(&room_from_it)))
    }
}
