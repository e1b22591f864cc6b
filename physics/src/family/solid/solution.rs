//! Solution of a single solve at all nodes, the result of either algorithm.

use nalgebra::Vector3;
use rayon::prelude::*;

use super::solve_error::SolveError;
use crate::element::Tet;
use crate::linear::Stiffness;
use crate::mesh::{Dof, NodeId};
use crate::spec::SolidSpec;
use crate::surface_frame::Reaction;
use crate::touch::KnownDisplacement;

/// Solution for known displacements at all nodes of the mesh, in `f64`.
#[derive(Debug, Clone)]
pub struct Solution {
    /// Displacement of each node.
    pub displacements: Vec<Vector3<f64>>,
    /// Force that holds each node with known displacements, zero along its free axes. The forces of
    /// the supports follow.
    pub reactions: Vec<Reaction>,
    /// Strain energy, in joules.
    pub strain_energy: f64,
    /// Largest force at a free degree of freedom, as a share of the largest reaction (or of a
    /// typical force, if the reactions are close to zero). Zero in exact arithmetic.
    pub residual: f64,
    /// Stress in each element, in Pa: xx, yy, zz, yz, xz, xy. Empty unless requested.
    pub stresses: Vec<[f64; 6]>,
}

impl Solution {
    /// Creates a solution from the displacements `u` of all degrees of freedom: the forces are `K
    /// u` (\[Ma98\], eq. 3.43b). Fails if a number is not finite.
    pub(super) fn of(
        stiffness: &Stiffness,
        supports: &[NodeId],
        known: &[KnownDisplacement],
        u: &[f64],
    ) -> Result<Self, SolveError> {
        let forces = stiffness.times(u);
        let mut unbalanced = forces.clone();
        for dof in supports.iter().flat_map(|node| Dof::all_of(*node)) {
            unbalanced[dof.index()] = 0.0;
        }
        let mut largest = 0.0_f64;
        let of_node = |all: &[f64], node: NodeId| {
            Vector3::from_column_slice(&all[3 * node.index()..3 * node.index() + 3])
        };
        let reactions = known
            .iter()
            .map(|known| {
                let mut reaction = Reaction { node: known.node, force: Vector3::zeros() };
                for (dof, _) in known.components() {
                    reaction.force[dof.axis()] = forces[dof.index()];
                    unbalanced[dof.index()] = 0.0;
                    largest = largest.max(forces[dof.index()].abs());
                }
                reaction
            })
            .chain(supports.iter().map(|&node| Reaction { node, force: of_node(&forces, node) }))
            .collect();
        // A rigid motion costs no force. Then compare the remaining force with a thousandth of the
        // force that moves a single node equally far.
        let farthest = u.iter().fold(0.0_f64, |most, u| u.abs().max(most));
        let typical = largest.max(1e-3 * stiffness.largest_diagonal() * farthest);
        let remaining = unbalanced.iter().fold(0.0_f64, |most, force| force.abs().max(most));
        let strain_energy = 0.5 * u.iter().zip(&forces).map(|(u, f)| u * f).sum::<f64>();
        // If a displacement or a force is not finite, the energy is not finite either.
        if !strain_energy.is_finite() {
            return Err(SolveError::Overflow);
        }
        Ok(Self {
            strain_energy,
            reactions,
            displacements: u.chunks_exact(3).map(Vector3::from_column_slice).collect(),
            residual: remaining / typical.max(f64::MIN_POSITIVE),
            stresses: Vec::new(),
        })
    }

    /// Adds the stresses.
    pub fn with_stresses(mut self, spec: &SolidSpec) -> Self {
        let stress = |nodes: &[NodeId; 4]| {
            let tet = Tet::new(&nodes.map(|n| spec.mesh().rest_positions()[n.index()]));
            let strain = tet.strain(&nodes.map(|n| self.displacements[n.index()]));
            let s = spec.material().stress(&strain);
            [s.m11, s.m22, s.m33, s.m23, s.m13, s.m12]
        };
        self.stresses = spec.mesh().elements().par_iter().with_min_len(256).map(stress).collect();
        self
    }
}
