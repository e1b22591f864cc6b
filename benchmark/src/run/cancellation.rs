//! Passes a stop request on to the current computation.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use physics::Progress;

use super::StepError;

/// Watches a flag and cancels the current work when the flag is set.
pub(super) struct Cancellation<'a> {
    stop: &'a AtomicBool,
    is_over: AtomicBool,
    present: Mutex<Option<Arc<Progress>>>,
}

impl<'a> Cancellation<'a> {
    pub(super) fn new(stop: &'a AtomicBool) -> Self {
        Self { stop, is_over: AtomicBool::new(false), present: Mutex::default() }
    }

    /// The flag.
    pub(super) fn flag(&self) -> &AtomicBool {
        self.stop
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Returns an error if the run should end.
    pub(super) fn check(&self) -> Result<(), StepError> {
        if self.is_stopped() { Err(StepError::Stopped) } else { Ok(()) }
    }

    /// Makes `progress` the work that is cancelled.
    pub(super) fn watching(&self, progress: Progress) -> Arc<Progress> {
        let progress = Arc::new(progress);
        *self.present.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&progress));
        if self.is_stopped() {
            progress.cancel();
        }
        progress
    }

    /// Watches the flag until the run is over; runs on a separate thread.
    pub(super) fn watch(&self) {
        const BETWEEN_LOOKS: Duration = Duration::from_millis(50);
        while !self.is_over.load(Ordering::Relaxed) {
            if self.is_stopped()
                && let Some(present) = &*self.present.lock().unwrap_or_else(PoisonError::into_inner)
            {
                present.cancel();
            }
            std::thread::park_timeout(BETWEEN_LOOKS);
        }
    }

    /// Guard that ends [`Self::watch`] when it is dropped, in every case.
    pub(super) fn ending(&self) -> Ending<'_> {
        Ending(&self.is_over)
    }
}

pub(super) struct Ending<'a>(&'a AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
