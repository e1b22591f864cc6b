//! The CyberGlove: a hand's joint angles as sensor counts, over its interface unit's serial line.
//!
//! Counts are uncalibrated: what a count means in radians depends on who wears the glove.

pub mod driver;
pub mod protocol;
pub mod record;
pub mod sensor;

pub use driver::{CyberGlove, GloveInfo};
pub use protocol::Hand;
pub use record::{Conditions, GloveSample, RecordDecoder};
pub use sensor::{Sensor, SensorCounts, SensorMask};
