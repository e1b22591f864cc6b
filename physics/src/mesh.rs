//! Nodes, elements and surfaces.

pub(crate) mod disjoint_sets;
mod surface;
mod tet_mesh;

pub use surface::{FieldKind, FieldValues, Grip, Surface, Topology};
pub use tet_mesh::{MeshError, TetMesh};

/// A node: carries degrees of freedom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// An element: a tetrahedron, later also a shell triangle or a rod segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ElementId(pub u32);

/// A degree of freedom: one node along one axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dof(u32);

impl Dof {
    /// The node along axis 0, 1 or 2.
    pub fn new(node: NodeId, axis: usize) -> Self {
        debug_assert!(axis < 3);
        Self(3 * node.0 + axis as u32)
    }

    /// All three of a node.
    pub fn all_of(node: NodeId) -> [Self; 3] {
        [0, 1, 2].map(|axis| Self::new(node, axis))
    }

    /// Its node.
    pub fn node(self) -> NodeId {
        NodeId(self.0 / 3)
    }

    /// Its axis.
    pub fn axis(self) -> usize {
        self.0 as usize % 3
    }

    /// As an index into arrays that hold one entry per degree of freedom.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl NodeId {
    /// As an index into arrays that hold one entry per node.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl ElementId {
    /// As an index into arrays that hold one entry per element.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
