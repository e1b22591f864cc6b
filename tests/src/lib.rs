//! Code shared by system tests, for features that no real family uses yet.
//!
//! - `damped_mass`: the simplest matter that moves, a rigid body on a damped spring.

mod damped_mass;

pub use damped_mass::{DampedMass, SPEED};
