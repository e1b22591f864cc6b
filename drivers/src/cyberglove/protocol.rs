//! The glove's language: requests to bytes, bytes to replies. No I/O; records are in `record`.
//!
//! - `request`: all that the interface unit can be told, and `query`: all that it can be asked;
//! - `reply`: what it answers, read by length because a NUL may stand inside an answer;
//! - `flags`, `period`: the settings that have a form of their own;
//! - `model_three`: what only a CyberGlove III understands.

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
pub use reply::{ErrorReply, GloveState, Hand, Reply, ReplyProgress, Version};
pub use request::{ACTUATORS, Actuator, Feature, Request, StoredCalibration, Switch};

#[cfg(test)]
mod tests;
