//! Bytes to glove samples: frames records, checks them, counts what it had to drop. No I/O.
//!
//! Every record ends with a NUL and no value in a record is ever NUL, so records are framed by NUL
//! alone: the header letters `G` and `S` are legal sensor values.

use std::time::Instant;

use super::sensor::{SensorCounts, SensorMask};
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
}

/// Splits the input at NULs and keeps only what has exactly the length and header of a record.
///
/// Error pairs are recognised by the record's length alone, since `e` is a legal sensor value. After
/// damage at most the record in which it lies and the next one are lost, the latter only if the NUL
/// between them is lost.
#[derive(Debug)]
pub struct RecordDecoder {
    mask: SensorMask,
    /// The record so far, without its NUL; cut off at `MAX_RECORD`.
    unfinished: Vec<u8>,
    /// Bytes since the last NUL, including those not kept.
    n_since_nul: u64,
    counts: DecodeCounts,
}

/// Header, 24 values, two error pairs.
const MAX_RECORD: usize = 1 + 24 + 4;

impl RecordDecoder {
    /// For records that hold the values of `mask` and neither time stamp nor status byte.
    pub fn new(mask: SensorMask) -> Self {
        let unfinished = Vec::with_capacity(MAX_RECORD + 1);
        Self { mask, unfinished, n_since_nul: 0, counts: DecodeCounts::default() }
    }

    /// Takes bytes that arrived together and calls `accept` with each sample they complete.
    pub fn push(&mut self, bytes: &[u8], arrival: Instant, accept: &mut dyn FnMut(GloveSample)) {
        for byte in bytes {
            if *byte != 0 {
                self.n_since_nul += 1;
                // One byte too many is kept: enough to know that the record is too long.
                if self.unfinished.len() <= MAX_RECORD {
                    self.unfinished.push(*byte);
                }
                continue;
            }
            match sample(self.mask, &self.unfinished, arrival) {
                Some(sample) => {
                    self.counts.records += 1;
                    accept(sample);
                }
                None => {
                    self.counts.dropped_records += 1;
                    self.counts.dropped_bytes += self.n_since_nul + 1;
                }
            }
            self.unfinished.clear();
            self.n_since_nul = 0;
        }
    }

    pub fn counts(&self) -> DecodeCounts {
        self.counts
    }
}

impl Decoder for RecordDecoder {
    type Item = GloveSample;

    fn push(&mut self, bytes: &[u8], arrival: Instant, accept: &mut dyn FnMut(GloveSample)) {
        Self::push(self, bytes, arrival, accept);
    }

    fn forget_unfinished(&mut self) {
        self.unfinished.clear();
        self.n_since_nul = 0;
    }

    fn counts(&self) -> DecodeCounts {
        self.counts
    }
}

/// The sample in `record`, which is one record without its NUL.
fn sample(mask: SensorMask, record: &[u8], arrival: Instant) -> Option<GloveSample> {
    let (b'G' | b'S', body) = record.split_first()? else { return None };
    let (values, pairs) = body.split_at_checked(mask.n_sensors())?;
    let mut conditions = Conditions { is_plugged_in: true, is_too_fast: false };
    let (pairs, []) = pairs.as_chunks::<2>() else { return None };
    if pairs.len() > 2 {
        return None;
    }
    for pair in pairs {
        match pair {
            b"eg" => conditions.is_plugged_in = false,
            b"es" => conditions.is_too_fast = true,
            _ => return None,
        }
    }
    Some(GloveSample { counts: SensorCounts::from_values(mask, values), arrival, conditions })
}

#[cfg(test)]
mod tests;
