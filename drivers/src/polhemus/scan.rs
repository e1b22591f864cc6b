//! Finds records in a stream, in which every mark of a record could also be data.
//!
//! At each position all parts of a possible record are checked at once, from a slice. If one part
//! is wrong, the search moves on by one byte. Only the last bytes, too few to be checked, are kept
//! until more bytes arrive.

use crate::DecodeCounts;
use crate::damaged_stretch::DamagedStretch;

/// Result of a check for a record at the first byte of a window.
pub(super) enum Verdict<T> {
    /// More bytes are needed.
    TooShort,
    /// A data record, and its number of bytes.
    Record(T, usize),
    /// Another valid item, and its number of bytes.
    Other(T, usize),
    /// No item begins here: drop the first byte.
    Garbage,
}

impl<T> Verdict<T> {
    pub(super) fn map<U>(self, convert: impl FnOnce(T) -> U) -> Verdict<U> {
        match self {
            Self::TooShort => Verdict::TooShort,
            Self::Record(item, length) => Verdict::Record(convert(item), length),
            Self::Other(item, length) => Verdict::Other(convert(item), length),
            Self::Garbage => Verdict::Garbage,
        }
    }
}

/// The unfinished end of a stream, and the counts of the bytes before it.
#[derive(Debug)]
pub(super) struct Scanner {
    /// Bytes that were not checked yet; fewer than `longest` between two calls.
    unfinished: Vec<u8>,
    /// Most bytes that a check needs.
    longest: usize,
    counts: DecodeCounts,
    damage: DamagedStretch,
    /// Number of bytes of a record, by which damage is counted.
    record_bytes: usize,
    before: Before,
}

/// The two bytes before a window. All records end with a line end; before the first byte of the
/// stream a line end is assumed.
pub(super) type Before = [u8; 2];

const LINE_END: Before = *b"\r\n";

impl Scanner {
    /// A scanner whose `judge` never returns [`Verdict::TooShort`] for `longest` bytes or more.
    ///
    /// Damage is counted in records of `record_bytes`.
    pub(super) fn new(longest: usize, record_bytes: usize) -> Self {
        // While an unfinished item is being completed, up to `longest` new bytes are appended to
        // it.
        let unfinished = Vec::with_capacity(2 * longest);
        let counts = DecodeCounts::default();
        let damage = DamagedStretch::default();
        Self { unfinished, longest, counts, damage, record_bytes, before: LINE_END }
    }

    pub(super) fn push<T>(
        &mut self,
        bytes: &[u8],
        judge: impl Fn(&[u8], Before) -> Verdict<T>,
        accept: &mut dyn FnMut(T),
    ) {
        let mut rest = bytes;
        if !self.unfinished.is_empty() {
            let n_tail = self.unfinished.len();
            let n_borrowed = rest.len().min(self.longest);
            let mut joined = std::mem::take(&mut self.unfinished);
            joined.extend_from_slice(&rest[..n_borrowed]);
            let n_judged = self.scan(&joined, n_tail, &judge, accept);
            if n_judged < n_tail {
                // Still too short: all of `rest` was appended, and stays in `unfinished`.
                joined.drain(..n_judged);
                self.unfinished = joined;
                return;
            }
            joined.clear();
            self.unfinished = joined;
            rest = &rest[n_judged - n_tail..];
        }
        let n_judged = self.scan(rest, rest.len(), &judge, accept);
        self.unfinished.extend_from_slice(&rest[n_judged..]);
    }

    /// Checks for items that begin in the first `n_starts` bytes; returns the number of bytes that
    /// are no longer needed.
    fn scan<T>(
        &mut self,
        bytes: &[u8],
        n_starts: usize,
        judge: &impl Fn(&[u8], Before) -> Verdict<T>,
        accept: &mut dyn FnMut(T),
    ) -> usize {
        let mut place = 0;
        while place < n_starts {
            let (item, length, n_records) = match judge(&bytes[place..], self.before) {
                Verdict::TooShort => break,
                Verdict::Garbage => {
                    self.counts.dropped_bytes += 1;
                    self.counts.dropped_records += self.damage.add(1, self.record_bytes);
                    self.before = [self.before[1], bytes[place]];
                    place += 1;
                    continue;
                }
                Verdict::Record(item, length) => (item, length, 1),
                Verdict::Other(item, length) => (item, length, 0),
            };
            self.damage.end();
            self.before = LINE_END;
            self.counts.records += n_records;
            place += length;
            accept(item);
        }
        place
    }

    /// Drops the unfinished bytes, because the bytes that would complete them were discarded.
    ///
    /// These bytes count as dropped, but not as a dropped record, because they were not damaged.
    pub(super) fn forget_unfinished(&mut self) {
        self.counts.dropped_bytes += self.unfinished.len() as u64;
        self.unfinished.clear();
        self.damage.end();
        self.before = LINE_END;
    }

    pub(super) fn n_unfinished(&self) -> usize {
        self.unfinished.len()
    }

    pub(super) fn counts(&self) -> DecodeCounts {
        self.counts
    }
}
