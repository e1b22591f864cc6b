//! What the system tests share, for all that no real family needs yet.
//!
//! - `damped_mass`: the simplest matter that moves, a rigid body on a damped spring.

mod damped_mass;

pub use damped_mass::{DampedMass, SPEED};
