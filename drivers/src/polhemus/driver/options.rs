//! What a tracker is to be like after it is opened.

use std::time::Duration;

use crate::polhemus::output::{OutputList, StylusWidth};
use crate::polhemus::record::{PackedAngle, RecordFormat};
use crate::polhemus::settings::{Alignment, Filter, Form, Station, StylusMode};

/// How a tracker is opened. Lengths on the wire are always centimetres.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackerOptions {
    /// What the switches at the unit's back say.
    pub baud: u32,
    pub form: Form,
    /// The list of every station. One list for all keeps records of equal length, which makes
    /// damage cheapest.
    pub list: OutputList,
    pub stylus_width: StylusWidth,
    pub packed_angle: PackedAngle,
    pub stations: StationOption,
    pub hemisphere: HemisphereOption,
    pub attitude_filter: Filter,
    pub position_filter: Filter,
    pub alignment: AlignmentOption,
    pub boresight: BoresightOption,
    /// Of the stylus on station 1.
    pub stylus: StylusMode,
    /// How long to go on asking a unit that is silent. At least two attempts are made; a unit that
    /// someone else has just started again is silent for 10 s.
    pub patience: Duration,
    pub last_resort: LastResort,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StationOption {
    /// Those that are on, which is what the switches at the unit's front say; station 1 if none is.
    AsFound,
    /// These on, all others off.
    Only(Vec<Station>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum HemisphereOption {
    AsFound,
    /// The receivers are in the half-space around this direction from the transmitter.
    Zenith([f64; 3]),
    /// The unit follows the receivers from where they are now.
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
    /// The attitudes at this moment become the reference ones.
    Now,
}

/// What to do with a unit that stays silent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastResort {
    GiveUp,
    /// Start the unit again, which forgets settings that were not saved, and wait at most so long.
    Reinitialise(Duration),
}

impl LastResort {
    /// Enough for a FASTRAK, which needs 10 s; clones need 20 s.
    pub const REINITIALISE: Self = Self::Reinitialise(Duration::from_secs(12));
}

impl Default for TrackerOptions {
    /// Position and quaternion in binary from every receiver, unfiltered, in the frame which the
    /// unit has; a stylus that cannot stop the stream.
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
