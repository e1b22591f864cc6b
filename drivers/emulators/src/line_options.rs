//! Options of the line between an emulated device and its host.

use crate::fault::FaultPlan;

/// Effect of a wrong baud rate of the host. A pseudo-terminal carries bytes at any rate, so the
/// effect of a wrong one must be emulated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WrongBaud {
    /// Bytes arrive as they were sent.
    #[default]
    Harmless,
    /// While the host's rate differs from [`LineOptions::baud`], bytes become garbage in both
    /// directions.
    Garbage,
}

/// Options of a line.
#[derive(Debug, Clone, PartialEq)]
pub struct LineOptions {
    /// Baud rate: the device sends 1/10 of this number in bytes per second. `None`: as fast as the
    /// host reads.
    pub baud: Option<u32>,
    pub wrong_baud: WrongBaud,
    pub faults: FaultPlan,
    /// Most records in the journal, see [`Emulator::journal`](crate::Emulator::journal).
    pub journal_capacity: usize,
}

impl Default for LineOptions {
    fn default() -> Self {
        Self {
            baud: Some(115_200),
            wrong_baud: WrongBaud::default(),
            faults: FaultPlan::default(),
            journal_capacity: 0,
        }
    }
}
