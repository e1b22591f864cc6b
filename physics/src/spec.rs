//! Checked descriptions to build an object from. No file format: that is the business of `objects`.

mod rest;

use std::collections::HashMap;
use std::hash::{Hash, Hasher};

use nalgebra::{Isometry3, Point3};

use crate::material::IsotropicElastic;
use crate::mesh::disjoint_sets::DisjointSets;
use crate::mesh::{ElementId, NodeId, Surface, TetMesh};

pub use rest::{NewRest, RestError};

/// A description of one object, of any family.
#[derive(Debug, Clone, PartialEq)]
pub enum ObjectSpec {
    /// A linear elastic solid.
    Solid(SolidSpec),
}

/// A linear elastic solid: bodies of tetrahedra.
#[derive(Debug, Clone, PartialEq)]
pub struct SolidSpec {
    mesh: TetMesh,
    material: IsotropicElastic,
    supports: Vec<NodeId>,
}

/// Why a description is refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SpecError {
    /// Parts that meet only in a point or an edge hang together by a hinge, which elasticity does not hold.
    #[error(
        "elements {} and {} meet in node {}, but no chain of faces joins them, expected parts that share \
         faces or nothing: a point or an edge is a hinge that no elasticity holds",
        elements[0].0,
        elements[1].0,
        node.0
    )]
    Hinge {
        /// Where two parts meet.
        node: NodeId,
        /// One of each part.
        elements: [ElementId; 2],
    },
    /// A support names a node that does not exist.
    #[error("support {} is not a node, there are only {n_nodes} nodes", node.0)]
    NoSuchSupport {
        /// The offender.
        node: NodeId,
        /// How many there are.
        n_nodes: usize,
    },
    /// A support must be part of the body.
    #[error("support {} belongs to no element and holds nothing", .0.0)]
    LooseSupport(NodeId),
}

impl From<SolidSpec> for ObjectSpec {
    fn from(solid: SolidSpec) -> Self {
        Self::Solid(solid)
    }
}

/// What every description answers, so that callers need not know the family.
impl ObjectSpec {
    /// Number of nodes, which says how much work the object is.
    pub fn n_nodes(&self) -> usize {
        self.rest_points().len()
    }

    /// Where each node is at rest, in the object's frame.
    pub fn rest_points(&self) -> &[Point3<f64>] {
        match self {
            Self::Solid(solid) => solid.mesh.rest_positions(),
        }
    }

    /// The box around the nodes at rest, placed by `world_from_object`.
    pub fn bounds(&self, world_from_object: &Isometry3<f64>) -> Bounds {
        Bounds::around(self.rest_points().iter().map(|x| world_from_object * x))
    }

    /// The touchable skin at rest.
    pub fn rest_surface(&self) -> Surface {
        match self {
            Self::Solid(solid) => solid.mesh.surface(),
        }
    }

    /// What the object is made of.
    pub fn material(&self) -> &IsotropicElastic {
        match self {
            Self::Solid(solid) => &solid.material,
        }
    }

    /// The same object of another material.
    pub fn with_material(&self, material: IsotropicElastic) -> Self {
        match self {
            // Whether mesh and supports fit together does not depend on the material.
            Self::Solid(solid) => Self::Solid(SolidSpec { material, ..solid.clone() }),
        }
    }

    /// Nodes that never move, ascending.
    pub fn supports(&self) -> &[NodeId] {
        match self {
            Self::Solid(solid) => &solid.supports,
        }
    }

    /// The object as a tetrahedral solid, if it is one. Only solids are saved as tetrahedra and
    /// solved one touch at a time.
    pub fn solid(&self) -> Option<&SolidSpec> {
        match self {
            Self::Solid(solid) => Some(solid),
        }
    }

    /// Feeds all that the object is into a hash: equal descriptions give equal hashes.
    pub fn hash_content(&self, hasher: &mut impl Hasher) {
        match self {
            Self::Solid(solid) => {
                let material = &solid.material;
                let numbers = [material.young(), material.poisson(), material.density()];
                let points = solid.mesh.rest_positions().iter().flat_map(|x| x.iter());
                for number in numbers.iter().chain(points) {
                    hasher.write_u64(number.to_bits());
                }
                solid.mesh.elements().hash(hasher);
                solid.supports.hash(hasher);
            }
        }
    }
}

/// A box along the axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// The corner with the least coordinates.
    pub low: Point3<f64>,
    /// The corner with the largest coordinates.
    pub high: Point3<f64>,
}

impl Bounds {
    /// The smallest box around these points; without a point, `low` is above `high`.
    pub fn around(points: impl IntoIterator<Item = Point3<f64>>) -> Self {
        let none = Self {
            low: Point3::from([f64::INFINITY; 3]),
            high: Point3::from([f64::NEG_INFINITY; 3]),
        };
        points
            .into_iter()
            .fold(none, |bounds, x| Self { low: bounds.low.inf(&x), high: bounds.high.sup(&x) })
    }

    /// The middle of the box.
    pub fn middle(&self) -> Point3<f64> {
        nalgebra::center(&self.low, &self.high)
    }
}

impl SolidSpec {
    /// Takes mesh, material and the nodes that never move, if they fit together.
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
        Ok(Self { mesh, material, supports })
    }

    /// The mesh.
    pub fn mesh(&self) -> &TetMesh {
        &self.mesh
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

/// A node at which parts meet that share no face, with an element of each.
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
