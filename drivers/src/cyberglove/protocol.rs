//! The glove's protocol: requests to bytes, bytes to replies. No I/O; records are in `record`.
//!
//! - `request`: all commands to the interface unit; `query`: all questions to it;
//! - `reply`: its answers, read by their length because an answer may contain a NUL;
//! - `flags`, `period`: the settings with an encoding of their own;
//! - `model_three`: the requests that only a CyberGlove III understands.

mod flags;
mod model_three;
mod period;
mod query;
mod reply;
mod request;

pub use flags::{Flag, Flags, Status};
pub use model_three::{ModelThreeRequest, Output};
pub use period::{PeriodError, SamplePeriod};
pub use query::Query;
pub use reply::{ErrorReply, GloveState, Reply, ReplyProgress, Version};
pub use request::{ACTUATORS, Actuator, Feature, Request, StoredCalibration, Switch};

#[cfg(test)]
mod tests;
