//! Trait that every family of matter implements.

use nalgebra::Isometry3;

use crate::contact_model::ContactModel;
use crate::mesh::Surface;
use crate::state::{State, StateError};
use crate::surface_frame::{ContactForce, Reaction};
use crate::touch::Touch;

/// One deformable object. Called through `dyn` once per step; loops inside stay monomorphic.
///
/// Callers see only the surface: remeshing, plastic flow and moisture show as a new surface.
/// [`crate::Topology::version`] grows when more than positions changed.
pub trait Deformable: Send {
    /// Surface to touch and to draw, after the last step.
    fn surface(&self) -> &Surface;

    /// Pose of the surface and of the displacements in the object's frame, for matter that moves as
    /// a whole.
    fn pose(&self) -> Isometry3<f64> {
        Isometry3::identity()
    }

    /// Forces that hold the touched nodes, in the touch's order; empty if the last step did not
    /// solve. The fingers feel the negative forces.
    fn reactions(&self) -> &[Reaction];

    /// Displacement of each node of the object in its present shape. This may take a solve: frames
    /// show the [surface](Self::surface) unless a client asks for all nodes.
    fn displacements(&self) -> Vec<[f64; 3]>;

    /// Forces of the hands' proxies on the object in the last step, for families that find their
    /// own contacts. The fingers feel the negative forces.
    fn contact_forces(&self) -> &[ContactForce] {
        &[]
    }

    /// Linear models of what the hands' proxies feel after the last step, for families that find
    /// their own contacts; in the order of the forces. It may take a solve: frames have them if the
    /// touch wants them.
    fn contact_models(&self) -> Vec<ContactModel> {
        Vec::new()
    }

    /// Fixed time step of matter with inertia, in seconds. `None` for matter without inertia, which
    /// takes one step per touch.
    fn substep(&self) -> Option<f64> {
        None
    }

    /// State of the object: everything that the next step depends on, except the description.
    fn state(&self) -> State;

    /// Restores a state that [`state`](Self::state) returned, of this object or of an equal one:
    /// the same touches then give the same bits. After an error the object is unchanged.
    fn restore(&mut self, state: &State) -> Result<(), StateError>;

    /// Takes work that makes later steps quicker, if there is any that was not taken before. It is
    /// optional and changes no result.
    fn idle_work(&mut self) -> Option<IdleWork> {
        None
    }

    /// Advances the object by `dt` seconds under a touch. `dt` is one [substep](Self::substep) if
    /// the family has one. With `dt = 0`, such a family keeps its state and only computes the
    /// fields that the touch wants.
    fn step(&mut self, touch: &Touch, dt: f64) -> StepReport;
}

/// Does one piece of work, a few milliseconds long. Returns true if there is more.
pub type IdleWork = Box<dyn FnMut() -> bool + Send>;

/// Report of one step. Problems are reported here, not as an error: the object stays usable.
#[derive(Debug, Clone, PartialEq)]
pub struct StepReport {
    /// Result of the step.
    pub outcome: Outcome,
    /// Iterations of the solve: 1 for a direct solve, 0 for a step without a solve.
    pub iterations: u32,
    /// Largest deviation from the prescribed displacements, in metres.
    pub residual: f64,
    /// True if the matter moves by itself: it then needs further steps, even if no hand moves.
    pub is_moving: bool,
}

/// Result of a step.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Nothing touches the object: it is in its rest shape.
    AtRest,
    /// The surface is the solution for the touch.
    Solved,
    /// The touch does not determine the shape (for example, it holds fewer than three nodes that
    /// are not in line). The surface is unchanged. The text names the motion that is free.
    Underdetermined(String),
    /// The touch is not valid: it names nodes that this object does not have, or too many nodes, or
    /// nodes of an older topology, or it contains numbers that are not finite. The surface is
    /// unchanged. The text gives the reason.
    Refused(String),
    /// The solve gave numbers that are not finite. The surface keeps its last good state.
    Frozen,
}

impl StepReport {
    /// Report for an object that nothing touches and that does not move.
    pub fn at_rest() -> Self {
        Self::without_solve(Outcome::AtRest)
    }

    /// Report of one direct solve.
    pub fn solved(outcome: Outcome, residual: f64) -> Self {
        Self { outcome, iterations: 1, residual, is_moving: false }
    }

    /// Report of a step without a solve.
    pub fn without_solve(outcome: Outcome) -> Self {
        Self { outcome, iterations: 0, residual: 0.0, is_moving: false }
    }
}
