//! Another source of hands, or another person's hands, while the run goes on.

use std::io;
use std::time::Duration;

use drivers::Hand as Side;
use interaction::tabletop::Order;

use super::{HandSource, Hands};
use crate::session::{Fitting, Session};

impl Session {
    /// Takes a pause out of the session's time; playback was stopped, too.
    pub(crate) fn stood_still(&mut self, pause: Duration) {
        self.clock.stood_still(pause);
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
        let next = Hands::after(source, &self.hands);
        let old = std::mem::replace(&mut self.hands, next);
        self.watch.forget_hands();
        // What a headset saw of one hand says nothing about the next.
        for side in [Side::Left, Side::Right] {
            let size = *self.fitting.of(side).size();
            if *self.tabletop.profiles().of(side).size() != size {
                self.obey(&Order::of_size(side, size))?;
            }
        }
        // Devices are closed in good order, which takes a while; the hand does not wait for it.
        std::thread::Builder::new().name("farewell".to_owned()).spawn(move || drop(old))?;
        Ok(())
    }

    /// Uses the calibration of another person from now on.
    pub(in crate::session) fn change_person(&mut self, fitting: Fitting) -> io::Result<()> {
        self.lose_hands("another person's calibration is used now")?;
        self.tabletop.set_profiles(fitting.profiles());
        self.fitting = fitting;
        // Where the transmitter stands on the desk is said by the profile, too.
        self.aligner.recall(&self.fitting);
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
