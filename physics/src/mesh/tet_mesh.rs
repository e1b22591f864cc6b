//! Checked tetrahedral mesh, and the skin derived from it.

use std::collections::HashMap;
use std::sync::Arc;

use nalgebra::{Point3, Vector3};

use super::disjoint_sets::DisjointSets;
use super::{ElementId, Grip, NodeId, Surface, Topology};
use crate::surface_frame::rounded;

/// Checked nodes and tetrahedra: every index exists, every number is finite, and every element is
/// positively oriented and has volume.
///
/// Elements that share nodes, directly or through other elements, make a body; there may be several
/// bodies. Nodes without elements are kept, so that the other nodes keep their numbers; they belong
/// to no body and never move.
#[derive(Debug, Clone, PartialEq)]
pub struct TetMesh {
    rest_positions: Vec<Point3<f64>>,
    elements: Vec<[NodeId; 4]>,
    body_of_node: Vec<Option<u32>>,
    nodes_of_body: Vec<Vec<NodeId>>,
}

/// Largest number of nodes: degrees of freedom are numbered with 32 bits.
const MOST_NODES: usize = u32::MAX as usize / 3;

/// Nodes and elements do not make a mesh.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// There are no elements.
    #[error("the mesh has no elements, expected at least one tetrahedron")]
    Empty,
    /// There are more than `MOST_NODES` nodes.
    #[error("the mesh has {0} nodes, expected at most {MOST_NODES}")]
    TooManyNodes(usize),
    /// A coordinate is NaN or infinite, or would be infinite in a frame.
    #[error("the position of node {} is not a finite 32-bit number, which frames need", node.0)]
    NotFinite {
        /// The wrong node.
        node: NodeId,
    },
    /// An element names a node that does not exist.
    #[error("element {} names node {}, but there are only {n_nodes} nodes", element.0, node.0)]
    NoSuchNode {
        /// The wrong element.
        element: ElementId,
        /// The node that does not exist.
        node: NodeId,
        /// Number of nodes of the mesh.
        n_nodes: usize,
    },
    /// An element is inverted or flat.
    #[error(
        "element {} has a volume of {volume:e} m³: it is inverted, or flat compared with its longest \
         edge",
        element.0
    )]
    NotPositive {
        /// The wrong element.
        element: ElementId,
        /// Signed volume of the element, in m³.
        volume: f64,
    },
    /// Two elements have the same nodes.
    #[error(
        "element {} has the same nodes as element {}, expected each element once",
        element.0,
        first.0
    )]
    Twice {
        /// The second element.
        element: ElementId,
        /// The first element.
        first: ElementId,
    },
}

impl TetMesh {
    /// Creates a mesh from nodes and elements, if they are valid. The nodes of an element must be
    /// ordered so that `(x2-x1) . ((x3-x1) x (x4-x1)) > 0`.
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
        let can_be_shown = |x: &Point3<f64>| rounded(&x.coords).iter().all(|c| c.is_finite());
        if let Some(i) = rest_positions.iter().position(|x| !can_be_shown(x)) {
            return Err(MeshError::NotFinite { node: NodeId(i as u32) });
        }
        let mut mesh =
            Self { rest_positions, elements, body_of_node: Vec::new(), nodes_of_body: Vec::new() };
        mesh.check_elements()?;
        mesh.find_bodies();
        Ok(mesh)
    }

    /// Position of each node when nothing acts on the object.
    pub fn rest_positions(&self) -> &[Point3<f64>] {
        &self.rest_positions
    }

    /// Nodes of each element.
    pub fn elements(&self) -> &[[NodeId; 4]] {
        &self.elements
    }

    /// Centre of the volume at rest.
    pub fn centre(&self) -> Point3<f64> {
        let (mut moment, mut volume) = (Vector3::zeros(), 0.0);
        for nodes in &self.elements {
            let [a, b, c, d] = nodes.map(|node| self.rest_positions[node.index()]);
            let share = (b - a).cross(&(c - a)).dot(&(d - a));
            moment += (a.coords + b.coords + c.coords + d.coords) * (0.25 * share);
            volume += share;
        }
        (moment / volume).into()
    }

    /// Number of nodes.
    pub fn n_nodes(&self) -> usize {
        self.rest_positions.len()
    }

    /// Body that a node belongs to; `None` for a node without elements.
    pub fn body_of(&self, node: NodeId) -> Option<usize> {
        self.body_of_node[node.index()].map(|body| body as usize)
    }

    /// Number of bodies. Bodies are numbered from zero, in the order of their first nodes.
    pub fn n_bodies(&self) -> usize {
        self.nodes_of_body.len()
    }

    /// Nodes of one body, ascending.
    pub fn nodes_of_body(&self, body: usize) -> impl Iterator<Item = NodeId> + Clone {
        self.nodes_of_body[body].iter().copied()
    }

    /// Derives the skin: the faces that belong to one element only, oriented outward, at the rest
    /// positions.
    pub fn surface(&self) -> Surface {
        // The faces are counter-clockwise seen from outside a positively oriented tetrahedron.
        const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
        let faces: Vec<[NodeId; 3]> = self
            .elements
            .iter()
            .flat_map(|nodes| FACES.map(|face| face.map(|i| nodes[i])))
            .collect();
        let mut by_nodes: Vec<([NodeId; 3], u32)> =
            faces.iter().zip(0..).map(|(face, at)| (sorted(*face), at)).collect();
        by_nodes.sort_unstable();
        let mut is_outer = vec![false; faces.len()];
        for same in by_nodes.chunk_by(|a, b| a.0 == b.0) {
            is_outer[same[0].1 as usize] = same.len() == 1;
        }
        let outer: Vec<[NodeId; 3]> = faces
            .iter()
            .zip(&is_outer)
            .filter(|(_, is_outer)| **is_outer)
            .map(|(f, _)| *f)
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
        let rest_positions: Vec<[f32; 3]> =
            nodes.iter().map(|n| rounded(&self.rest_positions[n.index()].coords)).collect();
        let positions = Arc::new(rest_positions.clone());
        let fields = Vec::new();
        let topology =
            Topology { version: 0, grip: Grip::Nodes, nodes, rest_positions, triangles, fields };
        Surface { topology: Arc::new(topology), positions, fields: Vec::new() }
    }

    fn check_elements(&self) -> Result<(), MeshError> {
        let n_nodes = self.n_nodes();
        for i in 0..self.elements.len() {
            let (element, nodes) = (ElementId(i as u32), self.elements[i]);
            for node in nodes {
                if node.index() >= n_nodes {
                    return Err(MeshError::NoSuchNode { element, node, n_nodes });
                }
            }
            self.check_volume(element, &nodes)?;
        }
        self.check_once()
    }

    fn check_once(&self) -> Result<(), MeshError> {
        let mut by_nodes: Vec<([NodeId; 4], u32)> =
            self.elements.iter().zip(0..).map(|(nodes, i)| (*nodes, i)).collect();
        by_nodes.iter_mut().for_each(|(nodes, _)| nodes.sort_unstable());
        by_nodes.sort_unstable();
        match by_nodes.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => {
                let (first, element) = (ElementId(pair[0].1), ElementId(pair[1].1));
                Err(MeshError::Twice { element, first })
            }
            None => Ok(()),
        }
    }

    fn find_bodies(&mut self) {
        let mut sets = DisjointSets::new(self.n_nodes());
        let mut is_used = vec![false; self.n_nodes()];
        for nodes in &self.elements {
            for node in nodes {
                is_used[node.index()] = true;
                sets.join(nodes[0].index(), node.index());
            }
        }
        let mut body_of_root = HashMap::new();
        for (node, is_used) in is_used.into_iter().enumerate() {
            let next = body_of_root.len() as u32;
            let body = is_used.then(|| *body_of_root.entry(sets.root(node)).or_insert(next));
            self.body_of_node.push(body);
        }
        self.nodes_of_body = vec![Vec::new(); body_of_root.len()];
        for (node, body) in self.body_of_node.iter().enumerate() {
            if let Some(body) = body {
                self.nodes_of_body[*body as usize].push(NodeId(node as u32));
            }
        }
    }

    /// Checks that an element is positively oriented and not flat.
    fn check_volume(&self, element: ElementId, nodes: &[NodeId; 4]) -> Result<(), MeshError> {
        /// Volume of a flat element, as a share of the cube of its longest edge.
        const FLAT: f64 = 1e-10;
        let [a, b, c, d] = nodes.map(|n| self.rest_positions[n.index()]);
        let volume = (b - a).dot(&(c - a).cross(&(d - a))) / 6.0;
        let longest = [b - a, c - a, d - a, c - b, d - b, d - c]
            .iter()
            .fold(0.0_f64, |longest, edge| longest.max(edge.norm()));
        // A subnormal volume has too few digits for an accurate inverse.
        if volume.is_normal() && volume > FLAT * longest.powi(3) {
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
