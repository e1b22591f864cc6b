//! Decodes the text of control records into typed answers.

mod command_error;
mod status;

use super::control::ControlRecord;
use super::output::{OutputItem, OutputList};
use super::record::number::decimal;
use super::settings::{
    Alignment, AngularEnvelope, FilterOf, FilterParameters, PositionEnvelope, StylusMode, SyncMode,
};
pub use command_error::{CommandError, CommandErrorCode};
pub use status::Status;

/// The content of a control record.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    Status(Status),
    OutputList(OutputList),
    /// For each of the four stations, true if it is on.
    Stations([bool; 4]),
    Alignment(Alignment),
    BoresightAnglesDeg([f64; 3]),
    Hemisphere([f64; 3]),
    IncrementCm(f64),
    TipOffsetCm([f64; 3]),
    PositionEnvelope(PositionEnvelope),
    AngularEnvelope(AngularEnvelope),
    TransmitterMountingDeg([f64; 3]),
    Filter(FilterOf, FilterParameters),
    Sync(SyncMode),
    StylusMode(StylusMode),
    BuiltInTest(BuiltInTest),
    /// The name that the owner gave the unit.
    Name(String),
    CommandError(CommandError),
}

/// The last fault that the unit found in itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuiltInTest {
    /// The ASCII code of the error character, or 0.
    pub number: u16,
    pub text: String,
}

impl Answer {
    /// Decodes `record`; `None` if its text does not have the form that belongs to its letter.
    pub fn from_record(record: &ControlRecord) -> Option<Self> {
        let text = record.text.as_str();
        Some(match record.letter {
            'S' => Self::Status(Status::from_text(text)?),
            'O' => Self::OutputList(output_list(text)?),
            'l' => Self::Stations(stations(text)?),
            'A' => {
                let [a, b, c, d, e, f, g, h, i] = numbers(text, 7)?;
                let (origin_cm, on_x_axis_cm, on_y_axis_cm) = ([a, b, c], [d, e, f], [g, h, i]);
                Self::Alignment(Alignment { origin_cm, on_x_axis_cm, on_y_axis_cm })
            }
            'G' => Self::BoresightAnglesDeg(numbers(text, 7)?),
            'H' => Self::Hemisphere(numbers(text, 7)?),
            'I' => {
                let [increment_cm] = numbers(text, 7)?;
                Self::IncrementCm(increment_cm)
            }
            'N' => Self::TipOffsetCm(numbers(text, 7)?),
            'V' => {
                let [a, b, c, d, e, f] = numbers(text, 8)?;
                let (max_cm, min_cm) = ([a, b, c], [d, e, f]);
                Self::PositionEnvelope(PositionEnvelope { max_cm, min_cm })
            }
            'Q' => {
                // The manual gives no columns: 7 per number, as for other angles, or 8, as for `V`.
                let width = if text.len() == 48 { 8 } else { 7 };
                let [a, b, c, d, e, f] = numbers(text, width)?;
                let (max_deg, min_deg) = ([a, b, c], [d, e, f]);
                Self::AngularEnvelope(AngularEnvelope { max_deg, min_deg })
            }
            'r' => Self::TransmitterMountingDeg(numbers(text, 7)?),
            'v' => Self::Filter(FilterOf::Attitude, filter(text)?),
            'x' => Self::Filter(FilterOf::Position, filter(text)?),
            'y' => Self::Sync(match text.trim() {
                "0" => SyncMode::Internal,
                "1" => SyncMode::External,
                "2" => SyncMode::Video,
                _ => return None,
            }),
            'e' => Self::StylusMode(match text.trim() {
                "0" => StylusMode::Mouse,
                "1" => StylusMode::PointTrack,
                _ => return None,
            }),
            'T' => {
                let (number, text) = text.split_at_checked(3)?;
                let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
                let number = is_number.then(|| number.parse().ok()).flatten()?;
                Self::BuiltInTest(BuiltInTest { number, text: text.trim().to_owned() })
            }
            'X' => (text.len() == 32).then(|| Self::Name(text.trim().to_owned()))?,
            'E' => Self::CommandError(CommandError::from_text(text)?),
            _ => return None,
        })
    }
}

/// Decodes item numbers of two columns each.
fn output_list(text: &str) -> Option<OutputList> {
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else { return None };
    let item = |pair: &[u8; 2]| {
        let number = match pair {
            [b' ', units @ b'0'..=b'9'] => units - b'0',
            [tens @ b'0'..=b'9', units @ b'0'..=b'9'] => 10 * (tens - b'0') + units - b'0',
            _ => return None,
        };
        OutputItem::from_number(number)
    };
    OutputList::new(pairs.iter().map(item).collect::<Option<_>>()?).ok()
}

fn stations(text: &str) -> Option<[bool; 4]> {
    let digits: &[u8; 4] = text.as_bytes().try_into().ok()?;
    digits.iter().all(|digit| matches!(digit, b'0' | b'1')).then(|| digits.map(|on| on == b'1'))
}

fn filter(text: &str) -> Option<FilterParameters> {
    let [sensitivity, low, high, factor] = numbers(text, 7)?;
    Some(FilterParameters { sensitivity, low, high, factor })
}

/// Decodes numbers in fixed columns, or separated by blanks where the columns are not those of the
/// manual.
fn numbers<const N: usize>(text: &str, width: usize) -> Option<[f64; N]> {
    let mut numbers = [0.0; N];
    if text.len() == N * width {
        for (number, columns) in numbers.iter_mut().zip(text.as_bytes().chunks_exact(width)) {
            *number = decimal(columns)?;
        }
    } else {
        let mut words = text.split_ascii_whitespace();
        for number in &mut numbers {
            *number = decimal(words.next()?.as_bytes())?;
        }
        if words.next().is_some() {
            return None;
        }
    }
    Some(numbers)
}

#[cfg(test)]
mod tests;
