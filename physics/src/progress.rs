//! How far long work has come, and the wish to end it: shared between who works and who waits.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Counts work done and carries the wish to cancel. Neither is exact in time: a cancelled computation
/// ends at its next look.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicU64,
    total: AtomicU64,
    is_cancelled: AtomicBool,
}

impl Progress {
    /// The share of the work that is done, between 0 and 1; 0 as long as its amount is unknown.
    pub fn share(&self) -> f64 {
        match self.total.load(Relaxed) {
            0 => 0.0,
            total => (self.done.load(Relaxed) as f64 / total as f64).min(1.0),
        }
    }

    /// Asks the work to end.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Relaxed);
    }

    /// Whether somebody wants the work to end.
    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Relaxed)
    }

    /// Says how much there is to do.
    pub(crate) fn expect(&self, total: u64) {
        self.total.store(total, Relaxed);
    }

    /// Says that some of it is done.
    pub(crate) fn add(&self, done: u64) {
        self.done.fetch_add(done, Relaxed);
    }
}
