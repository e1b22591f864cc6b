//! What the line between an emulated device and its host is like.

use crate::fault::FaultPlan;

/// Whether it matters that the host has chosen the right baud rate. A pseudo-terminal carries bytes
/// at any rate, so a wrong one must be acted out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WrongBaud {
    /// Bytes arrive as they were sent.
    #[default]
    Harmless,
    /// While the host's rate differs from [`LineOptions::baud`], garbage goes both ways.
    Garbage,
}

/// A line, before anything is said on it.
#[derive(Debug, Clone, PartialEq)]
pub struct LineOptions {
    /// The device sends a tenth of this in bytes per second. `None`: as fast as the host reads.
    pub baud: Option<u32>,
    pub wrong_baud: WrongBaud,
    pub faults: FaultPlan,
    /// How many of the newest data records to keep for [`Emulator::journal`](crate::Emulator::journal).
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
