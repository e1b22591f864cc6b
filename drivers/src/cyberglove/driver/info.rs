//! Reads the information that a glove gives about itself.

use std::time::Duration;

use super::exchange::{RequestError, RetryPolicy, query, tolerate};
use super::options::Model;
use crate::cyberglove::protocol::{Flags, GloveState, Query, Reply, Request, Version};
use crate::cyberglove::sensor::SensorMask;
use crate::serial::{DeviceError, SerialLine};
use crate::side::Side;

/// Information about a glove from when it was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GloveInfo {
    pub state: GloveState,
    /// Number of fitted sensors.
    pub n_sensors: usize,
    /// The fitted sensors.
    pub hardware_mask: SensorMask,
    /// The sensors whose counts are in each sample: all fitted ones, unless the caller chose some.
    pub mask: SensorMask,
    pub hand: Side,
    /// `None` if the unit does not answer this question.
    pub flags: Option<Flags>,
    /// `None` if the unit does not answer this question.
    pub version: Option<Version>,
    /// `None` if the unit does not answer this question.
    pub description: Option<String>,
}

impl GloveInfo {
    /// Model, guessed from the description.
    pub fn model(&self) -> Option<Model> {
        Model::from_description(self.description.as_deref()?)
    }

    /// Asks a silent unit for its information; its state is known already. `answer` is the longest
    /// wait for an answer.
    pub(super) fn read(
        line: &mut SerialLine,
        state: GloveState,
        answer: Duration,
    ) -> Result<Self, DeviceError> {
        let n_reported: u8 = need(line, Query::SensorCount, answer)?;
        let hardware_mask: SensorMask = need(line, Query::HardwareMask, answer)?;
        let n_sensors = hardware_mask.n_sensors();
        if n_sensors != usize::from(n_reported) {
            let path = line.path();
            tracing::warn!(path, n_sensors, n_reported, "sensor count and mask differ; using mask");
        }
        Ok(Self {
            state,
            n_sensors,
            hardware_mask,
            mask: hardware_mask,
            hand: need(line, Query::Hand, answer)?,
            flags: want(line, Query::Flags, answer)?,
            version: want(line, Query::Version, answer)?,
            description: want(line, Query::Description, answer)?,
        })
    }
}

/// Asks a question up to three times; no answer is an error.
fn need<T: TryFrom<Reply, Error = Reply>>(
    line: &mut SerialLine,
    question: Query,
    answer: Duration,
) -> Result<T, RequestError> {
    query(line, question, 0, RetryPolicy { tries: 3, answer })
}

/// Asks a question once; `None` if the unit does not answer it.
fn want<T: TryFrom<Reply, Error = Reply>>(
    line: &mut SerialLine,
    question: Query,
    answer: Duration,
) -> Result<Option<T>, DeviceError> {
    let usual = RetryPolicy::with(&Request::Ask(question)).answer;
    let patience = RetryPolicy { tries: 1, answer: usual.max(answer) };
    tolerate(query(line, question, 0, patience))
}
