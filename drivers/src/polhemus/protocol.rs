//! The tracker's language: requests to bytes, control records to answers. No I/O.
//!
//! Commands are case-sensitive ASCII. Those with parameters end with a carriage return; the others
//! act at once. Settings give no reply unless they are wrong.

/// What we ask of the tracker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Request {
    /// One data record from each active station.
    OneRecord,
    ContinuousOn,
    ContinuousOff,
    /// Ends a line which an earlier host may have left half-typed.
    EndLine,
    Status,
    Centimetres,
    /// Data records in binary; control records stay ASCII.
    Binary,
    /// Position, quaternion and line end for this station: the 33-byte record we decode.
    OutputList(u8),
    /// Which stations are on?
    QueryStations(u8),
    StationOn(u8),
    /// Sets no filter for attitude; the factory default differs between editions of the manual.
    AttitudeFilterOff,
    PositionFilterOff,
    /// Reports the stylus button instead of letting it start and stop the stream.
    StylusReports,
}

impl Request {
    pub fn encode(self) -> Vec<u8> {
        match self {
            Self::OneRecord => b"P".to_vec(),
            Self::ContinuousOn => b"C".to_vec(),
            Self::ContinuousOff => b"c".to_vec(),
            Self::EndLine => b"\r".to_vec(),
            Self::Status => b"S".to_vec(),
            Self::Centimetres => b"u".to_vec(),
            Self::Binary => b"f".to_vec(),
            Self::OutputList(station) => format!("O{station},2,11,1\r").into_bytes(),
            Self::QueryStations(station) => format!("l{station}\r").into_bytes(),
            Self::StationOn(station) => format!("l{station},1\r").into_bytes(),
            Self::AttitudeFilterOff => b"v2\r".to_vec(),
            Self::PositionFilterOff => b"x2\r".to_vec(),
            Self::StylusReports => b"e1,0\r".to_vec(),
        }
    }
}

/// A line of text from the tracker that is no data: `2`, a station or a blank, a letter, the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlRecord {
    /// What the record is about, usually the letter of the command it answers; `E` is a complaint.
    pub letter: char,
    /// What follows the letter, without the line end.
    pub text: String,
}

impl ControlRecord {
    /// From a whole line without its CR LF.
    pub(super) fn from_line(line: &[u8]) -> Option<Self> {
        let [b'2', b' ' | b'1'..=b'4', letter, text @ ..] = line else { return None };
        let is_text = text.iter().all(|byte| matches!(byte, b' '..=b'~'));
        (letter.is_ascii_alphabetic() && is_text).then(|| Self {
            letter: char::from(*letter),
            text: String::from_utf8_lossy(text).into_owned(),
        })
    }

    /// Whether the tracker refuses a command.
    pub fn is_complaint(&self) -> bool {
        self.letter == 'E'
    }
}

/// The answer to [`Request::Status`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    pub is_binary: bool,
    pub is_in_centimetres: bool,
    pub is_continuous: bool,
    /// Firmware version, as printed.
    pub version: String,
    /// The 32 characters with which the owner named the unit.
    pub id: String,
}

impl Status {
    /// Reads the columns of a status record; `None` if `record` is another record.
    ///
    /// The page's columns count from 1 and include the first three characters, which `record` does
    /// not repeat. Clones send one character less, at the end of the id.
    pub fn from_record(record: &ControlRecord) -> Option<Self> {
        if record.letter != 'S' {
            return None;
        }
        let column = |first: usize, last: usize| record.text.get(first - 4..last - 3);
        let flags = u16::from_str_radix(column(4, 6)?.trim(), 16).ok()?;
        let id = record.text.get(22 - 4..)?;
        Some(Self {
            is_binary: flags & 1 != 0,
            is_in_centimetres: flags & 2 != 0,
            is_continuous: flags & 8 != 0,
            version: column(16, 21)?.trim().to_owned(),
            id: id.trim().to_owned(),
        })
    }
}

/// Which of the four stations are on, from the answer to [`Request::QueryStations`].
pub fn active_stations(record: &ControlRecord) -> Option<[bool; 4]> {
    if record.letter != 'l' {
        return None;
    }
    let digits: &[u8; 4] = record.text.as_bytes().try_into().ok()?;
    digits.iter().all(|digit| matches!(digit, b'0' | b'1')).then(|| digits.map(|on| on == b'1'))
}
