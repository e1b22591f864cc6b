//! Which glove is emulated, and how well it behaves.

use std::time::Duration;

use super::sensors::{self, Response};
use crate::motion::N_ANGLES;

/// The sensors that are sewn in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SensorSet {
    /// Without the fingers' end joints.
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
    /// On a wired interface unit, or a CyberGlove II.
    Classic,
    /// Knows the commands that begin with `1` as well.
    Third,
}

/// What the emulated glove is like when it is switched on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GloveOptions {
    pub sensors: SensorSet,
    pub model: GloveModel,
    pub is_right_hand: bool,
    /// Whether the glove is plugged into its unit; if not, records carry the error `eg`.
    pub is_plugged_in: bool,
    pub has_cybertouch: bool,
    /// Records per second of a stream until the host sets another sample period.
    pub stream_hz: f64,
    /// How long a restart takes. A restart is acknowledged only after the firmware has come up
    /// again.
    pub restart: Duration,
    /// A byte that some units are said to send between the letter of an acknowledgement and its
    /// NUL.
    pub extra_acknowledgement: Option<u8>,
    /// How each sensor turns its joint's angle into a count, by mask bit.
    pub responses: [Response; N_ANGLES],
    /// Standard deviation of each reading; real gloves have about half a count.
    pub noise_counts: f64,
    /// How far each sensor wanders to either side within minutes.
    pub drift_counts: f64,
    /// How much sensors feel other joints than their own, the abduction sensors the bending of
    /// their neighbours and the thumb's roll and abduction each other: 0 not, 1 as real ones do.
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
    /// The same glove with the noise, drift and cross-coupling of a real one.
    pub fn lifelike(self, seed: u64) -> Self {
        Self { noise_counts: 0.5, drift_counts: 2.0, coupling: 1.0, seed, ..self }
    }

    /// The same glove on the hand of somebody in particular: every gain is within 15 % of the
    /// typical one, and every zero within 20 counts.
    pub fn worn_by(self, seed: u64) -> Self {
        Self { responses: sensors::of_somebody(seed), ..self }
    }
}
