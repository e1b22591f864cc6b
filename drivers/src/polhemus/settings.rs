//! Values of settings, in requests and in answers.
//!
//! Lengths are in centimetres because the driver switches every unit to centimetres. A unit that is
//! still set to inches uses the same numbers as inches.

/// One of the four sockets for receivers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Station {
    One,
    Two,
    Three,
    Four,
}

impl Station {
    pub const ALL: [Self; 4] = [Self::One, Self::Two, Self::Three, Self::Four];

    /// Number of the station, 1 to 4, as printed on the unit.
    pub fn number(self) -> u8 {
        match self {
            Self::One => 1,
            Self::Two => 2,
            Self::Three => 3,
            Self::Four => 4,
        }
    }

    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|station| station.number() == number)
    }

    pub(super) fn from_digit(digit: u8) -> Option<Self> {
        match digit {
            b'1' => Some(Self::One),
            b'2' => Some(Self::Two),
            b'3' => Some(Self::Three),
            b'4' => Some(Self::Four),
            _ => None,
        }
    }

    pub(super) fn index(self) -> usize {
        usize::from(self.number()) - 1
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    Off,
    On,
}

/// Form of the numbers in data records. Control records are always text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Text in fixed columns; there may be no blank between two numbers.
    Ascii,
    /// 32-bit floats, least significant byte first.
    Binary,
}

/// The unit of length on the wire, in both directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Units {
    Inches,
    Centimetres,
}

impl Units {
    pub(super) fn in_metres(self) -> f64 {
        match self {
            Self::Inches => 0.0254,
            Self::Centimetres => 0.01,
        }
    }
}

/// Three points in the transmitter's frame that span a new frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Alignment {
    pub origin_cm: [f64; 3],
    pub on_x_axis_cm: [f64; 3],
    pub on_y_axis_cm: [f64; 3],
}

/// A box; positions outside it are marked with the error character `x`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PositionEnvelope {
    pub max_cm: [f64; 3],
    pub min_cm: [f64; 3],
}

/// Limits for azimuth, elevation and roll; attitudes outside are marked with `y`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AngularEnvelope {
    pub max_deg: [f64; 3],
    pub min_deg: [f64; 3],
}

/// The numbers of an adaptive filter, all between 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FilterParameters {
    pub sensitivity: f64,
    pub low: f64,
    pub high: f64,
    pub factor: f64,
}

/// Strength of a filter; the lag of a heavy one is many cycles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Filter {
    Off,
    Low,
    Medium,
    Heavy,
    Custom(FilterParameters),
}

/// One of the two filters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterOf {
    Attitude,
    Position,
}

/// Signal that starts a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyncMode {
    Internal,
    External,
    Video,
}

/// Function of the stylus button.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StylusMode {
    /// The button is reported in data records.
    Mouse,
    /// The button starts and stops output; the factory default.
    PointTrack,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PortParity {
    None,
    Odd,
    Even,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PortBits {
    /// Seven data bits; unsuitable for binary records.
    Seven,
    Eight,
}

/// Settings of the unit's serial port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortSettings {
    pub baud: u32,
    pub parity: PortParity,
    pub bits: PortBits,
    pub handshake: Switch,
}
