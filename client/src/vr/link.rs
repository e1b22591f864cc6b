//! What the rest of the program sees of a headset. Nobody waits for it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use engine::{Bell, Mailbox};
use nalgebra::Isometry3;

use super::hands::SeenHand;
use crate::render::{Lens, Viewpoint};
use crate::scene::Scene;

/// Joins the headset's thread with the hand loop and the window.
#[derive(Debug)]
pub struct HeadsetLink {
    /// What the eyes should see.
    pub scenes: Mailbox<Arc<Scene>>,
    /// Where the wearer looks from, for a window that shows the same.
    pub mirror: Mailbox<Mirror>,
    /// Bare hands that it sees, left first.
    pub hands: [Mailbox<SeenHand>; 2],
    state: Mutex<HeadsetState>,
    wants_table: AtomicBool,
}

/// How the headset is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeadsetState {
    /// The runtime is being asked.
    Starting,
    /// It is there, but shows something else, or nobody wears it.
    Waiting(String),
    /// It shows our pictures.
    Showing(String),
    /// It could not be had, for a reason that may pass; it is tried again.
    Missing(String),
    /// It was there and is gone; it is tried again.
    Lost(String),
    /// It shows nothing, and trying again would not help.
    Failed(String),
}

/// Where the wearer looks from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mirror {
    /// The left eye looks along -z.
    pub world_from_eye: Isometry3<f64>,
    pub lens: Lens,
}

/// Above and below straight ahead, a window shows so much at most: more looks warped on a flat screen.
const MIRROR_ANGLE: f64 = 0.8;

impl Mirror {
    /// What the wearer sees in the middle of the picture, as wide as the window has room.
    pub fn viewpoint(&self, aspect: f64) -> Viewpoint {
        let (up, down) = (self.lens.up.min(MIRROR_ANGLE), self.lens.down.max(-MIRROR_ANGLE));
        let right = (aspect * (up.tan() - down.tan()) / 2.0).atan();
        let lens = Lens { left: -right, right, up, down, ..self.lens };
        Viewpoint::of_eye(&self.world_from_eye, &lens)
    }
}

impl HeadsetLink {
    /// Rings the bell when a hand is seen.
    pub(super) fn new(bell: &Arc<Bell>) -> Self {
        Self {
            scenes: Mailbox::default(),
            mirror: Mailbox::default(),
            hands: [(); 2].map(|()| Mailbox::ringing(Arc::clone(bell))),
            state: Mutex::new(HeadsetState::Starting),
            wants_table: AtomicBool::new(false),
        }
    }

    pub fn state(&self) -> HeadsetState {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Puts the table in front of the wearer again.
    pub fn bring_table(&self) {
        self.wants_table.store(true, Ordering::Relaxed);
    }

    pub(super) fn takes_table(&self) -> bool {
        self.wants_table.swap(false, Ordering::Relaxed)
    }

    pub(super) fn set_state(&self, state: HeadsetState) {
        let mut present = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if *present != state {
            match &state {
                HeadsetState::Showing(what) => tracing::info!("headset: {what} shows the scene"),
                HeadsetState::Waiting(what) => tracing::info!("headset: {what}"),
                other => tracing::debug!(state = ?other, "headset"),
            }
            *present = state;
        }
    }
}
