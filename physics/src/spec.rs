//! Checked descriptions to build an object from. No file format: that is the business of `objects`.

use std::collections::HashMap;
use std::sync::Arc;

use crate::deformable::Deformable;
use crate::family::solid::{Solid, SolidModel};
use crate::linear::ComplianceError;
use crate::linear::factor::FactorError;
use crate::material::IsotropicElastic;
use crate::mesh::disjoint_sets::DisjointSets;
use crate::mesh::{ElementId, NodeId, TetMesh};
use crate::progress::Progress;

/// A description of one object, of any family.
#[derive(Debug, Clone, PartialEq)]
pub enum ObjectSpec {
    /// A linear elastic solid.
    Solid(SolidSpec),
}

/// A linear elastic solid: bodies of tetrahedra.
#[derive(Debug, Clone, PartialEq)]
pub struct SolidSpec {
    mesh: TetMesh,
    material: IsotropicElastic,
    supports: Vec<NodeId>,
}

/// Why a description is refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SpecError {
    /// Parts that meet only in a point or an edge hang together by a hinge, which elasticity does not hold.
    #[error(
        "elements {} and {} meet in node {}, but no chain of faces joins them, expected parts that share \
         faces or nothing: a point or an edge is a hinge that no elasticity holds",
        elements[0].0,
        elements[1].0,
        node.0
    )]
    Hinge {
        /// Where two parts meet.
        node: NodeId,
        /// One of each part.
        elements: [ElementId; 2],
    },
    /// A support names a node that does not exist.
    #[error("support {} is not a node, there are only {n_nodes} nodes", node.0)]
    NoSuchSupport {
        /// The offender.
        node: NodeId,
        /// How many there are.
        n_nodes: usize,
    },
    /// A support must be part of the body.
    #[error("support {} belongs to no element and holds nothing", .0.0)]
    LooseSupport(NodeId),
}

/// Why an object cannot be built from its description.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// The stiffness cannot be prepared.
    #[error(transparent)]
    Compliance(#[from] ComplianceError),
}

impl BuildError {
    /// Nobody wants the object any more.
    pub fn cancelled() -> Self {
        Self::Compliance(FactorError::Cancelled.into())
    }

    /// Whether it ended because nobody wants the object any more.
    pub fn is_cancelled(&self) -> bool {
        *self == Self::cancelled()
    }
}

impl ObjectSpec {
    /// Number of nodes, which says how much work the object is.
    pub fn n_nodes(&self) -> usize {
        match self {
            Self::Solid(solid) => solid.mesh.n_nodes(),
        }
    }
}

impl SolidSpec {
    /// Takes mesh, material and the nodes that never move, if they fit together.
    pub fn new(
        mesh: TetMesh,
        material: IsotropicElastic,
        mut supports: Vec<NodeId>,
    ) -> Result<Self, SpecError> {
        let n_nodes = mesh.n_nodes();
        if let Some(&node) = supports.iter().find(|n| n.index() >= n_nodes) {
            return Err(SpecError::NoSuchSupport { node, n_nodes });
        }
        if let Some(&node) = supports.iter().find(|n| mesh.body_of(**n).is_none()) {
            return Err(SpecError::LooseSupport(node));
        }
        supports.sort_unstable();
        supports.dedup();
        if let Some((node, elements)) = hinge(&mesh) {
            return Err(SpecError::Hinge { node, elements });
        }
        Ok(Self { mesh, material, supports })
    }

    /// The mesh.
    pub fn mesh(&self) -> &TetMesh {
        &self.mesh
    }

    /// The material.
    pub fn material(&self) -> &IsotropicElastic {
        &self.material
    }

    /// Nodes that never move, ascending, each once.
    pub fn supports(&self) -> &[NodeId] {
        &self.supports
    }
}

/// How much memory an object may take for what makes it quick.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryLimits {
    /// For its factorised stiffness, in bytes.
    pub factor_bytes: usize,
    /// For columns of the compliance that are kept for later, in bytes.
    pub column_bytes: usize,
}

impl Default for MemoryLimits {
    /// Enough for a hundred thousand nodes, and for all columns of a small object.
    fn default() -> Self {
        Self { factor_bytes: 6 << 30, column_bytes: 512 << 20 }
    }
}

/// What never changes about an object, whoever holds it: the long part of building one. Hands may share
/// it.
#[derive(Clone)]
pub enum Model {
    /// Of a linear elastic solid.
    Solid(Arc<SolidModel>),
}

impl Model {
    /// Assembles and factorises, on the rayon pool that the caller is in.
    pub fn prepare(
        spec: &ObjectSpec,
        memory: MemoryLimits,
        progress: &Progress,
    ) -> Result<Self, BuildError> {
        match spec {
            ObjectSpec::Solid(spec) => {
                Ok(Self::Solid(Arc::new(SolidModel::new(spec, memory, progress)?)))
            }
        }
    }

    /// An object at rest.
    pub fn object(&self) -> Box<dyn Deformable> {
        match self {
            Self::Solid(model) => Box::new(Solid::of(Arc::clone(model))),
        }
    }

    /// Memory in use, in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Solid(model) => model.bytes(),
        }
    }
}

/// Prepares a model that nobody shares and makes an object of it.
pub fn build(spec: &ObjectSpec) -> Result<Box<dyn Deformable>, BuildError> {
    Ok(Model::prepare(spec, MemoryLimits::default(), &Progress::default())?.object())
}

/// A node at which parts meet that share no face, with an element of each.
fn hinge(mesh: &TetMesh) -> Option<(NodeId, [ElementId; 2])> {
    let mut parts = DisjointSets::new(mesh.elements().len());
    let mut element_at_face: HashMap<[NodeId; 3], usize> = HashMap::new();
    for (element, nodes) in mesh.elements().iter().enumerate() {
        for left_out in 0..4 {
            let mut face = [1, 2, 3].map(|step| nodes[(left_out + step) % 4]);
            face.sort_unstable();
            if let Some(other) = element_at_face.insert(face, element) {
                parts.join(other, element);
            }
        }
    }
    if parts.count() == mesh.n_bodies() {
        return None;
    }
    let mut element_at_node = vec![None; mesh.n_nodes()];
    for (element, nodes) in mesh.elements().iter().enumerate() {
        for node in nodes {
            let other = *element_at_node[node.index()].get_or_insert(element);
            if parts.root(other) != parts.root(element) {
                return Some((*node, [other, element].map(|e| ElementId(e as u32))));
            }
        }
    }
    None
}
