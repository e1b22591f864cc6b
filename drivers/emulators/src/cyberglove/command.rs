//! What the host asks of the glove, read byte by byte.

/// One whole command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Command {
    Abort,
    Reinitialise,
    Restart,
    OneRecord,
    Stream,
    Query(u8),
    /// A setting in its binary form, with raw parameter bytes.
    Set {
        letter: u8,
        parameters: Vec<u8>,
    },
    /// A command in its ASCII form, without the carriage return.
    Line(String),
    Unknown,
}

/// Longest ASCII command that we keep.
const MAX_LINE: usize = 64;

/// Collects the bytes of a command until it is whole.
#[derive(Debug, Default)]
pub(super) struct CommandReader {
    unfinished: Vec<u8>,
}

impl CommandReader {
    /// Takes one byte; gives the command that it completes.
    pub(super) fn push(&mut self, byte: u8) -> Option<Command> {
        self.unfinished.push(byte);
        let command = whole(&self.unfinished)?;
        self.unfinished.clear();
        Some(command)
    }
}

/// The command that `bytes` are, or `None` if it is not whole yet.
fn whole(bytes: &[u8]) -> Option<Command> {
    let (first, rest) = bytes.split_first()?;
    let n_parameters = match first {
        0x03 => return Some(Command::Abort),
        0x09 => return Some(Command::Reinitialise),
        0x12 => return Some(Command::Restart),
        b'G' => return Some(Command::OneRecord),
        b'S' => return Some(Command::Stream),
        b'?' => return Some(Command::Query(*rest.first()?)),
        b'a'..=b'z' => return line(bytes),
        b'D' | b'F' | b'J' | b'L' | b'N' | b'Q' | b'U' | b'W' => 1,
        b'M' | b'P' => 3,
        b'T' => 4,
        _ => return Some(Command::Unknown),
    };
    (rest.len() >= n_parameters).then(|| Command::Set { letter: *first, parameters: rest.to_vec() })
}

fn line(bytes: &[u8]) -> Option<Command> {
    match bytes.split_last()? {
        (b'\r', line) => Some(Command::Line(String::from_utf8_lossy(line).into_owned())),
        // An abort ends a half-typed line too.
        (0x03, _) => Some(Command::Abort),
        _ if bytes.len() > MAX_LINE => Some(Command::Unknown),
        _ => None,
    }
}
