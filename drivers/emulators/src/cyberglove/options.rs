//! Options of the emulated glove: its model and its imperfections.

use std::time::Duration;

use super::sensors::{self, Response};
use crate::motion::N_ANGLES;

/// The fitted sensors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SensorSet {
    /// 18 sensors: without the fingers' end joints.
    Glove18,
    Glove22,
}

impl SensorSet {
    /// The hardware mask, 24 bits.
    pub(super) const fn mask(self) -> u32 {
        match self {
            Self::Glove18 => 0x7B_BB3F,
            Self::Glove22 => 0x7F_FF7F,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GloveModel {
    /// A glove on a wired interface unit, or a CyberGlove II.
    Classic,
    /// A CyberGlove III, which also has the commands that begin with `1`.
    Third,
}

/// Options of the emulated glove when it is switched on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GloveOptions {
    pub sensors: SensorSet,
    pub model: GloveModel,
    pub is_right_hand: bool,
    /// True if the glove is plugged into its unit; if not, records have the error `eg`.
    pub is_plugged_in: bool,
    pub has_cybertouch: bool,
    /// Records per second of a stream until the host sets another sample period.
    pub stream_hz: f64,
    /// Duration of a restart. It is acknowledged only after the firmware has started again.
    pub restart: Duration,
    /// A byte that some units are said to send between the letter of an acknowledgement and its
    /// NUL.
    pub extra_acknowledgement: Option<u8>,
    /// Response of each sensor, by mask bit.
    pub responses: [Response; N_ANGLES],
    /// Standard deviation of each reading; real gloves have about half a count.
    pub noise_counts: f64,
    /// Largest drift of each sensor to either side, within minutes.
    pub drift_counts: f64,
    /// Strength of the cross-coupling: 0 for none, 1 as in real gloves. Abduction sensors also
    /// respond to the bending of the fingers beside them, and the thumb's roll and abduction
    /// sensors respond to each other.
    pub coupling: f64,
    /// The same seed gives the same noise.
    pub seed: u64,
}

impl Default for GloveOptions {
    /// A right glove with 22 perfect sensors.
    fn default() -> Self {
        Self {
            sensors: SensorSet::Glove22,
            model: GloveModel::Classic,
            is_right_hand: true,
            is_plugged_in: true,
            has_cybertouch: false,
            stream_hz: 100.0,
            restart: Duration::from_millis(1750),
            extra_acknowledgement: None,
            responses: sensors::TYPICAL,
            noise_counts: 0.0,
            drift_counts: 0.0,
            coupling: 0.0,
            seed: 0,
        }
    }
}

impl GloveOptions {
    /// The same glove with the noise, drift and cross-coupling of a real glove.
    pub fn lifelike(self, seed: u64) -> Self {
        Self { noise_counts: 0.5, drift_counts: 2.0, coupling: 1.0, seed, ..self }
    }

    /// The same glove on the hand of the wearer number `seed`: every gain is within 15 % of the
    /// typical one, and every zero within 20 counts.
    pub fn worn_by(self, seed: u64) -> Self {
        Self { responses: sensors::of_wearer(seed), ..self }
    }
}
