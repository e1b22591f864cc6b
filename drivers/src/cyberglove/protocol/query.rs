//! All questions to the glove's interface unit.

use super::request::Feature;

/// A question: `?` and a letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Query {
    /// State of the glove: initialised, plugged in.
    State,
    SensorCount,
    /// The fitted sensors.
    HardwareMask,
    /// The sensors that the host has enabled.
    SoftwareMask,
    /// Most values in a record.
    ValueCount,
    Hand,
    Flags,
    Period,
    BaudDivisor,
    /// The offsets and gains that the unit stores.
    Calibration,
    /// The strengths of the CyberTouch actuators.
    Touch,
    Feature(Feature),
    Version,
    /// Description of glove and unit: some lines of text.
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
            // The only question with a small letter whose answer is not a line of numbers.
            Self::Description => b'i',
        }
    }
}
