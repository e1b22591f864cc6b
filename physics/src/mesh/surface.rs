//! Surface of an object: the skin that hands touch and that is drawn.

use std::borrow::Cow;
use std::sync::Arc;

use super::NodeId;

/// Rarely changing part of a surface: its points, triangles and rest positions. It is immutable: a
/// change makes a new topology with a new version.
#[derive(Debug, Clone, PartialEq)]
pub struct Topology {
    /// Version, which grows by one whenever an object changes more than its positions.
    pub version: u32,
    /// Way in which a hand takes hold of the object.
    pub grip: Grip,
    /// Node of the object at each point of the surface. Several points may share one node.
    pub nodes: Vec<NodeId>,
    /// Rest position of each point, from which known displacements of its node are measured.
    pub rest_positions: Vec<[f32; 3]>,
    /// Indices of the points of each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Fields that the object can compute at its points.
    pub fields: Vec<FieldKind>,
}

impl Topology {
    /// Creates the first version of a surface whose points are the nodes from 0 on, without fields.
    pub fn of_points(grip: Grip, rest_positions: Vec<[f32; 3]>, triangles: Vec<[u32; 3]>) -> Self {
        let nodes = (0..rest_positions.len() as u32).map(NodeId).collect();
        Self { version: 0, grip, nodes, rest_positions, triangles, fields: Vec::new() }
    }
}

/// Name and unit of a field: a quantity with one value at each point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldKind {
    /// Name of the field, as it is shown.
    pub name: Cow<'static, str>,
    /// Unit of the field, as it is shown.
    pub unit: Cow<'static, str>,
}

impl FieldKind {
    /// Equivalent stress of von Mises.
    pub const VON_MISES: Self =
        Self { name: Cow::Borrowed("von Mises stress"), unit: Cow::Borrowed("Pa") };
}

/// Values of one field.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldValues {
    /// One value for each point.
    pub values: Arc<Vec<f32>>,
    /// Lower and upper end of the colour scale. Values of single points may lie outside.
    pub range: [f32; 2],
}

impl FieldValues {
    /// Creates values from 0 upwards, with a scale that nearly all of them fit on: a node that a
    /// finger holds has a peak value, which would leave no colours for the rest. The scale reaches
    /// at least `least`, so that very small values do not look large.
    pub fn from_zero(values: Vec<f32>, least: f32) -> Self {
        /// Share of the points whose values fit on the scale. The others get its last colour.
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

/// Way in which a hand takes hold of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grip {
    /// The fingers hold nodes, and the object follows the palm: known displacements.
    Nodes,
    /// The object finds its own contacts with the hand's proxies. No node is held.
    Contact,
}

/// Surface: a topology and the present positions of its points.
#[derive(Debug, Clone, PartialEq)]
pub struct Surface {
    /// Points, triangles and rest positions.
    pub topology: Arc<Topology>,
    /// Position of each point, in the object's frame. Frames share the positions, so no copy is
    /// made.
    pub positions: Arc<Vec<[f32; 3]>>,
    /// Values of the topology's fields; empty unless the last touch wanted them.
    pub fields: Vec<FieldValues>,
}
