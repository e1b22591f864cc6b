//! A material with its name and its contact.

use physics::contact::ContactSettings;
use physics::material::IsotropicElastic;

/// A material with the name that the person sees.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedMaterial {
    pub name: String,
    pub material: IsotropicElastic,
    /// Friction, softness of the fingertips on it, and other settings of contact.
    pub contact: ContactSettings,
}
