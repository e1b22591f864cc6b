//! The high-resolution records of a CyberGlove III: 16-bit values behind a time code. No I/O.
//!
//! A record has 61 bytes: `HH:MM:SS:ff:n` and `S`, 22 values with the high byte first, CR LF NUL.
//! Values may hold a NUL and even CR LF NUL, so records are found by their beginning: 14 digits,
//! colons and a letter. That beginning is in no values, because the high byte of a value is below
//! 16 and every second byte of the values is one.

use std::time::Instant;

use super::sensor::{SensorCounts, SensorMask};
use crate::DecodeCounts;
use crate::link::Decoder;

/// One record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HighResolutionSample {
    pub time: TimeCode,
    /// One value of 1 to 4094 for each sensor of the 22-sensor glove, in wire order.
    pub values: [u16; N_VALUES],
    /// When the bytes that completed this record were read.
    pub arrival: Instant,
}

/// The glove's own time of day, in the frames of its clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TimeCode {
    pub hours: u8,
    pub minutes: u8,
    pub seconds: u8,
    pub frame: u8,
    /// Counts records within a frame if the frame multiplier is above one.
    pub part: u8,
}

impl HighResolutionSample {
    /// The same as ordinary counts, which have a sixteenth of the range.
    pub fn counts(&self) -> SensorCounts {
        let counts = self.values.map(|value| {
            let rounded = value.saturating_add(8) / 16;
            u8::try_from(rounded).unwrap_or(u8::MAX).max(1)
        });
        SensorCounts::from_values(SensorMask::GLOVE_22, &counts)
    }
}

const N_VALUES: usize = 22;
/// How a record begins: `d` stands for a digit.
const BEGINNING: &[u8; 14] = b"dd:dd:dd:dd:dS";
const END: &[u8] = b"\r\n\0";
const RECORD: usize = BEGINNING.len() + 2 * N_VALUES + END.len();
const HIGHEST_VALUE: u16 = 4094;
/// As many bytes are looked at together; bounds the memory, whatever is pushed.
const BATCH: usize = 512;

/// Finds records by their beginning and keeps those that end where they should.
///
/// Whatever lies between records is skipped: the echo of the request, and the stray `nS` that some
/// units send after a record. One damaged byte costs at most the record in which it lies.
#[derive(Debug, Default)]
pub struct HighResolutionDecoder {
    /// What has not been looked at in full, less than a record between two pushes.
    unfinished: Vec<u8>,
    counts: DecodeCounts,
}

impl HighResolutionDecoder {
    /// Takes bytes that arrived together and calls `accept` with each sample they complete.
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

    /// Hands out the records in what is unfinished; gives the number of bytes that are done with.
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
            // One byte only: the next record may begin inside of what looked like one.
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

/// How much of a record's beginning is at the front of `bytes`; `None` if it is something else.
/// Of nothing at all it is unfinished.
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

/// The sample in `record`, whose beginning has been checked.
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
