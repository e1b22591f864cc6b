//! Encodes events into chunks and decodes chunks into events. No I/O.

mod build;
mod parse;

pub(super) use build::ChunkBuilder;
pub(super) use parse::{ChunkEvents, Malformed};

use super::{MAX_BYTES, MAX_KIND, MAX_TEXT};

/// Bytes of a chunk's head: three of marker and length, four of checksum.
pub(super) const CHUNK_HEAD: usize = 7;
/// Bytes of payload at which a chunk is written.
pub(super) const FULL: usize = 4096;
/// Longest payload: an almost full chunk and the longest event.
pub(super) const MAX_PAYLOAD: usize = 72 * 1024;

const MARKER: u8 = 0b1010_1100;
const MARKER_BITS: u8 = 0b1111_1110;
/// Upper bound for the bytes of one event's code, time with a step back, and lengths.
const MAX_EVENT_HEAD: usize = 64;
const _: () = assert!(FULL + MAX_EVENT_HEAD + MAX_KIND + MAX_TEXT + MAX_BYTES <= MAX_PAYLOAD);
const _: () = assert!(MAX_PAYLOAD < 1 << 17, "the length has 17 bits");

/// Kind of an event, in the three high bits of its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Code {
    Opened = 0,
    Received = 1,
    ReceivedAlike = 2,
    Sent = 3,
    Lost = 4,
    Mark = 5,
    Ended = 6,
    StepBack = 7,
}

impl Code {
    fn from_first_byte(byte: u8) -> Self {
        match byte >> 5 {
            0 => Self::Opened,
            1 => Self::Received,
            2 => Self::ReceivedAlike,
            3 => Self::Sent,
            4 => Self::Lost,
            5 => Self::Mark,
            6 => Self::Ended,
            // 7: the shift leaves three bits.
            _ => Self::StepBack,
        }
    }
}

/// True if a chunk may begin with this byte.
pub(super) fn is_marker(byte: u8) -> bool {
    byte & MARKER_BITS == MARKER
}

/// The first three bytes of a chunk.
fn marked_length(payload_length: usize) -> [u8; 3] {
    let length = payload_length as u32;
    [MARKER | (length >> 16) as u8, (length >> 8) as u8, length as u8]
}

/// The payload's length in the first three bytes of a chunk; `None` if no chunk begins with them.
pub(super) fn payload_length(marked: [u8; 3]) -> Option<usize> {
    let [high, middle, low] = marked;
    let length =
        usize::from(high & !MARKER_BITS) << 16 | usize::from(middle) << 8 | usize::from(low);
    (is_marker(high) && (1..=MAX_PAYLOAD).contains(&length)).then_some(length)
}

/// The checksum of a chunk in the recording whose head has the checksum `seed`.
pub(super) fn checksum(seed: u32, marked_length: [u8; 3], payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new_with_initial(seed);
    hasher.update(&marked_length);
    hasher.update(payload);
    hasher.finalize()
}
