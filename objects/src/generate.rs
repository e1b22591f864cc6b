//! Objects made by formula, in any resolution.

mod cube;

pub use cube::{CubeError, cube};
