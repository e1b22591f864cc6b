//! The recording file: the raw bytes of all devices with their arrival times.
//!
//! The file holds bytes instead of samples so that a recording outlives today's decoders: bytes
//! that a driver misunderstood can be decoded again. The file holds everything that the devices
//! sent and received, and for each opening of a device the settings of its decoder.
//!
//! # The file
//!
//! A head, then chunks, one after the other to the end of the file. Numbers are least significant
//! byte first unless noted. A *varint* is a number in groups of seven bits, lowest group first; the
//! top bit is set in all bytes except the last.
//!
//! | Head | Bytes |
//! |---|---|
//! | magic | `89 50 4C 50 52 0D 0A 1A` |
//! | format version | 2 |
//! | length of the next two fields | 2 |
//! | wall clock when it began, in ms since 1970 | 8 |
//! | the program that wrote it, UTF-8 | at most 256 |
//! | CRC-32 of all of the above | 4 |
//!
//! | Chunk | Bytes |
//! |---|---|
//! | 7 bits of marker, `1010110`; 17 bits of the payload's length; high byte first | 3 |
//! | CRC-32 of the head's CRC, the three bytes above and the payload | 4 |
//! | payload: events | 1 to 73 728 |
//!
//! An event begins with a byte that holds its code (three high bits) and the device (five low
//! bits). Then come the microseconds since the event before, as a varint. In each chunk the time
//! begins again at zero, so that a chunk can be read without the chunks before it.
//!
//! | Code | Event | Then |
//! |---|---|---|
//! | 0 | opened | kind, name, settings |
//! | 1 | received | bytes |
//! | 2 | received; length as in this device's last code 1 in this chunk | only the bytes |
//! | 3 | sent | bytes |
//! | 4 | lost | reason |
//! | 5 | mark (device 0) | text |
//! | 6 | ended (device 0) | nothing; ends the file |
//! | 7 | the clock steps back (device 0) | no event: the varint is the size of the step |
//!
//! Texts and bytes are a varint of their length and the bytes themselves. Each device is read by
//! its own thread, so an event may reach the writer after a later one; code 7 keeps its time exact.
//!
//! # Damage
//!
//! A chunk is written by one call and is good or bad as a whole. A bad chunk is reported with its
//! position, and reading continues at the next position where marker, length and checksum agree.
//! The checksum begins with that of the head, so a chunk of another recording is never taken for
//! one of this. A file that stops without an ended event was cut: the program died or the disk was
//! full. Everything before the cut is read, and the cut is reported last. Only a chunk that is
//! missing as a whole, with nothing in its place, cannot be detected; the writer stops at its first
//! failure in order not to leave such a gap.
//!
//! # Size
//!
//! A 24-byte glove record at 100 Hz costs 4 extra bytes, with its share of the chunk. With a
//! tracker at 120 Hz beside the glove, each record costs 3.5 extra bytes.

mod codec;
mod event;
mod header;
mod read_buffer;
mod reader;
mod summary;
mod writer;

#[cfg(test)]
mod tests;

pub(crate) use event::WOKEN;
pub use event::{Bytes, DeviceId, Event, EventKind};
pub use header::{FORMAT_VERSION, RecordingHeader};
pub use reader::{RecordingError, RecordingReader};
pub use summary::{DeviceSummary, Ending, RecordingSummary};
pub use writer::{Existing, RecordingWriter, WriteError};

/// Most bytes of one event; a longer piece, received or sent, becomes several events.
pub const MAX_BYTES: usize = 64 * 1024;
/// Longest name of a kind of device, in bytes.
pub const MAX_KIND: usize = 64;
/// Longest port name, reason or mark, in bytes; longer ones are cut.
pub const MAX_TEXT: usize = 1024;
