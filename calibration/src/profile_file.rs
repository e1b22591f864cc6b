//! A profile as text: one person, one hand, one glove.
//!
//! TOML, with units for people (degrees, millimetres) that the file itself states. Numbers are
//! rounded to a millionth of their unit. All values are checked before they become a profile; a
//! file of a newer format is refused.

mod mismatch;
#[cfg(test)]
mod tests;
mod text;

use drivers::SensorMask;

use crate::fit::SensorFit;
use crate::joints::PerSensor;
use crate::profile::Profile;

pub use mismatch::GloveMismatch;

/// The only format that is read and written.
pub const FORMAT: i64 = 1;
/// Largest size of a profile in bytes; usual ones have a few kilobytes.
pub const MAX_BYTES: usize = 256 * 1024;

/// A profile with its origin.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedProfile {
    pub about: About,
    pub profile: Profile,
    /// Quality of each sensor when the profile was made.
    pub quality: PerSensor<Option<SensorFit>>,
}

/// Person and glove of a profile.
#[derive(Debug, Clone, PartialEq)]
pub struct About {
    pub person: String,
    /// Date as text, in the caller's format.
    pub date: String,
    pub device: Device,
}

/// The glove that was calibrated.
#[derive(Debug, Clone, PartialEq)]
pub struct Device {
    /// Name of the device, for users.
    pub kind: String,
    /// Sensors that are fitted.
    pub mask: SensorMask,
    pub firmware: Option<String>,
}

/// Error of reading a profile.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FileError {
    #[error("{0} bytes, expected at most {MAX_BYTES}")]
    TooLong(usize),
    #[error("not text from byte {0} on, expected UTF-8")]
    NotText(usize),
    #[error("line {line}, column {column}: {message}")]
    Syntax { line: usize, column: usize, message: String },
    #[error("unknown format {got}, expected {FORMAT}: made by a newer version?")]
    Format { got: i64 },
    #[error("{field}: got {got}, expected {want}")]
    Value { field: String, got: String, want: String },
}

impl SavedProfile {
    pub fn to_text(&self) -> String {
        text::write(self)
    }

    /// Reads a profile. Any bytes give a profile or an error with the place and the expectation.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FileError> {
        if bytes.len() > MAX_BYTES {
            return Err(FileError::TooLong(bytes.len()));
        }
        let text =
            std::str::from_utf8(bytes).map_err(|error| FileError::NotText(error.valid_up_to()))?;
        text::read(text)
    }
}
