//! What a glove says about itself.

use super::ask::{ANSWER, Patience, RequestError, query, tolerate};
use super::options::Model;
use crate::cyberglove::protocol::{Flags, GloveState, Hand, Query, Reply, Request, Version};
use crate::cyberglove::sensor::SensorMask;
use crate::serial::{DeviceError, SerialLine};

/// What the glove said when it was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GloveInfo {
    pub state: GloveState,
    /// How many sensors are fitted.
    pub n_sensors: usize,
    /// The sensors that are fitted.
    pub hardware_mask: SensorMask,
    /// The sensors whose counts are in each sample: all that are fitted, unless the caller chose.
    pub mask: SensorMask,
    pub hand: Hand,
    /// Not every unit answers to these.
    pub flags: Option<Flags>,
    pub version: Option<Version>,
    pub description: Option<String>,
}

impl GloveInfo {
    /// A guess from the description.
    pub fn model(&self) -> Option<Model> {
        Model::from_description(self.description.as_deref()?)
    }

    /// Asks a unit that is silent and has told its state.
    pub(super) fn read(line: &mut SerialLine, state: GloveState) -> Result<Self, DeviceError> {
        let n_reported: u8 = need(line, Query::SensorCount)?;
        let hardware_mask: SensorMask = need(line, Query::HardwareMask)?;
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
            hand: need(line, Query::Hand)?,
            flags: want(line, Query::Flags)?,
            version: want(line, Query::Version)?,
            description: want(line, Query::Description)?,
        })
    }
}

fn need<T: TryFrom<Reply, Error = Reply>>(
    line: &mut SerialLine,
    question: Query,
) -> Result<T, RequestError> {
    query(line, question, 0, Patience { tries: 3, answer: ANSWER })
}

/// `None` if the unit does not answer to this.
fn want<T: TryFrom<Reply, Error = Reply>>(
    line: &mut SerialLine,
    question: Query,
) -> Result<Option<T>, DeviceError> {
    let patience = Patience { tries: 1, ..Patience::with(&Request::Ask(question)) };
    tolerate(query(line, question, 0, patience))
}
