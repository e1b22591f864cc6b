//! `Compliance`: nodal forces to displacements (m/N), the generalised inverse `G` of the stiffness.
//!
//! A free body has six rigid modes, which `G` must not see: three far-apart nodes are held in a
//! statically determinate way (3 + 2 + 1 degrees of freedom). For loads in equilibrium the held ones
//! carry no force, so where they are does not matter. A body that stands on supports needs neither.

use nalgebra::Point3;
use rayon::prelude::*;

use super::assembly::assemble;
use super::factor::Factor;
use super::rigid::RigidModes;
use crate::material::IsotropicElastic;
use crate::mesh::{NodeId, TetMesh};

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
        for dof in outside.flat_map(dofs) {
            held[dof] = true;
        }
        let modes = if supports.is_empty() {
            hold_rigid_motion(positions, &body, modes.centroid(), &mut held);
            Some(modes)
        } else {
            for dof in supports.iter().flat_map(|n| dofs(*n)) {
                held[dof] = true;
            }
            match modes.free_motion(&modes.at_nodes(positions, supports)) {
                Some(free) => return Err(ComplianceError::LooseSupports(free)),
                None => None,
            }
        };
        let factor = Factor::new(&assemble(mesh, material), &held)
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

    /// The three columns of `G` at each node: displacements of the nodes `wanted` under a unit force along
    /// x, y and z there. Nodes are solved in parallel, each by itself; what is not wanted is dropped at
    /// once.
    pub(super) fn columns(&self, nodes: &[NodeId], wanted: &[NodeId]) -> Vec<[Vec<f64>; 3]> {
        nodes.par_iter().map(|&node| self.columns_of(node, wanted)).collect()
    }

    fn columns_of(&self, node: NodeId, wanted: &[NodeId]) -> [Vec<f64>; 3] {
        let n = self.held.len();
        let mut columns = vec![0.0; 3 * n];
        for (i, dof) in dofs(node).into_iter().enumerate() {
            if !self.held[dof] {
                columns[i * n + dof] = 1.0;
            }
        }
        self.factor.solve_in_place(&mut columns, 3);
        [0, 1, 2].map(|i| {
            let column = &columns[i * n..(i + 1) * n];
            wanted.iter().flat_map(|&node| dofs(node)).map(|dof| column[dof]).collect()
        })
    }
}

fn dofs(node: NodeId) -> [usize; 3] {
    [0, 1, 2].map(|i| 3 * node.index() + i)
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

    for dof in dofs(first) {
        held[dof] = true;
    }
    // The second node may move only along the axis: hold the two directions that are most across it.
    let along = axis.iamax();
    for axis in (0..3).filter(|&axis| axis != along) {
        held[dofs(second)[axis]] = true;
    }
    // What remains is a turn about the axis. It moves the third node across the plane of the three.
    let across = axis.cross(&(at(third) - at(first)));
    held[dofs(third)[across.iamax()]] = true;
}
