//! The one trait that every family of matter implements.

use crate::frame::{ContactForce, Reaction};
use crate::mesh::Surface;
use crate::state::{State, StateError};
use crate::touch::Touch;

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

    /// Forces of the hands' shapes on the object in the last step, for families that find their own
    /// contacts. What the fingers feel is their negative.
    fn contact_forces(&self) -> &[ContactForce] {
        &[]
    }

    /// The fixed step of time of matter that moves, in seconds. Nothing for matter without inertia,
    /// which answers each touch at once.
    fn substep(&self) -> Option<f64> {
        None
    }

    /// All that the next step depends on, besides the description that the object was built from.
    fn state(&self) -> State;

    /// Goes back to a state that [`state`](Self::state) gave, of this object or of an equal one: the same touches
    /// then give the same bits. A state that is refused changes nothing.
    fn restore(&mut self, state: &State) -> Result<(), StateError>;

    /// Work that makes later steps quicker, if there is any that was not handed out before. Whoever has an
    /// idle thread may do it, or not; it changes no result.
    fn idle_work(&mut self) -> Option<IdleWork> {
        None
    }

    /// Advances `dt` seconds, one [substep](Self::substep) where there is one, under what hands do to this
    /// object; says how the solve went. With `dt = 0`, matter with a substep stays as it is and only
    /// computes the fields that the touch wants.
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
    /// Whether the matter moves on by itself, so that time has to pass for it even if no hand moves.
    pub is_moving: bool,
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
    /// Nothing touches the object, and it does not move.
    pub fn at_rest() -> Self {
        Self::without_solve(Outcome::AtRest)
    }

    /// A report of one direct solve.
    pub fn solved(outcome: Outcome, residual: f64) -> Self {
        Self { outcome, iterations: 1, residual, is_moving: false }
    }

    /// A report of a step that needed no solve.
    pub fn without_solve(outcome: Outcome) -> Self {
        Self { outcome, iterations: 0, residual: 0.0, is_moving: false }
    }
}
