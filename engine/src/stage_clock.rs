//! Notes when each stage of long work begins.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Times of stages that follow each other.
#[derive(Default)]
pub(crate) struct StageClock(Mutex<Stages>);

#[derive(Default)]
struct Stages {
    done: Vec<(String, Duration)>,
    now: Option<(String, Instant)>,
}

impl StageClock {
    /// A stage begins; the last one, if any, is over.
    pub(crate) fn enter(&self, stage: &str) {
        let mut stages = self.lock();
        stages.finish();
        stages.now = Some((stage.to_owned(), Instant::now()));
    }

    /// The last stage is over.
    pub(crate) fn stop(&self) {
        self.lock().finish();
    }

    /// What is over, in its order.
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
