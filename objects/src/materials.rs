//! What things are made of: stiffness, compressibility and density, each with where it comes from.
//!
//! The library is a readable text, `materials.toml`, that is compiled in; people's own materials are
//! written the same way and go before it. Moduli are in Pa, densities in kg/m³. Soft matter is neither
//! linear nor the same twice: a material has a range beside its modulus, and nobody should read more
//! digits into it.

mod file;

use std::fmt;

pub use file::MaterialError;

/// A linear, isotropic solid.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// As people choose it, in lower case: `liver`, `ecoflex 00-30`.
    pub name: String,
    /// What sort of matter it is.
    pub kind: MaterialKind,
    /// Young's modulus.
    pub young: f64,
    /// The least and greatest Young's modulus that is found for it.
    pub young_range: [f64; 2],
    /// Poisson's ratio.
    pub poisson: f64,
    /// In kg/m³.
    pub density: f64,
    /// Where the numbers come from.
    pub source: String,
    /// What to know before using them; may be empty.
    pub note: String,
    /// Whether the numbers were seen in the source itself, rather than quoted after others.
    pub is_checked: bool,
}

/// A sort of matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MaterialKind {
    /// Parts of bodies.
    Tissue,
    /// Silicones.
    Silicone,
    /// Other rubbers.
    Rubber,
    /// Foams, and cork, which is one.
    Foam,
    /// Gels of water and little else.
    Gel,
    /// Fruit.
    Fruit,
    /// Paper and foil.
    Sheet,
    /// Somebody's own.
    Other,
}

/// Materials by name, in the order of the file.
#[derive(Debug, Clone, PartialEq)]
pub struct Library {
    materials: Vec<Material>,
}

/// The materials that we know.
pub fn library() -> Library {
    let materials =
        file::read(include_str!("../materials.toml")).expect("a test reads the file that we ship");
    Library { materials }
}

impl Library {
    /// With somebody's own materials, as the text of a TOML file: those with a known name replace it, the
    /// others come after.
    pub fn with(mut self, text: &str) -> Result<Self, MaterialError> {
        for own in file::read(text)? {
            match self.materials.iter_mut().find(|material| material.name == own.name) {
                Some(known) => *known = own,
                None => self.materials.push(own),
            }
        }
        Ok(self)
    }

    /// All of them.
    pub fn materials(&self) -> &[Material] {
        &self.materials
    }

    /// The one with this name; capitals make no difference.
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

    /// As in the file.
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
