//! Objects made by formula, with any number of nodes.

mod ball;
mod blob;
mod cube;
mod generated_kind;
mod gradient;
mod lattice;
mod strawberry;
mod toothpaste;

pub use ball::sphere;
pub use blob::blob;
pub use cube::{CubeError, cube};
pub use generated_kind::{GenerateError, Generated, GeneratedKind, UnknownKind, generate};
pub use lattice::BodyError;
pub use strawberry::strawberry;
pub use toothpaste::toothpaste;
