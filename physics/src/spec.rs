//! Checked descriptions to build objects from. Their file formats are in `objects`.

mod rest;
mod solid;

use std::hash::{Hash, Hasher};

use nalgebra::{Isometry3, Point3};

use crate::material::IsotropicElastic;
use crate::mesh::{Bounds, NodeId, Surface};

pub use rest::{NewRest, RestError};
pub use solid::{SolidSpec, SpecError};

/// Description of one object, of any family.
#[derive(Debug, Clone, PartialEq)]
pub enum ObjectSpec {
    /// A linear elastic solid.
    Solid(SolidSpec),
}

impl From<SolidSpec> for ObjectSpec {
    fn from(solid: SolidSpec) -> Self {
        Self::Solid(solid)
    }
}

/// Properties of descriptions of all families, so that callers need no code per family.
impl ObjectSpec {
    /// Number of nodes, a measure of the work that the object takes.
    pub fn n_nodes(&self) -> usize {
        self.rest_points().len()
    }

    /// Rest position of each node, in the object's frame.
    pub fn rest_points(&self) -> &[Point3<f64>] {
        match self {
            Self::Solid(solid) => solid.mesh.rest_positions(),
        }
    }

    /// Bounding box in the world of the nodes at rest, placed by `world_from_object`.
    pub fn bounds(&self, world_from_object: &Isometry3<f64>) -> Bounds {
        Bounds::around(self.rest_points().iter().map(|x| world_from_object * x))
    }

    /// Surface at rest.
    pub fn rest_surface(&self) -> Surface {
        match self {
            Self::Solid(solid) => solid.mesh.surface(),
        }
    }

    /// Material of the object.
    pub fn material(&self) -> &IsotropicElastic {
        match self {
            Self::Solid(solid) => &solid.material,
        }
    }

    /// Creates the description of the same object with another material.
    pub fn with_material(&self, material: IsotropicElastic) -> Self {
        match self {
            // No check is needed: mesh and supports fit together for any material.
            Self::Solid(solid) => Self::Solid(SolidSpec { material, ..solid.clone() }),
        }
    }

    /// Supports: nodes that never move, ascending.
    pub fn supports(&self) -> &[NodeId] {
        match self {
            Self::Solid(solid) => &solid.supports,
        }
    }

    /// Description of a tetrahedral solid, if this is one. Only solids can be saved as tetrahedra
    /// and support single exact solves.
    pub fn solid(&self) -> Option<&SolidSpec> {
        match self {
            Self::Solid(solid) => Some(solid),
        }
    }

    /// True if hands hold the object by contact, with settings of its own.
    pub fn is_held_by_contact(&self) -> bool {
        match self {
            Self::Solid(solid) => solid.contact.is_some(),
        }
    }

    /// Feeds the whole description into a hash. Equal descriptions give equal hashes.
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
                // Nothing for a solid that is held by nodes: its hash is as before.
                let contact = solid.contact.iter().flat_map(|contact| contact.numbers());
                contact.for_each(|number| hasher.write_u64(number.to_bits()));
            }
        }
    }
}
