//! Values of which both requests and answers speak.
//!
//! Lengths are in centimetres because the driver switches every unit to centimetres; a unit that is
//! still in inches takes and gives the same numbers as inches.

/// One of the four receivers' sockets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Station {
    One,
    Two,
    Three,
    Four,
}

impl Station {
    pub const ALL: [Self; 4] = [Self::One, Self::Two, Self::Three, Self::Four];

    /// 1 to 4, as printed on the unit.
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

/// How numbers in data records are written. Control records are always text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Fixed columns; fields can touch.
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

/// How much a filter smooths; the lag of a heavy one is many cycles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Filter {
    Off,
    Low,
    Medium,
    Heavy,
    Custom(FilterParameters),
}

/// Which of the two filters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterOf {
    Attitude,
    Position,
}

/// What starts a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyncMode {
    Internal,
    External,
    Video,
}

/// What the button of a stylus does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StylusMode {
    /// It is reported in data records.
    Mouse,
    /// It starts and stops output; the factory default.
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
    /// Not for binary records.
    Seven,
    Eight,
}

/// The unit's side of the serial line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortSettings {
    pub baud: u32,
    pub parity: PortParity,
    pub bits: PortBits,
    pub handshake: Switch,
}
