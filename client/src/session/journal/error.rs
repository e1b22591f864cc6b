//! What is wrong with a journal.

use drivers::recording::DeviceId;

use super::{OLDEST, VERSION};

/// Why a journal cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error("line {line} of the journal: {source}")]
    Line { line: usize, source: serde_json::Error },
    #[error("the journal begins with something else than its settings")]
    NoSettings,
    #[error("the journal is of version {0}, expected {OLDEST} to {VERSION}")]
    Version(u32),
    #[error("the journal's rules: {0}")]
    Rules(#[from] interaction::grasp::RuleError),
    #[error("the journal's thing {name:?}: {why}")]
    Thing { name: String, why: String },
    #[error("the journal's shapes are not numbered one after the other")]
    Shapes,
    #[error("a profile in the journal has a {0} that none has")]
    Profile(&'static str),
    #[error("the journal has a number that is not finite or no rotation, expected a pose")]
    Pose,
    #[error("the journal has a state with numbers that are not finite or shapes that no hand has")]
    State,
    #[error("the journal has a moment at {0} s, expected one after the first")]
    Time(f64),
    #[error("the journal speaks of device {number}, expected a number below {}", DeviceId::COUNT)]
    Device { number: u8 },
}
