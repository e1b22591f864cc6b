//! Reads the host's commands to the glove, byte by byte.

/// One whole command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Command {
    Abort,
    Reinitialise,
    Restart,
    OneRecord,
    Stream,
    Query(u8),
    /// A setting in binary form, with raw parameter bytes.
    Set {
        letter: u8,
        parameters: Vec<u8>,
    },
    /// A command in ASCII form, without the carriage return.
    Line(String),
    /// A command that only a CyberGlove III has, without the leading `1`.
    ModelThree(Vec<u8>),
    /// A NUL after a command, which a CyberGlove III allows.
    Nothing,
    Unknown,
    TooManyNumbers,
}

/// Properties of the unit on which the length of a command depends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grammar {
    /// Number of values of a record, and so of the offsets and gains of a stored calibration.
    pub(super) n_values: usize,
    /// True if the unit knows the commands of a CyberGlove III.
    pub(super) is_third: bool,
}

/// Longest accepted ASCII command, in bytes.
const MAX_LINE: usize = 64;
/// Number of actuators of a CyberTouch.
const N_ACTUATORS: u8 = 6;

/// Collects the bytes of a command until it is whole.
#[derive(Debug, Default)]
pub(super) struct CommandReader {
    unfinished: Vec<u8>,
}

impl CommandReader {
    /// Takes one byte; returns the command that it completes.
    pub(super) fn push(&mut self, byte: u8, grammar: Grammar) -> Option<Command> {
        self.unfinished.push(byte);
        let command = whole(&self.unfinished, grammar)?;
        self.unfinished.clear();
        Some(command)
    }

    /// Forgets an incomplete command.
    pub(super) fn clear(&mut self) {
        self.unfinished.clear();
    }
}

/// Decodes `bytes` as a command; `None` if it is incomplete.
fn whole(bytes: &[u8], grammar: Grammar) -> Option<Command> {
    let (first, rest) = bytes.split_first()?;
    let n_parameters = match first {
        0x03 => return Some(Command::Abort),
        0x09 => return Some(Command::Reinitialise),
        0x12 => return Some(Command::Restart),
        b'G' => return Some(Command::OneRecord),
        b'S' => return Some(Command::Stream),
        // The only binary query with a lower-case letter is that for the information text.
        b'?' => match rest.first()? {
            b'i' => return Some(Command::Query(b'i')),
            b'a'..=b'z' => return line(bytes),
            letter => return Some(Command::Query(*letter)),
        },
        b'a'..=b'z' => return line(bytes),
        b'1' if grammar.is_third => return model_three(rest),
        0 if grammar.is_third => return Some(Command::Nothing),
        b'B' | b'D' | b'F' | b'J' | b'L' | b'N' | b'Q' | b'U' | b'W' | b'Y' => 1,
        b'M' | b'P' => 3,
        b'T' => 4,
        b'C' => match rest.first()? {
            b'A' => 1 + 2 * grammar.n_values,
            b'O' | b'G' => 3,
            _ => return Some(Command::Unknown),
        },
        b'A' => match *rest.first()? {
            0xFF => 1 + usize::from(N_ACTUATORS),
            n_set if n_set <= N_ACTUATORS => 1 + 2 * usize::from(n_set),
            _ => return Some(Command::TooManyNumbers),
        },
        _ => return Some(Command::Unknown),
    };
    (rest.len() >= n_parameters).then(|| Command::Set { letter: *first, parameters: rest.to_vec() })
}

fn line(bytes: &[u8]) -> Option<Command> {
    match bytes.split_last()? {
        (b'\r', line) => Some(Command::Line(String::from_utf8_lossy(line).into_owned())),
        // An abort also ends an incomplete line.
        (0x03, _) => Some(Command::Abort),
        _ if bytes.len() > MAX_LINE => Some(Command::Unknown),
        _ => None,
    }
}

/// Decodes a command after the leading `1`: `eu` `du` `ew` `dw` `es` `ds`, or `m` `u` `w` `s` with
/// a byte, or `S`, or `E` with text up to a NUL, which one public client sends.
fn model_three(rest: &[u8]) -> Option<Command> {
    match rest {
        [b'E', text @ .., 0] => Some(Command::ModelThree([b"E", text].concat())),
        [b'E', text @ ..] if text.len() < MAX_LINE => None,
        [] | [b'e' | b'd' | b'm' | b'u' | b'w' | b's'] => None,
        [b'S'] | [b'm' | b'u' | b'w' | b's', _] | [b'e' | b'd', b'u' | b'w' | b's'] => {
            Some(Command::ModelThree(rest.to_vec()))
        }
        _ => Some(Command::Unknown),
    }
}
