//! Materials: stiffness, compressibility and density, each with its source.
//!
//! The library is a TOML text, `materials.toml`, that is compiled in; users' own materials are
//! written the same way and take precedence. Moduli are in Pa, densities in kg/m³. Soft materials
//! are neither linear nor reproducible: each has a range beside its modulus, and the numbers have
//! no more digits than that range justifies.

mod file;

use std::fmt;

pub use file::MaterialError;

/// A linear, isotropic solid.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// Name in lower case, as users select it: `liver`, `ecoflex 00-30`.
    pub name: String,
    /// Kind of the material.
    pub kind: MaterialKind,
    /// Young's modulus, in Pa.
    pub young: f64,
    /// Smallest and largest Young's modulus reported for the material, in Pa.
    pub young_range: [f64; 2],
    /// Poisson's ratio.
    pub poisson: f64,
    /// Density, in kg/m³.
    pub density: f64,
    /// Source of the numbers.
    pub source: String,
    /// Advice on their use; may be empty.
    pub note: String,
    /// True if the numbers were seen in the source itself, rather than quoted from other works.
    pub is_checked: bool,
}

/// A kind of material.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MaterialKind {
    /// Tissues of the body.
    Tissue,
    /// Silicones.
    Silicone,
    /// Other rubbers.
    Rubber,
    /// Foams, including cork.
    Foam,
    /// Gels, mostly water.
    Gel,
    /// Fruit.
    Fruit,
    /// Paper and foil.
    Sheet,
    /// Any other material, such as a user's own.
    Other,
}

/// Materials by name, in the order of the file.
#[derive(Debug, Clone, PartialEq)]
pub struct Library {
    materials: Vec<Material>,
}

/// The materials that come with the program.
pub fn library() -> Library {
    let materials =
        file::read(include_str!("../materials.toml")).expect("a test reads the file that we ship");
    Library { materials }
}

impl Library {
    /// Adds a user's own materials, the text of a TOML file: those with a known name replace it,
    /// the others come last.
    pub fn with(mut self, text: &str) -> Result<Self, MaterialError> {
        for own in file::read(text)? {
            match self.materials.iter_mut().find(|material| material.name == own.name) {
                Some(known) => *known = own,
                None => self.materials.push(own),
            }
        }
        Ok(self)
    }

    /// All materials.
    pub fn materials(&self) -> &[Material] {
        &self.materials
    }

    /// The material with this name; upper and lower case are the same.
    pub fn find(&self, name: &str) -> Option<&Material> {
        let name = name.to_lowercase();
        self.materials.iter().find(|material| material.name == name)
    }
}

impl MaterialKind {
    const ALL: [Self; 8] = [
        Self::Tissue,
        Self::Silicone,
        Self::Rubber,
        Self::Foam,
        Self::Gel,
        Self::Fruit,
        Self::Sheet,
        Self::Other,
    ];

    /// Name in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tissue => "tissue",
            Self::Silicone => "silicone",
            Self::Rubber => "rubber",
            Self::Foam => "foam",
            Self::Gel => "gel",
            Self::Fruit => "fruit",
            Self::Sheet => "sheet",
            Self::Other => "other",
        }
    }
}

impl fmt::Display for MaterialKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
