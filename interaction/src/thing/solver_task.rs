//! Slow work for the solvers, done outside of the hand loop.

use std::sync::Arc;

use physics::{KnownDisplacement, ObjectSpec};

use crate::shape_history::ShapeId;

/// Work for the solvers. It takes time and is done outside of the hand loop.
#[derive(Debug, Clone)]
pub enum SolverTask {
    /// Solve for the shape with these displacements, make it a rest shape, and prepare it.
    KeepShape { thing: usize, shape: ShapeId, spec: Arc<ObjectSpec>, known: Vec<KnownDisplacement> },
    /// Prepare the first shape of one more thing.
    StartThing { spec: Arc<ObjectSpec> },
    /// Prepare another shape: with `is_as_left` in the state in which it was left, otherwise at
    /// rest.
    PrepareShape { thing: usize, shape: ShapeId, spec: Arc<ObjectSpec>, is_as_left: bool },
    /// Put matter that has moved back into its original state.
    ReturnToRest { thing: usize },
}
