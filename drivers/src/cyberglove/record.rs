//! Decodes bytes into glove samples: frames records, checks them and counts dropped ones. No I/O.
//! `shape` reads the fields of a framed record.
//!
//! Every record ends with a NUL, and no other byte of a record is NUL. Records are framed only by
//! the NUL, because the header letters are valid sensor values. The bytes between two NULs must
//! have the length of a record, or of two records between which a NUL was lost.

mod jump;
mod shape;
mod unfinished;

use std::time::Instant;

pub use jump::JumpRule;
pub use shape::RecordShape;

use jump::JumpFilter;
use unfinished::Unfinished;

use super::protocol::Status;
use super::sensor::SensorCounts;
use crate::DecodeCounts;
use crate::damaged_stretch::DamagedStretch;
use crate::decoded_line::Decoder;

/// Conditions that the unit reports in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conditions {
    /// False if the glove is not plugged into its interface unit; then the counts are meaningless.
    pub is_plugged_in: bool,
    /// True if the unit is too slow for its sample rate; the counts are good.
    pub is_too_fast: bool,
}

/// One record of the glove.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GloveSample {
    pub counts: SensorCounts,
    /// Time at which the bytes that completed this record were read.
    pub arrival: Instant,
    pub conditions: Conditions,
    /// The unit's own clock, if records hold it. The length of a tick is not documented.
    pub ticks: Option<u32>,
    /// The status byte, if records hold it.
    pub status: Option<Status>,
}

/// Splits the input at NULs and accepts only pieces with exactly the length and header of a record.
///
/// Error pairs are recognised only by the record's length, because `e` is a valid sensor value. In
/// records of five values or more, one damaged, lost or added byte costs at most the record in
/// which it lies; a shorter record could be taken for one with error pairs. The NUL belongs to the
/// record that it ends. If only a NUL is lost, no record is lost.
#[derive(Debug)]
pub struct RecordDecoder {
    shape: RecordShape,
    jumps: JumpFilter,
    unfinished: Unfinished,
    counts: DecodeCounts,
    damage: DamagedStretch,
    /// Letter of commands that were sent within the stream, and the number of their
    /// acknowledgements that have not come.
    expected: (u8, u32),
}

impl RecordDecoder {
    pub fn new(shape: RecordShape, jumps: JumpRule) -> Self {
        let (unfinished, counts) = (Unfinished::default(), DecodeCounts::default());
        let damage = DamagedStretch::default();
        let jumps = JumpFilter::new(jumps);
        Self { shape, jumps, unfinished, counts, damage, expected: (0, 0) }
    }

    /// Expects an acknowledgement between two records: a letter, perhaps another byte, NUL. Its
    /// bytes belong to no record and are not damage.
    pub fn expect_acknowledgement(&mut self, letter: u8) {
        /// More are not remembered: a unit that answers so late has stopped to answer.
        const MOST: u32 = 16;
        let n = if self.expected.0 == letter { self.expected.1 } else { 0 };
        self.expected = (letter, (n + 1).min(MOST));
    }

    /// Sets the shape of the next records. An unfinished record has the old shape and is lost.
    pub fn set_shape(&mut self, shape: RecordShape) {
        self.shape = shape;
        self.forget_unfinished();
    }

    /// Takes bytes that arrived together and calls `accept` with each sample that they complete.
    pub fn push(
        &mut self,
        mut bytes: &[u8],
        arrival: Instant,
        accept: &mut dyn FnMut(GloveSample),
    ) {
        while let Some(n_before_nul) = bytes.iter().position(|byte| *byte == 0) {
            let piece = &bytes[..n_before_nul];
            if self.unfinished.is_empty() {
                self.take(piece, arrival, accept);
            } else {
                self.unfinished.append(piece);
                let whole = std::mem::take(&mut self.unfinished);
                match whole.bytes() {
                    Some(piece) => self.take(piece, arrival, accept),
                    None => self.drop_record(whole.n_bytes() + 1),
                }
            }
            bytes = &bytes[n_before_nul + 1..];
        }
        self.unfinished.append(bytes);
    }

    pub fn counts(&self) -> DecodeCounts {
        self.counts
    }

    /// Takes the bytes between two NULs.
    fn take(&mut self, piece: &[u8], arrival: Instant, accept: &mut dyn FnMut(GloveSample)) {
        if let Some(sample) = self.shape.read(piece, arrival) {
            self.hand_out(sample, piece.len() + 1, accept);
        } else if self.expected.1 > 0 && piece.len() <= 2 && piece.first() == Some(&self.expected.0)
        {
            self.expected.1 -= 1;
        } else if let Some((first, second)) = self.shape.split_merged(piece) {
            let n_second = second.len() + 1;
            let n_first = piece.len() + 1 - n_second;
            // The first record is whole if only its NUL is missing. Another byte in the place of
            // the NUL is a sign of worse damage.
            match self.shape.read(first, arrival) {
                Some(sample) if first.len() == n_first => self.hand_out(sample, n_first, accept),
                Some(_) | None => self.drop_record(n_first),
            }
            match self.shape.read(second, arrival) {
                Some(sample) => self.hand_out(sample, n_second, accept),
                None => self.drop_record(n_second),
            }
        } else {
            self.drop_record(piece.len() + 1);
        }
    }

    fn hand_out(
        &mut self,
        sample: GloveSample,
        n_bytes: usize,
        accept: &mut dyn FnMut(GloveSample),
    ) {
        if self.jumps.is_credible(&sample.counts) {
            self.counts.records += 1;
            self.damage.end();
            accept(sample);
        } else {
            self.drop_record(n_bytes);
        }
    }

    fn drop_record(&mut self, n_bytes: usize) {
        // With its NUL.
        let record_bytes = self.shape.n_bytes() + 1;
        self.counts.dropped_records += self.damage.add(n_bytes as u64, record_bytes);
        self.counts.dropped_bytes += n_bytes as u64;
    }
}

impl Decoder for RecordDecoder {
    type Item = GloveSample;

    fn push(&mut self, bytes: &[u8], arrival: Instant, accept: &mut dyn FnMut(GloveSample)) {
        Self::push(self, bytes, arrival, accept);
    }

    fn forget_unfinished(&mut self) {
        self.unfinished = Unfinished::default();
        self.damage.end();
        self.jumps.forget();
        self.expected = (0, 0);
    }

    fn counts(&self) -> DecodeCounts {
        self.counts
    }
}

#[cfg(test)]
mod tests;
