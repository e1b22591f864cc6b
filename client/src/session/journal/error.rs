//! Errors of journals.

use drivers::recording::DeviceId;

use super::{OLDEST, VERSION};

/// Reason why a journal cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error("line {line} of the journal: {source}")]
    Line { line: usize, source: serde_json::Error },
    #[error("the journal does not begin with its settings")]
    NoSettings,
    #[error("the journal is of version {0}, expected {OLDEST} to {VERSION}")]
    Version(u32),
    #[error("the journal's rules: {0}")]
    Rules(#[from] interaction::grasp::RuleError),
    #[error("the journal's thing {name:?}: {why}")]
    Thing { name: String, why: String },
    #[error("the journal's shapes have inconsistent numbers")]
    Shapes,
    #[error("a profile in the journal has an invalid {0}")]
    Profile(&'static str),
    #[error("the journal has a pose with a number that is not finite, or without a rotation")]
    Pose,
    #[error(
        "the journal has a state with a number that is not finite or an unknown part of a hand"
    )]
    State,
    #[error("the journal has a time of {0} s, expected one after the first")]
    Time(f64),
    #[error("the journal names device {number}, expected a number below {}", DeviceId::COUNT)]
    Device { number: u8 },
}
