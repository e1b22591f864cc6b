//! Description of a linear elastic solid.

use std::collections::HashMap;
use std::sync::Arc;

use crate::contact::{ContactError, ContactSettings};
use crate::material::IsotropicElastic;
use crate::mesh::disjoint_sets::DisjointSets;
use crate::mesh::{ElementId, Grip, NodeId, TetMesh};

/// Description of a linear elastic solid: one or more bodies of tetrahedra, and how hands hold it.
/// Clones share the mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct SolidSpec {
    pub(super) mesh: Arc<TetMesh>,
    pub(super) material: IsotropicElastic,
    pub(super) supports: Vec<NodeId>,
    pub(super) contact: ContactSettings,
    pub(super) grip: Grip,
}

/// A description is not valid.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SpecError {
    /// Two parts meet only in a point or an edge. That is a hinge, which elasticity does not hold.
    #[error(
        "elements {} and {} meet in node {}, but no chain of faces connects them; expected parts \
         that share faces or no node at all: a shared point or edge is a hinge, which elasticity \
         does not hold",
        elements[0].0,
        elements[1].0,
        node.0
    )]
    Hinge {
        /// Node in which the parts meet.
        node: NodeId,
        /// One element of each part.
        elements: [ElementId; 2],
    },
    /// A support names a node that does not exist.
    #[error("support {} is not a node, there are only {n_nodes} nodes", node.0)]
    NoSuchSupport {
        /// The wrong node.
        node: NodeId,
        /// Number of nodes of the mesh.
        n_nodes: usize,
    },
    /// A support belongs to no body.
    #[error("support {} belongs to no element and holds nothing", .0.0)]
    LooseSupport(NodeId),
    /// The solid cannot be held by contact.
    #[error(transparent)]
    Contact(#[from] ContactError),
}

impl SolidSpec {
    /// Creates a description from a mesh, a material and the nodes that never move, if they fit
    /// together.
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
        Ok(Self {
            mesh: Arc::new(mesh),
            material,
            supports,
            contact: ContactSettings::default(),
            grip: Grip::Nodes,
        })
    }

    /// Describes the same solid, which hands hold by contact instead of by nodes: it has weight and
    /// inertia, and finds its own contacts.
    pub fn held_by_contact(self, settings: ContactSettings) -> Result<Self, SpecError> {
        Self { contact: settings, ..self }.held_by(Grip::Contact)
    }

    /// Describes the same solid, which hands hold in this way.
    pub fn held_by(mut self, grip: Grip) -> Result<Self, SpecError> {
        if grip == Grip::Contact {
            self.contact.check_for_hands(&self.mesh)?;
        }
        self.grip = grip;
        Ok(self)
    }

    /// Settings of contact, if hands hold the solid by contact.
    pub fn contact(&self) -> Option<&ContactSettings> {
        (self.grip == Grip::Contact).then_some(&self.contact)
    }

    /// The mesh.
    pub fn mesh(&self) -> &TetMesh {
        &self.mesh
    }

    /// The mesh, to be kept without a copy.
    pub(crate) fn shared_mesh(&self) -> Arc<TetMesh> {
        Arc::clone(&self.mesh)
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

/// Finds a node at which two parts meet that share no face, and an element of each part.
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
