//! From device samples to a hand in the world.
//!
//! - [`joints`]: the angles of a hand; [`joint_limits`]: how far they go; [`skeleton`]: bone
//!   lengths and forward kinematics;
//! - [`sensor_map`] and [`glove_model`]: counts to angles, sensor by sensor and for a whole glove;
//!   `opengloves`: the same for gloves that measure whole fingers;
//! - [`tracker`]: where the tracker stands and its receiver sits;
//! - [`profile`]: one person's calibration, which puts these together; [`profile_file`]: a profile
//!   as text; [`profile_store`]: profiles in a folder; [`manufacturer_file`]: the maker's own
//!   files; [`profile_plot`]: a profile for the eye;
//! - [`poses`], [`procedure`], [`capture`] and [`fit`](mod@fit): how a profile comes about;
//!   `statistics`: how far to trust it.
//!
//! Angles are radians, flexion positive, abduction positive away from the middle finger; the
//! thumb's roll is 0 beside the palm and grows as it swings under it. The palm frame is
//! right-handed: -z along the fingers, +y out of the back of the hand, +x to the right (away from a
//! right hand's thumb).
//!
//! Only [`profile_store`] touches the disk. Nothing here reads a clock or a device.

pub mod capture;
pub mod fit;
pub mod glove_model;
pub mod joint_limits;
pub mod joints;
pub mod manufacturer_file;
mod opengloves;
pub mod poses;
pub mod procedure;
pub mod profile;
pub mod profile_file;
pub mod profile_plot;
pub mod profile_store;
pub mod sensor_map;
pub mod skeleton;
mod statistics;
pub mod tracker;

pub use capture::{Capture, Sample};
pub use fit::{Fit, fit};
pub use glove_model::{EndJointRule, GloveModel};
pub use joint_limits::JointLimits;
pub use joints::{Finger, FingerAngles, JointAngles, PerSensor, ThumbAngles};
pub use poses::PoseId;
pub use procedure::{Command, Plan, Procedure};
pub use profile::{GloveData, HandPose, Profile};
pub use profile_file::{About, Device, SavedProfile};
pub use profile_store::ProfileStore;
pub use sensor_map::SensorMap;
pub use skeleton::{FingerBones, HandBones, HandSize, SizeError, Skeleton};
pub use tracker::TrackerTransforms;
