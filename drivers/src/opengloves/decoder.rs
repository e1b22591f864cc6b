//! Decodes bytes into samples: splits the input into lines and reads their keys and numbers. No
//! I/O.
//!
//! A line is a sequence of keys; an unsigned decimal may follow each key. A key is a capital
//! letter, or several in parentheses. There is no checksum: a damaged digit is not detected, but
//! any byte that does not belong there costs the whole line.

use std::time::Instant;

use super::protocol::OpenGloveSettings;
use super::sample::{Incoming, OpenGloveInfo, OpenGloveSample};
use crate::DecodeCounts;
use crate::decoded_line::Decoder;
use crate::side::Side;

/// Almost twice the length of a line with all keys at full scale.
const MAX_LINE: usize = 512;

/// Splits the input at line feeds and accepts the lines that are valid and hold at least one
/// analogue value. This rejects the messages that a board prints when it starts.
///
/// If a line feed is lost, two lines become one, and the values of the second line are used.
#[derive(Debug)]
pub struct LineDecoder {
    max_analog: f32,
    /// Bytes since the last line feed, at most `MAX_LINE` + 1.
    unfinished: Vec<u8>,
    /// Number of bytes since the last line feed, with those that were not kept.
    n_since_end: u64,
    progress: Progress,
    counts: DecodeCounts,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// The first line, whose beginning may be missing.
    FirstLine,
    WholeLines,
}

impl LineDecoder {
    pub fn new(settings: OpenGloveSettings) -> Self {
        Self {
            max_analog: f32::from(settings.max_analog.get()),
            unfinished: Vec::with_capacity(MAX_LINE + 1),
            n_since_end: 0,
            progress: Progress::FirstLine,
            counts: DecodeCounts::default(),
        }
    }

    /// Takes bytes that arrived together and calls `accept` with the items that they complete.
    pub fn push(&mut self, bytes: &[u8], arrival: Instant, accept: &mut dyn FnMut(Incoming)) {
        for byte in bytes {
            self.n_since_end += 1;
            if *byte == b'\n' {
                self.end_line(arrival, accept);
            } else if self.unfinished.len() <= MAX_LINE {
                // One byte too many is kept, to know that the line is too long.
                self.unfinished.push(*byte);
            }
        }
    }

    pub fn counts(&self) -> DecodeCounts {
        self.counts
    }

    fn end_line(&mut self, arrival: Instant, accept: &mut dyn FnMut(Incoming)) {
        let line = self.unfinished.strip_suffix(b"\r").unwrap_or(&self.unfinished);
        // The end of a sample looks like a sample, but no sample holds the keys of an answer.
        let is_cut = self.progress == Progress::FirstLine
            && !(line.starts_with(b"Z") || line.starts_with(b"(Z"));
        let contents = if is_cut || line.len() > MAX_LINE {
            None
        } else {
            Contents::read(line, self.max_analog, arrival)
        };
        let (sample, info) = match contents {
            Some(contents) => (contents.has_value.then_some(contents.sample), contents.info),
            None => (None, None),
        };
        if sample.is_none() && info.is_none() {
            self.counts.dropped_bytes += self.n_since_end;
            self.counts.dropped_records += u64::from(!is_cut && !line.is_empty());
        }
        self.forget_line();
        self.progress = Progress::WholeLines;
        if let Some(info) = info {
            accept(Incoming::Info(info));
        }
        if let Some(sample) = sample {
            self.counts.records += 1;
            accept(Incoming::Sample(sample));
        }
    }

    fn forget_line(&mut self) {
        self.unfinished.clear();
        self.n_since_end = 0;
    }
}

impl Decoder for LineDecoder {
    type Item = Incoming;

    fn push(&mut self, bytes: &[u8], arrival: Instant, accept: &mut dyn FnMut(Incoming)) {
        Self::push(self, bytes, arrival, accept);
    }

    fn forget_unfinished(&mut self) {
        self.forget_line();
        self.progress = Progress::FirstLine;
    }

    fn counts(&self) -> DecodeCounts {
        self.counts
    }
}

/// Decoded values of a line.
struct Contents {
    sample: OpenGloveSample,
    /// True if the sample has at least one analogue value.
    has_value: bool,
    info: Option<OpenGloveInfo>,
}

impl Contents {
    /// Decodes `line`; `None` if it is not valid.
    fn read(line: &[u8], max_analog: f32, arrival: Instant) -> Option<Self> {
        let sample = OpenGloveSample::empty(arrival);
        let mut contents = Self { sample, has_value: false, info: None };
        let mut rest = line;
        while !rest.is_empty() {
            let key = take_key(&mut rest)?;
            contents.set(key, take_number(&mut rest), max_analog);
        }
        Some(contents)
    }

    /// Stores the value of `key`. A later value replaces an earlier one; unknown keys are ignored.
    fn set(&mut self, key: &[u8], number: Option<u32>, max_analog: f32) {
        let share = number.map(|number| (number as f32 / max_analog).min(1.0));
        let signed = share.map(|share| 2.0 * share - 1.0);
        let finger = |letter: u8| usize::from(letter - b'A');
        let sample = &mut self.sample;
        let (place, value) = match *key {
            [letter @ b'A'..=b'E'] => (&mut sample.curl[finger(letter)], share),
            [b'(', letter @ b'A'..=b'E', b'B', b')'] => (&mut sample.splay[finger(letter)], signed),
            [b'(', letter @ b'A'..=b'E', b'A', joint @ b'A'..=b'D', b')'] => {
                (&mut sample.joints[finger(letter)][usize::from(joint - b'A')], share)
            }
            [letter @ (b'F' | b'G')] => (&mut sample.joystick[usize::from(letter - b'F')], signed),
            [b'P'] => (&mut sample.trigger, share),
            [b'H'] => return sample.buttons.joystick = true,
            [b'I'] => return sample.buttons.trigger = true,
            [b'J'] => return sample.buttons.a = true,
            [b'K'] => return sample.buttons.b = true,
            [b'L'] => return sample.buttons.grab = true,
            [b'M'] => return sample.buttons.pinch = true,
            [b'N'] => return sample.buttons.menu = true,
            [b'O'] => return sample.buttons.calibrate = true,
            [b'Z'] | [b'(', b'Z', ..] => return self.set_info(key, number),
            _ => return,
        };
        // A key of a value without a number is ignored.
        if value.is_some() {
            *place = value;
            self.has_value = true;
        }
    }

    fn set_info(&mut self, key: &[u8], number: Option<u32>) {
        let info = self.info.get_or_insert_default();
        match key {
            b"(ZV)" => info.firmware_version = number,
            b"(ZG)" => info.device_type = number,
            b"(ZH)" => {
                info.hand = match number {
                    Some(0) => Some(Side::Left),
                    Some(1) => Some(Side::Right),
                    Some(_) | None => None,
                }
            }
            _ => {}
        }
    }
}

/// Takes a capital letter, or several in parentheses, from the front of `rest`.
fn take_key<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = match rest {
        [b'A'..=b'Z', ..] => 1,
        [b'(', inside @ ..] => {
            let n_letters = inside.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
            if n_letters == 0 || inside.get(n_letters) != Some(&b')') {
                return None;
            }
            n_letters + 2
        }
        [..] => return None,
    };
    let (key, behind) = rest.split_at(length);
    *rest = behind;
    Some(key)
}

/// Takes a decimal from the front of `rest`, if there is one. A number that is too large becomes
/// the largest.
fn take_number(rest: &mut &[u8]) -> Option<u32> {
    let n_digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, behind) = rest.split_at(n_digits);
    *rest = behind;
    let append =
        |number: u32, digit: &u8| number.saturating_mul(10).saturating_add(u32::from(digit - b'0'));
    (n_digits > 0).then(|| digits.iter().fold(0, append))
}

#[cfg(test)]
mod tests;
