//! Control records: lines of text that are no data. No I/O.
//!
//! In a text stream any `2` might begin one, so a control record is only what can be understood in
//! full: its letter, its length and its content.

use super::answer::Answer;
use super::scan::Verdict;

/// A line of text from the tracker: `2`, a station or a blank, a letter, the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlRecord {
    /// The station it is about, or the one the unit was at.
    pub station: Option<u8>,
    /// What the record is about, usually the letter of the command it answers; `E` is a complaint.
    pub letter: char,
    /// What follows the letter, without the line end.
    pub text: String,
}

/// How a complaint goes on after its letter.
pub(super) const COMPLAINT_MARK: &str = "*ERROR*";
/// A complaint repeats the refused line, and the unit's own buffer holds 254 bytes.
const LONGEST_COMPLAINT: usize = 320;
/// `2`, station, letter.
const HEAD: usize = 3;
const LINE_END: &[u8] = b"\r\n";

/// No control record is longer, with its line end.
pub(super) const LONGEST: usize = HEAD + LONGEST_COMPLAINT + LINE_END.len();

impl ControlRecord {
    /// From a whole line without its CR LF; `None` if it says nothing we know.
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

    /// Bytes of the whole record with its line end.
    pub fn n_bytes(&self) -> usize {
        HEAD + self.text.len() + LINE_END.len()
    }
}

/// Judges the control record that begins with the first byte of `window`, a `2`.
///
/// Each part is judged as soon as it is there: what is no control record must not hold up the data
/// behind it.
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

/// The most text after this letter; `None` if no control record has this letter.
///
/// Read-backs of numbers have room beyond the manual's columns, for firmware that prints blanks.
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
        b'y' => Some(4),
        b'T' => Some(160),
        b'X' => Some(32),
        b'E' => Some(LONGEST_COMPLAINT),
        _ => None,
    }
}
