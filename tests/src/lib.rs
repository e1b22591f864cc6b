//! Code shared by tests of several packages.
//!
//! - `damped_mass`: the simplest matter that moves, a rigid body on a damped spring;
//! - `png_frames`: pictures and animations as a viewer shows them.

mod damped_mass;
pub mod png_frames;

pub use damped_mass::{DampedMass, SPEED};
