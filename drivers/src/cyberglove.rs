//! The CyberGlove: a hand's joint angles as sensor counts, over its interface unit's serial line.
//!
//! Counts are uncalibrated: the angle that a count stands for depends on the wearer's hand.
//!
//! The wired glove, the CyberGlove II and the CyberGlove III on USB use the same protocol. A III on
//! Wi-Fi does too, but there the glove opens the connection: the host listens on TCP port 49500
//! (network, host and port are set in a text file on the glove's card); the glove, when it is
//! switched on, connects and sends a single `o`. This crate has no such listener.

pub mod driver;
pub mod high_resolution;
pub mod protocol;
pub mod record;
pub mod sensor;

pub(crate) use driver::identify_within;
pub use driver::{
    BaudCommand, CyberGlove, GloveInfo, GloveOptions, Model, PeriodForm, RequestError,
    RestartPolicy, identify,
};
pub use high_resolution::{HighResolutionDecoder, HighResolutionSample, TimeCode};
pub use protocol::{
    Actuator, ErrorReply, Feature, Flag, Flags, GloveState, ModelThreeRequest, Output, Query,
    Reply, Request, SamplePeriod, Status, StoredCalibration, Switch, Version,
};
pub use record::{Conditions, GloveSample, JumpRule, RecordDecoder, RecordShape};
pub use sensor::{Sensor, SensorCounts, SensorMask};
