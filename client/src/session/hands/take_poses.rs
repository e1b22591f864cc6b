//! Poses of the source of hands, sent along the path of samples.

use std::io;
use std::time::Instant;

use interaction::tabletop::Order;

use super::HandSource;
use crate::input::RecordedPose;
use crate::session::Session;
use crate::session::sample_path::PosedHand;
use crate::vr::{SeenBy, SeenHand};

/// Change in size of a part of the hand, as a share of the hand's length, at which a headset's
/// measured size is used. Smaller changes are noise.
const ANOTHER_SIZE: f64 = 0.015;

impl Session {
    /// Takes all new poses of the hands. Returns true if there were any.
    pub(in crate::session) fn take_hands(&mut self) -> io::Result<bool> {
        let pairs = self.hands.pairs();
        for pair in pairs.iter().flatten() {
            self.take_pair(pair)?;
        }
        let hand = match &mut self.hands.source {
            HandSource::Devices(_) => return Ok(pairs.iter().any(Option::is_some)),
            HandSource::Mouse(hand) => hand,
            HandSource::Recorded(hands) => {
                let due = hands.take();
                let is_any = !due.is_empty();
                due.iter().try_for_each(|pose| self.take_recorded(pose))?;
                return Ok(is_any);
            }
            HandSource::Headset(hands) => {
                let seen = hands.take();
                let is_elsewhere =
                    seen.map(|hand| hand.is_some_and(|hand| hands.has_other_table(&hand)));
                for (hand, is_elsewhere) in seen.iter().zip(is_elsewhere) {
                    let Some(hand) = hand else { continue };
                    if is_elsewhere {
                        self.lose_hand(hand.side, "the table was moved")?;
                    }
                    self.take_size(hand)?;
                    let (side, pose, arrival) = (hand.side, hand.pose, hand.arrival);
                    self.take_pose(&PosedHand { side, pose, from: None, arrival })?;
                }
                return Ok(seen.iter().any(Option::is_some));
            }
        };
        let now = Instant::now();
        let touching = self.tabletop.touching(hand.side());
        let Some((side, pose)) = hand.next(now, &touching) else { return Ok(false) };
        self.hands.n_mouse_poses += 1;
        if let Some(before) =
            self.hands.last_mouse_side.replace(side).filter(|before| *before != side)
        {
            self.lose_hand(before, "mouse and keys drive the other hand now")?;
        }
        self.take_pose(&PosedHand { side, pose, from: None, arrival: now })?;
        Ok(true)
    }

    /// Takes a pose of a recorded hand, or its loss.
    pub(in crate::session) fn take_recorded(&mut self, recorded: &RecordedPose) -> io::Result<()> {
        let side = recorded.side;
        if let Some(size) = recorded.size {
            self.apply_order(&Order::of_size(side, size))?;
        }
        match recorded.pose {
            Some(pose) => {
                self.take_pose(&PosedHand { side, pose, from: None, arrival: Instant::now() })
            }
            None => self.lose_hand(side, "the recorded hand was lost here"),
        }
    }

    /// Sets the measured size of a headset's hand, unless the hand holds something: its size must
    /// not change then.
    fn take_size(&mut self, seen: &SeenHand) -> io::Result<()> {
        let known = *self.tabletop.profiles().of(seen.side).size();
        let size = match seen.by {
            SeenBy::Joints => seen.size,
            // A controller does not measure the hand, but the world scale is known.
            SeenBy::Controller => {
                Some(self.profiles_in_use.of(seen.side).size().times(1.0 / seen.world_scale))
            }
        };
        let Some(size) = size.filter(|size| size.distance(&known) > ANOTHER_SIZE) else {
            return Ok(());
        };
        if !self.tabletop.is_free(seen.side) {
            return Ok(());
        }
        self.log.size(seen.side, &size)?;
        let [length, breadth] = [size.length, size.breadth].map(|metres| metres * 1e3);
        let side = seen.side.name();
        tracing::info!("the {side} hand is {length:.0} mm long and {breadth:.0} mm broad");
        self.apply_order(&Order::of_size(seen.side, size))
    }
}
