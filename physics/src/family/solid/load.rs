//! Load of a solution: a few forces and rigid motions, from which the displacements of all nodes
//! follow.

use crate::linear::{ContactAnswer, ContactSystem};
use crate::mesh::Dof;

/// Forces and rigid motions of one solution.
#[derive(Debug, Clone, Default)]
pub(super) struct Load {
    /// Force at each touched degree of freedom, in newtons.
    pub(super) forces: Vec<(Dof, f64)>,
    /// Amounts of the six rigid motions of each touched free body.
    pub(super) motions: Vec<(usize, [f64; 6])>,
}

impl Load {
    /// Replaces the load by that of an answer. Keeps the memory.
    pub(super) fn set(&mut self, system: &ContactSystem, answer: &ContactAnswer) {
        self.clear();
        let forces = system.touched().iter().zip(&answer.scaled_forces);
        self.forces.extend(forces.map(|(dof, force)| (*dof, force * system.force_scale())));
        self.motions.extend(system.rigid_motions(answer));
    }

    /// Removes the load: the object is at rest.
    pub(super) fn clear(&mut self) {
        self.forces.clear();
        self.motions.clear();
    }

    /// True if the object is at rest.
    pub(super) fn is_empty(&self) -> bool {
        self.forces.is_empty()
    }
}
