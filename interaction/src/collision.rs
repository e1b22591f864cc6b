//! What the hand touches: a sphere tree over the surface, interference tests, the exact test.
//!
//! [`TouchableSurface`] is what the rest of the program asks: which point a fingertip touches or has met
//! on its way (`contact`), which points lie under it (`patch`), how far a point is from the skin
//! (`nearest`) and how deep a finger's segment is in it (`segment_depth`).

mod adjacency;
mod ball;
pub(crate) mod contact;
mod interference;
mod nearest;
mod octants;
mod patch;
mod segment;
mod segment_depth;
mod sphere_tree;
mod triangle;

pub use ball::Ball;
pub use contact::{SurfaceContact, TouchableSurface};
pub use interference::{sphere_touches_cylinder, spheres_touch};
pub use nearest::NearestSkin;
pub use segment::Segment;
pub use segment_depth::Sunk;
pub use sphere_tree::{Renewal, SphereTree};
pub use triangle::{Feature, MovingBall, Triangle, nearest_feature, nearest_point};
