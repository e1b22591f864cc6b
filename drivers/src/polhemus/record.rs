//! Bytes to tracker samples: finds binary records and control records, checks both. No I/O.
//!
//! A binary record has no mark that could not also be data: `0`, CR and LF occur inside floats. A
//! record is therefore known by all its parts at once, and where one part is wrong the search moves
//! on by one byte.

use std::time::Instant;

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion};

use super::protocol::ControlRecord;
use crate::DecodeCounts;
use crate::link::Decoder;

/// How far a pose can be trusted, from the record's error character.
///
/// The character is the last fault that the unit found and stays until it is cleared, so it need
/// not be about this record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    Good,
    /// Usable: a soft reset, compensation map, memory or synchronisation complaint.
    Warning(char),
    /// Usable with doubt: too close, too far, outside the envelope, self-calibration.
    Degraded(char),
    /// No pose: the receiver is unplugged or the electronics are at fault.
    Invalid(char),
}

impl Condition {
    /// `None` if no FASTRAK sends this character.
    fn from_wire(byte: u8) -> Option<Self> {
        let character = char::from(byte);
        match byte {
            b' ' => Some(Self::Good),
            b's' | b'u' | b'v' | b'm' | b't' | b'w' => Some(Self::Warning(character)),
            b'l' | b'A'..=b'Z' => Some(Self::Invalid(character)),
            b'a'..=b'z' => Some(Self::Degraded(character)),
            _ => None,
        }
    }
}

/// One pose of one receiver.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrackerSample {
    /// Which receiver, 1 to 4.
    pub station: u8,
    /// Places the receiver in the transmitter's frame: metres; x forward, y right, z down.
    pub source_from_sensor: Isometry3<f64>,
    pub condition: Condition,
    /// When the bytes that completed this record were read.
    pub arrival: Instant,
}

/// What the tracker sends.
#[derive(Debug, Clone, PartialEq)]
pub enum Incoming {
    Sample(TrackerSample),
    Control(ControlRecord),
}

impl Incoming {
    pub fn into_sample(self) -> Option<TrackerSample> {
        match self {
            Self::Sample(sample) => Some(sample),
            Self::Control(_) => None,
        }
    }

    pub fn into_control(self) -> Option<ControlRecord> {
        match self {
            Self::Sample(_) => None,
            Self::Control(control) => Some(control),
        }
    }
}

/// `0`, station, error character, three and four floats, CR LF.
const RECORD: usize = 3 + 3 * 4 + 4 * 4 + 2;
/// Longer than any control record: the longest known, a refusal, repeats the refused line.
const MAX_CONTROL: usize = 160;
/// Unit quaternions are sent as rounded floats; farther from 1 than this the bytes are no record.
const UNIT_NORM: std::ops::RangeInclusive<f64> = 0.98..=1.02;
const METRES_PER_CM: f64 = 0.01;

/// Finds records of position and quaternion in centimetres, and control records between them.
///
/// Bytes which fit neither are dropped one at a time. A good record is lost only if bytes before it
/// happen to form a record with its beginning.
#[derive(Debug, Default)]
pub struct RecordDecoder {
    /// Bytes not yet judged; never more than a longest control record and its line end.
    window: Vec<u8>,
    counts: DecodeCounts,
    /// The byte before the window was dropped as well: one damaged stretch counts as one record.
    is_lost: bool,
}

impl RecordDecoder {
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes bytes that arrived together and calls `accept` with what they complete.
    pub fn push(&mut self, bytes: &[u8], arrival: Instant, accept: &mut dyn FnMut(Incoming)) {
        for byte in bytes {
            self.window.push(*byte);
            loop {
                let n_judged = match judge(&self.window, arrival) {
                    Verdict::TooShort => break,
                    Verdict::Complete(incoming, length) => {
                        self.is_lost = false;
                        self.counts.records += u64::from(matches!(incoming, Incoming::Sample(_)));
                        accept(incoming);
                        length
                    }
                    Verdict::Garbage => {
                        self.counts.dropped_bytes += 1;
                        self.counts.dropped_records += u64::from(!self.is_lost);
                        self.is_lost = true;
                        1
                    }
                };
                self.window.drain(..n_judged);
            }
        }
    }

    pub fn counts(&self) -> DecodeCounts {
        self.counts
    }
}

impl Decoder for RecordDecoder {
    type Item = Incoming;

    fn push(&mut self, bytes: &[u8], arrival: Instant, accept: &mut dyn FnMut(Incoming)) {
        Self::push(self, bytes, arrival, accept);
    }

    fn forget_unfinished(&mut self) {
        self.window.clear();
    }

    fn counts(&self) -> DecodeCounts {
        self.counts
    }
}

enum Verdict {
    TooShort,
    /// What the first so many bytes are.
    Complete(Incoming, usize),
    /// The first byte begins nothing.
    Garbage,
}

/// Judges what begins with the first byte of `window`.
fn judge(window: &[u8], arrival: Instant) -> Verdict {
    match window {
        [] => Verdict::TooShort,
        [b'0', ..] => judge_sample(window, arrival),
        [b'2', ..] => judge_control(window),
        _ => Verdict::Garbage,
    }
}

fn judge_sample(window: &[u8], arrival: Instant) -> Verdict {
    // Judge the head before the rest is there, so that garbage does not hold up a good record.
    if window.get(1).is_some_and(|station| !matches!(station, b'1'..=b'4'))
        || window.get(2).is_some_and(|error| Condition::from_wire(*error).is_none())
    {
        return Verdict::Garbage;
    }
    let Some(record) = window.first_chunk::<RECORD>() else { return Verdict::TooShort };
    match sample(record, arrival) {
        Some(sample) => Verdict::Complete(Incoming::Sample(sample), RECORD),
        None => Verdict::Garbage,
    }
}

fn judge_control(window: &[u8]) -> Verdict {
    match window.iter().position(|byte| !matches!(byte, b' '..=b'~')) {
        None if window.len() < MAX_CONTROL => Verdict::TooShort,
        Some(cr) if window[cr..] == *b"\r" => Verdict::TooShort,
        Some(cr) if window[cr..].starts_with(b"\r\n") => {
            match ControlRecord::from_line(&window[..cr]) {
                Some(control) => Verdict::Complete(Incoming::Control(control), cr + 2),
                None => Verdict::Garbage,
            }
        }
        None | Some(_) => Verdict::Garbage,
    }
}

fn sample(record: &[u8; RECORD], arrival: Instant) -> Option<TrackerSample> {
    let [b'0', station @ b'1'..=b'4', error, body @ .., b'\r', b'\n'] = record else {
        return None;
    };
    let condition = Condition::from_wire(*error)?;
    // Floats come least significant byte first.
    let (floats, []) = body.as_chunks::<4>() else { return None };
    let mut numbers = [0.0; 7];
    for (number, bytes) in numbers.iter_mut().zip(floats) {
        *number = f64::from(f32::from_le_bytes(*bytes));
    }
    if !numbers.iter().all(|number| number.is_finite()) {
        return None;
    }
    let [x_cm, y_cm, z_cm, scalar, i, j, k] = numbers;
    let quaternion = Quaternion::new(scalar, i, j, k);
    if !UNIT_NORM.contains(&quaternion.norm()) {
        return None;
    }
    let translation =
        Translation3::new(x_cm * METRES_PER_CM, y_cm * METRES_PER_CM, z_cm * METRES_PER_CM);
    let rotation = UnitQuaternion::new_normalize(quaternion);
    Some(TrackerSample {
        station: station - b'0',
        source_from_sensor: Isometry3::from_parts(translation, rotation),
        condition,
        arrival,
    })
}

#[cfg(test)]
mod tests;
