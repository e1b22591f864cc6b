//! Loss of a hand: things that it held are released and return home.

use std::io;
use std::time::Instant;

use drivers::Side;

use crate::input::DeviceState;

use super::{GloveHand, Session};

impl Session {
    /// Releases the things of hands whose devices have been silent for too long. Returns true if
    /// there was such a hand.
    pub(super) fn lose_absent_hands(&mut self) -> io::Result<bool> {
        let absent = self.hands.absent(self.tabletop.rules().lost_hand);
        for (side, why) in &absent {
            self.lose_hand(*side, why)?;
        }
        Ok(!absent.is_empty())
    }

    /// Handles the loss of a hand.
    pub(super) fn lose_hand(&mut self, side: Side, why: &str) -> io::Result<()> {
        let (sample, time) = (self.clock.next_sample(), self.clock.now());
        self.log.gone(side, why, sample, time)?;
        self.tabletop.lose_hand(side, why, sample, time, &mut self.effects);
        self.report_grasps(time)?;
        self.submit();
        Ok(())
    }
}

/// The reason why a hand is lost, if its devices have been silent for longer than `patience`, in
/// seconds.
pub(super) fn loss_reason(
    parts: &GloveHand,
    last: Option<(Side, Instant)>,
    patience: f64,
) -> Option<String> {
    let (_, arrival) = last?;
    if arrival.elapsed().as_secs_f64() <= patience {
        return None;
    }
    let which = match parts.pairing.glove_state() {
        DeviceState::Live(_) | DeviceState::Doubtful(_) => match parts.pairing.placer() {
            None => "tracker",
            Some(_) => "headset",
        },
        DeviceState::Opening
        | DeviceState::Late
        | DeviceState::Faulty(_)
        | DeviceState::Silent
        | DeviceState::Garbled
        | DeviceState::Missing(_)
        | DeviceState::Lost(_)
        | DeviceState::Ended => "glove",
    };
    Some(format!("the hand is lost: its {which} has sent no usable data for {patience} s"))
}
