//! What the source of hands has to say, brought on the way of samples.

use std::io;
use std::time::Instant;

use interaction::tabletop::Order;

use super::HandSource;
use crate::input::RecordedPose;
use crate::session::Session;
use crate::session::sample_path::PosedHand;
use crate::vr::{SeenBy, SeenHand};

/// A hand is taken for another one if some part of it is longer or shorter by this share of the
/// hand's length: what a headset sees trembles.
const ANOTHER_SIZE: f64 = 0.015;

impl Session {
    /// Takes what the hands have done; says whether that was anything.
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
                        self.lose_hand(hand.side, "the table was put elsewhere")?;
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
            self.lose_hand(before, "the other hand is driven now")?;
        }
        self.take_pose(&PosedHand { side, pose, from: None, arrival: now })?;
        Ok(true)
    }

    /// A hand of a recording was so, or was lost.
    pub(in crate::session) fn take_recorded(&mut self, recorded: &RecordedPose) -> io::Result<()> {
        let side = recorded.side;
        if let Some(size) = recorded.size {
            self.obey(&Order::of_size(side, size))?;
        }
        match recorded.pose {
            Some(pose) => {
                self.take_pose(&PosedHand { side, pose, from: None, arrival: Instant::now() })
            }
            None => self.lose_hand(side, "the hand was lost here, too"),
        }
    }

    /// A hand that is seen has its own size, unless it holds something: that must not change
    /// between its fingers.
    fn take_size(&mut self, seen: &SeenHand) -> io::Result<()> {
        let known = *self.tabletop.profiles().of(seen.side).size();
        let size = match seen.by {
            SeenBy::Joints => seen.size,
            // A controller says nothing of the hand around it, but how large the world is.
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
        self.obey(&Order::of_size(seen.side, size))
    }
}
