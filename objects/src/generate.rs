//! Objects made by formula, in any resolution.

mod ball;
mod blob;
mod cube;
mod kind;
mod lattice;
mod slope;
mod strawberry;
mod toothpaste;

pub use ball::sphere;
pub use blob::blob;
pub use cube::{CubeError, cube};
pub use kind::{GenerateError, Generated, Kind, UnknownKind, generate};
pub use lattice::BodyError;
pub use strawberry::strawberry;
pub use toothpaste::toothpaste;
