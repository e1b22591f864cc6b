//! Compliance: the generalised inverse `G` of the stiffness, from nodal forces to displacements
//! (m/N).
//!
//! A free body has six rigid modes, which make its stiffness singular. So three far-apart nodes are
//! held in a statically determinate way (3 + 2 + 1 degrees of freedom). For loads in equilibrium
//! they carry no force, so the choice of nodes does not matter. A body with supports needs no held
//! nodes and has no free rigid modes.

use std::sync::Arc;

use nalgebra::Point3;

use super::assembly::assemble;
use super::factor::{Analysis, Factor, FactorError, Precision};
use super::free_bodies::FreeBodies;
use super::ordering::elimination_order;
use super::rigid_modes::RigidModes;
use crate::material::IsotropicElastic;
use crate::mesh::{Dof, NodeId, TetMesh};
use crate::progress::{Progress, Stage};

/// Factorised stiffness of all bodies of an object.
pub struct Compliance {
    factor: Factor,
    free_bodies: FreeBodies,
    /// Typical force per displacement, in N/m, which makes contact systems dimensionless.
    stiffness_scale: f64,
    /// Memory that a factor in `f64` would need, in bytes, if the limit did not allow it.
    bytes_for_double: Option<usize>,
}

/// The compliance of an object cannot be computed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ComplianceError {
    /// The supports of a body leave a rigid motion free. A body needs either enough supports or
    /// none.
    #[error(
        "the supports do not hold the object: {0} (three supports that are not in line would hold \
         it; a node that only helps to hold it can have a known displacement of zero instead)"
    )]
    LooseSupports(String),
    /// The factorisation failed.
    #[error(transparent)]
    Factor(#[from] FactorError),
    /// The factor exceeds the memory limit, even in `f32`.
    #[error(
        "the object needs {needed_mb} MB for its factorised stiffness, \
         expected at most {allowed_mb} MB"
    )]
    OverBudget {
        /// Memory of the smallest factor, in MB.
        needed_mb: usize,
        /// Memory limit, in MB.
        allowed_mb: usize,
    },
}

impl Compliance {
    /// Assembles and factorises the stiffness. `supports` are nodes that never move. The factor
    /// takes at most `most_bytes`; if necessary it is in `f32`, and every solve recovers the digits
    /// by refinement.
    pub fn new(
        mesh: &TetMesh,
        material: &IsotropicElastic,
        supports: &[NodeId],
        most_bytes: usize,
        progress: &Progress,
    ) -> Result<Self, ComplianceError> {
        let mut held = vec![false; 3 * mesh.n_nodes()];
        let outside = (0..mesh.n_nodes() as u32).map(NodeId).filter(|n| mesh.body_of(*n).is_none());
        for dof in outside.chain(supports.iter().copied()).flat_map(Dof::all_of) {
            held[dof.index()] = true;
        }
        let mut is_supported = vec![false; mesh.n_bodies()];
        for body in supports.iter().filter_map(|n| mesh.body_of(*n)) {
            is_supported[body] = true;
        }
        for body in (0..mesh.n_bodies()).filter(|&body| is_supported[body]) {
            check_supports(mesh, supports, body)?;
        }
        let free_bodies = FreeBodies::of(mesh, |body| !is_supported[body]);
        for body in (0..mesh.n_bodies()).filter(|&body| !is_supported[body]) {
            let nodes: Vec<NodeId> = mesh.nodes_of_body(body).collect();
            hold_rigid_motion(mesh.rest_positions(), &nodes, &mut held);
        }

        let enter = |stage: Stage| {
            progress.enter(stage);
            if progress.is_cancelled() { Err(FactorError::Cancelled) } else { Ok(()) }
        };
        enter(Stage::Assembling)?;
        let stiffness = assemble(mesh, material);
        enter(Stage::Ordering)?;
        let order = elimination_order(&stiffness, progress);
        enter(Stage::Analysing)?;
        let analysis = Analysis::new(&stiffness, &order);
        let precision = [Precision::Double, Precision::Single]
            .into_iter()
            .find(|precision| analysis.peak_bytes(*precision) <= most_bytes)
            .ok_or_else(|| ComplianceError::OverBudget {
                needed_mb: analysis.peak_bytes(Precision::Single).div_ceil(1_000_000),
                allowed_mb: most_bytes / 1_000_000,
            })?;
        let bytes_for_double =
            (precision == Precision::Single).then(|| analysis.peak_bytes(Precision::Double));
        let (analysis, stiffness) = (Arc::new(analysis), Arc::new(stiffness));
        enter(Stage::Factorising)?;
        let factor = Factor::new(analysis, stiffness, held, precision, progress)?;
        // A node without elements may be anywhere.
        let nodes = (0..mesh.n_nodes() as u32).map(NodeId).filter(|n| mesh.body_of(*n).is_some());
        let size = RigidModes::of(nodes.map(|n| mesh.rest_positions()[n.index()])).size();
        let stiffness_scale = material.young() * size;
        Ok(Self { factor, free_bodies, stiffness_scale, bytes_for_double })
    }

    /// Free bodies, whose rigid motion a touch must determine.
    pub fn free_bodies(&self) -> &FreeBodies {
        &self.free_bodies
    }

    /// Factor of the stiffness, and the stiffness itself.
    pub fn factor(&self) -> &Factor {
        &self.factor
    }

    /// Memory that a factor in `f64` would need, in bytes, if the memory limit did not allow it and
    /// the factor is in `f32`.
    pub fn bytes_for_double(&self) -> Option<usize> {
        self.bytes_for_double
    }

    /// Typical stiffness of the object in N/m: Young's modulus times its size.
    pub fn stiffness_scale(&self) -> f64 {
        self.stiffness_scale
    }

    /// Columns of `G` at `dofs`: the displacements at `wanted` under a unit force at each, one
    /// column after the other.
    pub fn columns(&self, dofs: &[Dof], wanted: &[Dof]) -> Vec<f64> {
        let index = |dofs: &[Dof]| dofs.iter().map(|dof| dof.index()).collect::<Vec<usize>>();
        self.factor.unit_columns(&index(dofs), &index(wanted))
    }
}

fn check_supports(mesh: &TetMesh, supports: &[NodeId], body: usize) -> Result<(), ComplianceError> {
    let positions = mesh.rest_positions();
    let supported: Vec<Dof> = supports
        .iter()
        .filter(|n| mesh.body_of(**n) == Some(body))
        .flat_map(|n| Dof::all_of(*n))
        .collect();
    let modes = RigidModes::of(mesh.nodes_of_body(body).map(|n| positions[n.index()]));
    match modes.free_motion(&modes.at_dofs(positions, &supported)) {
        Some(free) => Err(ComplianceError::LooseSupports(free)),
        None => Ok(()),
    }
}

/// Holds three degrees of freedom of one node, two of a second and one of a third. The nodes are
/// far apart, so that the contact systems are well conditioned.
fn hold_rigid_motion(positions: &[Point3<f64>], body: &[NodeId], held: &mut [bool]) {
    let at = |node: NodeId| positions[node.index()];
    let centroid = *RigidModes::of(body.iter().map(|n| at(*n))).centroid();
    let farthest = |measure: &dyn Fn(NodeId) -> f64| {
        // Among equals take the first, so that the choice does not depend on rounding elsewhere.
        let farther = |&a: &NodeId, &b: &NodeId| measure(a).total_cmp(&measure(b)).then(b.cmp(&a));
        body.iter().copied().max_by(farther).expect("a body has nodes")
    };
    let first = farthest(&|node| (at(node) - centroid).norm());
    let second = farthest(&|node| (at(node) - at(first)).norm());
    let axis = at(second) - at(first);
    let third = farthest(&|node| axis.cross(&(at(node) - at(first))).norm());

    for dof in Dof::all_of(first) {
        held[dof.index()] = true;
    }
    // The second node may move only along the axis: hold the two directions that are most
    // perpendicular to it.
    let along = axis.iamax();
    for axis in (0..3).filter(|&axis| axis != along) {
        held[Dof::new(second, axis).index()] = true;
    }
    // A turn about the axis remains. It moves the third node perpendicular to the plane of the
    // three nodes.
    let across = axis.cross(&(at(third) - at(first)));
    held[Dof::new(third, across.iamax()).index()] = true;
}
