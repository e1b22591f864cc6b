//! The window's channels to the session: scenes and squeezes come in, requests and wishes go out.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use engine::Mailbox;
use interaction::scene::Scene;

use super::history::Squeeze;
use crate::session::Request;
use crate::settings::Views;

/// What joins the window to the session.
pub(in crate::run) struct Channels {
    pub(in crate::run) scenes: Arc<Mailbox<NewScene>>,
    pub(in crate::run) squeezes: Receiver<Squeeze>,
    pub(in crate::run) requests: SyncSender<Request>,
    pub(in crate::run) wishes: Wishes,
}

/// A scene, and when the session had it ready.
pub(in crate::run) struct NewScene {
    pub(in crate::run) scene: Arc<Scene>,
    pub(in crate::run) made: Instant,
}

/// What the hand's thread looks at, now and then.
#[derive(Clone, Default)]
pub(in crate::run) struct Wishes {
    /// Whether the solver is asked for fields.
    pub(in crate::run) fields: Arc<AtomicBool>,
    /// Whether the hand rests.
    pub(in crate::run) resting: Arc<AtomicBool>,
    /// What a headset shows besides hands and things.
    pub(in crate::run) views: Arc<Mutex<Views>>,
}

/// Why the session does not take a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    /// It has too many already.
    Full,
    /// The hand's thread has ended, and the window closes with it.
    Over,
}

impl Channels {
    /// Hands something to the session, without waiting.
    pub(super) fn request(&self, request: Request) -> Result<(), Refused> {
        self.requests.try_send(request).map_err(|error| match error {
            TrySendError::Full(_) => Refused::Full,
            TrySendError::Disconnected(_) => Refused::Over,
        })
    }

    pub(super) fn wish_for_fields(&self, are_wanted: bool) {
        self.wishes.fields.store(are_wanted, Ordering::Relaxed);
    }

    /// Lets the hand rest, or go on.
    pub(super) fn rest(&self, is_wanted: bool) {
        self.wishes.resting.store(is_wanted, Ordering::Relaxed);
    }

    /// A headset shows the same as the window, besides hands and things.
    pub(super) fn show_in_headset(&self, views: &Views) {
        self.wishes.views.lock().unwrap_or_else(PoisonError::into_inner).clone_from(views);
    }
}
