//! The high-resolution records of a CyberGlove III: a time code and 16-bit values. No I/O.
//!
//! A record has 61 bytes: `HH:MM:SS:ff:n` and `S`, 22 values with the high byte first, CR LF NUL.
//! Values may contain a NUL and even CR LF NUL, so records are found by their beginning: 14 bytes
//! of digits, colons and a letter. Values cannot contain that beginning: every second byte of them
//! is the high byte of a value, which is below 16.

use std::time::Instant;

use super::sensor::{SensorCounts, SensorMask};
use crate::DecodeCounts;
use crate::decoded_line::Decoder;

/// One record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HighResolutionSample {
    pub time: TimeCode,
    /// One value of 1 to 4094 for each sensor of the 22-sensor glove, in wire order.
    pub values: [u16; N_VALUES],
    /// Time at which the bytes that completed this record were read.
    pub arrival: Instant,
}

/// Time of day by the glove's own clock, which counts frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TimeCode {
    pub hours: u8,
    pub minutes: u8,
    pub seconds: u8,
    pub frame: u8,
    /// Number of the record within its frame, if the frame multiplier is above one.
    pub part: u8,
}

impl HighResolutionSample {
    /// The values as ordinary counts, which have 1/16 of the range.
    pub fn counts(&self) -> SensorCounts {
        let counts = self.values.map(|value| {
            let rounded = value.saturating_add(8) / 16;
            u8::try_from(rounded).unwrap_or(u8::MAX).max(1)
        });
        SensorCounts::from_values(SensorMask::GLOVE_22, &counts)
    }
}

const N_VALUES: usize = 22;
/// Beginning of a record; `d` stands for a digit.
const BEGINNING: &[u8; 14] = b"dd:dd:dd:dd:dS";
const END: &[u8] = b"\r\n\0";
const RECORD: usize = BEGINNING.len() + 2 * N_VALUES + END.len();
const HIGHEST_VALUE: u16 = 4094;
/// Bytes that are scanned at once; bounds the memory for any input.
const BATCH: usize = 512;

/// Finds records by their beginning and accepts those with a valid end and valid values.
///
/// Bytes between records are skipped: the echo of the request, and the extra `nS` that some units
/// send after a record. One damaged byte costs at most the record in which it lies.
#[derive(Debug, Default)]
pub struct HighResolutionDecoder {
    /// Bytes that have not been fully scanned: less than a record between two pushes.
    unfinished: Vec<u8>,
    counts: DecodeCounts,
}

impl HighResolutionDecoder {
    /// Takes bytes that arrived together and calls `accept` with each sample that they complete.
    pub fn push(
        &mut self,
        bytes: &[u8],
        arrival: Instant,
        accept: &mut dyn FnMut(HighResolutionSample),
    ) {
        for batch in bytes.chunks(BATCH) {
            self.unfinished.extend_from_slice(batch);
            let n_done = self.scan(arrival, accept);
            self.unfinished.drain(..n_done);
        }
    }

    pub fn counts(&self) -> DecodeCounts {
        self.counts
    }

    /// Calls `accept` with the records in the unfinished bytes; returns the number of bytes that
    /// are no longer needed.
    fn scan(&mut self, arrival: Instant, accept: &mut dyn FnMut(HighResolutionSample)) -> usize {
        let mut rest = self.unfinished.as_slice();
        loop {
            match begins(rest) {
                Some(Beginning::Unfinished) => break,
                Some(Beginning::Whole) => {
                    let Some((record, after)) = rest.split_first_chunk() else { break };
                    if let Some(sample) = sample(record, arrival) {
                        self.counts.records += 1;
                        accept(sample);
                        rest = after;
                        continue;
                    }
                    self.counts.dropped_records += 1;
                }
                None => {}
            }
            // Only one byte is passed: the next record may begin within these bytes.
            self.counts.dropped_bytes += 1;
            rest = &rest[1..];
        }
        self.unfinished.len() - rest.len()
    }
}

impl Decoder for HighResolutionDecoder {
    type Item = HighResolutionSample;

    fn push(
        &mut self,
        bytes: &[u8],
        arrival: Instant,
        accept: &mut dyn FnMut(HighResolutionSample),
    ) {
        Self::push(self, bytes, arrival, accept);
    }

    fn forget_unfinished(&mut self) {
        self.unfinished.clear();
    }

    fn counts(&self) -> DecodeCounts {
        self.counts
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Beginning {
    Unfinished,
    Whole,
}

/// Checks for a record's beginning at the front of `bytes`; `None` if there is none. The beginning
/// in empty `bytes` is unfinished.
fn begins(bytes: &[u8]) -> Option<Beginning> {
    let is_as = |(byte, pattern): (&u8, &u8)| match pattern {
        b'd' => byte.is_ascii_digit(),
        letter => byte == letter,
    };
    if !bytes.iter().zip(BEGINNING).all(is_as) {
        return None;
    }
    Some(if bytes.len() < BEGINNING.len() { Beginning::Unfinished } else { Beginning::Whole })
}

/// Decodes `record`, whose beginning has been checked; `None` if it is not valid.
fn sample(record: &[u8; RECORD], arrival: Instant) -> Option<HighResolutionSample> {
    let (beginning, rest) = record.split_at(BEGINNING.len());
    let (values, END) = rest.split_at(2 * N_VALUES) else { return None };
    let number = |place: usize| (beginning[place] - b'0') * 10 + beginning[place + 1] - b'0';
    let time = TimeCode {
        hours: number(0),
        minutes: number(3),
        seconds: number(6),
        frame: number(9),
        part: beginning[12] - b'0',
    };
    let (pairs, _) = values.as_chunks::<2>();
    let mut values = [0; N_VALUES];
    for (value, pair) in values.iter_mut().zip(pairs) {
        *value = u16::from_be_bytes(*pair);
    }
    let are_legal = values.iter().all(|value| (1..=HIGHEST_VALUE).contains(value));
    are_legal.then_some(HighResolutionSample { time, values, arrival })
}

#[cfg(test)]
mod tests;
