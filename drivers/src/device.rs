//! The trait that every driver implements: start, read, wake, and its settings as text.

use std::time::Duration;

use crate::DecodeCounts;
use crate::serial::{DeviceError, SerialLine};

/// Target of the warnings about devices that could not be put back. A program whose other messages
/// would damage its display can still show these.
pub const LEFT_BEHIND: &str = "left_behind";

/// A device that can be read, woken and opened again.
///
/// Dropping it ends its stream, and puts it back to the settings in which it was found.
pub trait Device: Sized {
    type Options: Clone;
    type Sample;
    /// What a device must be put back to, as long as it is lost; empty if there is nothing.
    type Memory: Default + Send + 'static;
    /// Name of this kind of device in recordings.
    const KIND: &'static str;
    /// Longest time that the end of a device takes, from the last sample on.
    const FAREWELL: Duration = Duration::from_millis(400);

    /// True if the end of the device puts settings back that its start had changed.
    const IS_PUT_BACK: bool = false;

    fn baud(options: &Self::Options) -> u32;
    /// Sets the device up and starts its stream.
    ///
    /// `memory` is that of an earlier loss. The new device takes it; if it cannot be started, the
    /// memory says what must still be put back.
    fn start(
        line: SerialLine,
        options: &Self::Options,
        memory: &mut Self::Memory,
    ) -> Result<Self, DeviceError>;
    /// Ends a device that is lost: it cannot be put back now.
    fn abandon(self) -> Self::Memory;
    /// What other programs find changed in a device that was not put back; `None` for nothing.
    fn left_behind(_memory: &Self::Memory, _options: &Self::Options) -> Option<String> {
        None
    }
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
