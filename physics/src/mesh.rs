//! Nodes, elements and surfaces.

mod surface;
mod tet_mesh;

pub use surface::{Grip, Surface, Topology};
pub use tet_mesh::{MeshError, TetMesh};

/// A node: carries degrees of freedom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// An element: a tetrahedron, later also a shell triangle or a rod segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ElementId(pub u32);

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
