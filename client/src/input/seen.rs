//! Bare hands that a headset sees.

use std::sync::Arc;
use std::time::{Duration, Instant};

use drivers::Hand as Side;

use crate::vr::{HeadsetLink, SeenHand};

/// Both hands, as far as they are in sight.
#[derive(Debug)]
pub struct SeenHands {
    link: Arc<HeadsetLink>,
    /// When each was last seen, left first; `None` for one that is not there.
    last: [Option<Instant>; 2],
    /// Where the table stood then.
    tables: [Option<u32>; 2],
    n_seen: u64,
}

const SIDES: [Side; 2] = [Side::Left, Side::Right];
/// A hand that was last seen longer ago is out of sight.
const OUT_OF_SIGHT: Duration = Duration::from_millis(500);

impl SeenHands {
    pub fn new(link: Arc<HeadsetLink>) -> Self {
        Self { link, last: [None; 2], tables: [None; 2], n_seen: 0 }
    }

    /// What has been seen since the last call, left first.
    pub fn take(&mut self) -> [Option<SeenHand>; 2] {
        let seen = [0, 1].map(|hand| self.link.hands[hand].take());
        for (last, seen) in self.last.iter_mut().zip(&seen) {
            if let Some(seen) = seen {
                *last = Some(seen.arrival);
                self.n_seen += 1;
            }
        }
        seen
    }

    /// Whether the table was moved since the hand was last seen: the hand did not go that way. Asked once for each pose.
    pub fn has_other_table(&mut self, seen: &SeenHand) -> bool {
        let before = self.tables[seen.side as usize].replace(seen.table);
        before.is_some_and(|before| before != seen.table)
    }

    /// Hands that have been out of sight for longer than `patience`, in seconds, and why they are taken for gone;
    /// each once.
    pub fn absent(&mut self, patience: f64) -> Vec<(Side, String)> {
        let mut absent = Vec::new();
        for (last, side) in self.last.iter_mut().zip(SIDES) {
            if last.take_if(|at| at.elapsed().as_secs_f64() > patience).is_some() {
                let why = format!("the hand is lost: the headset has not seen it for {patience} s");
                absent.push((side, why));
            }
        }
        absent
    }

    /// Which hands are in sight, if any.
    pub fn in_sight(&self) -> Option<&'static str> {
        let [left, right] = self.last.map(|at| at.is_some_and(|at| at.elapsed() < OUT_OF_SIGHT));
        match (left, right) {
            (true, true) => Some("both hands, seen by the headset"),
            (true, false) => Some("left, seen by the headset"),
            (false, true) => Some("right, seen by the headset"),
            (false, false) => None,
        }
    }

    pub fn headset(&self) -> &HeadsetLink {
        &self.link
    }

    /// Poses so far.
    pub fn n_seen(&self) -> u64 {
        self.n_seen
    }
}
