//! Errors of an exact replay.

use std::io;

use crate::input::DecodedError;
use crate::session::journal::JournalError;

/// Reason why a run could not be replayed.
#[derive(Debug, thiserror::Error)]
pub enum ExactReplayError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error("the journal names thing {0}, which does not exist")]
    NoThing(usize),
    #[error("the journal has a frame of sample {0}, for which there was no touch")]
    NoTouch(u64),
    #[error("sample {sample} cannot be decoded again from the devices' bytes")]
    Decode { sample: u64, source: DecodedError },
    #[error(
        "sample {sample}: the devices' bytes give another {what} ({now}, recorded {then}); \
         are they of another run, or is this another version?"
    )]
    Pose { sample: u64, what: &'static str, then: f64, now: f64 },
    #[error("sample {sample}: the glove's bytes are of the other hand")]
    Side { sample: u64 },
    #[error("the solver does not answer: {0}")]
    Solver(String),
    #[error("a shape to keep was found in one run but not in the other")]
    Shape,
    #[error(
        "sample {sample}: the frame differs ({now}, recorded {then}); is this another kind of \
         processor or another version?"
    )]
    Differs { sample: u64, then: String, now: String },
    #[error("the replay was stopped")]
    Stopped,
    #[error(transparent)]
    Io(#[from] io::Error),
}
