//! Drivers for the glove and the tracker: bytes in, samples in SI units out.
//!
//! - [`serial`]: the line itself, time-outs, arrival stamps, and what can go wrong with a device;
//! - [`ports`]: which ports there are; [`probe`]: what is on one;
//! - [`keeper`]: keeps a device over silence, loss and return;
//! - `link`: what both drivers do with a decoder on a line (wait for one, poll, stream, stop);
//! - [`cyberglove`]: an 18- or 22-sensor CyberGlove on its interface unit;
//! - [`polhemus`]: a Polhemus FASTRAK magnetic tracker;
//! - [`opengloves`]: gloves that speak the OpenGloves alpha encoding;
//! - [`recording`]: the raw bytes of all devices in a file; [`recorder`] and [`replay`] write and
//!   play it; `settings`: how a device was set up, as words in it;
//! - `transcript`: bytes as text, for tests.
//!
//! Each device is split in two. `protocol` turns bytes into records and requests into bytes; it
//! does no I/O and can be tested with transcripts. `driver` owns the port and the conversation.
//! Nothing here starts a thread but a recorder: the caller owns the loop and calls `next_sample`
//! with the time it is willing to wait. Inches, centimetres and degrees do not leave this crate.

pub mod cyberglove;
pub mod keeper;
mod link;
pub mod opengloves;
pub mod polhemus;
pub mod ports;
pub mod probe;
pub mod recorder;
pub mod recording;
pub mod replay;
pub mod serial;
mod settings;
#[cfg(test)]
mod transcript;

pub use cyberglove::{
    CyberGlove, GloveInfo, GloveOptions, GloveSample, Hand, Sensor, SensorCounts, SensorMask,
};
pub use opengloves::{OpenGlove, OpenGloveSample};
pub use polhemus::{
    Condition, Fastrak, FastrakInfo, StylusSwitch, TrackerError, TrackerOptions, TrackerSample,
};
pub use serial::DeviceError;
pub use settings::SettingsError;

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

impl std::ops::AddAssign for DecodeCounts {
    fn add_assign(&mut self, other: Self) {
        self.records += other.records;
        self.dropped_records += other.dropped_records;
        self.dropped_bytes += other.dropped_bytes;
    }
}
