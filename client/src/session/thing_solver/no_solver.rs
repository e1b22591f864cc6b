//! Stand-in for a solver that does not exist yet.

use std::sync::Arc;

use engine::{LinkState, SolverLink};
use physics::{Snapshot, SurfaceFrame, Touch};

/// Stand-in for a solver that is being started, or that failed to start.
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
