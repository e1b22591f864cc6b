//! What the glove's interface unit can be asked.

use super::request::Feature;

/// A question: `?` and a letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Query {
    /// Is the glove initialised and plugged in?
    State,
    SensorCount,
    /// Which sensors are fitted?
    HardwareMask,
    /// Which of them were asked for?
    SoftwareMask,
    /// How many values has a record at most?
    ValueCount,
    Hand,
    Flags,
    Period,
    BaudDivisor,
    /// The offsets and gains that are kept in the unit.
    Calibration,
    /// The strengths of the CyberTouch actuators.
    Touch,
    Feature(Feature),
    Version,
    /// Some lines of text about glove and unit.
    Description,
}

impl Query {
    pub const fn letter(self) -> u8 {
        match self {
            Self::State => b'G',
            Self::SensorCount => b'S',
            Self::HardwareMask => b'K',
            Self::SoftwareMask => b'M',
            Self::ValueCount => b'N',
            Self::Hand => b'R',
            Self::Flags => b'P',
            Self::Period => b'T',
            Self::BaudDivisor => b'B',
            Self::Calibration => b'C',
            Self::Touch => b'A',
            Self::Feature(feature) => feature as u8,
            Self::Version => b'V',
            // The only query whose letter is small although its answer is not a line of numbers.
            Self::Description => b'i',
        }
    }
}
