//! Change of the source of hands, or of the person, during a run.

use std::io;
use std::time::Duration;

use drivers::Side;
use interaction::tabletop::Order;

use super::{ActiveHands, HandSource};
use crate::session::{ProfilesInUse, Session};

impl Session {
    /// Removes a pause of length `pause` from the session's time; playback was stopped, too.
    pub(crate) fn skip_pause(&mut self, pause: Duration) {
        self.clock.skip_pause(pause);
        self.hands.last.iter_mut().flatten().for_each(|(_, at)| *at += pause);
    }

    /// Switches to another source. Held things are released: the next hand is elsewhere.
    pub(in crate::session) fn change_hands(&mut self, source: HandSource) -> io::Result<()> {
        self.lose_hands("the hand has another source now")?;
        self.seeking = None;
        self.clock.let_go();
        self.tabletop.begin_here();
        self.solvers.begin_here();
        self.take_over(source)
    }

    pub(in crate::session) fn take_over(&mut self, source: HandSource) -> io::Result<()> {
        let next = ActiveHands::after(source, &self.hands);
        let old = std::mem::replace(&mut self.hands, next);
        self.watch.forget_hands();
        // Hand sizes that a headset measured do not apply to the next source.
        for side in [Side::Left, Side::Right] {
            let size = *self.profiles_in_use.of(side).size();
            if *self.tabletop.profiles().of(side).size() != size {
                self.apply_order(&Order::of_size(side, size))?;
            }
        }
        // Closing devices takes a while; a thread does it, so that the hand does not wait.
        std::thread::Builder::new().name("farewell".to_owned()).spawn(move || drop(old))?;
        Ok(())
    }

    /// Switches to the calibration of another person.
    pub(in crate::session) fn change_person(
        &mut self,
        profiles_in_use: ProfilesInUse,
    ) -> io::Result<()> {
        self.lose_hands("another person's calibration is used now")?;
        self.tabletop.set_profiles(profiles_in_use.both());
        self.profiles_in_use = profiles_in_use;
        // The profile also holds the place of the transmitter.
        self.aligner.recall(&self.profiles_in_use);
        Ok(())
    }

    fn lose_hands(&mut self, why: &str) -> io::Result<()> {
        for side in [Side::Left, Side::Right] {
            if self.tabletop.real_hand(side).is_some() {
                self.lose_hand(side, why)?;
            }
        }
        Ok(())
    }
}
