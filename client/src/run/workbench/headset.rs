//! The headset as the window has it: what its wearer sees, and the menu there.

use std::sync::Arc;

use super::Bench;
use super::goggles::Goggles;
use crate::vr::{HeadsetLink, HeadsetState, Mirror};
use crate::window::Going;
use crate::wiring::HandChoice;

/// The window's side of a headset.
pub(super) struct Headset {
    pub(super) link: Arc<HeadsetLink>,
    /// What its wearer sees, which is what the window shows then.
    pub(super) mirrored: Option<Mirror>,
    /// The menu that its wearer has, while it is open.
    pub(super) goggles: Option<Goggles>,
    /// Whether its wearer wants to end the run.
    pub(super) going: Going,
}

impl Headset {
    pub(super) fn new(link: &Arc<HeadsetLink>) -> Self {
        Self { link: Arc::clone(link), mirrored: None, goggles: None, going: Going::On }
    }

    /// Looks at what the wearer sees now; says whether that has changed.
    pub(super) fn look(&mut self) -> bool {
        let before = self.mirrored;
        match (self.link.mirror.take(), self.link.state()) {
            (Some(mirror), _) => self.mirrored = Some(mirror),
            (None, HeadsetState::Showing(_)) => {}
            // The camera is the person's again.
            (None, _) => self.mirrored = None,
        }
        self.mirrored != before
    }
}

impl Bench<'_> {
    /// Asks something of the headset, if there is one.
    pub(super) fn of_headset(&self, asked: impl FnOnce(&HeadsetLink)) {
        if let Some(headset) = &self.headset {
            asked(&headset.link);
        }
    }

    /// Begins to bring tracker and headset to agree, or gives it up.
    pub(super) fn align(&mut self) {
        let Some(headset) = &self.headset else { return };
        match self.hand.choice() {
            HandChoice::Emulated(_) | HandChoice::Ports { .. } | HandChoice::Recording(_) => {
                headset.link.align.switch();
            }
            HandChoice::Mouse(_) | HandChoice::Headset => {
                let why = "there is nothing to align: it takes a hand with glove and tracker (I)";
                self.say(Err(why.to_owned()));
            }
        }
    }

    /// Multiplies the size of things in the headset by `factor`.
    pub(super) fn grow_things(&mut self, factor: f64) {
        if let Some(Err(why)) = self.headset.as_ref().map(|headset| headset.link.grow(factor)) {
            self.say(Err(why.to_owned()));
        }
    }
}
