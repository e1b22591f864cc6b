//! How far filling has come, and the wish to end it: shared between who works and who waits.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};

/// A stage of filling a surface, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// The triangles are turned the same way and sorted.
    Sorting,
    /// The spacing that gives the wanted number of nodes is sought, by filling.
    Filling,
    /// The distance between skin and surface is measured.
    Measuring,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sorting => "sorting",
            Self::Filling => "filling",
            Self::Measuring => "measuring",
        })
    }
}

impl Stage {
    const ALL: [Self; 3] = [Self::Sorting, Self::Filling, Self::Measuring];

    /// The shares of the whole work that are done before it and after it, about.
    fn span(self) -> (f64, f64) {
        match self {
            Self::Sorting => (0.0, 0.05),
            Self::Filling => (0.05, 0.85),
            Self::Measuring => (0.85, 1.0),
        }
    }
}

/// Says what is done and carries the wish to cancel. Neither is exact in time: cancelled work ends at its
/// next look.
#[derive(Default)]
pub struct Progress {
    /// Of the present stage, in millionths.
    done: AtomicU64,
    /// One more than the present stage's place in [`Stage::ALL`]; 0 before the first.
    stage: AtomicUsize,
    is_cancelled: AtomicBool,
    on_stage: Option<Box<dyn Fn(Stage) + Send + Sync>>,
}

impl Progress {
    /// Calls `on_stage` whenever a stage begins.
    pub fn watched(on_stage: impl Fn(Stage) + Send + Sync + 'static) -> Self {
        Self { on_stage: Some(Box::new(on_stage)), ..Self::default() }
    }

    /// The share of the work that is done, between 0 and 1.
    pub fn share(&self) -> f64 {
        let stage = self.stage.load(Relaxed).checked_sub(1).map(|place| Stage::ALL[place]);
        let (before, after) = stage.map_or((0.0, 0.0), Stage::span);
        before + (after - before) * (self.done.load(Relaxed) as f64 / 1e6)
    }

    /// Asks the work to end.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Relaxed);
    }

    /// Whether somebody wants the work to end.
    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Relaxed)
    }

    pub(super) fn enter(&self, stage: Stage) {
        self.done.store(0, Relaxed);
        let place = Stage::ALL.iter().position(|s| *s == stage);
        self.stage.store(place.map_or(0, |place| place + 1), Relaxed);
        if let Some(on_stage) = &self.on_stage {
            on_stage(stage);
        }
    }

    /// Says which share of the stage is done.
    pub(super) fn reach(&self, share: f64) {
        self.done.store((share.clamp(0.0, 1.0) * 1e6) as u64, Relaxed);
    }
}
