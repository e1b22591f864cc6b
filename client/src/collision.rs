//! What the hand touches: a sphere tree over the surface, interference tests, the exact test.

pub(crate) mod contact;
mod interference;
mod sphere_tree;
mod triangle;

pub use contact::{SurfaceContact, TouchableSurface};
pub use interference::{sphere_touches_cylinder, spheres_touch};
pub use sphere_tree::SphereTree;
pub use triangle::{MovingBall, Triangle, nearest_point};
