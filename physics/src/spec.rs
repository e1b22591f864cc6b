//! Checked descriptions to build an object from. No file format: that is the business of `objects`.

use std::collections::HashMap;

use crate::deformable::Deformable;
use crate::family::solid::Solid;
use crate::linear::ComplianceError;
use crate::material::IsotropicElastic;
use crate::mesh::{NodeId, TetMesh};

/// A description of one object, of any family.
#[derive(Debug, Clone, PartialEq)]
pub enum ObjectSpec {
    /// A linear elastic solid.
    Solid(SolidSpec),
}

/// A linear elastic solid: one body of tetrahedra.
#[derive(Debug, Clone, PartialEq)]
pub struct SolidSpec {
    mesh: TetMesh,
    material: IsotropicElastic,
    supports: Vec<NodeId>,
}

/// Why a description is refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SpecError {
    /// Each body would have its own rigid modes; so would parts that meet only in a point or an edge.
    #[error("the mesh falls into {0} parts that share no face, expected one")]
    SeveralBodies(usize),
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
        if let Some(&node) = supports.iter().find(|n| !mesh.is_in_body(**n)) {
            return Err(SpecError::LooseSupport(node));
        }
        supports.sort_unstable();
        supports.dedup();
        match n_bodies(&mesh) {
            1 => Ok(Self { mesh, material, supports }),
            n => Err(SpecError::SeveralBodies(n)),
        }
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

/// Builds the object: the long part (assembly, factorisation) happens here. Runs on the rayon pool that
/// the caller is in.
pub fn build(spec: &ObjectSpec) -> Result<Box<dyn Deformable>, BuildError> {
    match spec {
        ObjectSpec::Solid(spec) => Ok(Box::new(Solid::new(spec)?)),
    }
}

/// Number of parts that share no face, by merging elements across faces (union-find). A common edge or
/// node is a hinge, which elasticity alone does not hold.
fn n_bodies(mesh: &TetMesh) -> usize {
    fn root(parent: &mut [usize], mut i: usize) -> usize {
        while parent[i] != i {
            parent[i] = parent[parent[i]];
            i = parent[i];
        }
        i
    }
    let mut parent: Vec<usize> = (0..mesh.elements().len()).collect();
    let mut element_at_face: HashMap<[NodeId; 3], usize> = HashMap::new();
    for (element, nodes) in mesh.elements().iter().enumerate() {
        for left_out in 0..4 {
            let mut face = [1, 2, 3].map(|step| nodes[(left_out + step) % 4]);
            face.sort_unstable();
            if let Some(other) = element_at_face.insert(face, element) {
                let other = root(&mut parent, other);
                parent[other] = root(&mut parent, element);
            }
        }
    }
    (0..parent.len()).filter(|&i| parent[i] == i).count()
}
