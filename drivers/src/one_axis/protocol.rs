//! Bytes of a one-axis device: forces out, places and the description in. No I/O.
//!
//! A frame is a letter, its numbers in little endian, and the sum of these bytes modulo 256:
//! `F` with a force in micronewtons (`i32`) to the device, `P` with a counter (`u16`) and a place
//! in nanometres (`i32`) from it. The question `?` has a line of text as its answer.

use crate::DecodeCounts;
use crate::kinaesthetic::KinaestheticProfile;
use crate::settings_text::SettingsText;

/// Asks for the device's description.
pub const QUESTION: &[u8] = b"?";

/// Bytes of a frame with a force.
pub const FORCE_BYTES: usize = 6;

/// Bytes of a frame with a place.
const PLACE_BYTES: usize = 8;

/// First words of a description.
const GREETING: &[u8] = b"one-axis 1 ";

/// Longest description, in bytes.
const MOST_TEXT: usize = 256;

/// Something that the device sent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Incoming {
    /// Number of the period, which wraps, and place in metres.
    Place {
        number: u16,
        place: f64,
    },
    Profile(KinaestheticProfile),
}

/// The frame of a force in newtons; none that is not finite is sent, but zero instead.
pub fn force_frame(force: f64) -> [u8; FORCE_BYTES] {
    // A cast of NaN gives zero, and of a number that is too large the largest.
    let micronewtons = if force.is_finite() { (force * 1e6).round() as i32 } else { 0 };
    let [a, b, c, d] = micronewtons.to_le_bytes();
    let frame = [b'F', a, b, c, d];
    [b'F', a, b, c, d, sum(&frame)]
}

fn sum(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0, |sum, byte| sum.wrapping_add(*byte))
}

/// Finds frames and descriptions in the bytes of a device.
///
/// Bytes that belong to neither are dropped one by one, so the next whole frame is found. A damaged
/// frame has a wrong sum in all cases but one in 256.
#[derive(Debug)]
pub struct OneAxisDecoder {
    unfinished: Vec<u8>,
    counts: DecodeCounts,
    is_damaged: bool,
}

impl Default for OneAxisDecoder {
    fn default() -> Self {
        // Room for a description beside the bytes of a read: later pushes allocate nothing.
        let unfinished = Vec::with_capacity(MOST_TEXT + 1024);
        Self { unfinished, counts: DecodeCounts::default(), is_damaged: false }
    }
}

/// What the first bytes are.
enum Beginning {
    Whole(Incoming, usize),
    /// More bytes are needed.
    Part,
    Foreign,
}

impl OneAxisDecoder {
    /// Takes bytes and calls `accept` with what they complete, in order.
    pub fn push(&mut self, bytes: &[u8], accept: &mut dyn FnMut(Incoming)) {
        for piece in bytes.chunks(512) {
            self.unfinished.extend_from_slice(piece);
            self.take_all(accept);
        }
    }

    pub fn counts(&self) -> DecodeCounts {
        self.counts
    }

    fn take_all(&mut self, accept: &mut dyn FnMut(Incoming)) {
        let mut at = 0;
        while at < self.unfinished.len() {
            match beginning(&self.unfinished[at..]) {
                Beginning::Whole(incoming, n_bytes) => {
                    self.counts.records += u64::from(matches!(incoming, Incoming::Place { .. }));
                    self.is_damaged = false;
                    accept(incoming);
                    at += n_bytes;
                }
                Beginning::Part => break,
                Beginning::Foreign => {
                    self.counts.dropped_records += u64::from(!self.is_damaged);
                    self.counts.dropped_bytes += 1;
                    self.is_damaged = true;
                    at += 1;
                }
            }
        }
        self.unfinished.drain(..at);
    }
}

fn beginning(bytes: &[u8]) -> Beginning {
    match bytes {
        [b'P', ..] => match bytes.first_chunk::<PLACE_BYTES>() {
            None => Beginning::Part,
            Some([b'P', n0, n1, a, b, c, d, check]) if sum(&bytes[..PLACE_BYTES - 1]) == *check => {
                let number = u16::from_le_bytes([*n0, *n1]);
                let place = f64::from(i32::from_le_bytes([*a, *b, *c, *d])) * 1e-9;
                Beginning::Whole(Incoming::Place { number, place }, PLACE_BYTES)
            }
            Some(_) => Beginning::Foreign,
        },
        _ => text(bytes),
    }
}

fn text(bytes: &[u8]) -> Beginning {
    let n_known = bytes.len().min(GREETING.len());
    if bytes[..n_known] != GREETING[..n_known] {
        return Beginning::Foreign;
    }
    match bytes.iter().take(MOST_TEXT).position(|byte| *byte == b'\n') {
        Some(end) => match profile(&bytes[GREETING.len()..end]) {
            Some(profile) => Beginning::Whole(Incoming::Profile(profile), end + 1),
            None => Beginning::Foreign,
        },
        None if bytes.len() < MOST_TEXT => Beginning::Part,
        None => Beginning::Foreign,
    }
}

fn profile(text: &[u8]) -> Option<KinaestheticProfile> {
    let settings = SettingsText::new(std::str::from_utf8(text).ok()?);
    let number = |name| settings.read(name, "a number", |text| text.parse::<f64>().ok()).ok();
    let profile = KinaestheticProfile {
        n_axes: 1,
        period: number("period")?,
        delay: number("delay")?,
        damping: number("damping")?,
        mass: number("mass")?,
        most_force: number("force")?,
        most_slew: number("slew")?,
    };
    profile.is_valid().then_some(profile)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] =
        b"one-axis 1 mass=0.1 damping=0.5 period=0.001 delay=0.005 force=5 slew=400\n";

    fn decoded(bytes: &[u8]) -> (Vec<Incoming>, DecodeCounts) {
        let (mut decoder, mut all) = (OneAxisDecoder::default(), Vec::new());
        // The same in single bytes as at once.
        decoder.push(bytes, &mut |incoming| all.push(incoming));
        let (mut slow, mut one_by_one) = (OneAxisDecoder::default(), Vec::new());
        for byte in bytes {
            slow.push(&[*byte], &mut |incoming| one_by_one.push(incoming));
        }
        assert_eq!(all, one_by_one);
        assert_eq!(decoder.counts(), slow.counts());
        (all, decoder.counts())
    }

    #[test]
    fn a_force_is_six_bytes() {
        // 1.5 N are 1 500 000 uN: 16 E3 60 hexadecimal.
        assert_eq!(force_frame(1.5), [0x46, 0x60, 0xE3, 0x16, 0x00, 0x9F]);
        assert_eq!(force_frame(-1e-6), [0x46, 0xFF, 0xFF, 0xFF, 0xFF, 0x42]);
        assert_eq!(force_frame(f64::NAN), force_frame(0.0));
        assert_eq!(force_frame(f64::INFINITY), force_frame(0.0));
    }

    #[test]
    fn places_and_descriptions_are_read() {
        // Period 258, -2 mm: -2 000 000 nm are FF E1 7B 80.
        let place = [0x50, 0x02, 0x01, 0x80, 0x7B, 0xE1, 0xFF, 0x2E];
        let (all, counts) = decoded(&[TEXT, &place, &place].concat());
        let expected = Incoming::Place { number: 258, place: -2e-3 };
        let profile = KinaestheticProfile {
            n_axes: 1,
            period: 1e-3,
            delay: 5e-3,
            damping: 0.5,
            mass: 0.1,
            most_force: 5.0,
            most_slew: 400.0,
        };
        assert_eq!(all, [Incoming::Profile(profile), expected, expected]);
        assert_eq!((counts.records, counts.dropped_bytes), (2, 0));
    }

    #[test]
    fn a_damaged_frame_costs_itself_and_no_other() {
        let place = [0x50, 0x02, 0x01, 0x80, 0x7B, 0xE1, 0xFF, 0x2E];
        for at in 0..8 {
            let mut damaged = place;
            damaged[at] ^= 0x11;
            let (all, counts) = decoded(&[&place[..], &damaged, &place].concat());
            assert_eq!(all.len(), 2, "byte {at}");
            assert_eq!((counts.records, counts.dropped_records), (2, 1));
            assert_eq!(counts.dropped_bytes, 8);
        }
        let wrong = b"one-axis 1 mass=0 damping=0.5 period=0.001 delay=0 force=5 slew=400\n";
        assert_eq!(decoded(wrong).0, []);
        assert_eq!(decoded(&[b"one-axis 1 ".as_slice(), &[b'x'; 400]].concat()).0, []);
    }

    #[test]
    fn any_bytes_are_frames_or_dropped_and_the_next_frame_is_found() {
        let place = [0x50, 0x02, 0x01, 0x80, 0x7B, 0xE1, 0xFF, 0x2E];
        proptest::proptest!(|(bytes: Vec<u8>)| {
            let mut decoder = OneAxisDecoder::default();
            let mut last = None;
            decoder.push(&bytes, &mut |incoming| last = Some(incoming));
            // The bytes may end within a frame or a text.
            decoder.push(&[0; MOST_TEXT], &mut |incoming| last = Some(incoming));
            decoder.push(&place, &mut |incoming| last = Some(incoming));
            proptest::prop_assert_eq!(last, Some(Incoming::Place { number: 258, place: -2e-3 }));
        });
    }
}
