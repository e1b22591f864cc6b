//! What a line did, to the last record.

use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;

use crate::fault::RecordFault;

/// How a data record was spoilt on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DamageKind {
    Fault(RecordFault),
    /// The line hung up in the middle of it.
    Cut,
    /// The host listened at another baud rate.
    WrongBaud,
}

/// One spoilt record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damage {
    /// The record's number, from 1 over all records given to the line.
    pub record: u64,
    pub kind: DamageKind,
    /// The place in the record, before damage, of the first byte that is not as it was.
    pub position: usize,
}

/// Records that were due but of which no byte was sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Withheld {
    /// The baud rate is too low for the stream.
    pub slow_line: u64,
    /// The line stalled and its buffer was full.
    pub stalled: u64,
    /// The host did not read and all buffers were full.
    pub unread: u64,
    /// The emulator's thread came too late; only a busy machine does this.
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

/// An exact account of all data records. A record is counted once, when its last byte was given to
/// the terminal: as whole or as damaged. Bytes that a host had not read when the port was unplugged
/// are lost to it though they count as sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineReport {
    /// Sent whole and undamaged.
    pub records_whole: u64,
    /// Sent with damage, by kind.
    pub records_damaged: BTreeMap<DamageKind, u64>,
    /// Each damaged record once, in order; only the first 65 536.
    pub damage: Vec<Damage>,
    pub records_withheld: Withheld,
    /// Replies to commands whose last byte was sent.
    pub replies_sent: u64,
    /// Bytes of records and replies.
    pub bytes_sent: u64,
}

const MAX_DAMAGE: usize = 65_536;

impl LineReport {
    /// Records sent, whole or damaged.
    pub fn n_sent(&self) -> u64 {
        self.records_whole + self.n_damaged()
    }

    pub fn n_damaged(&self) -> u64 {
        self.records_damaged.values().sum()
    }

    /// Records that this fault hit.
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

/// One data record as the device made it, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalEntry {
    pub record: u64,
    /// Before damage.
    pub bytes: Vec<u8>,
    pub damage: Option<DamageKind>,
    /// When its last byte was given to the terminal: the moment just before that write, since a host
    /// may have read the byte before the write returns.
    pub sent: Instant,
}

/// Report and journal together, behind one lock.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) report: LineReport,
    pub(crate) journal: VecDeque<JournalEntry>,
    /// The journal keeps so many of the newest records.
    pub(crate) journal_capacity: usize,
}

impl Ledger {
    pub(crate) fn write(&mut self, entry: JournalEntry) {
        if self.journal.len() >= self.journal_capacity {
            self.journal.pop_front();
        }
        self.journal.push_back(entry);
    }
}
