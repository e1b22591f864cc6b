//! Checked descriptions to build objects from. Their file formats are in `objects`.

mod rest;
mod solid;

use std::hash::{Hash, Hasher};

use nalgebra::{Isometry3, Point3};

use crate::contact::ContactSettings;
use crate::material::IsotropicElastic;
use crate::mesh::{Bounds, Grip, NodeId, Surface};

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

    /// Centre of mass at rest, in the object's frame.
    pub fn centre_of_mass(&self) -> Point3<f64> {
        match self {
            Self::Solid(solid) => solid.mesh.centre(),
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

    /// How hands hold the object.
    pub fn grip(&self) -> Grip {
        match self {
            Self::Solid(solid) => solid.grip,
        }
    }

    /// Creates the description of the same object that hands hold in this way. Settings of contact
    /// stay.
    pub fn held_by(&self, grip: Grip) -> Result<Self, SpecError> {
        match self {
            Self::Solid(solid) => Ok(Self::Solid(solid.clone().held_by(grip)?)),
        }
    }

    /// Settings of contact, which apply while hands hold the object by contact.
    pub fn contact_settings(&self) -> &ContactSettings {
        match self {
            Self::Solid(solid) => &solid.contact,
        }
    }

    /// Creates the description of the same object with other settings of contact.
    pub fn with_contact_settings(&self, contact: ContactSettings) -> Result<Self, SpecError> {
        match self {
            Self::Solid(solid) => {
                let solid = SolidSpec { contact, ..solid.clone() };
                Ok(Self::Solid(solid.held_by(self.grip())?))
            }
        }
    }

    /// Creates the description of this object with material, grip and settings of contact of
    /// another one. `None` if it has them, or cannot have them.
    pub fn as_made_of(&self, other: &Self) -> Option<Self> {
        let has_all = self.material() == other.material()
            && self.grip() == other.grip()
            && self.contact_settings() == other.contact_settings();
        let made = || {
            let made = self.with_material(*other.material());
            made.with_contact_settings(*other.contact_settings())?.held_by(other.grip())
        };
        (!has_all).then(made)?.ok()
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
                let contact = solid.contact().into_iter().flat_map(|contact| contact.numbers());
                contact.for_each(|number| hasher.write_u64(number.to_bits()));
            }
        }
    }
}
