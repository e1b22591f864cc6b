//! The trait that every driver implements: start, read, wake, and its settings as text.

use std::time::Duration;

use crate::DecodeCounts;
use crate::serial::{DeviceError, SerialLine};

/// A device that can be read, woken and opened again.
pub trait Device: Sized {
    type Options: Clone;
    type Sample;
    /// Name of this kind of device in recordings.
    const KIND: &'static str;

    fn baud(options: &Self::Options) -> u32;
    /// Sets the device up and starts its stream.
    fn start(line: SerialLine, options: &Self::Options) -> Result<Self, DeviceError>;
    /// Continues a stream that was set up before, perhaps in an old recording.
    ///
    /// `settings` is the text that [`Self::settings`] returned then. Sends nothing to the device.
    fn resume(line: SerialLine, settings: &str) -> Result<Self, DeviceError>;
    /// Everything that is needed to decode the device's bytes, as text.
    fn settings(&self) -> String;
    /// The next sample; `None` if none came within `patience`. An error means that the device is
    /// gone.
    fn next_sample(&mut self, patience: Duration) -> Result<Option<Self::Sample>, DeviceError>;
    /// Starts the stream again.
    fn wake(&mut self) -> Result<(), DeviceError>;
    /// Approximate time between two samples.
    fn period(&self) -> Duration;
    fn counts(&self) -> DecodeCounts;
}
