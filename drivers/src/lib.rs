//! Drivers for the glove and the tracker: bytes in, samples in SI units out.
//!
//! - [`serial`]: the line itself, time-outs, arrival stamps, and what can go wrong with a device;
//! - `link`: what both drivers do with a decoder on a line (wait for one, poll, stream, stop);
//! - [`cyberglove`]: an 18- or 22-sensor CyberGlove on its interface unit;
//! - [`polhemus`]: a Polhemus FASTRAK magnetic tracker.
//!
//! Each device is split in two. `protocol` turns bytes into records and requests into bytes; it
//! does no I/O and can be tested with transcripts. `driver` owns the port and the conversation.
//! Nothing here starts a thread: the caller owns the loop and calls `next_sample` with the time it
//! is willing to wait. Inches, centimetres and degrees do not leave this crate.

pub mod cyberglove;
mod link;
pub mod polhemus;
pub mod serial;
#[cfg(test)]
mod transcript;

pub use cyberglove::{CyberGlove, GloveInfo, GloveSample, Hand, Sensor, SensorCounts, SensorMask};
pub use polhemus::{Condition, Fastrak, FastrakInfo, TrackerSample};
pub use serial::DeviceError;

/// What a decoder did with the bytes it has seen so far.
///
/// Dropped bytes are counted apart from dropped records because a damaged tracker record has no
/// recognisable length: it is only bytes that did not fit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DecodeCounts {
    /// Records handed out.
    pub records: u64,
    /// Pieces of input that were framed like a record but were not one.
    pub dropped_records: u64,
    /// Bytes that belong to no record that was handed out.
    pub dropped_bytes: u64,
}
