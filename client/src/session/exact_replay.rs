//! A recorded run, run again from its journal to the same bits.

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

/// Watches while a run is run again.
pub trait ReplayObserver {
    /// So much of it is done.
    fn share(&mut self, share: f64);

    /// A hand is about to move, at this second of the run; the table is as it was until then.
    fn moment(&mut self, _time: f64, _table: &mut Tabletop) {}

    /// Nothing moves any more.
    fn end(&mut self, _table: &mut Tabletop) {}

    /// Whether the solver is asked for fields, which change nothing else.
    fn wants_fields(&self) -> bool {
        false
    }

    /// Whether to go on.
    fn goes_on(&self) -> bool {
        true
    }
}

impl<F: FnMut(f64)> ReplayObserver for F {
    fn share(&mut self, share: f64) {
        self(share);
    }
}

/// What was run again.
#[derive(Debug, Default)]
pub struct ReplayReport {
    pub n_samples: u64,
    /// How many of them were decoded again from devices' bytes, and came out the same.
    pub n_decoded: u64,
    pub n_frames: u64,
    pub n_orders: u64,
    pub n_transitions: u64,
    pub moments: KeyMoments,
}

/// Runs a journal again before an audience, as fast as it goes, from the bytes of `devices` where
/// its poses came from any.
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
