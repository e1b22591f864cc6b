//! What takes time because of an order, and is done elsewhere.

use std::sync::Arc;

use physics::material::IsotropicElastic;
use physics::{KnownDisplacement, ObjectSpec};

use crate::shapes::ShapeId;

/// What something is made of, as a person calls it.
#[derive(Debug, Clone, PartialEq)]
pub struct Matter {
    pub name: String,
    pub material: IsotropicElastic,
}

/// Something that takes time and is done elsewhere.
#[derive(Debug, Clone)]
pub enum Chore {
    /// Find the shape with these displacements, make it a rest shape, and prepare it.
    Keep { thing: usize, shape: ShapeId, spec: Arc<ObjectSpec>, known: Vec<KnownDisplacement> },
    /// Prepare the first shape of one more thing.
    Start { spec: Arc<ObjectSpec> },
    /// Prepare another shape, in the state in which that was left or at rest.
    Prepare { thing: usize, shape: ShapeId, spec: Arc<ObjectSpec>, is_as_left: bool },
    /// Put matter that has moved back to where it was at first.
    Rest { thing: usize },
}
