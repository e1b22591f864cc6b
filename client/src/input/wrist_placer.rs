//! Places the wrist of a gloved hand that has no tracker: by mouse and keys, or by a headset.

use std::time::Instant;

use drivers::Side;
use nalgebra::Isometry3;

use super::headset_mailbox::HeadsetHands;
use super::mouse_hand::MouseHand;
use super::pair::OLDEST;
use crate::vr::SeenHand;

/// Source of the wrist's place.
#[derive(Debug)]
pub enum WristPlacer {
    /// Mouse and keys.
    Mouse(Box<MouseHand>),
    /// A headset that sees the hand or its controller.
    Headset(Box<HeadsetPlacer>),
}

/// The newest sighting of each hand by a headset, left hand first.
#[derive(Debug)]
pub struct HeadsetPlacer {
    hands: HeadsetHands,
    newest: [Option<SeenHand>; 2],
}

impl HeadsetPlacer {
    pub fn new(hands: HeadsetHands) -> Self {
        Self { hands, newest: [None, None] }
    }
}

impl WristPlacer {
    /// Place of the wrist in the world for a glove's sample that arrived at `arrival`; `None` if it
    /// is not known.
    pub fn place(&mut self, side: Side, arrival: Instant) -> Option<Isometry3<f64>> {
        match self {
            Self::Mouse(hand) => Some(hand.wrist(side, arrival)),
            Self::Headset(placer) => {
                for (newest, seen) in placer.newest.iter_mut().zip(placer.hands.take()) {
                    *newest = seen.or(newest.take());
                }
                let seen = placer.newest[side as usize].as_ref()?;
                let age = arrival.saturating_duration_since(seen.arrival);
                (age <= OLDEST).then_some(seen.pose.world_from_wrist)
            }
        }
    }

    /// What is wrong with the source, if it cannot place the hand; otherwise what it is.
    pub fn state(&self) -> Result<&'static str, &'static str> {
        match self {
            Self::Mouse(_) => Ok("moved by mouse and keys, bent by the glove"),
            Self::Headset(placer) => match placer.hands.in_sight() {
                Some(_) => Ok("moved by the headset, bent by the glove"),
                None => Err("neither the hand nor its controller is in sight of the headset"),
            },
        }
    }

    /// The hand that mouse and keys move, if they do.
    pub fn mouse(&self) -> Option<&MouseHand> {
        match self {
            Self::Mouse(hand) => Some(hand),
            Self::Headset(_) => None,
        }
    }
}
