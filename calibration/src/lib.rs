//! From device samples to a hand in the world.
//!
//! - [`joints`]: the angles of a hand; [`sensor_map`]: counts to angles, one sensor at a time; `curls`: the
//!   same for gloves that measure whole fingers;
//! - [`skeleton`]: bone lengths and forward kinematics;
//! - [`profile`]: one person's calibration, which puts these together.
//!
//! Angles are radians, flexion positive, abduction positive away from the middle finger; the thumb's
//! roll is 0 beside the palm and grows as it swings under it. The palm frame is right-handed: -z along
//! the fingers, +y out of the back of the hand, +x to the right (away from a right hand's thumb).

mod curls;
pub mod joints;
pub mod profile;
pub mod sensor_map;
pub mod skeleton;

pub use joints::{Finger, FingerAngles, JointAngles, ThumbAngles};
pub use profile::{GloveData, HandPose, Profile};
pub use sensor_map::SensorMap;
pub use skeleton::{FingerBones, HandBones, Skeleton};
