//! Constant part of a solid: rest shape and factorised stiffness. Several objects may share one.

use std::sync::{Arc, OnceLock};

use nalgebra::{SVector, Vector3};

use super::load::Load;
use super::skin_stress::SkinStress;
use super::solution::Solution;
use super::solve_error::{DenseMatrix, SolveError, TouchError, check_known};
use crate::contact::ContactSettings;
use crate::linear::{
    ColumnCache, Compliance, ContactAnswer, ContactError, ContactSystem, NodeColumns, RigidShare,
    as_kept, rigid_columns,
};
use crate::material::IsotropicElastic;
use crate::mesh::{Dof, FieldKind, NodeId, Surface, TetMesh};
use crate::model::{BuildError, MemoryLimits};
use crate::progress::Progress;
use crate::spec::SolidSpec;
use crate::surface_frame::Reaction;
use crate::touch::{KnownDisplacement, Touch, WhenUnderdetermined};

/// Largest number of touched nodes, far more than fingertips cover. Each node costs three columns
/// as long as the surface, so a remote client must not choose the number freely.
const MOST_TOUCHED: usize = 256;

/// A solve fails if its displacements differ from the prescribed ones by more than this share of
/// the largest.
pub(super) const INACCURATE: f64 = 1e-6;

/// Model of a solid: rest shape and factorised stiffness.
pub struct SolidModel {
    /// Shared with the description.
    mesh: Arc<TetMesh>,
    material: IsotropicElastic,
    rest_surface: Surface,
    supports: Vec<NodeId>,
    contact: Option<ContactSettings>,
    compliance: Compliance,
    columns: ColumnCache,
    /// Memory limit for large matrices, in bytes.
    most_bytes: usize,
    /// Lever arm of each surface point about its body's centroid, divided by the body's size.
    arms: Vec<[f32; 3]>,
    /// Columns of the six rigid motions, if the object is one free body; else empty.
    rigid_columns: [Vec<f32>; 6],
    /// Made when stresses are first needed.
    skin_stress: OnceLock<SkinStress>,
}

impl SolidModel {
    /// Assembles and factorises the stiffness. This takes long.
    pub fn new(
        spec: &SolidSpec,
        memory: MemoryLimits,
        progress: &Progress,
    ) -> Result<Self, BuildError> {
        let mesh = spec.mesh();
        let compliance =
            Compliance::new(mesh, spec.material(), spec.supports(), memory.factor_bytes, progress)?;
        let mut rest_surface = mesh.surface();
        Arc::make_mut(&mut rest_surface.topology).fields = vec![FieldKind::VON_MISES];
        let arm = |&node: &NodeId| match compliance.free_bodies().of_node(node) {
            None => [0.0; 3],
            Some(body) => {
                let modes = compliance.free_bodies().modes(body);
                crate::rounded(&modes.arm(&mesh.rest_positions()[node.index()]))
            }
        };
        let arms: Vec<[f32; 3]> = rest_surface.topology.nodes.iter().map(arm).collect();
        let is_one_body = compliance.free_bodies().is_everything();
        Ok(Self {
            rigid_columns: rigid_columns(if is_one_body { &arms } else { &[] }),
            arms,
            most_bytes: memory.factor_bytes,
            columns: ColumnCache::new(&rest_surface.topology.nodes, memory.column_bytes),
            mesh: spec.shared_mesh(),
            material: *spec.material(),
            skin_stress: OnceLock::new(),
            rest_surface,
            supports: spec.supports().to_vec(),
            contact: spec.contact().copied(),
            compliance,
        })
    }

    /// Skin at rest.
    pub fn rest_surface(&self) -> &Surface {
        &self.rest_surface
    }

    /// Factorised stiffness.
    pub fn compliance(&self) -> &Compliance {
        &self.compliance
    }

    /// The mesh.
    pub fn mesh(&self) -> &TetMesh {
        &self.mesh
    }

    /// The material.
    pub(crate) fn material(&self) -> &IsotropicElastic {
        &self.material
    }

    /// Settings of contact, if hands hold the solid by contact.
    pub fn contact_settings(&self) -> Option<&ContactSettings> {
        self.contact.as_ref()
    }

    /// Nodes that never move, ascending.
    pub(crate) fn supports(&self) -> &[NodeId] {
        &self.supports
    }

    /// Cache of the columns that frames are computed from.
    pub fn columns(&self) -> &ColumnCache {
        &self.columns
    }

    /// Memory of the factor and the cached columns, in bytes.
    pub fn bytes(&self) -> usize {
        self.compliance.factor().bytes() + self.columns.bytes()
    }

    pub(super) fn rigid_columns(&self) -> &[Vec<f32>; 6] {
        &self.rigid_columns
    }

    pub(crate) fn arms(&self) -> &[[f32; 3]] {
        &self.arms
    }

    /// Displacement of a node by the rigid motions of the free bodies, in `f64`.
    pub(super) fn rigid_displacement(&self, node: NodeId, rigid: &[RigidShare<f64>]) -> [f64; 3] {
        let bodies = self.compliance.free_bodies();
        bodies.of_node(node).map_or([0.0; 3], |body| {
            let arm = bodies.modes(body).arm(&self.mesh.rest_positions()[node.index()]);
            rigid[body].at(&arm.into())
        })
    }

    /// Solves for the displacements of all nodes in `f64`. For scripts; frames are computed from
    /// columns instead.
    ///
    /// The contact system is that of a frame to the bit, and so are forces and
    /// displacements. The compliances are computed here for the touched components alone, because
    /// a script may prescribe many more nodes than a hand, and nodes inside the object.
    pub fn solve(
        &self,
        known: &[KnownDisplacement],
        when_underdetermined: WhenUnderdetermined,
    ) -> Result<Solution, SolveError> {
        check_known(&self.mesh, known)?;
        let (touched, prescribed): (Vec<Dof>, Vec<f64>) =
            known.iter().flat_map(|known| known.components()).unzip();
        self.check_size(touched.len())?;
        let motions = self.motions(&touched, when_underdetermined)?;
        let scale = self.compliance.stiffness_scale();
        let mut a = self.compliance.columns(&touched, &touched);
        a.iter_mut().for_each(|value| *value = as_kept(*value * scale));
        let system = ContactSystem::new(touched, motions, &a, scale)?;
        let mut answer = ContactAnswer::default();
        system.answer(&prescribed, &mut answer);
        let largest = prescribed.iter().map(|d| d.abs()).fold(0.0, f64::max);
        if answer.residual.is_finite() && answer.residual > INACCURATE * largest {
            return Err(ContactError::Singular.into());
        }
        let mut load = Load::default();
        load.set(&system, &answer);
        let u = self.displacements(&load);
        let stiffness = self.compliance.factor().stiffness();
        let mut solution = Solution::of(stiffness, &self.supports, known, &u)?;
        // The forces of the contact system, as in frames. `K u` differs in its last digits.
        for (reaction, force) in solution.reactions.iter_mut().zip(reactions(known, &load)) {
            *reaction = force;
        }
        Ok(solution)
    }

    /// Fails if the dense system of `n_known` components does not fit into the memory limit.
    fn check_size(&self, n_known: usize) -> Result<(), SolveError> {
        /// Number of dense matrices: compliances, saddle matrix, its factors, its inverse, and
        /// their product.
        const MATRICES: usize = 5;
        let needed = n_known.saturating_mul(n_known).saturating_mul(8 * MATRICES);
        SolveError::over_budget(DenseMatrix::Known(n_known), needed, self.most_bytes)
    }

    /// Displacements of all degrees of freedom under a load.
    pub(super) fn displacements(&self, load: &Load) -> Vec<f64> {
        let mut forces = vec![0.0; 3 * self.mesh.n_nodes()];
        if load.is_empty() {
            return forces;
        }
        for (dof, force) in &load.forces {
            forces[dof.index()] = *force;
        }
        let mut u = self.compliance.factor().displacements(&forces);
        let bodies = self.compliance.free_bodies();
        let mut amounts = vec![SVector::<f64, 6>::zeros(); bodies.count()];
        for (body, its_amounts) in &load.motions {
            amounts[*body] = (*its_amounts).into();
        }
        for (i, x) in self.mesh.rest_positions().iter().enumerate() {
            if let Some(body) = bodies.of_node(NodeId(i as u32)) {
                let moved = bodies.modes(body).at(x) * amounts[body];
                (0..3).for_each(|axis| u[3 * i + axis] += moved[axis]);
            }
        }
        u
    }

    /// Von Mises stress at each point of the skin under a load. It takes another solve, for the
    /// inner nodes, which frames do not have.
    pub(super) fn skin_stresses(&self, load: &Load) -> Vec<f32> {
        let make = || SkinStress::new(&self.mesh, &self.material, &self.rest_surface.topology);
        self.skin_stress.get_or_init(make).at_points(&self.displacements(load))
    }

    /// Creates the contact system of some degrees of freedom of the surface (ascending, each once),
    /// and returns it with the columns of their nodes.
    pub(super) fn contact(
        &self,
        touched: &[Dof],
        when_underdetermined: WhenUnderdetermined,
    ) -> Result<(ContactSystem, Vec<Arc<NodeColumns>>), ContactError> {
        let motions = self.motions(touched, when_underdetermined)?;
        let mut nodes: Vec<NodeId> = touched.iter().map(|dof| dof.node()).collect();
        nodes.dedup();
        let columns = self.columns.of(&self.compliance, &nodes);
        let surface = &self.rest_surface.topology.nodes;
        let places: Vec<(usize, usize)> = touched
            .iter()
            .map(|dof| {
                let column = nodes.binary_search(&dof.node()).expect("a touched node");
                let point = surface.binary_search(&dof.node()).expect("a surface node");
                (column, 3 * point + dof.axis())
            })
            .collect();
        let mut a = Vec::with_capacity(touched.len() * touched.len());
        for (dof, &(column, _)) in touched.iter().zip(&places) {
            a.extend(places.iter().map(|&(_, row)| columns[column].exact(dof.axis(), row)));
        }
        let scale = self.compliance.stiffness_scale();
        Ok((ContactSystem::new(touched.to_vec(), motions, &a, scale)?, columns))
    }

    fn motions(
        &self,
        touched: &[Dof],
        when_underdetermined: WhenUnderdetermined,
    ) -> Result<crate::linear::Motions, ContactError> {
        if let Some(dof) = touched.iter().find(|d| self.supports.binary_search(&d.node()).is_ok()) {
            return Err(ContactError::Support(dof.node()));
        }
        self.compliance
            .free_bodies()
            .motions(self.mesh.rest_positions(), touched, when_underdetermined)
            .map_err(ContactError::Underdetermined)
    }

    /// Checks that a touch is valid for this object.
    pub(super) fn check(&self, touch: &Touch) -> Result<(), TouchError> {
        let topology = &self.rest_surface.topology;
        let (got, want) = (touch.topology_version, topology.version);
        if got != want {
            return Err(TouchError::Topology { got, want });
        }
        self.check_nodes(&touch.known)
    }

    /// Checks that known displacements are valid for this object.
    pub(crate) fn check_nodes(&self, known: &[KnownDisplacement]) -> Result<(), TouchError> {
        let (n_touched, most) = (known.len(), MOST_TOUCHED);
        if n_touched > most {
            return Err(TouchError::TooMany { n_touched, most });
        }
        check_known(&self.mesh, known)?;
        let nodes = &self.rest_surface.topology.nodes;
        match known.iter().find(|known| nodes.binary_search(&known.node).is_err()) {
            Some(inside) => Err(TouchError::Inside(inside.node)),
            None => Ok(()),
        }
    }
}

/// Force on each known node, zero along its free axes. `load` has the known components in order.
pub(super) fn reactions(
    known: &[KnownDisplacement],
    load: &Load,
) -> impl Iterator<Item = Reaction> {
    let mut forces = load.forces.iter().peekable();
    known.iter().map(move |known| {
        let mut reaction = Reaction { node: known.node, force: Vector3::zeros() };
        while let Some((dof, force)) = forces.next_if(|(dof, _)| dof.node() == known.node) {
            reaction.force[dof.axis()] = *force;
        }
        reaction
    })
}

#[cfg(test)]
mod tests {
    use nalgebra::Point3;

    use super::*;

    #[test]
    fn model_and_description_share_one_mesh() {
        let points = [[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]];
        let mesh = TetMesh::new(points.map(Point3::from).to_vec(), vec![[0, 1, 2, 3].map(NodeId)])
            .unwrap();
        let material = IsotropicElastic::new(1e4, 0.3).unwrap();
        let spec = SolidSpec::new(mesh, material, Vec::new()).unwrap();
        let limits = MemoryLimits::default();
        let model = SolidModel::new(&spec.clone(), limits, &Progress::default()).unwrap();
        assert!(std::ptr::eq(&*model.mesh, spec.mesh()));
    }
}
