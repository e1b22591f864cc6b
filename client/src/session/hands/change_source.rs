//! Another source of hands, or another person's hands, while the run goes on.

use std::io;
use std::time::Duration;

use drivers::Side;
use interaction::tabletop::Order;

use super::{ActiveHands, HandSource};
use crate::session::{ProfilesInUse, Session};

impl Session {
    /// Takes a pause out of the session's time; playback was stopped, too.
    pub(crate) fn skip_pause(&mut self, pause: Duration) {
        self.clock.skip_pause(pause);
        self.hands.last.iter_mut().flatten().for_each(|(_, at)| *at += pause);
    }

    /// Lets another source take over. What a hand holds is let go: the next one is elsewhere.
    pub(in crate::session) fn change_hands(&mut self, source: HandSource) -> io::Result<()> {
        self.lose_hands("the hand comes from elsewhere now")?;
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
        // What a headset saw of one hand says nothing about the next.
        for side in [Side::Left, Side::Right] {
            let size = *self.profiles_in_use.of(side).size();
            if *self.tabletop.profiles().of(side).size() != size {
                self.obey(&Order::of_size(side, size))?;
            }
        }
        // Devices are closed in good order, which takes a while; the hand does not wait for it.
        std::thread::Builder::new().name("farewell".to_owned()).spawn(move || drop(old))?;
        Ok(())
    }

    /// Uses the calibration of another person from now on.
    pub(in crate::session) fn change_person(
        &mut self,
        profiles_in_use: ProfilesInUse,
    ) -> io::Result<()> {
        self.lose_hands("another person's calibration is used now")?;
        self.tabletop.set_profiles(profiles_in_use.both());
        self.profiles_in_use = profiles_in_use;
        // Where the transmitter stands on the desk is said by the profile, too.
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
