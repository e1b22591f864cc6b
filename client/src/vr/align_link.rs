//! Shared state of the headset's thread and the hand loop while headset and tracker are aligned.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use engine::Mailbox;
use nalgebra::Isometry3;

use super::hand_tracking::SeenBy;

/// Alignment state, shared by the headset's thread and the hand loop, which reads the tracker.
#[derive(Debug, Default)]
pub struct AlignLink {
    is_wanted: AtomicBool,
    /// True if the runtime has moved the stage since the last `takes_stage_moved`.
    has_stage_moved: AtomicBool,
    /// Newest observations of the hands while alignment is wanted, left first.
    pub sights: [Mailbox<RoomObservation>; 2],
    places: Mutex<TablePlaces>,
}

/// A hand, or the controller in it, in the headset's room.
#[derive(Debug, Clone, Copy)]
pub struct RoomObservation {
    pub room: RoomId,
    pub by: SeenBy,
    pub room_from_seen: Isometry3<f64>,
    pub arrival: Instant,
}

/// Identifies a room between two moves by the runtime. Poses of different ids are not comparable.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RoomId(u32);

/// How long poses in a room stay valid.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RoomLifetime {
    /// Until the headset enters a room again, even the same one.
    #[default]
    ForNow,
    /// Across sessions: the room is the headset's stage.
    AsStage,
}

/// Poses of the table according to the tracker, if known.
#[derive(Debug, Default)]
struct TablePlaces {
    room: RoomId,
    lasts: RoomLifetime,
    stage_from_table: Option<Isometry3<f64>>,
    /// Pose in a room that is not the stage.
    room_from_table: Option<Isometry3<f64>>,
}

impl TablePlaces {
    fn here(&mut self) -> &mut Option<Isometry3<f64>> {
        match self.lasts {
            RoomLifetime::AsStage => &mut self.stage_from_table,
            RoomLifetime::ForNow => &mut self.room_from_table,
        }
    }

    fn next_room(&mut self) -> RoomId {
        self.room.0 += 1;
        self.room
    }
}

impl AlignLink {
    pub fn is_wanted(&self) -> bool {
        self.is_wanted.load(Ordering::Relaxed)
    }

    pub fn want(&self, is_wanted: bool) {
        self.is_wanted.store(is_wanted, Ordering::Relaxed);
    }

    /// Starts or cancels the alignment.
    pub fn switch(&self) {
        self.is_wanted.fetch_xor(true, Ordering::Relaxed);
    }

    /// Sets the table's pose on the stage, used whenever the headset's room is the stage. Forgets
    /// poses in other rooms.
    pub fn recall(&self, stage_from_table: Option<Isometry3<f64>>) {
        let mut places = self.places();
        (places.stage_from_table, places.room_from_table) = (stage_from_table, None);
    }

    /// Sets the table's pose in `room`. Returns how long it stays valid, or `None` if the room has
    /// changed.
    pub fn put_table(&self, room: RoomId, room_from_table: Isometry3<f64>) -> Option<RoomLifetime> {
        let mut places = self.places();
        if places.room != room {
            return None;
        }
        *places.here() = Some(room_from_table);
        Some(places.lasts)
    }

    pub(super) fn is_aligned(&self) -> bool {
        self.table().is_some()
    }

    pub(super) fn table(&self) -> Option<Isometry3<f64>> {
        *self.places().here()
    }

    /// Records that the headset has entered a room, perhaps the same one after a loss.
    pub fn enter(&self, lasts: RoomLifetime) -> RoomId {
        let mut places = self.places();
        places.lasts = lasts;
        places.room_from_table = None;
        places.next_room()
    }

    /// Forgets the table's pose because the table was moved. Returns true if there was one.
    pub(super) fn take_table(&self) -> bool {
        self.places().here().take().is_some()
    }

    /// Records that the runtime has moved the room; earlier observations are invalid.
    pub(super) fn room_moved(&self) -> RoomId {
        let mut places = self.places();
        if places.lasts == RoomLifetime::AsStage {
            self.has_stage_moved.store(true, Ordering::Relaxed);
        }
        places.next_room()
    }

    /// Records that the runtime has moved the stage while the headset used another room.
    pub(super) fn stage_moved(&self) {
        self.places().stage_from_table = None;
        self.has_stage_moved.store(true, Ordering::Relaxed);
    }

    /// True if the stage has moved since the last call: stored poses on it are invalid.
    pub fn takes_stage_moved(&self) -> bool {
        self.has_stage_moved.swap(false, Ordering::Relaxed)
    }

    fn places(&self) -> MutexGuard<'_, TablePlaces> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_the_stage_stands_on_the_stage_alone() {
        let [kept, found] = [1.0, 2.0].map(|x| Isometry3::translation(x, 0.0, 0.0));
        let link = AlignLink::default();
        link.recall(Some(kept));
        assert_eq!(link.table(), None);
        link.enter(RoomLifetime::AsStage);
        assert_eq!(link.table(), Some(kept));
        // Sits down, aligns, stands up, and sits down again.
        let seated = link.enter(RoomLifetime::ForNow);
        assert_eq!(link.table(), None);
        assert_eq!(link.put_table(seated, found), Some(RoomLifetime::ForNow));
        assert_eq!(link.table(), Some(found));
        link.enter(RoomLifetime::AsStage);
        assert_eq!(link.table(), Some(kept));
        let seated_again = link.enter(RoomLifetime::ForNow);
        assert!(link.table().is_none() && seated_again != seated);
    }

    #[test]
    fn poses_of_another_room_or_before_it_moved_do_not_count() {
        let link = AlignLink::default();
        let before = link.enter(RoomLifetime::AsStage);
        let now = link.room_moved();
        assert_eq!(link.put_table(before, Isometry3::identity()), None);
        assert!(!link.take_table());
        assert_eq!(link.put_table(now, Isometry3::identity()), Some(RoomLifetime::AsStage));
        assert!(link.take_table() && link.table().is_none());
    }

    #[test]
    fn the_table_on_a_stage_that_moves_while_unused_is_forgotten() {
        let link = AlignLink::default();
        link.recall(Some(Isometry3::identity()));
        link.enter(RoomLifetime::ForNow);
        assert!(!link.takes_stage_moved());
        link.stage_moved();
        link.enter(RoomLifetime::AsStage);
        assert_eq!(link.table(), None);
        assert!(link.takes_stage_moved() && !link.takes_stage_moved());
        link.room_moved();
        assert!(link.takes_stage_moved(), "it moves while the headset uses it");
        link.enter(RoomLifetime::ForNow);
        link.room_moved();
        assert!(!link.takes_stage_moved(), "another room is no stage");
    }
}
