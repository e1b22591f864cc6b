//! The window's channels to the session: scenes and squeezes come in, requests and flags go out.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use engine::Mailbox;
use interaction::scene::Scene;

use super::squeeze_history::SqueezeMoment;
use crate::session::Request;
use crate::settings::ViewOptions;

/// The window's side of the channels.
pub(in crate::run) struct SessionChannels {
    pub(in crate::run) scenes: Arc<Mailbox<NewScene>>,
    pub(in crate::run) squeezes: Receiver<SqueezeMoment>,
    pub(in crate::run) requests: SyncSender<Request>,
    pub(in crate::run) flags: HandThreadFlags,
}

/// A scene, and the time at which the session finished it.
pub(in crate::run) struct NewScene {
    pub(in crate::run) scene: Arc<Scene>,
    pub(in crate::run) made: Instant,
}

/// Flags and options that the hand's thread reads.
#[derive(Clone, Default)]
pub(in crate::run) struct HandThreadFlags {
    /// True if the solver computes fields.
    pub(in crate::run) wants_fields: Arc<AtomicBool>,
    /// True if the hand's loop pauses.
    pub(in crate::run) is_resting: Arc<AtomicBool>,
    /// View options of the headset.
    pub(in crate::run) views: Arc<Mutex<ViewOptions>>,
}

/// Reason for refusing a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestRefused {
    /// The queue of requests is full.
    Full,
    /// The hand's thread has ended, and the window closes with it.
    Over,
}

impl SessionChannels {
    /// Sends a request to the session without waiting.
    pub(super) fn request(&self, request: Request) -> Result<(), RequestRefused> {
        self.requests.try_send(request).map_err(|error| match error {
            TrySendError::Full(_) => RequestRefused::Full,
            TrySendError::Disconnected(_) => RequestRefused::Over,
        })
    }

    pub(super) fn request_fields(&self, are_wanted: bool) {
        self.flags.wants_fields.store(are_wanted, Ordering::Relaxed);
    }

    /// Pauses the hand's loop, or lets it continue.
    pub(super) fn rest(&self, is_wanted: bool) {
        self.flags.is_resting.store(is_wanted, Ordering::Relaxed);
    }

    /// Sets the headset's view options to those of the window.
    pub(super) fn show_in_headset(&self, views: &ViewOptions) {
        self.flags.views.lock().unwrap_or_else(PoisonError::into_inner).clone_from(views);
    }
}
