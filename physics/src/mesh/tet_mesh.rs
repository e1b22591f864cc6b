//! A checked tetrahedral mesh and the skin derived from it.

use std::collections::HashMap;
use std::sync::Arc;

use nalgebra::Point3;

use super::{ElementId, Grip, NodeId, Surface, Topology};
use crate::frame::rounded;

/// Nodes and tetrahedra that have been checked: every index exists, every number is finite, every
/// element is positively oriented and has volume.
///
/// Nodes that belong to no element are kept, so that the others keep their numbers; they are no part of
/// the body and never move.
#[derive(Debug, Clone, PartialEq)]
pub struct TetMesh {
    rest_positions: Vec<Point3<f64>>,
    elements: Vec<[NodeId; 4]>,
    is_in_body: Vec<bool>,
}

const MOST_NODES: usize = u32::MAX as usize / 3;

/// Why nodes and elements do not make a mesh.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// There is nothing to deform.
    #[error("the mesh has no elements, expected at least one tetrahedron")]
    Empty,
    /// Degrees of freedom are numbered with 32 bits.
    #[error("the mesh has {0} nodes, expected at most {MOST_NODES}")]
    TooManyNodes(usize),
    /// A coordinate is NaN or infinite.
    #[error("node {} is at a position that is not finite", node.0)]
    NotFinite {
        /// The offender.
        node: NodeId,
    },
    /// An element names a node that does not exist.
    #[error("element {} names node {}, but there are only {n_nodes} nodes", element.0, node.0)]
    NoSuchNode {
        /// The offender.
        element: ElementId,
        /// What it names.
        node: NodeId,
        /// How many there are.
        n_nodes: usize,
    },
    /// An element is inside out or flat.
    #[error("element {} has volume {volume:e} m³, expected a positive one (is it inverted or flat?)", element.0)]
    NotPositive {
        /// The offender.
        element: ElementId,
        /// Its signed volume.
        volume: f64,
    },
}

impl TetMesh {
    /// Checks and takes over nodes and elements. An element's nodes are ordered so that
    /// `(x2-x1) . ((x3-x1) x (x4-x1)) > 0`.
    pub fn new(
        rest_positions: Vec<Point3<f64>>,
        elements: Vec<[NodeId; 4]>,
    ) -> Result<Self, MeshError> {
        if elements.is_empty() {
            return Err(MeshError::Empty);
        }
        if rest_positions.len() > MOST_NODES {
            return Err(MeshError::TooManyNodes(rest_positions.len()));
        }
        if let Some(i) = rest_positions.iter().position(|x| !x.coords.iter().all(|c| c.is_finite()))
        {
            return Err(MeshError::NotFinite { node: NodeId(i as u32) });
        }
        let is_in_body = vec![false; rest_positions.len()];
        let mut mesh = Self { rest_positions, elements, is_in_body };
        mesh.check_elements()?;
        Ok(mesh)
    }

    /// Where the nodes are when nothing acts on the object.
    pub fn rest_positions(&self) -> &[Point3<f64>] {
        &self.rest_positions
    }

    /// The four nodes of each element.
    pub fn elements(&self) -> &[[NodeId; 4]] {
        &self.elements
    }

    /// Number of nodes.
    pub fn n_nodes(&self) -> usize {
        self.rest_positions.len()
    }

    /// Whether a node belongs to an element.
    pub fn is_in_body(&self, node: NodeId) -> bool {
        self.is_in_body[node.index()]
    }

    /// The nodes that belong to elements, ascending.
    pub fn body_nodes(&self) -> impl Iterator<Item = NodeId> {
        (0..self.n_nodes() as u32).map(NodeId).filter(|&node| self.is_in_body(node))
    }

    /// The skin: faces that belong to one element only, oriented outward, at the rest positions.
    pub fn surface(&self) -> Surface {
        // Counter-clockwise seen from outside a positively oriented tetrahedron.
        const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
        let mut uses: HashMap<[NodeId; 3], u32> = HashMap::new();
        for nodes in &self.elements {
            for face in FACES {
                *uses.entry(sorted(face.map(|i| nodes[i]))).or_default() += 1;
            }
        }
        let outer: Vec<[NodeId; 3]> = self
            .elements
            .iter()
            .flat_map(|nodes| FACES.map(|face| face.map(|i| nodes[i])))
            .filter(|&face| uses[&sorted(face)] == 1)
            .collect();

        let mut point_of_node = vec![u32::MAX; self.n_nodes()];
        for node in outer.iter().flatten() {
            point_of_node[node.index()] = 0;
        }
        let mut nodes = Vec::new();
        for (i, point) in point_of_node.iter_mut().enumerate().filter(|(_, p)| **p == 0) {
            *point = nodes.len() as u32;
            nodes.push(NodeId(i as u32));
        }
        let triangles = outer.iter().map(|f| f.map(|n| point_of_node[n.index()])).collect();
        let positions: Vec<Point3<f64>> =
            nodes.iter().map(|n| self.rest_positions[n.index()]).collect();
        let rest_positions = positions.iter().map(|x| rounded(&x.coords)).collect();
        let topology = Topology { version: 0, grip: Grip::Nodes, nodes, rest_positions, triangles };
        Surface { topology: Arc::new(topology), positions }
    }

    fn check_elements(&mut self) -> Result<(), MeshError> {
        let n_nodes = self.n_nodes();
        for i in 0..self.elements.len() {
            let (element, nodes) = (ElementId(i as u32), self.elements[i]);
            for node in nodes {
                *self.is_in_body.get_mut(node.index()).ok_or(MeshError::NoSuchNode {
                    element,
                    node,
                    n_nodes,
                })? = true;
            }
            self.check_volume(element, &nodes)?;
        }
        Ok(())
    }

    /// Flat means: no volume to speak of beside the cube of its longest edge.
    fn check_volume(&self, element: ElementId, nodes: &[NodeId; 4]) -> Result<(), MeshError> {
        const FLAT: f64 = 1e-10;
        let [a, b, c, d] = nodes.map(|n| self.rest_positions[n.index()]);
        let volume = (b - a).dot(&(c - a).cross(&(d - a))) / 6.0;
        let longest = [b - a, c - a, d - a, c - b, d - b, d - c]
            .iter()
            .fold(0.0_f64, |longest, edge| longest.max(edge.norm()));
        if volume > FLAT * longest.powi(3) {
            Ok(())
        } else {
            Err(MeshError::NotPositive { element, volume })
        }
    }
}

fn sorted(mut face: [NodeId; 3]) -> [NodeId; 3] {
    face.sort_unstable();
    face
}
