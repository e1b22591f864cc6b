//! The touchable, drawable skin of an object.

use std::sync::Arc;

use nalgebra::Point3;

use super::NodeId;

/// How the points of a surface hang together. Immutable: a change makes a new one with a new version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topology {
    /// Grows by one whenever an object changes more than its positions.
    pub version: u32,
    /// The object's node at each point of the surface.
    pub nodes: Vec<NodeId>,
    /// Indices into the points, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// A skin: its topology and where its points are now.
#[derive(Debug, Clone, PartialEq)]
pub struct Surface {
    /// How the points hang together.
    pub topology: Arc<Topology>,
    /// Where each point is, in the object's frame.
    pub positions: Vec<Point3<f64>>,
}
