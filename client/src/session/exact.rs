//! A recorded run, run again from its journal to the same bits.

mod answers;
mod error;
mod table;

use engine::Solvers;
use interaction::tabletop::Tabletop;

use super::KeyMoments;
use super::journal::{self, Head, Line};
use crate::input::DecodedDevices;

pub use error::ExactError;
use table::Table;

/// Who looks on while a run is run again.
pub trait Audience {
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

impl<F: FnMut(f64)> Audience for F {
    fn share(&mut self, share: f64) {
        self(share);
    }
}

/// What was run again.
#[derive(Debug, Default)]
pub struct Again {
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
pub fn run_again(
    journal: &[u8],
    devices: DecodedDevices,
    solvers: &Solvers,
    audience: &mut impl Audience,
) -> Result<Again, ExactError> {
    let mut lines = journal::lines(journal).peekable();
    let table = Table::new(Head::take(&mut lines)?, devices, solvers)?;
    let mut table = table.with_fields(audience.wants_fields());
    // Nearly all lines are of the same length.
    let n_lines = journal.iter().filter(|byte| **byte == b'\n').count().max(1);
    for (i, line) in lines.enumerate() {
        let line = line?;
        if let Line::Hand { time, .. } | Line::Gone { time, .. } | Line::Passed { time, .. } = &line
        {
            audience.moment(*time, &mut table.tabletop);
        }
        table.take(line, &|| audience.goes_on())?;
        if i % 256 == 0 {
            audience.share(i as f64 / n_lines as f64);
        }
        if !audience.goes_on() {
            return Err(ExactError::Stopped);
        }
    }
    audience.end(&mut table.tabletop);
    Ok(table.again)
}

#[cfg(test)]
mod tests;
