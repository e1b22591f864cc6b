//! The touchable, drawable skin of an object.

use std::borrow::Cow;
use std::sync::Arc;

use super::NodeId;

/// What rarely changes about a surface: how its points hang together, and where they rest. Immutable:
/// a change makes a new one with a new version.
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
    /// What the object can tell about each point, besides where it is.
    pub fields: Vec<FieldKind>,
}

impl Topology {
    /// The first version of a surface whose points are the nodes from 0 on, without fields.
    pub fn of_points(grip: Grip, rest_positions: Vec<[f32; 3]>, triangles: Vec<[u32; 3]>) -> Self {
        let nodes = (0..rest_positions.len() as u32).map(NodeId).collect();
        Self { version: 0, grip, nodes, rest_positions, triangles, fields: Vec::new() }
    }
}

/// A quantity with one value at each point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldKind {
    /// Its name, as a person reads it.
    pub name: Cow<'static, str>,
    /// Its unit, as a person reads it.
    pub unit: Cow<'static, str>,
}

impl FieldKind {
    /// Equivalent stress of von Mises.
    pub const VON_MISES: Self =
        Self { name: Cow::Borrowed("von Mises stress"), unit: Cow::Borrowed("Pa") };
}

/// The values of one field.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldValues {
    /// One for each point.
    pub values: Arc<Vec<f32>>,
    /// From where to where a scale of them shall reach. Single points may lie outside.
    pub range: [f32; 2],
}

impl FieldValues {
    /// Values from 0 upwards, with a scale that nearly all of them fit on: a node that a finger
    /// holds makes a peak, which would leave no colour for the rest. The scale is never finer than
    /// `least`, so that next to nothing does not look like much.
    pub fn from_zero(values: Vec<f32>, least: f32) -> Self {
        /// The share of the points whose values the scale shows; the others have its last colour.
        const SHOWN: f64 = 0.95;
        let mut sorted = values.clone();
        let at = ((sorted.len() as f64 * SHOWN) as usize).min(sorted.len().saturating_sub(1));
        let high = match sorted.is_empty() {
            true => 0.0,
            false => *sorted.select_nth_unstable_by(at, f32::total_cmp).1,
        };
        Self { values: Arc::new(values), range: [0.0, high.max(least)] }
    }
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
    /// The values of the topology's fields; empty unless the last step was asked for them.
    pub fields: Vec<FieldValues>,
}
