//! What the host asks of the tracker, read byte by byte.

use super::record::{Form, Item, Units};

/// One whole command that the tracker understands, or why it does not.
#[derive(Debug, Clone, PartialEq)]
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
    OutputList(Vec<Item>),
    QueryOutputList,
    Station(bool),
    QueryStations,
    Hemisphere([f64; 3]),
    QueryHemisphere,
    /// A setting that changes nothing in an emulated tracker: filters, stylus.
    Accepted,
    Refused(Refusal),
}

/// The tracker's complaint about a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    line: String,
    code: i8,
    /// Which parameter, counted from 0.
    field: usize,
}

const NOT_NUMERIC: i8 = -2;
const OUT_OF_RANGE: i8 = -3;
const BUFFER: i8 = -5;
const UNKNOWN: i8 = -99;

impl Refusal {
    pub(super) fn text(&self) -> String {
        let Self { line, code, field } = self;
        format!("2 E*ERROR*{line}*ERROR* EC{code}*PS0*FL{field}*ST0\r\n")
    }
}

/// Longest command line; the tracker's own limit for an output list is 254 bytes of output.
const MAX_LINE: usize = 128;

/// Collects a command line; single letters act at once.
#[derive(Debug, Default)]
pub(super) struct CommandReader {
    line: String,
}

impl CommandReader {
    /// Takes one byte; gives the command that it completes.
    pub(super) fn push(&mut self, byte: u8) -> Option<Command> {
        if self.line.is_empty() {
            if let Some(command) = immediate(byte) {
                return Some(command);
            }
            if matches!(byte, b'\r' | b'\n') {
                return None;
            }
        }
        if byte == b'\r' {
            return Some(parse(&std::mem::take(&mut self.line)));
        }
        // Whatever is not text is shown as a question mark in a complaint.
        self.line.push(if matches!(byte, b' '..=b'~') { char::from(byte) } else { '?' });
        (self.line.len() > MAX_LINE).then(|| {
            self.line.clear();
            Command::Refused(Refusal { line: String::new(), code: BUFFER, field: 0 })
        })
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
        0x0B => Command::SaveSettings,
        0x11 => Command::Resume,
        0x13 => Command::Suspend,
        0x19 => Command::Reinitialise,
        _ => return None,
    };
    Some(command)
}

/// Understands a line without its carriage return: a letter, a station, comma-separated numbers.
fn parse(line: &str) -> Command {
    let refuse = |code, field| Command::Refused(Refusal { line: line.to_owned(), code, field });
    let (letter, rest) = line.split_at(1);
    if !matches!(letter, "O" | "l" | "H" | "v" | "x" | "e") {
        return refuse(UNKNOWN, 0);
    }
    let mut numbers = Vec::new();
    for (field, text) in rest.trim_end_matches(',').split(',').enumerate() {
        match text.trim().parse::<f64>() {
            Ok(number) if number.is_finite() => numbers.push(number),
            // A filter without a first parameter keeps its value.
            Err(_) if text.is_empty() && matches!(letter, "v" | "x") => numbers.push(0.0),
            Ok(_) | Err(_) => return refuse(NOT_NUMERIC, field),
        }
    }
    if matches!(letter, "v" | "x") {
        return Command::Accepted;
    }
    // The only receiver is on station 1.
    if numbers.first() != Some(&1.0) {
        return refuse(OUT_OF_RANGE, 0);
    }
    match (letter, &numbers[1..]) {
        ("O", []) => Command::QueryOutputList,
        ("O", numbers) => {
            let items: Vec<_> =
                numbers.iter().map_while(|number| Item::from_number(*number)).collect();
            if items.len() == numbers.len() && items.len() <= 32 {
                Command::OutputList(items)
            } else {
                refuse(OUT_OF_RANGE, items.len().min(32) + 1)
            }
        }
        ("l", []) => Command::QueryStations,
        ("l", [0.0]) => Command::Station(false),
        ("l", [1.0]) => Command::Station(true),
        ("H", []) => Command::QueryHemisphere,
        ("H", [x, y, z]) => Command::Hemisphere([*x, *y, *z]),
        ("e", [] | [0.0 | 1.0]) => Command::Accepted,
        _ => refuse(OUT_OF_RANGE, 1),
    }
}
