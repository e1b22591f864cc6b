//! Materials: constitutive laws, one per file.

mod isotropic_elastic;

pub use isotropic_elastic::{IsotropicElastic, MaterialError, USUAL_DENSITY};
