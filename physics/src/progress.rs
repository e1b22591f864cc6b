//! How far long work has come, and the wish to end it: shared between who works and who waits.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};

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

/// The stages of some long work.
pub trait Stages: Copy + PartialEq + 'static {
    /// In their order.
    const ALL: &'static [Self];

    /// The shares of the whole work that are done before it and after it, about.
    fn span(self) -> (f64, f64);
}

impl Stages for Stage {
    const ALL: &'static [Self] =
        &[Self::Assembling, Self::Ordering, Self::Analysing, Self::Factorising];

    /// For thousands of nodes.
    fn span(self) -> (f64, f64) {
        match self {
            Self::Assembling => (0.0, 0.02),
            Self::Ordering => (0.02, 0.15),
            Self::Analysing => (0.15, 0.2),
            Self::Factorising => (0.2, 1.0),
        }
    }
}

/// Counts work done and carries the wish to cancel. Neither is exact in time: a cancelled computation
/// ends at its next look.
pub struct Progress<S = Stage> {
    /// Of the present stage.
    done: AtomicU64,
    /// Of the present stage.
    total: AtomicU64,
    /// One more than the present stage's place in [`Stages::ALL`]; 0 for work without stages.
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
    /// Calls `on_stage` whenever a stage begins.
    pub fn watched(on_stage: impl Fn(S) + Send + Sync + 'static) -> Self {
        Self { on_stage: Some(Box::new(on_stage)), ..Self::default() }
    }

    /// The share of the work that is done, between 0 and 1.
    pub fn share(&self) -> f64 {
        let stage = self.stage.load(Relaxed).checked_sub(1).map(|place| S::ALL[place]);
        let (before, after) = stage.map_or((0.0, 1.0), S::span);
        let of_stage = match self.total.load(Relaxed) {
            0 => 0.0,
            total => (self.done.load(Relaxed) as f64 / total as f64).min(1.0),
        };
        before + (after - before) * of_stage
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
    pub fn enter(&self, stage: S) {
        self.expect(0);
        let place = S::ALL.iter().position(|s| *s == stage);
        self.stage.store(place.map_or(0, |place| place + 1), Relaxed);
        if let Some(on_stage) = &self.on_stage {
            on_stage(stage);
        }
    }

    /// Says how much there is to do in this stage.
    pub fn expect(&self, total: u64) {
        self.total.store(0, Relaxed);
        self.done.store(0, Relaxed);
        self.total.store(total, Relaxed);
    }

    /// Says that some of it is done.
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
