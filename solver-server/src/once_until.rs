//! Something that is reported once, and again only after it was over.

use std::sync::atomic::{AtomicBool, Ordering};

/// A condition that goes on for a while, such as a full house.
#[derive(Debug, Default)]
pub(crate) struct OnceUntil(AtomicBool);

impl OnceUntil {
    /// Begins the condition. Returns true if it was over before.
    pub(crate) fn is_first(&self) -> bool {
        !self.0.swap(true, Ordering::Relaxed)
    }

    /// Ends the condition.
    pub(crate) fn end(&self) {
        self.0.store(false, Ordering::Relaxed);
    }
}
