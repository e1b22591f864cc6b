//! Drivers for data gloves and magnetic trackers: bytes in, samples in SI units out.
//!
//! The devices:
//!
//! - [`cyberglove`]: a CyberGlove with 18 or 22 sensors, on its interface unit;
//! - [`polhemus`]: the Polhemus FASTRAK magnetic tracker, and the later LIBERTY and PATRIOT;
//! - [`opengloves`]: gloves that use the OpenGloves alpha encoding;
//! - [`one_axis`]: a kinaesthetic device with one axis.
//!
//! The parts that they share:
//!
//! - [`device`]: the trait that every driver implements;
//! - [`kinaesthetic`]: the trait of devices that measure where a fingertip is and push it;
//! - [`serial`]: the serial line, with time-outs, arrival times and the errors of a device;
//! - `decoded_line`: a decoder on a serial line: waits for a record, polls, streams and stops;
//! - [`line_source`]: opens the lines: a port of this machine, a recorded port or a recording;
//! - [`reconnect`]: wakes a device after silence and opens it again after a loss;
//! - [`ports`]: lists the ports of this machine; [`probe`]: identifies the device on a port;
//! - [`recording`]: the file with the raw bytes of all devices; [`recorder`] writes it and
//!   [`replay`] plays it;
//! - `damaged_stretch`: counts damaged records by their bytes;
//! - `settings_text`: the settings of a recorded device, as text in a recording;
//! - `side`: left and right;
//! - `transcript`: bytes as text, for tests.
//!
//! Each device has two parts. Its `protocol` turns bytes into records and requests into bytes; it
//! does no I/O and can be tested with transcripts. Its `driver` owns the port and the conversation.
//! Only a recorder starts a thread. Otherwise the caller owns the loop and calls `next_sample` with
//! the longest time to wait. Inches, centimetres and degrees do not leave this crate.

pub mod cyberglove;
mod damaged_stretch;
mod decoded_line;
pub mod device;
pub mod kinaesthetic;
pub mod line_source;
pub mod one_axis;
pub mod opengloves;
pub mod polhemus;
pub mod ports;
pub mod probe;
pub mod reconnect;
pub mod recorder;
pub mod recording;
pub mod replay;
pub mod serial;
mod settings_text;
mod side;
#[cfg(test)]
mod transcript;

pub use cyberglove::{
    CyberGlove, GloveInfo, GloveOptions, GloveSample, Sensor, SensorCounts, SensorMask,
};
pub use kinaesthetic::{KinaestheticDevice, KinaestheticProfile};
pub use one_axis::OneAxis;
pub use opengloves::{OpenGlove, OpenGloveSample};
pub use polhemus::{
    Condition, Fastrak, FastrakInfo, StylusSwitch, TrackerError, TrackerOptions, TrackerSample,
};
pub use serial::DeviceError;
pub use settings_text::SettingsError;
pub use side::Side;

/// Counts of the records that a decoder has handed out, and of the input that it has dropped.
///
/// A damaged record has no recognisable end. Therefore a stretch of dropped bytes between two good
/// records counts as its length in records, and as at least one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DecodeCounts {
    /// Records handed out.
    pub records: u64,
    /// Damaged records, estimated from their bytes.
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
