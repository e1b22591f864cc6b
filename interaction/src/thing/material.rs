//! A material with its name.

use physics::material::IsotropicElastic;

/// A material with the name that the person sees.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedMaterial {
    pub name: String,
    pub material: IsotropicElastic,
}
