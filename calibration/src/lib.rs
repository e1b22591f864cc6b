//! From device samples to a hand in the world.
//!
//! - [`joints`]: the angles of a hand; [`limits`]: how far they go; [`skeleton`]: bone lengths and
//!   forward kinematics;
//! - [`sensor_map`] and [`model`]: counts to angles, sensor by sensor and for a whole glove;
//!   `curls`: the same for gloves that measure whole fingers;
//! - [`tracker`]: where the tracker stands and its receiver sits;
//! - [`profile`]: one person's calibration, which puts these together; [`file`](mod@file): a
//!   profile as text; [`store`]: profiles in a folder; [`maker`]: the maker's own files; [`plot`]:
//!   a profile for the eye;
//! - [`poses`], [`procedure`], [`capture`] and [`fit`](mod@fit): how a profile comes about;
//!   `statistics`: how far to trust it.
//!
//! Angles are radians, flexion positive, abduction positive away from the middle finger; the
//! thumb's roll is 0 beside the palm and grows as it swings under it. The palm frame is
//! right-handed: -z along the fingers, +y out of the back of the hand, +x to the right (away from a
//! right hand's thumb).
//!
//! Only [`store`] touches the disk. Nothing here reads a clock or a device.

pub mod capture;
mod curls;
pub mod file;
pub mod fit;
pub mod joints;
pub mod limits;
pub mod maker;
pub mod model;
pub mod plot;
pub mod poses;
pub mod procedure;
pub mod profile;
pub mod sensor_map;
pub mod skeleton;
mod statistics;
pub mod store;
pub mod tracker;

pub use capture::{Capture, Sample};
pub use file::{About, Device, SavedProfile};
pub use fit::{Fit, fit};
pub use joints::{Finger, FingerAngles, JointAngles, PerSensor, ThumbAngles};
pub use limits::JointLimits;
pub use model::{EndJointRule, GloveModel};
pub use poses::PoseId;
pub use procedure::{Command, Plan, Procedure};
pub use profile::{GloveData, HandPose, Profile};
pub use sensor_map::SensorMap;
pub use skeleton::{FingerBones, HandBones, HandSize, SizeError, Skeleton};
pub use store::Store;
pub use tracker::TrackerTransforms;
