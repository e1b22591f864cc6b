//! Nodes, elements and surfaces.

mod bounds;
pub(crate) mod disjoint_sets;
mod surface;
mod tet_mesh;

pub use bounds::Bounds;
pub use surface::{FieldKind, FieldValues, Grip, Surface, Topology};
pub use tet_mesh::{MeshError, TetMesh};

/// Number of a node. A node carries degrees of freedom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// Number of an element: a tetrahedron, later also a shell triangle or a rod segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ElementId(pub u32);

/// Degree of freedom: one node along one axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dof(u32);

impl Dof {
    /// Creates the degree of freedom of `node` along axis 0, 1 or 2.
    pub fn new(node: NodeId, axis: usize) -> Self {
        debug_assert!(axis < 3);
        Self(3 * node.0 + axis as u32)
    }

    /// Returns the three degrees of freedom of a node.
    pub fn all_of(node: NodeId) -> [Self; 3] {
        [0, 1, 2].map(|axis| Self::new(node, axis))
    }

    /// Node of the degree of freedom.
    pub fn node(self) -> NodeId {
        NodeId(self.0 / 3)
    }

    /// Axis of the degree of freedom: 0, 1 or 2.
    pub fn axis(self) -> usize {
        self.0 as usize % 3
    }

    /// Index into arrays with one entry per degree of freedom.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl NodeId {
    /// Index into arrays with one entry per node.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl ElementId {
    /// Index into arrays with one entry per element.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
