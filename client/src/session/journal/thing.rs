//! A thing in a journal, with its mesh, so that a recording needs no other file.

use std::path::Path;
use std::sync::Arc;

use interaction::thing::ThingParts;
use physics::material::{IsotropicElastic, MaterialError, USUAL_DENSITY};
use physics::{NodeId, ObjectSpec, SolidSpec};
use serde::{Deserialize, Serialize};

use super::JournalError;
use super::contact::{ContactFile, GripFile};
use super::pose_numbers::{placed, pose};

#[derive(Debug, Serialize, Deserialize)]
pub(in crate::session) struct ThingFile {
    name: String,
    young: f64,
    poisson: f64,
    /// In kg/m³; absent in journals before version 3.
    #[serde(default = "usual_density")]
    density: f64,
    supports: Vec<u32>,
    #[serde(default)]
    grip: GripFile,
    #[serde(default)]
    contact: ContactFile,
    home: [f64; 7],
    colours: Option<Vec<[f32; 3]>>,
    mesh: String,
}

/// Density of a thing in a journal without densities.
pub(super) fn usual_density() -> f64 {
    USUAL_DENSITY
}

/// Creates a material from the numbers of a journal.
pub(super) fn material(
    young: f64,
    poisson: f64,
    density: f64,
) -> Result<IsotropicElastic, MaterialError> {
    IsotropicElastic::new(young, poisson)?.with_density(density)
}

impl From<&ThingParts> for ThingFile {
    fn from(thing: &ThingParts) -> Self {
        let solid = thing.spec.solid().expect("solids are the only family so far");
        let material = solid.material();
        Self {
            name: thing.name.clone(),
            young: material.young(),
            poisson: material.poisson(),
            density: material.density(),
            supports: solid.supports().iter().map(|node| node.0).collect(),
            grip: thing.spec.grip().into(),
            contact: thing.spec.contact_settings().into(),
            home: placed(&thing.home),
            colours: thing.colours.as_deref().cloned(),
            mesh: objects::format::write_thesis(solid.mesh()),
        }
    }
}

impl ThingFile {
    pub(in crate::session) fn thing(self) -> Result<ThingParts, JournalError> {
        let contact = self.contact.clone();
        let spec = || -> Result<ObjectSpec, String> {
            let mesh = objects::format::read(Path::new("mesh.obj3"), self.mesh.as_bytes());
            let mesh = mesh.map_err(|e| e.to_string())?;
            let material = material(self.young, self.poisson, self.density);
            let material = material.map_err(|e| e.to_string())?;
            let supports = self.supports.iter().copied().map(NodeId).collect();
            let solid = SolidSpec::new(mesh, material, supports).map_err(|e| e.to_string())?;
            let spec = ObjectSpec::from(solid).with_contact_settings(contact.into());
            spec.and_then(|spec| spec.held_by(self.grip.into())).map_err(|e| e.to_string())
        };
        let spec = spec().map_err(|why| JournalError::Thing { name: self.name.clone(), why })?;
        Ok(ThingParts {
            name: self.name,
            spec: Arc::new(spec),
            home: pose(&self.home)?,
            colours: self.colours.map(Arc::new),
        })
    }
}
