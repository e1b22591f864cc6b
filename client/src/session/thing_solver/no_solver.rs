//! No solver yet.

use std::sync::Arc;

use engine::{LinkState, SolverLink};
use physics::{Snapshot, SurfaceFrame, Touch};

/// Stands in for a solver that is being started, or that could not be.
pub(super) struct NoSolver(pub(super) LinkState);

impl SolverLink for NoSolver {
    fn submit(&mut self, touch: Touch) -> Option<Touch> {
        Some(touch)
    }

    fn latest(&mut self) -> Option<Arc<SurfaceFrame>> {
        None
    }

    fn restore(&mut self, _snapshot: Arc<Snapshot>) {}

    fn state(&self) -> LinkState {
        self.0.clone()
    }
}
