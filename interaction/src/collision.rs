//! Contacts of the hand with a surface: sphere tree, interference tests and exact tests.
//!
//! Other modules use [`TouchableSurface`]. It finds the node that a fingertip touches or has met on
//! its path (`contact`), the nodes under a fingertip (`patch`), the distance of a point from the
//! skin (`nearest`) and the depth of a finger segment in the skin (`segment_depth`).

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
mod touchable_surface;
mod triangle;

pub use ball::Ball;
pub use contact::SurfaceContact;
pub use interference::{sphere_touches_cylinder, spheres_touch};
pub use nearest::NearestSkin;
pub use segment::Segment;
pub use segment_depth::Penetration;
pub use sphere_tree::{Renewal, SphereTree};
pub use touchable_surface::TouchableSurface;
pub use triangle::{Feature, MovingBall, Triangle, nearest_feature, nearest_point};
