//! Exact replay: runs a recorded run again from its journal, bit for bit.
//! `replay_table` compares each pose and frame.

mod error;
mod replay_table;
mod solver_answers;

use engine::SolverLocation;
use interaction::tabletop::Tabletop;

use super::KeyMoments;
use super::journal::{self, JournalLine, RunStart};
use crate::input::DecodedDevices;

pub use error::ExactReplayError;
use replay_table::ReplayTable;

/// Observer of a replay.
pub trait ReplayObserver {
    /// Takes the progress of the replay, from 0 to 1.
    fn share(&mut self, share: f64);

    /// Called before a hand moves at this time of the run, in seconds, with the table as it was
    /// until then.
    fn moment(&mut self, _time: f64, _table: &mut Tabletop) {}

    /// Called at the end of the run.
    fn end(&mut self, _table: &mut Tabletop) {}

    /// True if the solver should compute fields, which change nothing else.
    fn wants_fields(&self) -> bool {
        false
    }

    /// False to stop the replay.
    fn goes_on(&self) -> bool {
        true
    }
}

impl<F: FnMut(f64)> ReplayObserver for F {
    fn share(&mut self, share: f64) {
        self(share);
    }
}

/// Result of a replay.
#[derive(Debug, Default)]
pub struct ReplayReport {
    pub n_samples: u64,
    /// Number of samples that were decoded from the devices' bytes again, with the same result.
    pub n_decoded: u64,
    pub n_frames: u64,
    pub n_orders: u64,
    pub n_transitions: u64,
    pub moments: KeyMoments,
}

/// Replays a journal as fast as possible. Poses are decoded from the bytes of `devices` where the
/// journal names records.
pub fn replay_exactly(
    journal: &[u8],
    devices: DecodedDevices,
    solvers: &SolverLocation,
    observer: &mut impl ReplayObserver,
) -> Result<ReplayReport, ExactReplayError> {
    let mut lines = journal::lines(journal).peekable();
    let table = ReplayTable::new(RunStart::take(&mut lines)?, devices, solvers)?;
    let mut table = table.with_fields(observer.wants_fields());
    // Nearly all lines are of the same length.
    let n_lines = journal.iter().filter(|byte| **byte == b'\n').count().max(1);
    for (i, line) in lines.enumerate() {
        let line = line?;
        if let JournalLine::Hand { time, .. }
        | JournalLine::Gone { time, .. }
        | JournalLine::Passed { time, .. } = &line
        {
            observer.moment(*time, &mut table.tabletop);
        }
        table.take(line, &|| observer.goes_on())?;
        if i % 256 == 0 {
            observer.share(i as f64 / n_lines as f64);
        }
        if !observer.goes_on() {
            return Err(ExactReplayError::Stopped);
        }
    }
    observer.end(&mut table.tabletop);
    Ok(table.report)
}

#[cfg(test)]
mod tests;
