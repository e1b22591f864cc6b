//! Conversions of object descriptions.

use nalgebra::Point3;
use physics::contact::{ContactSettings, Friction, Pad};
use physics::material::{IsotropicElastic, USUAL_DENSITY};
use physics::{NodeId, ObjectSpec, SolidSpec, TetMesh};

use crate::array::{WireError, packed, unpacked, vectors};
use crate::v1;

/// Names of the families that an object can have.
pub const FAMILIES: &[&str] = &["solid"];

/// Size of a received object, from the lengths of its arrays, before they are unpacked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClaimedSize {
    pub n_nodes: usize,
    pub n_elements: usize,
}

impl ClaimedSize {
    /// Reads the size of a received object.
    pub fn of(object: &v1::Object) -> Self {
        match &object.family {
            Some(v1::object::Family::Solid(solid)) => Self {
                n_nodes: solid.rest_positions.len() / 24,
                n_elements: solid.elements.len() / 16,
            },
            None => Self { n_nodes: 0, n_elements: 0 },
        }
    }
}

impl From<&ObjectSpec> for ClaimedSize {
    fn from(spec: &ObjectSpec) -> Self {
        let n_elements = match spec {
            ObjectSpec::Solid(solid) => solid.mesh().elements().len(),
        };
        Self { n_nodes: spec.n_nodes(), n_elements }
    }
}

impl From<&ObjectSpec> for v1::Object {
    fn from(spec: &ObjectSpec) -> Self {
        let family = match spec {
            ObjectSpec::Solid(solid) => v1::object::Family::Solid(solid.into()),
        };
        Self { family: Some(family) }
    }
}

impl TryFrom<v1::Object> for ObjectSpec {
    type Error = WireError;

    fn try_from(object: v1::Object) -> Result<Self, WireError> {
        match object.family.ok_or(WireError::Missing("the object's family"))? {
            v1::object::Family::Solid(solid) => Ok(Self::Solid(solid.try_into()?)),
        }
    }
}

impl From<&SolidSpec> for v1::Solid {
    fn from(spec: &SolidSpec) -> Self {
        let mesh = spec.mesh();
        Self {
            rest_positions: packed(mesh.rest_positions().iter().flat_map(|x| [x.x, x.y, x.z])),
            elements: packed(mesh.elements().iter().flatten().map(|n| n.0)),
            young: spec.material().young(),
            poisson: spec.material().poisson(),
            supports: packed(spec.supports().iter().map(|n| n.0)),
            density: Some(spec.material().density()),
            contact: spec.contact().map(Into::into),
        }
    }
}

impl TryFrom<v1::Solid> for SolidSpec {
    type Error = WireError;

    fn try_from(solid: v1::Solid) -> Result<Self, WireError> {
        let rest_positions = vectors("rest_positions", &solid.rest_positions)?
            .into_iter()
            .map(Point3::from)
            .collect();
        let elements = unpacked::<u32, 4, 4>("elements", &solid.elements)?
            .into_iter()
            .map(|nodes| nodes.map(NodeId))
            .collect();
        let supports = unpacked::<u32, 4, 1>("supports", &solid.supports)?
            .into_iter()
            .map(|[node]| NodeId(node))
            .collect();
        let mesh = TetMesh::new(rest_positions, elements)?;
        let material = IsotropicElastic::new(solid.young, solid.poisson)?
            .with_density(solid.density.unwrap_or(USUAL_DENSITY))?;
        let spec = Self::new(mesh, material, supports)?;
        match solid.contact {
            Some(contact) => Ok(spec.held_by_contact(contact.try_into()?)?),
            None => Ok(spec),
        }
    }
}

impl From<&ContactSettings> for v1::Contact {
    fn from(settings: &ContactSettings) -> Self {
        let friction = |friction: Friction| v1::Friction {
            sticking: friction.sticking,
            sliding: friction.sliding,
        };
        let Pad { normal, tangential, thickness } = settings.pad;
        Self {
            spacing: settings.spacing,
            local_compliance: settings.has_local_compliance,
            tolerance: settings.tolerance,
            most_sweeps: settings.most_sweeps,
            quasi_static: settings.is_quasi_static,
            hands: Some(friction(settings.friction)),
            table: Some(friction(settings.table_friction)),
            pad: Some(v1::Pad { normal, tangential, thickness }),
        }
    }
}

/// The numbers are checked when they are given to a solid.
impl TryFrom<v1::Contact> for ContactSettings {
    type Error = WireError;

    fn try_from(contact: v1::Contact) -> Result<Self, WireError> {
        let friction = |friction: Option<v1::Friction>, what| {
            let v1::Friction { sticking, sliding } = friction.ok_or(WireError::Missing(what))?;
            Ok::<_, WireError>(Friction { sticking, sliding })
        };
        let v1::Pad { normal, tangential, thickness } =
            contact.pad.ok_or(WireError::Missing("the hands' pad"))?;
        Ok(Self {
            spacing: contact.spacing,
            has_local_compliance: contact.local_compliance,
            tolerance: contact.tolerance,
            most_sweeps: contact.most_sweeps,
            is_quasi_static: contact.quasi_static,
            friction: friction(contact.hands, "the hands' friction")?,
            table_friction: friction(contact.table, "the table's friction")?,
            pad: Pad { normal, tangential, thickness },
        })
    }
}
