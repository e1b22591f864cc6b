//! How the headset and the hand loop, which hears the tracker, are joined while both are brought to agree.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use engine::Mailbox;
use nalgebra::Isometry3;

use super::hand_tracking::SeenBy;

/// Joins both.
#[derive(Debug, Default)]
pub struct AlignLink {
    is_wanted: AtomicBool,
    /// Whether the stage was moved since somebody last asked.
    has_stage_moved: AtomicBool,
    /// Where the headset sees the hands while it is wanted, left first.
    pub sights: [Mailbox<RoomObservation>; 2],
    places: Mutex<TablePlaces>,
}

/// A hand, or what it holds, in the headset's room.
#[derive(Debug, Clone, Copy)]
pub struct RoomObservation {
    pub room: RoomId,
    pub by: SeenBy,
    pub room_from_seen: Isometry3<f64>,
    pub arrival: Instant,
}

/// Which room it was: places in one mean nothing in another, nor after the runtime has moved it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RoomId(u32);

/// How long a room's places mean the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RoomLifetime {
    /// Until another room is entered, or the same one again.
    #[default]
    ForNow,
    /// From day to day: it is the headset's stage.
    AsStage,
}

/// Where the table stands, if the tracker says so.
#[derive(Debug, Default)]
struct TablePlaces {
    room: RoomId,
    lasts: RoomLifetime,
    stage_from_table: Option<Isometry3<f64>>,
    /// In a room that is no stage.
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

    /// Begins, or gives up.
    pub fn switch(&self) {
        self.is_wanted.fetch_xor(true, Ordering::Relaxed);
    }

    /// The table stands there as long as the headset's room is the stage, now or later; nothing else is known any more.
    pub fn recall(&self, stage_from_table: Option<Isometry3<f64>>) {
        let mut places = self.places();
        (places.stage_from_table, places.room_from_table) = (stage_from_table, None);
    }

    /// The table stands there in this room; says how long that holds, or nothing if the room is another by now.
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

    /// The headset has another room, or the same one after it was lost.
    pub fn enter(&self, lasts: RoomLifetime) -> RoomId {
        let mut places = self.places();
        places.lasts = lasts;
        places.room_from_table = None;
        places.next_room()
    }

    /// The table is put elsewhere in the room; says whether the tracker had said where it stands.
    pub(super) fn take_table(&self) -> bool {
        self.places().here().take().is_some()
    }

    /// The runtime has moved the room: what was seen before was seen elsewhere.
    pub(super) fn room_moved(&self) -> RoomId {
        let mut places = self.places();
        if places.lasts == RoomLifetime::AsStage {
            self.has_stage_moved.store(true, Ordering::Relaxed);
        }
        places.next_room()
    }

    /// The runtime has moved the stage while the headset's room was another.
    pub(super) fn stage_moved(&self) {
        self.places().stage_from_table = None;
        self.has_stage_moved.store(true, Ordering::Relaxed);
    }

    /// Whether the stage was moved since this was last asked: what is known of places on it holds no longer.
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
    fn what_was_found_in_another_room_or_before_it_moved_does_not_count() {
        let link = AlignLink::default();
        let before = link.enter(RoomLifetime::AsStage);
        let now = link.room_moved();
        assert_eq!(link.put_table(before, Isometry3::identity()), None);
        assert!(!link.take_table());
        assert_eq!(link.put_table(now, Isometry3::identity()), Some(RoomLifetime::AsStage));
        assert!(link.take_table() && link.table().is_none());
    }

    #[test]
    fn a_stage_that_moves_while_nobody_is_on_it_is_forgotten() {
        let link = AlignLink::default();
        link.recall(Some(Isometry3::identity()));
        link.enter(RoomLifetime::ForNow);
        assert!(!link.takes_stage_moved());
        link.stage_moved();
        link.enter(RoomLifetime::AsStage);
        assert_eq!(link.table(), None);
        assert!(link.takes_stage_moved() && !link.takes_stage_moved());
        link.room_moved();
        assert!(link.takes_stage_moved(), "it moves while somebody stands on it");
        link.enter(RoomLifetime::ForNow);
        link.room_moved();
        assert!(!link.takes_stage_moved(), "another room is no stage");
    }
}
