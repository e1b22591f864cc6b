//! Bytes to glove samples: frames records, checks them, counts what it had to drop. No I/O.
//!
//! Every record ends with a NUL and no byte in a record is ever NUL, so records are framed by NUL
//! alone: the header letters are legal sensor values. What lies between two NULs must have the
//! length of a record, or of two whose NUL was lost.

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
use crate::link::Decoder;

/// What the glove says about the record itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conditions {
    /// The glove is plugged into its interface unit; if not, the counts are worthless.
    pub is_plugged_in: bool,
    /// The unit cannot keep the sample rate that was asked for; the counts are good.
    pub is_too_fast: bool,
}

/// One record of the glove.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GloveSample {
    pub counts: SensorCounts,
    /// When the bytes that completed this record were read.
    pub arrival: Instant,
    pub conditions: Conditions,
    /// The unit's own clock, if records carry it. How long a tick lasts is not documented.
    pub ticks: Option<u32>,
    /// The status byte, if records carry it.
    pub status: Option<Status>,
}

/// Splits the input at NULs and keeps only what has exactly the length and header of a record.
///
/// Error pairs are recognised by the record's length alone, since `e` is a legal sensor value. One
/// damaged, lost or added byte costs at most the record in which it lies, for records of five
/// values or more: shorter ones cannot be told from their own error pairs. The NUL counts to the
/// record that it ends; if only a NUL is lost, nothing else is.
#[derive(Debug)]
pub struct RecordDecoder {
    shape: RecordShape,
    jumps: JumpFilter,
    unfinished: Unfinished,
    counts: DecodeCounts,
}

impl RecordDecoder {
    pub fn new(shape: RecordShape, jumps: JumpRule) -> Self {
        let (unfinished, counts) = (Unfinished::default(), DecodeCounts::default());
        Self { shape, jumps: JumpFilter::new(jumps), unfinished, counts }
    }

    /// From now on records have this shape. The unfinished record is of the old one and is lost.
    pub fn set_shape(&mut self, shape: RecordShape) {
        self.shape = shape;
        self.forget_unfinished();
    }

    /// Takes bytes that arrived together and calls `accept` with each sample they complete.
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

    /// Takes what lay between two NULs.
    fn take(&mut self, piece: &[u8], arrival: Instant, accept: &mut dyn FnMut(GloveSample)) {
        if let Some(sample) = self.shape.read(piece, arrival) {
            self.hand_out(sample, piece.len() + 1, accept);
        } else if let Some((first, second)) = self.shape.split_merged(piece) {
            let n_second = second.len() + 1;
            let n_first = piece.len() + 1 - n_second;
            // The first is whole if nothing but its NUL is missing. A byte in the place of the NUL
            // is a sign of worse damage.
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
            accept(sample);
        } else {
            self.drop_record(n_bytes);
        }
    }

    fn drop_record(&mut self, n_bytes: usize) {
        self.counts.dropped_records += 1;
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
        self.jumps.forget();
    }

    fn counts(&self) -> DecodeCounts {
        self.counts
    }
}

#[cfg(test)]
mod tests;
