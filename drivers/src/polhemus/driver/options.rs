//! The options with which a tracker is opened.

use std::time::Duration;

use crate::polhemus::output::{OutputList, StylusWidth};
use crate::polhemus::record::{PackedAngle, RecordFormat};
use crate::polhemus::settings::{Alignment, Filter, Form, Station, StylusMode};

/// Settings of a tracker after it is opened. Lengths on the wire are always centimetres.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackerOptions {
    /// Baud rate of the switches at the unit's back.
    pub baud: u32,
    pub form: Form,
    /// Output list of every station. With one list for all stations all records have the same
    /// length, and damage costs least.
    pub list: OutputList,
    pub stylus_width: StylusWidth,
    pub packed_angle: PackedAngle,
    pub stations: StationOption,
    pub hemisphere: HemisphereOption,
    pub attitude_filter: Filter,
    pub position_filter: Filter,
    pub alignment: AlignmentOption,
    pub boresight: BoresightOption,
    /// Mode of the stylus on station 1.
    pub stylus: StylusMode,
    /// Time for which a silent unit is asked again and again. At least two attempts are made. A
    /// unit that was just restarted is silent for 10 s.
    pub patience: Duration,
    pub last_resort: LastResort,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StationOption {
    /// The stations that are on, which depends on the switches at the unit's front; station 1 if
    /// none is on.
    AsFound,
    /// These stations on, all others off.
    Only(Vec<Station>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum HemisphereOption {
    AsFound,
    /// The receivers are in the half-space around this direction from the transmitter.
    Zenith([f64; 3]),
    /// The unit follows the receivers from their present positions.
    Follow,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AlignmentOption {
    AsFound,
    /// The transmitter's own frame.
    Reset,
    Set(Alignment),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoresightOption {
    AsFound,
    Reset,
    /// The present attitudes become the reference attitudes.
    Now,
}

/// Action if a unit stays silent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastResort {
    GiveUp,
    /// Restart the unit, which loses settings that were not saved, and wait at most this time.
    Reinitialise(Duration),
}

impl LastResort {
    /// Restart with a wait that is long enough for a FASTRAK, which needs 10 s; clones need 20 s.
    pub const REINITIALISE: Self = Self::Reinitialise(Duration::from_secs(12));
}

impl Default for TrackerOptions {
    /// Position and quaternion in binary from every receiver, unfiltered, in the unit's present
    /// frame; a stylus cannot stop the stream.
    fn default() -> Self {
        Self {
            baud: 115_200,
            form: Form::Binary,
            list: OutputList::position_and_quaternion(),
            stylus_width: StylusWidth::default(),
            packed_angle: PackedAngle::default(),
            stations: StationOption::AsFound,
            hemisphere: HemisphereOption::AsFound,
            // The factory's default differs between editions of the manual.
            attitude_filter: Filter::Off,
            position_filter: Filter::Off,
            alignment: AlignmentOption::AsFound,
            boresight: BoresightOption::AsFound,
            stylus: StylusMode::Mouse,
            patience: Duration::ZERO,
            last_resort: LastResort::GiveUp,
        }
    }
}

impl TrackerOptions {
    pub(super) fn record_format(&self) -> RecordFormat {
        RecordFormat {
            stylus_width: self.stylus_width,
            packed_angle: self.packed_angle,
            ..RecordFormat::new(self.form, &self.list)
        }
    }
}
