//! The touchable, drawable skin of an object.

use std::sync::Arc;

use super::NodeId;

/// What rarely changes about a surface: how its points hang together, and where they rest. Immutable: a change makes a new one with a new version.
#[derive(Debug, Clone, PartialEq)]
pub struct Topology {
    /// Grows by one whenever an object changes more than its positions.
    pub version: u32,
    /// How a hand takes hold of the object.
    pub grip: Grip,
    /// The object's node at each point of the surface; several points may share one.
    pub nodes: Vec<NodeId>,
    /// Where each point is at rest: what a known displacement of its node counts from.
    pub rest_positions: Vec<[f32; 3]>,
    /// Indices into the points, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// How a hand takes hold of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grip {
    /// The fingers hold nodes, and the object follows the palm: known displacements.
    Nodes,
    /// The object finds its own contacts with the hand's moving shapes, and nothing is glued to it.
    Contact,
}

/// A skin: its topology and where its points are now.
#[derive(Debug, Clone, PartialEq)]
pub struct Surface {
    /// How the points hang together.
    pub topology: Arc<Topology>,
    /// Where each point is, in the object's frame. Shared with the frames that show it, so that nobody
    /// copies it.
    pub positions: Arc<Vec<[f32; 3]>>,
    /// Von Mises stress at each point, in Pa; absent unless the last step was asked for it.
    pub stresses: Option<Arc<Vec<f32>>>,
}
