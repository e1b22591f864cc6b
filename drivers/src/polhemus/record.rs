//! Decodes bytes into tracker samples: finds and checks data records and control records. No I/O.
//! `layout` reads the items of a record.
//!
//! # The cost of damage
//!
//! Every mark of a data record could also be data: `0`, CR and LF occur inside floats. Therefore a
//! record is recognised by all its parts together: `0`, a station that has a list, an error
//! character, every blank and line end of the list in its place, every number finite and within its
//! range, and a valid attitude (a unit quaternion, orthonormal rows).
//!
//! If one byte is lost, doubled, inserted or changed, at most the record in which it lies is lost
//! or altered. There is no checksum, so a changed digit is not detected. All other records are
//! decoded unchanged and in order. The exceptions are bytes that form a record by chance:
//!
//! - Misplaced bytes inside a damaged record may look like a record that swallows the beginning of
//!   the next. For position and quaternion in binary the chance at each position is about 1e-12
//!   (`0`, station and error character 1e-5; line end 2e-5; norm 5e-3). For Euler angles, where
//!   only ranges can be checked, it is about 3e-12.
//! - If lists of different stations have different lengths, a shorter record may fit into the text
//!   of a longer damaged one: an exponent and its blank look like a head. Then a record must also
//!   come after a line end, or at a distance of one byte from it, which one faulty byte cannot
//!   prevent. As a consequence, noise without a line end costs the first record after it.
//! - A changed station digit can turn the record into one of another station. If lists of different
//!   stations have different lengths, and one is as long as several others together, that record
//!   may cover its neighbours. Use the same list for all stations, as the driver does.
//! - A damaged control record is text. Text that contains `01 ` and enough blanks can be decoded as
//!   a binary record of angles that are almost zero. Prefer quaternions, for which this is
//!   impossible.
//!
//! In a test with 26 million faults in random streams, no fault damaged more than its own record;
//! the control records in these streams were not chosen to look like data.
//!
//! Apart from that, the first good record after garbage is accepted at once. To wait for a second
//! one would hold back the only record of a poll, and would gain little: all parts of a record are
//! checked in any case, up to the line end that this driver requires at the end of every list.

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
use crate::decoded_line::Decoder;
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
    /// Station of the receiver, 1 to 4; units later than the FASTRAK have up to 16.
    pub station: u8,
    /// Pose of the receiver in the transmitter's frame: metres; x forward, y right, z down.
    pub source_from_sensor: Isometry3<f64>,
    pub condition: Condition,
    /// `None` if the records do not hold the switch. Only station 1 can have a stylus with a
    /// button.
    pub stylus: Option<StylusSwitch>,
    /// Time at which the bytes that completed this record were read.
    pub arrival: Instant,
}

/// A record that the tracker sends.
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

/// Angle of a full count of a packed number. The manual has half a turn; one public driver implies
/// a full turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PackedAngle {
    #[default]
    HalfTurn,
    FullTurn,
}

/// Format of a unit's data records.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordFormat {
    pub form: Form,
    pub units: Units,
    pub stylus_width: StylusWidth,
    pub packed_angle: PackedAngle,
    /// The output list of each station; a record of a station without a list is garbage.
    pub lists: [Option<OutputList>; 4],
}

impl RecordFormat {
    /// A format with the same list for all stations, in centimetres.
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
    /// The same format, with records of these stations only.
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

/// Finds data records, and control records between them; the module's text gives the cost of
/// damage.
///
/// Every byte is part of an accepted data or control record, or counted as dropped, or still
/// unfinished. Memory is bounded by the longest record.
#[derive(Debug)]
pub struct RecordDecoder {
    layouts: Layouts,
    scanner: Scanner,
}

#[derive(Debug)]
struct Layouts {
    of_station: [Option<Layout>; 4],
    /// True if records of different stations have different lengths.
    differ: bool,
}

impl RecordDecoder {
    /// Returns an error if records of a list hold no pose or cannot be separated.
    pub fn new(format: &RecordFormat) -> Result<Self, ListError> {
        let mut of_station = [const { None }; 4];
        for (layout, list) in of_station.iter_mut().zip(&format.lists) {
            *layout = list.as_ref().map(|list| Layout::new(list, format)).transpose()?;
        }
        let lengths = || of_station.iter().flatten().map(Layout::length);
        let differ = lengths().min() != lengths().max();
        // With records of different lengths, the longest ones are counted.
        let record_bytes = lengths().max().unwrap_or(0);
        let longest = record_bytes.max(control::LONGEST);
        let layouts = Layouts { of_station, differ };
        Ok(Self { layouts, scanner: Scanner::new(longest, record_bytes) })
    }

    /// Takes bytes that arrived together and calls `accept` with the records that they complete.
    pub fn push(&mut self, bytes: &[u8], arrival: Instant, accept: &mut dyn FnMut(Incoming)) {
        let Self { layouts, scanner } = self;
        let judge = |window: &[u8], before| judge(layouts, window, before, arrival);
        scanner.push(bytes, judge, accept);
    }

    /// Number of bytes that wait for the rest of their record.
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

/// Checks for a record at the first byte of `window`.
fn judge(layouts: &Layouts, window: &[u8], before: Before, arrival: Instant) -> Verdict<Incoming> {
    // After one fault, at least one of the two bytes before a record is still part of a line end.
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
    // The head is checked before the rest has arrived, so that garbage does not delay a good
    // record.
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
