//! The one trait that every family of matter implements.

use crate::frame::{Reaction, Touch};
use crate::mesh::Surface;

/// One deformable object. Called through `dyn` once per step; loops inside stay monomorphic.
///
/// The caller knows nothing about what is inside: remeshing, plastic flow and moisture show outside
/// only as a new surface, whose [`crate::Topology::version`] tells when more than positions changed.
pub trait Deformable: Send {
    /// What can be touched and drawn, as of the last step.
    fn surface(&self) -> &Surface;

    /// Forces that hold the touched nodes where they are, in the touch's order; none if the last step did
    /// not solve. What the fingers feel is their negative.
    fn reactions(&self) -> &[Reaction];

    /// Work that makes later steps quicker, if there is any that was not handed out before. Whoever has an
    /// idle thread may do it, or not; it changes no result.
    fn idle_work(&mut self) -> Option<IdleWork> {
        None
    }

    /// Advances `dt` seconds under what the hand does to this object; says how the solve went.
    fn step(&mut self, touch: &Touch, dt: f64) -> StepReport;
}

/// Does one piece of some milliseconds and says whether there is more.
pub type IdleWork = Box<dyn FnMut() -> bool + Send>;

/// How one step went. Trouble is reported here, not as an error: the object stays usable.
#[derive(Debug, Clone, PartialEq)]
pub struct StepReport {
    /// What the step amounted to.
    pub outcome: Outcome,
    /// Iterations of the solve; a direct solve takes one, a step without a solve none.
    pub iterations: u32,
    /// Largest deviation from the prescribed displacements, in metres.
    pub residual: f64,
}

/// What a step amounted to.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Nothing touches the object: it is in its rest shape.
    AtRest,
    /// The surface answers the touch.
    Solved,
    /// The touch does not determine the shape (say, fewer than three nodes that are not in line); the
    /// surface stays as it was. The text names the motion that is free.
    Underdetermined(String),
    /// The touch could not be used: it names nodes that this object does not have, or too many, or
    /// numbers that are not finite, or nodes of an older topology. The surface stays as it was.
    Refused(String),
    /// The solve gave numbers that are not finite; the surface is frozen at its last good state.
    Frozen,
}

impl StepReport {
    /// A report of a step that needed no solve.
    pub fn without_solve(outcome: Outcome) -> Self {
        Self { outcome, iterations: 0, residual: 0.0 }
    }
}
