//! The options with which a glove is opened.

use crate::cyberglove::protocol::{SamplePeriod, Switch};
use crate::cyberglove::record::JumpRule;

/// Options of the line, of the records, and of the changes that the driver may make to the unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GloveOptions {
    pub baud: u32,
    /// Time between the records of a stream; `None` keeps the unit's own.
    pub sample_period: Option<SamplePeriod>,
    /// On: samples carry the unit's clock.
    pub time_stamp: Switch,
    /// On: samples carry the state of plug, wrist switch and light.
    pub status_byte: Switch,
    /// The unit's low-pass filter; `None` keeps its setting.
    pub filter: Option<Switch>,
    pub period_form: PeriodForm,
    pub restart: RestartPolicy,
    pub model: Model,
    pub baud_command: BaudCommand,
    pub jumps: JumpRule,
}

/// Form in which the sample period is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PeriodForm {
    /// As text, so that the order of bytes is unambiguous.
    #[default]
    Ascii,
    Binary,
}

/// Permission to restart the unit while it is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RestartPolicy {
    /// Never restart: a restart takes seconds and loses the settings of other programs.
    #[default]
    Never,
    /// Restart if the unit does not answer otherwise. Never done to a CyberGlove III, which is
    /// reported not to start again.
    LastResort,
}

/// Model of the glove. All models use the same protocol; a III has some additional requests.
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

/// Permission to change the unit's baud rate. The numbers of the rates are not documented, so the
/// unit may be unreachable until it is switched off and on.
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
    /// Options for a line of this rate, with as many records as the line can carry, at most 100 per
    /// second.
    ///
    /// The unit's own period is not kept: the last host may have set it to minutes, or have died
    /// while it set it.
    pub fn at_baud(baud: u32) -> Self {
        /// Bits on the line of a record with time stamp and status byte; a byte takes 10 bits.
        const RECORD_BITS: f64 = 32.0 * 10.0;
        let hz = (f64::from(baud) / RECORD_BITS).clamp(1.0, 100.0);
        Self { baud, sample_period: SamplePeriod::from_hz(hz).ok(), ..Self::default() }
    }
}

impl Model {
    /// Guesses the model from the unit's description, whose form is not documented.
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
    fn a_description_names_the_model() {
        let check = |text, want| assert_eq!(Model::from_description(text), want, "{text}");
        check("CyberGlove\r\nVersion 1.2", Some(Model::Wired));
        check("Virtual Technologies CyberGlove II right", Some(Model::Two));
        check("CyberGlove III", Some(Model::Three));
        check("something else", None);
    }
}
