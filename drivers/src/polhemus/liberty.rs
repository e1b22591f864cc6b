//! LIBERTY and PATRIOT, the later Polhemus units: binary frames and the requests for them.
//!
//! Each detail comes from a single source, and no real unit has been tried. Samples are the same as
//! those of the FASTRAK, from frames with position and quaternion only. ASCII, other items and USB
//! are not supported.

mod driver;

use std::time::Instant;

use nalgebra::{Isometry3, Translation3};

use super::condition::Condition;
use super::record::TrackerSample;
use super::record::attitude::from_quaternion;
use super::scan::{Scanner, Verdict};
use super::settings::Units;
use crate::DecodeCounts;
use crate::decoded_line::Decoder;
pub use driver::Liberty;

/// A request to the unit. All requests except a poll end with a carriage return.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LibertyRequest {
    /// Asks for one frame from each sensor; ends continuous output.
    OneFrame,
    Continuous,
    /// Sets the form of frames to binary.
    Binary,
    /// Sets the output of all stations to position, quaternion and line end.
    Poses,
    /// Asks the unit to identify itself; the answer is a few lines of text.
    Identity,
    /// Starts the unit's clock at zero.
    ZeroTime,
    Reset,
}

impl LibertyRequest {
    pub fn encode(self) -> &'static [u8] {
        match self {
            Self::OneFrame => b"P",
            Self::Continuous => b"C\r",
            Self::Binary => b"F1\r",
            Self::Poses => b"O*,2,7,1\r",
            Self::Identity => b"\x16\r",
            Self::ZeroTime => b"Q0\r",
            Self::Reset => b"\x19\r",
        }
    }
}

/// Bytes of a frame's head: two letters, station, command, error, reserved, size of the body (2).
const HEAD: usize = 8;
/// Bytes of a frame's body: three and four floats, CR LF.
const BODY: usize = 3 * 4 + 4 * 4 + 2;
const FRAME: usize = HEAD + BODY;
const MAX_STATION: u8 = 16;
/// Largest distance of a receiver from its transmitter along an axis, in metres.
const FARTHEST: f64 = 20.0;

/// Finds frames of position, quaternion and line end. All parts of a frame are checked at once, so
/// damage costs at most the frame in which it lies.
#[derive(Debug)]
pub struct FrameDecoder {
    metres_per_unit: f64,
    scanner: Scanner,
}

impl FrameDecoder {
    /// A decoder for a unit that is set to `units`; the factory setting is inches.
    pub fn new(units: Units) -> Self {
        Self { metres_per_unit: units.in_metres(), scanner: Scanner::new(FRAME, FRAME) }
    }

    /// Takes bytes that arrived together and calls `accept` with the samples that they complete.
    pub fn push(&mut self, bytes: &[u8], arrival: Instant, accept: &mut dyn FnMut(TrackerSample)) {
        let metres_per_unit = self.metres_per_unit;
        let judge = |window: &[u8], _| judge(window, metres_per_unit, arrival);
        self.scanner.push(bytes, judge, accept);
    }

    /// Number of bytes that wait for the rest of their frame.
    pub fn n_unfinished(&self) -> usize {
        self.scanner.n_unfinished()
    }

    pub fn counts(&self) -> DecodeCounts {
        self.scanner.counts()
    }
}

impl Decoder for FrameDecoder {
    type Item = TrackerSample;

    fn push(&mut self, bytes: &[u8], arrival: Instant, accept: &mut dyn FnMut(TrackerSample)) {
        Self::push(self, bytes, arrival, accept);
    }

    fn forget_unfinished(&mut self) {
        self.scanner.forget_unfinished();
    }

    fn counts(&self) -> DecodeCounts {
        self.scanner.counts()
    }
}

fn judge(window: &[u8], metres_per_unit: f64, arrival: Instant) -> Verdict<TrackerSample> {
    let Some(frame) = window.first_chunk::<FRAME>() else {
        // Bytes that cannot be a head must not delay the frame after them.
        let letters = &window[..window.len().min(2)];
        let may_begin = ["LY", "PA", "LU"].iter().any(|name| name.as_bytes().starts_with(letters));
        return if may_begin { Verdict::TooShort } else { Verdict::Garbage };
    };
    match sample(frame, metres_per_unit, arrival) {
        Some(sample) => Verdict::Record(sample, FRAME),
        None => Verdict::Garbage,
    }
}

fn sample(frame: &[u8; FRAME], metres_per_unit: f64, arrival: Instant) -> Option<TrackerSample> {
    let [first, second, station, command, error, _, low, high, body @ .., b'\r', b'\n'] = frame
    else {
        return None;
    };
    let is_head = matches!(&[*first, *second], b"LY" | b"PA" | b"LU")
        && (1..=MAX_STATION).contains(station)
        && matches!(command, b'C' | b'P')
        && usize::from(u16::from_le_bytes([*low, *high])) == BODY;
    // A unit without a fault sends a blank or 0.
    let condition = if *error == 0 { Condition::Good } else { Condition::from_wire(*error)? };
    let (floats, []) = body.as_chunks::<4>() else { return None };
    let mut numbers = [0.0; 7];
    for (number, bytes) in numbers.iter_mut().zip(floats) {
        *number = f64::from(f32::from_le_bytes(*bytes));
    }
    let [x, y, z, scalar, i, j, k] = numbers;
    let [x, y, z] = [x, y, z].map(|place| place * metres_per_unit);
    let is_near = [x, y, z].iter().all(|place| place.abs() <= FARTHEST);
    let rotation = from_quaternion([scalar, i, j, k])?;
    (is_head && is_near).then(|| TrackerSample {
        station: *station,
        source_from_sensor: Isometry3::from_parts(Translation3::new(x, y, z), rotation),
        condition,
        stylus: None,
        arrival,
    })
}

#[cfg(test)]
mod tests;
