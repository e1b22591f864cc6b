//! Measures how long each stage of long work takes.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Durations of consecutive stages.
#[derive(Default)]
pub(crate) struct StageTimes(Mutex<Stages>);

#[derive(Default)]
struct Stages {
    done: Vec<(String, Duration)>,
    now: Option<(String, Instant)>,
}

impl StageTimes {
    /// Ends the current stage, if there is one, and begins `stage`.
    pub(crate) fn enter(&self, stage: &str) {
        let mut stages = self.lock();
        stages.finish();
        stages.now = Some((stage.to_owned(), Instant::now()));
    }

    /// Ends the current stage.
    pub(crate) fn stop(&self) {
        self.lock().finish();
    }

    /// Stages that are over and their durations, in order.
    pub(crate) fn stages(&self) -> Vec<(String, Duration)> {
        self.lock().done.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Stages> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stages {
    fn finish(&mut self) {
        if let Some((stage, begun)) = self.now.take() {
            self.done.push((stage, begun.elapsed()));
        }
    }
}
