//! Clears a fault that a tracker shows in its records.
//!
//! By its manual, a unit shows the last fault that it found, in the records of all stations, until
//! the host clears it. Other sources have units that show a fault only in the record to which it
//! belongs. Clearing serves both: a fault that has passed is shown no longer, and one that lasts is
//! shown again by the next record.

use std::time::{Duration, Instant};

use crate::polhemus::condition::Condition;
use crate::polhemus::record::TrackerSample;

/// Time between two commands while a fault lasts: short enough that a hand returns at once, and
/// many records long.
const BETWEEN: Duration = Duration::from_millis(200);

#[derive(Debug, Default)]
pub(super) struct FaultClearing {
    last: Option<Instant>,
}

impl FaultClearing {
    /// Clears the last fault; `1` is the station, which the command needs.
    pub(super) const COMMAND: &[u8] = b"T1,0\r";

    /// True if the fault of this sample is to be cleared now.
    pub(super) fn is_due(&mut self, sample: &TrackerSample) -> bool {
        let now = sample.arrival;
        let is_fault = sample.condition != Condition::Good;
        let is_due = is_fault && self.last.is_none_or(|last| now.duration_since(last) >= BETWEEN);
        if is_due {
            self.last = Some(now);
        }
        is_due
    }
}
