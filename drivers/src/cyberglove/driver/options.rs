//! How a glove is to be opened.

use crate::cyberglove::protocol::{SamplePeriod, Switch};
use crate::cyberglove::record::JumpRule;

/// The line, the form of the records and what the driver may do to the unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GloveOptions {
    pub baud: u32,
    /// Time between the records of a stream; `None` leaves the unit's own.
    pub sample_period: Option<SamplePeriod>,
    /// Whether samples carry the unit's clock.
    pub time_stamp: Switch,
    /// Whether samples carry the state of plug, wrist switch and light.
    pub status_byte: Switch,
    /// The unit's low-pass filter; `None` leaves it as it is.
    pub filter: Option<Switch>,
    pub period_form: PeriodForm,
    pub restart: RestartPolicy,
    pub model: Model,
    pub baud_command: BaudCommand,
    pub jumps: JumpRule,
}

/// How the sample period is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PeriodForm {
    /// As text, which leaves no doubt about the order of bytes.
    #[default]
    Ascii,
    Binary,
}

/// Whether the unit may be restarted while it is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RestartPolicy {
    /// A restart takes seconds and loses the settings of other programs.
    #[default]
    Never,
    /// If nothing else brings it to answer. Never done to a CyberGlove III, which is said not to
    /// come back.
    LastResort,
}

/// Which glove it is. All speak the same language; a III knows some words more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Model {
    /// The glove on an interface unit.
    #[default]
    Wired,
    /// CyberGlove II, on Bluetooth.
    Two,
    /// CyberGlove III.
    Three,
}

/// Whether the unit's line rate may be changed. Which number means which rate is not documented, so
/// the unit may be lost until it is switched off and on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BaudCommand {
    #[default]
    Refused,
    Allowed,
}

impl Default for GloveOptions {
    fn default() -> Self {
        Self {
            baud: 115_200,
            sample_period: None,
            time_stamp: Switch::Off,
            status_byte: Switch::Off,
            filter: None,
            period_form: PeriodForm::default(),
            restart: RestartPolicy::default(),
            model: Model::default(),
            baud_command: BaudCommand::default(),
            jumps: JumpRule::default(),
        }
    }
}

impl GloveOptions {
    /// For a line of this rate, with as many records as it can carry, 100 a second at most.
    ///
    /// Better than leaving the unit's own period: the last host may have set it to minutes, or have died
    /// in the middle of setting it.
    pub fn at_baud(baud: u32) -> Self {
        /// A record with a time stamp and a status byte, and the bits of a byte.
        const RECORD_BITS: f64 = 32.0 * 10.0;
        let hz = (f64::from(baud) / RECORD_BITS).clamp(1.0, 100.0);
        Self { baud, sample_period: SamplePeriod::from_hz(hz).ok(), ..Self::default() }
    }
}

impl Model {
    /// A guess from the text in which the unit describes itself, whose form is not documented.
    pub fn from_description(text: &str) -> Option<Self> {
        let (_, after) = text.split_once("CyberGlove")?;
        let numeral = after.trim_start_matches([' ', '-']);
        Some(if numeral.starts_with("III") {
            Self::Three
        } else if numeral.starts_with("II") {
            Self::Two
        } else {
            Self::Wired
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_tells_the_model() {
        let check = |text, want| assert_eq!(Model::from_description(text), want, "{text}");
        check("CyberGlove\r\nVersion 1.2", Some(Model::Wired));
        check("Virtual Technologies CyberGlove II right", Some(Model::Two));
        check("CyberGlove III", Some(Model::Three));
        check("something else", None);
    }
}
