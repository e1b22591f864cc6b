//! Exact counts of the records of a line: whole, damaged and withheld.

use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;

use crate::fault::RecordFault;

/// Kind of damage to a data record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DamageKind {
    Fault(RecordFault),
    /// The line hung up in the middle of the record.
    Cut,
    /// The host had another baud rate.
    WrongBaud,
}

/// One damaged record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damage {
    /// The record's number; all records of the line are counted from 1.
    pub record: u64,
    pub kind: DamageKind,
    /// Index, in the undamaged record, of the first byte that differs.
    pub position: usize,
}

/// Numbers of records that were due but of which no byte was sent, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Withheld {
    /// The baud rate was too low for the stream.
    pub slow_line: u64,
    /// The line stalled and its buffer was full.
    pub stalled: u64,
    /// The host did not read and all buffers were full.
    pub unread: u64,
    /// The emulator's thread ran far too late, which happens only if the machine slept or the
    /// process was stopped. Records that are a little late are sent.
    pub late: u64,
    /// The port was unplugged.
    pub unplugged: u64,
}

impl Withheld {
    pub fn total(&self) -> u64 {
        let Self { slow_line, stalled, unread, late, unplugged } = self;
        slow_line + stalled + unread + late + unplugged
    }
}

/// Exact counts of all data records.
///
/// A record is counted once, as whole or as damaged, when its last byte is written to the terminal.
/// Bytes that the host has not read when the port is unplugged are lost, but count as sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineReport {
    /// Number of records that were sent undamaged.
    pub records_whole: u64,
    /// Number of records that were sent with damage, by kind.
    pub records_damaged: BTreeMap<DamageKind, u64>,
    /// Each damaged record once, in order; only the first 65 536.
    pub damage: Vec<Damage>,
    pub records_withheld: Withheld,
    /// Number of replies to commands whose last byte was sent.
    pub replies_sent: u64,
    /// Number of bytes of records and replies.
    pub bytes_sent: u64,
}

const MAX_DAMAGE: usize = 65_536;

impl LineReport {
    /// Number of records that were sent, whole or damaged.
    pub fn n_sent(&self) -> u64 {
        self.records_whole + self.n_damaged()
    }

    pub fn n_damaged(&self) -> u64 {
        self.records_damaged.values().sum()
    }

    /// Number of records that this fault hit.
    pub fn n_hit(&self, fault: RecordFault) -> u64 {
        self.records_damaged.get(&DamageKind::Fault(fault)).copied().unwrap_or_default()
    }

    pub(crate) fn count(&mut self, damage: Option<Damage>) {
        match damage {
            None => self.records_whole += 1,
            Some(damage) => {
                *self.records_damaged.entry(damage.kind).or_default() += 1;
                if self.damage.len() < MAX_DAMAGE {
                    self.damage.push(damage);
                }
            }
        }
    }
}

/// One data record as the device made it, with its damage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentRecord {
    pub record: u64,
    /// Bytes before damage.
    pub bytes: Vec<u8>,
    pub damage: Option<DamageKind>,
    /// Time just before the last byte was written to the terminal. The time after the write could
    /// be later than the host's read.
    pub sent: Instant,
}

/// Report and journal together, behind one lock.
#[derive(Debug, Default)]
pub(crate) struct LineLog {
    pub(crate) report: LineReport,
    pub(crate) journal: VecDeque<SentRecord>,
    /// Most records in the journal, which keeps the newest.
    pub(crate) journal_capacity: usize,
}

impl LineLog {
    pub(crate) fn write(&mut self, entry: SentRecord) {
        if self.journal.len() >= self.journal_capacity {
            self.journal.pop_front();
        }
        self.journal.push_back(entry);
    }
}
