//! Turns device samples into a hand in the world.
//!
//! - [`joints`]: the angles of a hand; [`joint_limits`]: their ranges; [`skeleton`]: bone lengths
//!   and forward kinematics;
//! - [`curl`](mod@curl): how far each finger is closed;
//! - [`sensor_map`] and [`glove_model`]: counts to angles, for one sensor and for a whole glove;
//!   `opengloves`: the same for gloves that measure whole fingers;
//! - [`tracker`]: positions of the tracker's transmitter and of its receiver on the wrist;
//! - [`profile`]: one person's calibration, which combines these; [`profile_file`]: a profile as
//!   text; [`profile_store`]: profiles in a folder; [`manufacturer_file`]: the glove manufacturer's
//!   files; [`profile_plot`]: a profile as a text chart;
//! - [`poses`], [`procedure`], [`capture`] and [`fit`](mod@fit): the calibration itself;
//!   `statistics`: quantiles for its error estimates.
//!
//! Angles are radians, flexion positive, abduction positive away from the middle finger; the
//! thumb's roll is 0 beside the palm and grows as it swings under it. The palm frame is
//! right-handed: -z along the fingers, +y out of the back of the hand, +x to the right (away from a
//! right hand's thumb).
//!
//! Only [`profile_store`] uses the disk. No function reads a clock or a device.

pub mod capture;
pub mod curl;
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
