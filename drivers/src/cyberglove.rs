//! The CyberGlove: a hand's joint angles as sensor counts, over its interface unit's serial line.
//!
//! Counts are uncalibrated: what a count means in radians depends on who wears the glove.
//!
//! The wired glove, the CyberGlove II and the CyberGlove III on USB speak the same language. A III
//! on Wi-Fi does too, but there the glove is the one that connects: the host listens on TCP port
//! 49500 (network, host and port are set in a text file on the glove's card), then the glove is
//! switched on, connects and says a single `o`. There is no listener here.

pub mod driver;
pub mod high_resolution;
pub mod protocol;
pub mod record;
pub mod sensor;

pub use driver::{
    BaudCommand, CyberGlove, GloveInfo, GloveOptions, Model, PeriodForm, RequestError,
    RestartPolicy, identify,
};
pub use high_resolution::{HighResolutionDecoder, HighResolutionSample, TimeCode};
pub use protocol::{
    Actuator, ErrorReply, Feature, Flag, Flags, GloveState, Hand, ModelThreeRequest, Output, Query,
    Reply, Request, SamplePeriod, Status, StoredCalibration, Switch, Version,
};
pub use record::{Conditions, GloveSample, JumpRule, RecordDecoder, RecordShape};
pub use sensor::{Sensor, SensorCounts, SensorMask};
