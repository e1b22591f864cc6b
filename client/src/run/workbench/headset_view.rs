//! The headset's picture in the window, and the menu in the headset.

use std::sync::Arc;

use super::Workbench;
use super::headset_menu::HeadsetMenu;
use crate::vr::{HeadsetLink, HeadsetState, MirrorView};
use crate::window::WindowFlow;
use crate::wiring::{EmulatedPerformance, HandChoice};

/// The window's side of a headset.
pub(super) struct HeadsetView {
    pub(super) link: Arc<HeadsetLink>,
    /// The wearer's view, which the window then shows.
    pub(super) mirrored: Option<MirrorView>,
    /// The menu in the headset, while it is open.
    pub(super) menu: Option<HeadsetMenu>,
    /// `Close` if the wearer has ended the run.
    pub(super) flow: WindowFlow,
}

impl HeadsetView {
    pub(super) fn new(link: &Arc<HeadsetLink>) -> Self {
        Self { link: Arc::clone(link), mirrored: None, menu: None, flow: WindowFlow::Continue }
    }

    /// Updates the wearer's view; returns true if it has changed.
    pub(super) fn look(&mut self) -> bool {
        let before = self.mirrored;
        match (self.link.mirror.take(), self.link.state()) {
            (Some(mirror), _) => self.mirrored = Some(mirror),
            (None, HeadsetState::Showing(_)) => {}
            // The headset shows nothing: the window uses its own camera again.
            (None, _) => self.mirrored = None,
        }
        self.mirrored != before
    }
}

impl Workbench<'_> {
    /// Calls a function of the headset's link, if there is a headset.
    pub(super) fn of_headset(&self, asked: impl FnOnce(&HeadsetLink)) {
        if let Some(headset) = &self.headset {
            asked(&headset.link);
        }
    }

    /// Starts or cancels the alignment of tracker and headset.
    pub(super) fn align(&mut self) {
        let Some(headset) = &self.headset else { return };
        match self.hand.choice() {
            HandChoice::Emulated(EmulatedPerformance { devices, .. })
            | HandChoice::Ports { devices, .. }
                if devices.position.is_none() =>
            {
                headset.link.align.switch();
            }
            HandChoice::Recording(_) => headset.link.align.switch(),
            HandChoice::Emulated(_)
            | HandChoice::Ports { .. }
            | HandChoice::Mouse(_)
            | HandChoice::Headset => {
                let why = "only a hand with glove and tracker can be aligned: press I to choose it";
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
