//! Takes the newest poses of the hands that a headset tracks, bare or with controllers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use drivers::Side;

use crate::vr::{HeadsetLink, SeenBy, SeenHand};

/// Both hands of a headset, while they are in sight.
#[derive(Debug)]
pub struct HeadsetHands {
    link: Arc<HeadsetLink>,
    /// Time and kind of the last sighting of each hand, left hand first; `None` for an absent hand.
    last: [Option<(Instant, SeenBy)>; 2],
    /// Table placement at the last sighting of each hand.
    tables: [Option<u32>; 2],
    n_seen: u64,
}

const SIDES: [Side; 2] = [Side::Left, Side::Right];
/// Time after which a hand counts as out of sight.
const OUT_OF_SIGHT: Duration = Duration::from_millis(500);

impl HeadsetHands {
    pub fn new(link: Arc<HeadsetLink>) -> Self {
        Self { link, last: [None; 2], tables: [None; 2], n_seen: 0 }
    }

    /// New sightings since the last call, left hand first.
    pub fn take(&mut self) -> [Option<SeenHand>; 2] {
        let seen = [0, 1].map(|hand| self.link.hands[hand].take());
        for (last, seen) in self.last.iter_mut().zip(&seen) {
            if let Some(seen) = seen {
                *last = Some((seen.arrival, seen.by));
                self.n_seen += 1;
            }
        }
        seen
    }

    /// True if the table was moved since the hand was last seen: the hand did not move that way.
    /// Must be called once for each pose.
    pub fn has_other_table(&mut self, seen: &SeenHand) -> bool {
        let before = self.tables[seen.side as usize].replace(seen.table);
        before.is_some_and(|before| before != seen.table)
    }

    /// Hands that have been out of sight for longer than `patience`, in seconds, with the reason
    /// for their loss; each hand is returned once.
    pub fn absent(&mut self, patience: f64) -> Vec<(Side, String)> {
        let mut absent = Vec::new();
        for (last, side) in self.last.iter_mut().zip(SIDES) {
            if last.take_if(|(at, _)| at.elapsed().as_secs_f64() > patience).is_some() {
                let why = format!("the hand is lost: the headset has not seen it for {patience} s");
                absent.push((side, why));
            }
        }
        absent
    }

    /// Description of the hands in sight, if any.
    pub fn in_sight(&self) -> Option<&'static str> {
        use SeenBy::{Controller, Joints};
        let [left, right] =
            [Side::Left, Side::Right].map(|side| self.age(side).zip(self.last[side as usize]));
        let by = |seen: Option<(Duration, (Instant, SeenBy))>| {
            seen.filter(|(age, _)| *age < OUT_OF_SIGHT).map(|(_, (_, by))| by)
        };
        Some(match (by(left), by(right)) {
            (Some(Joints), Some(Joints)) => "both hands, seen by the headset",
            (Some(Controller), Some(Controller)) => "both hands, by their controllers",
            (Some(_), Some(_)) => "both hands, one of them by its controller",
            (Some(Joints), None) => "left, seen by the headset",
            (None, Some(Joints)) => "right, seen by the headset",
            (Some(Controller), None) => "left, by its controller",
            (None, Some(Controller)) => "right, by its controller",
            (None, None) => return None,
        })
    }

    /// Time since a hand was last seen, unless it is absent.
    pub fn age(&self, side: Side) -> Option<Duration> {
        self.last[side as usize].map(|(at, _)| at.elapsed())
    }

    pub fn headset(&self) -> &Arc<HeadsetLink> {
        &self.link
    }

    /// Number of poses so far.
    pub fn n_seen(&self) -> u64 {
        self.n_seen
    }
}
