//! A profile as text: one person, one hand, one glove.
//!
//! TOML, with units that people use (degrees, millimetres) and that the file itself states. Numbers are
//! rounded to a millionth of their unit. Whatever is read is checked before it becomes a profile; a file of
//! a newer format is refused, not guessed at.

mod mismatch;
#[cfg(test)]
mod tests;
mod text;

use drivers::SensorMask;

use crate::fit::SensorFit;
use crate::joints::PerSensor;
use crate::profile::Profile;

pub use mismatch::GloveMismatch;

/// The newest format that is understood, and the only one that is written.
pub const FORMAT: i64 = 1;
/// A profile has a few kilobytes; whatever is much longer is something else.
pub const MAX_BYTES: usize = 256 * 1024;

/// A profile and where it comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedProfile {
    pub about: About,
    pub profile: Profile,
    /// How well each sensor was known when the profile was made.
    pub quality: PerSensor<Option<SensorFit>>,
}

/// Whose profile it is, and of which glove.
#[derive(Debug, Clone, PartialEq)]
pub struct About {
    pub person: String,
    /// As the caller writes dates.
    pub date: String,
    pub device: Device,
}

/// The glove that was calibrated.
#[derive(Debug, Clone, PartialEq)]
pub struct Device {
    /// As a person says it.
    pub kind: String,
    /// The sensors that are fitted.
    pub mask: SensorMask,
    pub firmware: Option<String>,
}

/// Why some bytes are not a profile.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FileError {
    #[error("{0} bytes, expected at most {MAX_BYTES}")]
    TooLong(usize),
    #[error("not text from byte {0} on, expected UTF-8")]
    NotText(usize),
    #[error("line {line}, column {column}: {message}")]
    Syntax { line: usize, column: usize, message: String },
    #[error("format {got} is not known, expected {FORMAT}: made by a newer version?")]
    Format { got: i64 },
    #[error("{field}: got {got}, expected {want}")]
    Value { field: String, got: String, want: String },
}

impl SavedProfile {
    pub fn to_text(&self) -> String {
        text::write(self)
    }

    /// Any bytes give a profile or an error that says where and what was expected.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FileError> {
        if bytes.len() > MAX_BYTES {
            return Err(FileError::TooLong(bytes.len()));
        }
        let text =
            std::str::from_utf8(bytes).map_err(|error| FileError::NotText(error.valid_up_to()))?;
        text::read(text)
    }
}
