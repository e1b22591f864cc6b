//! Reads the host's commands to the tracker, byte by byte.

use super::record::{Form, Units};

/// One whole command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Command {
    OneRecord,
    Continuous,
    Stop,
    Form(Form),
    Units(Units),
    Compensation(bool),
    Status,
    FactoryDefaults,
    Suspend,
    Resume,
    SaveSettings,
    Reinitialise,
    /// A letter with parameters, without its carriage return; never empty, ASCII only.
    Line(String),
    /// A line that is longer than the tracker's buffer.
    TooLong,
}

/// Longest command line.
const MAX_LINE: usize = 256;

/// Collects a command line; single letters act at once.
#[derive(Debug, Default)]
pub(super) struct CommandReader {
    line: String,
}

impl CommandReader {
    /// Takes one byte; returns the command that it completes.
    pub(super) fn push(&mut self, byte: u8) -> Option<Command> {
        if let Some(command) = control(byte) {
            return Some(command);
        }
        if self.line.is_empty() {
            if let Some(command) = immediate(byte) {
                return Some(command);
            }
            if matches!(byte, b'\r' | b'\n') {
                return None;
            }
        }
        if byte == b'\r' {
            return Some(Command::Line(std::mem::take(&mut self.line)));
        }
        // A byte that is not text becomes a question mark, as error records show it.
        self.line.push(if matches!(byte, b' '..=b'~') { char::from(byte) } else { '?' });
        (self.line.len() > MAX_LINE).then(|| {
            self.line.clear();
            Command::TooLong
        })
    }

    /// Forgets an incomplete line.
    pub(super) fn clear(&mut self) {
        self.line.clear();
    }
}

/// Decodes a control byte, which acts even in the middle of a line.
fn control(byte: u8) -> Option<Command> {
    match byte {
        0x0B => Some(Command::SaveSettings),
        0x11 => Some(Command::Resume),
        0x13 => Some(Command::Suspend),
        0x19 => Some(Command::Reinitialise),
        _ => None,
    }
}

fn immediate(byte: u8) -> Option<Command> {
    let command = match byte {
        b'P' => Command::OneRecord,
        b'C' => Command::Continuous,
        b'c' => Command::Stop,
        b'F' => Command::Form(Form::Ascii),
        b'f' => Command::Form(Form::Binary),
        b'U' => Command::Units(Units::Inches),
        b'u' => Command::Units(Units::Centimetres),
        b'D' => Command::Compensation(true),
        b'd' => Command::Compensation(false),
        b'S' => Command::Status,
        b'W' => Command::FactoryDefaults,
        _ => return None,
    };
    Some(command)
}
