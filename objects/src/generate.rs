//! Objects made by formula, in any resolution.

mod ball;
mod blob;
mod cube;
mod lattice;

pub use ball::sphere;
pub use blob::blob;
pub use cube::{CubeError, cube};
pub use lattice::BodyError;
