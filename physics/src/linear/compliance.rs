//! `Compliance`: nodal forces to displacements (m/N), the generalised inverse `G` of the stiffness.
//!
//! A free body has six rigid modes, which `G` must not see: three far-apart nodes are held in a
//! statically determinate way (3 + 2 + 1 degrees of freedom). For loads in equilibrium the held ones
//! carry no force, so where they are does not matter. A body that stands on supports needs neither.

use std::sync::Arc;

use nalgebra::Point3;
use rayon::prelude::*;

use super::assembly::assemble;
use super::factor::{Analysis, Factor, Precision};
use super::ordering::elimination_order;
use super::rigid::RigidModes;
use crate::material::IsotropicElastic;
use crate::mesh::{Dof, NodeId, TetMesh};
use crate::progress::Progress;

/// The factorised stiffness of one body.
pub struct Compliance {
    factor: Factor,
    held: Vec<bool>,
    /// `None` for a body that its supports hold.
    modes: Option<RigidModes>,
    /// Typical force per displacement, to make the small system dimensionless.
    stiffness_scale: f64,
}

/// Why a body has no compliance.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ComplianceError {
    /// Supports must hold the body or be absent.
    #[error("the supports do not hold the object: {0}")]
    LooseSupports(String),
    /// Numerical trouble in the factorisation.
    #[error("the stiffness matrix cannot be factorised: {0}")]
    Factor(String),
}

impl Compliance {
    /// Assembles and factorises. `supports` are nodes that never move.
    pub fn new(
        mesh: &TetMesh,
        material: &IsotropicElastic,
        supports: &[NodeId],
    ) -> Result<Self, ComplianceError> {
        let positions = mesh.rest_positions();
        let body: Vec<NodeId> = mesh.body_nodes().collect();
        let modes = RigidModes::of(body.iter().map(|n| positions[n.index()]));
        let stiffness_scale = material.young() * modes.size();
        let mut held = vec![false; 3 * mesh.n_nodes()];
        let outside = (0..mesh.n_nodes() as u32).map(NodeId).filter(|n| !mesh.is_in_body(*n));
        for dof in outside.flat_map(Dof::all_of) {
            held[dof.index()] = true;
        }
        let modes = if supports.is_empty() {
            hold_rigid_motion(positions, &body, modes.centroid(), &mut held);
            Some(modes)
        } else {
            let supported: Vec<Dof> = supports.iter().flat_map(|n| Dof::all_of(*n)).collect();
            for dof in &supported {
                held[dof.index()] = true;
            }
            match modes.free_motion(&modes.at_dofs(positions, &supported)) {
                Some(free) => return Err(ComplianceError::LooseSupports(free)),
                None => None,
            }
        };
        let stiffness = assemble(mesh, material);
        let analysis = Arc::new(Analysis::new(&stiffness, &elimination_order(&stiffness)));
        let factor =
            Factor::new(analysis, &stiffness, &held, Precision::Double, &Progress::default())
                .map_err(|e| ComplianceError::Factor(e.to_string()))?;
        Ok(Self { factor, held, modes, stiffness_scale })
    }

    /// The rigid modes that remain to be determined by a touch; none if supports hold the body.
    pub fn modes(&self) -> Option<&RigidModes> {
        self.modes.as_ref()
    }

    /// Typical stiffness of the body in N/m: Young's modulus times its size.
    pub fn stiffness_scale(&self) -> f64 {
        self.stiffness_scale
    }

    /// The columns of `G` at some degrees of freedom: displacements of the degrees of freedom `wanted` under
    /// a unit force there. Nodes are solved in parallel, each by itself; what is not wanted is dropped at
    /// once.
    pub(super) fn columns(&self, dofs: &[Dof], wanted: &[Dof]) -> Vec<Vec<f64>> {
        let wanted: Vec<usize> = wanted.iter().map(|dof| dof.index()).collect();
        let dofs: Vec<usize> = dofs.iter().map(|dof| dof.index()).collect();
        dofs.par_chunks(24)
            .flat_map_iter(|dofs| {
                let mut columns = self.factor.unit_columns(dofs, &wanted);
                for (column, &dof) in columns.chunks_exact_mut(wanted.len()).zip(dofs) {
                    if self.held[dof] {
                        column.fill(0.0);
                    }
                }
                columns.chunks_exact(wanted.len()).map(<[f64]>::to_vec).collect::<Vec<_>>()
            })
            .collect()
    }
}

/// Holds three degrees of freedom of one node, two of a second and one of a third, chosen far apart so
/// that the small systems are well conditioned.
fn hold_rigid_motion(
    positions: &[Point3<f64>],
    body: &[NodeId],
    centroid: &Point3<f64>,
    held: &mut [bool],
) {
    let at = |node: NodeId| positions[node.index()];
    let farthest = |measure: &dyn Fn(NodeId) -> f64| {
        // The first of equals, so that the choice does not depend on rounding elsewhere.
        let farther = |&a: &NodeId, &b: &NodeId| measure(a).total_cmp(&measure(b)).then(b.cmp(&a));
        body.iter().copied().max_by(farther).expect("a checked mesh has a body")
    };
    let first = farthest(&|node| (at(node) - centroid).norm());
    let second = farthest(&|node| (at(node) - at(first)).norm());
    let axis = at(second) - at(first);
    let third = farthest(&|node| axis.cross(&(at(node) - at(first))).norm());

    for dof in Dof::all_of(first) {
        held[dof.index()] = true;
    }
    // The second node may move only along the axis: hold the two directions that are most across it.
    let along = axis.iamax();
    for axis in (0..3).filter(|&axis| axis != along) {
        held[Dof::new(second, axis).index()] = true;
    }
    // What remains is a turn about the axis. It moves the third node across the plane of the three.
    let across = axis.cross(&(at(third) - at(first)));
    held[Dof::new(third, across.iamax()).index()] = true;
}
