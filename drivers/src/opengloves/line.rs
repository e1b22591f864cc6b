//! Bytes to samples: splits the input into lines and reads their keys and numbers. No I/O.
//!
//! A line is a row of keys, each with an unsigned decimal or nothing behind it. A key is a capital
//! letter, or several in parentheses. There is no checksum: a damaged digit is not seen, but any
//! byte that fits nowhere costs the whole line.

use std::time::Instant;

use super::protocol::OpenGloveSettings;
use super::sample::{Incoming, OpenGloveInfo, OpenGloveSample};
use crate::DecodeCounts;
use crate::cyberglove::Hand;
use crate::link::Decoder;

/// Almost twice the length of a line with all keys at full scale.
const MAX_LINE: usize = 512;

/// Splits the input at line feeds and keeps the lines in which each byte has its place and at least
/// one analogue value is given; that leaves out what a board prints when it starts.
///
/// If a line feed is lost, two lines become one and the second one's values win.
#[derive(Debug)]
pub struct LineDecoder {
    max_analog: f32,
    /// The line so far; cut off at `MAX_LINE`.
    unfinished: Vec<u8>,
    /// Bytes since the last line feed, including those not kept.
    n_since_end: u64,
    progress: Progress,
    counts: DecodeCounts,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// Nobody knows whether the first line was seen from its beginning.
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

    /// Takes bytes that arrived together and calls `accept` with what they complete.
    pub fn push(&mut self, bytes: &[u8], arrival: Instant, accept: &mut dyn FnMut(Incoming)) {
        for byte in bytes {
            self.n_since_end += 1;
            if *byte == b'\n' {
                self.end_line(arrival, accept);
            } else if self.unfinished.len() <= MAX_LINE {
                // One byte too many is kept: enough to know that the line is too long.
                self.unfinished.push(*byte);
            }
        }
    }

    pub fn counts(&self) -> DecodeCounts {
        self.counts
    }

    fn end_line(&mut self, arrival: Instant, accept: &mut dyn FnMut(Incoming)) {
        let line = self.unfinished.strip_suffix(b"\r").unwrap_or(&self.unfinished);
        // The rest of a sample looks like a sample, but no sample holds the keys of an answer.
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

/// What a line says.
struct Contents {
    sample: OpenGloveSample,
    /// Whether the sample has any analogue value.
    has_value: bool,
    info: Option<OpenGloveInfo>,
}

impl Contents {
    /// `None` if a byte of `line` fits nowhere.
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

    /// A later key wins over an earlier one; unknown keys say nothing to us.
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
        // A value's key without its number only says that the key exists.
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
                    Some(0) => Some(Hand::Left),
                    Some(1) => Some(Hand::Right),
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

/// Takes a decimal from the front of `rest`, if there is one; too large a number is the largest.
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
