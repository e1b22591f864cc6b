//! Bytes to tracker samples: finds data records and control records, checks both. No I/O.
//!
//! # What damage costs
//!
//! A data record has no mark that could not also be data: `0`, CR and LF occur inside floats. A
//! record is therefore known by all its parts at once: `0`, a station that has a list, an error
//! character, every blank and line end of the list in its place, every number finite and within
//! what it can be, and an attitude that is one (a unit quaternion, orthonormal rows).
//!
//! After one byte is lost, doubled, inserted or changed, at most the record in which it happened is
//! lost or altered; there is no checksum, so a changed digit is a changed digit. All other records
//! come out unchanged and in order. The exceptions are bytes that form a record by chance:
//!
//! - Misplaced bytes inside a damaged record may look like a record that swallows the beginning of
//!   the next. For position and quaternion in binary the chance at each place is about 1e-12 (`0`,
//!   station and error character 1e-5; line end 2e-5; norm 5e-3); for Euler angles, where only
//!   ranges can be checked, it is about 3e-12.
//! - Where lists of different stations have different lengths, a shorter record may fit into the
//!   text of a longer damaged one: an exponent and its blank look like a head. There a record must
//!   also stand behind a line end, or one byte off, which no fault of one byte can prevent; noise
//!   without a line end then costs the first record behind it.
//! - A changed station digit can make the record one of another station. Where lists of different
//!   stations have different lengths, and one is as long as others together, that record may run
//!   over its neighbours. Use the same list for all stations, as the driver does.
//! - A damaged control record is text, and text that holds `01 ` and enough blanks reads as a
//!   binary record of angles, which are then all but zero. Prefer quaternions, which cannot be.
//!
//! Of 26 million faults in random streams none did more than spoil its record; their control
//! records were not written to deceive.
//!
//! The first good record after garbage is otherwise handed out at once. To wait for a second one
//! would hold back the only record of a poll, and would win little: all parts of a record are
//! checked either way, down to the line end with which we want every list to end.

pub(super) mod attitude;
mod layout;
pub(super) mod number;

use std::time::Instant;

use nalgebra::Isometry3;

use super::condition::Condition;
use super::control::{self, ControlRecord};
use super::output::{ListError, OutputList, StylusWidth};
use super::scan::{Before, Scanner, Verdict};
use super::settings::{Form, Station, Units};
use crate::DecodeCounts;
use crate::link::Decoder;
use layout::Layout;

/// The button of a stylus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StylusSwitch {
    Released,
    Pressed,
}

/// One pose of one receiver.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrackerSample {
    /// Which receiver, 1 to 4; later units than the FASTRAK have up to 16.
    pub station: u8,
    /// Places the receiver in the transmitter's frame: metres; x forward, y right, z down.
    pub source_from_sensor: Isometry3<f64>,
    pub condition: Condition,
    /// `None` if the records do not hold it. Only station 1 can have a stylus with a button.
    pub stylus: Option<StylusSwitch>,
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

/// The angle that stands for a full count of a packed number; one public driver implies twice the
/// manual's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PackedAngle {
    #[default]
    HalfTurn,
    FullTurn,
}

/// How a unit writes its data records.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordFormat {
    pub form: Form,
    pub units: Units,
    pub stylus_width: StylusWidth,
    pub packed_angle: PackedAngle,
    /// The output list of each station; what seems to come from a station without one is garbage.
    pub lists: [Option<OutputList>; 4],
}

impl RecordFormat {
    /// The same list for all stations, in centimetres.
    pub fn new(form: Form, list: &OutputList) -> Self {
        Self {
            form,
            units: Units::Centimetres,
            stylus_width: StylusWidth::default(),
            packed_angle: PackedAngle::default(),
            lists: Station::ALL.map(|_| Some(list.clone())),
        }
    }
}

impl RecordFormat {
    /// The same, with records of these stations only.
    pub fn only(mut self, stations: &[Station]) -> Self {
        for (station, list) in Station::ALL.iter().zip(&mut self.lists) {
            if !stations.contains(station) {
                *list = None;
            }
        }
        self
    }
}

impl Default for RecordFormat {
    /// Position and quaternion in binary.
    fn default() -> Self {
        Self::new(Form::Binary, &OutputList::position_and_quaternion())
    }
}

/// Finds data records, and control records between them; see the module's text for what damage
/// costs.
///
/// Every byte is in a record that was handed out, or in a control record, or counted as dropped, or
/// still unfinished. Memory is bounded by the longest record.
#[derive(Debug)]
pub struct RecordDecoder {
    layouts: Layouts,
    scanner: Scanner,
}

#[derive(Debug)]
struct Layouts {
    of_station: [Option<Layout>; 4],
    /// Records of different stations have different lengths.
    differ: bool,
}

impl RecordDecoder {
    /// Fails if a list does not make records that hold a pose and can be told apart.
    pub fn new(format: &RecordFormat) -> Result<Self, ListError> {
        let mut of_station = [const { None }; 4];
        for (layout, list) in of_station.iter_mut().zip(&format.lists) {
            *layout = list.as_ref().map(|list| Layout::new(list, format)).transpose()?;
        }
        let lengths = || of_station.iter().flatten().map(Layout::length);
        let differ = lengths().min() != lengths().max();
        let longest = lengths().max().unwrap_or(0).max(control::LONGEST);
        let layouts = Layouts { of_station, differ };
        Ok(Self { layouts, scanner: Scanner::new(longest) })
    }

    /// Takes bytes that arrived together and calls `accept` with what they complete.
    pub fn push(&mut self, bytes: &[u8], arrival: Instant, accept: &mut dyn FnMut(Incoming)) {
        let Self { layouts, scanner } = self;
        let judge = |window: &[u8], before| judge(layouts, window, before, arrival);
        scanner.push(bytes, judge, accept);
    }

    /// Bytes that wait for the rest of their record.
    pub fn n_unfinished(&self) -> usize {
        self.scanner.n_unfinished()
    }

    pub fn counts(&self) -> DecodeCounts {
        self.scanner.counts()
    }
}

impl Decoder for RecordDecoder {
    type Item = Incoming;

    fn push(&mut self, bytes: &[u8], arrival: Instant, accept: &mut dyn FnMut(Incoming)) {
        Self::push(self, bytes, arrival, accept);
    }

    fn forget_unfinished(&mut self) {
        self.scanner.forget_unfinished();
    }

    fn counts(&self) -> DecodeCounts {
        self.scanner.counts()
    }
}

/// Judges what begins with the first byte of `window`.
fn judge(layouts: &Layouts, window: &[u8], before: Before, arrival: Instant) -> Verdict<Incoming> {
    // One fault leaves at least one byte of a line end among the two bytes before a record.
    if layouts.differ && !before.iter().any(|byte| matches!(byte, b'\r' | b'\n')) {
        return Verdict::Garbage;
    }
    match window {
        [] => Verdict::TooShort,
        [b'0', ..] => judge_sample(layouts, window, arrival).map(Incoming::Sample),
        [b'2', ..] => control::judge(window).map(Incoming::Control),
        _ => Verdict::Garbage,
    }
}

fn judge_sample(layouts: &Layouts, window: &[u8], arrival: Instant) -> Verdict<TrackerSample> {
    // Judge the head before the rest is there, so that garbage does not hold up a good record.
    let Some(digit) = window.get(1) else { return Verdict::TooShort };
    let Some(station) = Station::from_digit(*digit) else { return Verdict::Garbage };
    let Some(layout) = &layouts.of_station[station.index()] else {
        return Verdict::Garbage;
    };
    let Some(error) = window.get(2) else { return Verdict::TooShort };
    let Some(condition) = Condition::from_wire(*error) else { return Verdict::Garbage };
    let Some(record) = window.get(..layout.length()) else { return Verdict::TooShort };
    match layout.read(record, condition) {
        Some((source_from_sensor, stylus)) => {
            let station = station.number();
            let sample = TrackerSample { station, source_from_sensor, condition, stylus, arrival };
            Verdict::Record(sample, layout.length())
        }
        None => Verdict::Garbage,
    }
}

#[cfg(test)]
mod damage_tests;
#[cfg(test)]
mod sample_stream;
#[cfg(test)]
mod tests;
