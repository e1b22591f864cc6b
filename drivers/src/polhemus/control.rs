//! Control records: lines of text that hold no data. No I/O.
//!
//! In a text stream any `2` might begin a control record. Therefore a line is accepted as one only
//! if its letter, its length and its content are all valid.

use super::answer::Answer;
use super::scan::Verdict;

/// A line of text from the tracker: `2`, a station or a blank, a letter, the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlRecord {
    /// The station of the record, or the station at which the unit was.
    pub station: Option<u8>,
    /// Kind of the record: usually the letter of the command that it answers; `E` is an error.
    pub letter: char,
    /// The text after the letter, without the line end.
    pub text: String,
}

/// Beginning of the text of an error, after its letter.
pub(super) const ERROR_MARK: &str = "*ERROR*";
/// Longest text of an error: it repeats the refused line, and the unit's buffer holds 254 bytes.
const LONGEST_ERROR: usize = 320;
/// Bytes of a record's head: `2`, station, letter.
const HEAD: usize = 3;
const LINE_END: &[u8] = b"\r\n";

/// Most bytes of a control record with its line end.
pub(super) const LONGEST: usize = HEAD + LONGEST_ERROR + LINE_END.len();

impl ControlRecord {
    /// Decodes a whole line without its CR LF; `None` if it is not a known control record.
    pub fn from_line(line: &[u8]) -> Option<Self> {
        let [b'2', station @ (b' ' | b'1'..=b'4'), letter, text @ ..] = line else { return None };
        let is_text = text.iter().all(|byte| matches!(byte, b' '..=b'~'));
        if !is_text || text.len() > longest_text(*letter)? {
            return None;
        }
        let record = Self {
            station: (*station != b' ').then(|| *station - b'0'),
            letter: char::from(*letter),
            text: String::from_utf8_lossy(text).into_owned(),
        };
        Answer::from_record(&record).is_some().then_some(record)
    }

    /// Number of bytes of the whole record with its line end.
    pub fn n_bytes(&self) -> usize {
        HEAD + self.text.len() + LINE_END.len()
    }
}

/// Checks for a control record at the beginning of `window`, whose first byte is `2`.
///
/// Each part is checked as soon as it has arrived: bytes that are not a control record must not
/// delay the data after them.
pub(super) fn judge(window: &[u8]) -> Verdict<ControlRecord> {
    if window.get(1).is_some_and(|station| !matches!(station, b' ' | b'1'..=b'4')) {
        return Verdict::Garbage;
    }
    let Some(letter) = window.get(2) else { return Verdict::TooShort };
    let Some(longest) = longest_text(*letter) else { return Verdict::Garbage };
    let text = &window[HEAD..];
    let looked_at = &text[..text.len().min(longest + 1)];
    match looked_at.iter().position(|byte| !matches!(byte, b' '..=b'~')) {
        None if looked_at.len() <= longest => Verdict::TooShort,
        None => Verdict::Garbage,
        Some(end) if text[end..] == LINE_END[..1] => Verdict::TooShort,
        Some(end) if text[end..].starts_with(LINE_END) => {
            match ControlRecord::from_line(&window[..HEAD + end]) {
                Some(record) => Verdict::Other(record, HEAD + end + LINE_END.len()),
                None => Verdict::Garbage,
            }
        }
        Some(_) => Verdict::Garbage,
    }
}

/// Longest text after this letter; `None` if no control record has this letter.
///
/// Answers with numbers may be longer than the manual's columns, for firmware that prints blanks.
fn longest_text(letter: u8) -> Option<usize> {
    match letter {
        b'S' => Some(50),
        b'O' => Some(64),
        b'l' => Some(4),
        b'A' => Some(81),
        b'G' | b'H' | b'N' | b'r' => Some(27),
        b'I' => Some(13),
        b'V' | b'Q' => Some(54),
        b'v' | b'x' => Some(36),
        b'y' | b'e' => Some(4),
        b'T' => Some(160),
        b'X' => Some(32),
        b'E' => Some(LONGEST_ERROR),
        _ => None,
    }
}
