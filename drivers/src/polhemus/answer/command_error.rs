//! The error that the tracker sends when it refuses a command.

use std::fmt;

use crate::polhemus::control::ERROR_MARK;

/// Reason that the unit gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandErrorCode {
    FieldMissing,
    NotNumeric,
    OutOfRange,
    Frequency,
    Buffer,
    UnknownCommand,
    /// A code that the manual does not list.
    Other(i32),
}

/// A refused command: `*ERROR*`, the command, `*ERROR* EC` code `*PS` position `*FL` field `*ST`
/// station less one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandError {
    /// The line as the unit understood it.
    pub command: String,
    /// `None` if the unit gave no readable code.
    pub code: Option<CommandErrorCode>,
    pub position: Option<i32>,
    /// Index of the wrong parameter, from 0.
    pub field: Option<i32>,
    /// Station, 1 to 4.
    pub station: Option<i32>,
}

impl CommandError {
    pub(super) fn from_text(text: &str) -> Option<Self> {
        let text = text.strip_prefix(ERROR_MARK)?;
        // The command itself may contain the mark, so the last one is used.
        let (command, place) = text.rsplit_once(ERROR_MARK).unwrap_or((text, ""));
        let part = |name: &str| {
            place.split('*').find_map(|part| part.trim().strip_prefix(name)?.trim().parse().ok())
        };
        Some(Self {
            command: command.to_owned(),
            code: part("EC").map(CommandErrorCode::from_number),
            position: part("PS"),
            field: part("FL"),
            station: part("ST").and_then(|less_one: i32| less_one.checked_add(1)),
        })
    }
}

impl CommandErrorCode {
    fn from_number(number: i32) -> Self {
        match number {
            -1 => Self::FieldMissing,
            -2 => Self::NotNumeric,
            -3 => Self::OutOfRange,
            -4 => Self::Frequency,
            -5 => Self::Buffer,
            -99 => Self::UnknownCommand,
            other => Self::Other(other),
        }
    }
}

impl fmt::Display for CommandErrorCode {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FieldMissing => to.write_str("a field is missing"),
            Self::NotNumeric => to.write_str("a field is not numeric"),
            Self::OutOfRange => to.write_str("a field is out of range"),
            Self::Frequency => to.write_str("wrong frequency"),
            Self::Buffer => to.write_str("its buffer is full"),
            Self::UnknownCommand => to.write_str("it does not know the command"),
            Self::Other(code) => write!(to, "error code {code}"),
        }
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code {
            Some(code) => write!(to, "{code}")?,
            None => to.write_str("no reason given")?,
        }
        match self.field {
            Some(field) => write!(to, " (field {field} of {})", self.command),
            None => write!(to, " ({})", self.command),
        }
    }
}
