//! How far long work has come, and the wish to end it: shared between who works and who waits.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// A stage of preparing an object, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// The stiffness matrix is put together.
    Assembling,
    /// A good order of elimination is sought.
    Ordering,
    /// The pattern of the factor is found.
    Analysing,
    /// The factor is computed.
    Factorising,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Assembling => "assembling",
            Self::Ordering => "ordering",
            Self::Analysing => "analysing",
            Self::Factorising => "factorising",
        })
    }
}

/// Counts work done and carries the wish to cancel. Neither is exact in time: a cancelled computation
/// ends at its next look.
#[derive(Default)]
pub struct Progress {
    done: AtomicU64,
    total: AtomicU64,
    is_cancelled: AtomicBool,
    on_stage: Option<Box<dyn Fn(Stage) + Send + Sync>>,
}

impl Progress {
    /// Calls `on_stage` whenever a stage begins.
    pub fn watched(on_stage: impl Fn(Stage) + Send + Sync + 'static) -> Self {
        Self { on_stage: Some(Box::new(on_stage)), ..Self::default() }
    }

    /// The share of the factorisation that is done, between 0 and 1; 0 before it begins.
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

    /// Says that a stage begins.
    pub(crate) fn enter(&self, stage: Stage) {
        if let Some(on_stage) = &self.on_stage {
            on_stage(stage);
        }
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
