//! A recording: the raw bytes of all devices with their arrival times, in one file.
//!
//! Bytes are kept instead of samples so that a recording outlives today's decoders: what a driver
//! misunderstood can be decoded again. What the devices said and were told is all that is in it; how
//! to set up a decoder is in the bytes that the driver hands over when a device is opened.
//!
//! # The file
//!
//! A head, then chunks, one after the other to the end of the file. Numbers are least significant
//! byte first unless noted; a *varint* is a number in groups of seven bits, lowest group first, the
//! top bit set in all bytes but the last.
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
//! | 7 bits of marker, `1010110`, and 17 bits of the payload's length; most significant byte first | 3 |
//! | CRC-32 of the head's CRC, the three bytes above and the payload | 4 |
//! | payload: events | 1 to 73 728 |
//!
//! An event begins with a byte that holds what it is (three high bits) and the device (five low
//! bits), then the microseconds since the event before as a varint. In each chunk time begins anew
//! at zero, so that a chunk can be read without the chunks before it.
//!
//! | Code | Event | Then |
//! |---|---|---|
//! | 0 | opened | kind, name, settings |
//! | 1 | received | bytes |
//! | 2 | received, as many bytes as this device's last event of code 1 in this chunk | the bytes alone |
//! | 3 | sent | bytes |
//! | 4 | lost | reason |
//! | 5 | mark (device 0) | text |
//! | 6 | ended (device 0) | nothing; ends the file |
//! | 7 | the clock steps back (device 0) | no event: its varint is how far |
//!
//! Texts and bytes are a varint of their length and the bytes themselves. Devices are read by threads
//! of their own, so an event may be handed over after one that came later; code 7 keeps its time
//! exact.
//!
//! # Damage
//!
//! A chunk is written by one call and is good or bad as a whole. A bad chunk is reported with its
//! place, and reading goes on at the next place where marker, length and checksum agree; the
//! checksum begins with that of the head, so no chunk of another recording can be taken for one of
//! this. A file that stops without an ended event was cut: the program died or the disk was full.
//! What was written before the cut is read and the cut is reported last. Only a chunk that is missing
//! as a whole, with nothing in its place, cannot be seen; the writer stops at its first failure so as
//! not to leave such a gap.
//!
//! # Size
//!
//! A 24-byte glove record at 100 Hz costs 4 bytes more than its own, the chunk's share included;
//! with a tracker at 120 Hz beside it a record costs 3.5 bytes.

mod codec;
mod event;
mod head;
mod reader;
mod summary;
mod window;
mod writer;

#[cfg(test)]
mod tests;

pub use event::{Bytes, DeviceId, Event, What};
pub use head::{FORMAT_VERSION, RecordingHeader};
pub use reader::{RecordingError, RecordingReader};
pub use summary::{DeviceSummary, Ending, RecordingSummary};
pub use writer::{Existing, RecordingWriter, WriteError};

/// Most bytes of one event; what is received or sent in one piece beyond that becomes several.
pub const MAX_BYTES: usize = 64 * 1024;
/// Longest name of a kind of device, in bytes.
pub const MAX_KIND: usize = 64;
/// Longest port name, reason or mark, in bytes; longer ones are cut.
pub const MAX_TEXT: usize = 1024;
