//! `Solution`: the exact answer to known displacements at every node, whichever way it was found.

use nalgebra::Vector3;
use rayon::prelude::*;

use super::refusal::SolveError;
use crate::element::Tet;
use crate::frame::Reaction;
use crate::linear::Stiffness;
use crate::mesh::{Dof, NodeId};
use crate::spec::SolidSpec;
use crate::touch::KnownDisplacement;

/// The answer to known displacements at every node of the mesh, in all digits.
#[derive(Debug, Clone)]
pub struct Solution {
    /// Displacement of each node.
    pub displacements: Vec<Vector3<f64>>,
    /// Force that holds each node with known displacements, zero along its free axes; then those of the
    /// supports.
    pub reactions: Vec<Reaction>,
    /// In joules.
    pub strain_energy: f64,
    /// The largest force at a degree of freedom that nothing holds, as a share of the largest reaction (or,
    /// if that is next to nothing, of a typical force): zero in exact arithmetic.
    pub residual: f64,
    /// Stress in each element, in Pa: xx, yy, zz, yz, xz, xy. Empty unless it was asked for.
    pub stresses: Vec<[f64; 6]>,
}

impl Solution {
    /// What the displacements `u` of all degrees of freedom mean: forces are `K u` ([Ma98], eq. 3.43b).
    /// Numbers that are not finite mean nothing.
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
        // A rigid motion costs no force; then what remains is measured against what moving a single node as
        // far would cost.
        let farthest = u.iter().fold(0.0_f64, |most, u| u.abs().max(most));
        let typical = largest.max(1e-3 * stiffness.largest_diagonal() * farthest);
        let remaining = unbalanced.iter().fold(0.0_f64, |most, force| force.abs().max(most));
        let strain_energy = 0.5 * u.iter().zip(&forces).map(|(u, f)| u * f).sum::<f64>();
        // Neither a displacement nor a force can fail to be finite and leave their product so.
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

    /// Finds the stresses as well.
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
