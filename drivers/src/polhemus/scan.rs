//! Finds records in a stream whose records have no mark that could not also be data.
//!
//! At each place all parts of what might begin there are judged at once, from a slice; where one
//! part is wrong the search moves on by one byte. Only the tail that is too short to be judged is
//! kept for the next bytes.

use crate::DecodeCounts;

/// What begins with the first byte of a window.
pub(super) enum Verdict<T> {
    /// Nothing that can be said yet.
    TooShort,
    /// A data record of so many bytes.
    Record(T, usize),
    /// Something else of so many bytes that is not damage.
    Other(T, usize),
    /// Nothing: the first byte is to be dropped.
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

/// The unfinished tail of a stream, and what became of the bytes before it.
#[derive(Debug)]
pub(super) struct Scanner {
    /// Bytes not yet judged; fewer than `longest` between two calls.
    unfinished: Vec<u8>,
    /// No verdict needs more bytes than this.
    longest: usize,
    counts: DecodeCounts,
    /// The last byte judged was dropped: one damaged stretch counts as one record.
    is_lost: bool,
    before: Before,
}

/// The two bytes before a window. All records end with a line end, and so does what was before the
/// first byte, as far as we know.
pub(super) type Before = [u8; 2];

const LINE_END: Before = *b"\r\n";

impl Scanner {
    /// `judge` must never say [`Verdict::TooShort`] of `longest` bytes or more.
    pub(super) fn new(longest: usize) -> Self {
        // While a tail is being finished, as many bytes again stand behind it.
        let unfinished = Vec::with_capacity(2 * longest);
        let counts = DecodeCounts::default();
        Self { unfinished, longest, counts, is_lost: false, before: LINE_END }
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
                // Too short even so: then all of `rest` was borrowed, and all of it stays.
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

    /// Judges what begins in the first `n_starts` bytes; gives how many bytes are done with.
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
                    self.counts.dropped_records += u64::from(!self.is_lost);
                    self.is_lost = true;
                    self.before = [self.before[1], bytes[place]];
                    place += 1;
                    continue;
                }
                Verdict::Record(item, length) => (item, length, 1),
                Verdict::Other(item, length) => (item, length, 0),
            };
            self.is_lost = false;
            self.before = LINE_END;
            self.counts.records += n_records;
            place += length;
            accept(item);
        }
        place
    }

    /// Drops the tail, because the bytes that would finish it were thrown away elsewhere.
    ///
    /// Its bytes count as dropped. It is no damaged record, since it was cut off on purpose.
    pub(super) fn forget_unfinished(&mut self) {
        self.counts.dropped_bytes += self.unfinished.len() as u64;
        self.unfinished.clear();
        self.is_lost = false;
        self.before = LINE_END;
    }

    pub(super) fn n_unfinished(&self) -> usize {
        self.unfinished.len()
    }

    pub(super) fn counts(&self) -> DecodeCounts {
        self.counts
    }
}
