//! Sources of a device's lines: a port of this machine, a recorded port, or a recording.

use crate::serial::{DeviceError, SerialLine};

/// Opens lines to a device, and receives its connection events.
pub trait LineSource: Send {
    /// A new line to the device at `path`.
    fn open(&mut self, path: &str, baud: u32) -> Result<OpenedLine, DeviceError>;
    /// Receives an event of the device on the line that was opened last.
    fn report(&mut self, event: ConnectionEvent<'_>);
}

/// A line that has just been opened.
pub enum OpenedLine {
    /// The driver must set up the device.
    Fresh(SerialLine),
    /// The device was set up before, with these settings.
    SetUp(SerialLine, String),
}

/// A change in the connection to the device on a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionEvent<'a> {
    Ready { kind: &'static str, path: &'a str, settings: &'a str },
    Lost { reason: &'a str },
}

/// The ports of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemLines;

impl LineSource for SystemLines {
    fn open(&mut self, path: &str, baud: u32) -> Result<OpenedLine, DeviceError> {
        Ok(OpenedLine::Fresh(SerialLine::open(path, baud)?))
    }

    /// Does nothing: `ReconnectingDevice::presence` gives the same information.
    fn report(&mut self, _event: ConnectionEvent<'_>) {}
}
