//! What happens when a hand is not seen any more: what it held is let go, and finds its way home without it.

use std::io;

use crate::input::DeviceState;

use super::{HandLine, Session};

impl Session {
    /// Lets go of what hands hold whose devices have been silent for too long, and lets time pass for what was
    /// let go; says whether there is something new to see.
    pub(super) fn let_time_pass(&mut self) -> io::Result<bool> {
        let mut is_new = false;
        let patience = self.tabletop.rules().lost_hand;
        for i in 0..self.hands.len() {
            let Some(why) = self.hands[i].absence(patience) else { continue };
            let Some((side, _)) = self.hands[i].last.take() else { continue };
            let (sample, time) = (self.next_sample(), self.start.elapsed().as_secs_f64());
            if let Some(journal) = &mut self.journal {
                journal.gone(side, &why, sample, time);
            }
            self.tabletop.lose_hand(side, &why, sample, time, &mut self.news);
            self.take_news(time)?;
            is_new = true;
        }
        if self.tabletop.needs_time() {
            let (sample, time) = (self.next_sample(), self.start.elapsed().as_secs_f64());
            if let Some(journal) = &mut self.journal {
                journal.passed(sample, time);
            }
            self.tabletop.pass_time(sample, time, &mut self.news);
            self.take_news(time)?;
            is_new = true;
        }
        Ok(is_new)
    }
}

impl HandLine {
    /// Why the hand is taken for gone, if it has been silent for longer than `patience`, in seconds.
    fn absence(&self, patience: f64) -> Option<String> {
        let (_, arrival) = self.last?;
        if arrival.elapsed().as_secs_f64() <= patience {
            return None;
        }
        let which = match self.parts.pairing.glove_state() {
            DeviceState::Live(_) => "tracker",
            DeviceState::Opening
            | DeviceState::Late
            | DeviceState::Faulty(_)
            | DeviceState::Silent
            | DeviceState::Missing(_)
            | DeviceState::Lost(_)
            | DeviceState::Ended => "glove",
        };
        Some(format!("the hand is lost: its {which} has said nothing of use for {patience} s"))
    }
}
