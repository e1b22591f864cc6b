//! Progress and cancellation of long work, shared between the working and the waiting thread.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};

/// Stage of preparing an object. The stages follow each other in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Assembles the stiffness matrix.
    Assembling,
    /// Finds an elimination order.
    Ordering,
    /// Finds the pattern of the factor.
    Analysing,
    /// Computes the factor.
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

/// Stages of some long work.
pub trait Stages: Copy + PartialEq + 'static {
    /// All stages, in order.
    const ALL: &'static [Self];

    /// Approximate shares of the whole work that are done at the start and at the end of the stage.
    fn span(self) -> (f64, f64);
}

impl Stages for Stage {
    const ALL: &'static [Self] =
        &[Self::Assembling, Self::Ordering, Self::Analysing, Self::Factorising];

    /// Measured shares for objects of thousands of nodes.
    fn span(self) -> (f64, f64) {
        match self {
            Self::Assembling => (0.0, 0.02),
            Self::Ordering => (0.02, 0.15),
            Self::Analysing => (0.15, 0.2),
            Self::Factorising => (0.2, 1.0),
        }
    }
}

/// Counter of work done, and a flag to cancel the work. Both act with a delay: cancelled work ends
/// when it checks the flag next.
pub struct Progress<S = Stage> {
    /// Work done in the current stage.
    done: AtomicU64,
    /// All work of the current stage.
    total: AtomicU64,
    /// Index of the current stage in [`Stages::ALL`] plus one; 0 for work without stages.
    stage: AtomicUsize,
    is_cancelled: AtomicBool,
    on_stage: Option<Box<dyn Fn(S) + Send + Sync>>,
}

impl<S> Default for Progress<S> {
    fn default() -> Self {
        Self {
            done: AtomicU64::new(0),
            total: AtomicU64::new(0),
            stage: AtomicUsize::new(0),
            is_cancelled: AtomicBool::new(false),
            on_stage: None,
        }
    }
}

impl<S: Stages> Progress<S> {
    /// Creates a progress that calls `on_stage` whenever a stage begins.
    pub fn watched(on_stage: impl Fn(S) + Send + Sync + 'static) -> Self {
        Self { on_stage: Some(Box::new(on_stage)), ..Self::default() }
    }

    /// Share of the work that is done, between 0 and 1.
    pub fn share(&self) -> f64 {
        let stage = self.stage.load(Relaxed).checked_sub(1).map(|place| S::ALL[place]);
        let (before, after) = stage.map_or((0.0, 1.0), S::span);
        let of_stage = match self.total.load(Relaxed) {
            0 => 0.0,
            total => (self.done.load(Relaxed) as f64 / total as f64).min(1.0),
        };
        before + (after - before) * of_stage
    }

    /// Cancels the work.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Relaxed);
    }

    /// True if the work was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Relaxed)
    }

    /// Begins a stage.
    pub fn enter(&self, stage: S) {
        self.expect(0);
        let place = S::ALL.iter().position(|s| *s == stage);
        self.stage.store(place.map_or(0, |place| place + 1), Relaxed);
        if let Some(on_stage) = &self.on_stage {
            on_stage(stage);
        }
    }

    /// Sets the amount of work in this stage.
    pub fn expect(&self, total: u64) {
        self.total.store(0, Relaxed);
        self.done.store(0, Relaxed);
        self.total.store(total, Relaxed);
    }

    /// Counts work as done.
    pub fn add(&self, done: u64) {
        self.done.fetch_add(done, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_grows_from_stage_to_stage() {
        let progress = Progress::<Stage>::default();
        let mut shares = vec![progress.share()];
        for stage in Stage::ALL {
            progress.enter(*stage);
            shares.push(progress.share());
            progress.expect(4);
            for _ in 0..4 {
                progress.add(1);
                shares.push(progress.share());
            }
        }
        assert!(shares.is_sorted(), "{shares:?}");
        assert_eq!((shares[0], shares[shares.len() - 1]), (0.0, 1.0));
    }

    #[test]
    fn work_without_stages_has_shares_too() {
        let progress = Progress::<Stage>::default();
        progress.expect(4);
        progress.add(1);
        assert_eq!(progress.share(), 0.25);
    }
}
