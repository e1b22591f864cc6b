//! The serial line: opens a port, reads the bytes that are available and notes their arrival time.
//!
//! Reads never ask for an exact length: when `read_exact` times out, it loses the bytes that it
//! already has, and a lost byte costs a whole record.

use std::io::{self, ErrorKind, Read, Write};
use std::time::{Duration, Instant};

use serialport::{DataBits, FlowControl, Parity, SerialPort, StopBits};

use crate::settings_text::SettingsError;

/// Reason why a device could not be opened or did not answer.
///
/// [`DeviceError::HungUp`] ends the connection: drop the driver and open it again. With all other
/// errors the conversation failed while the line itself was still there.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    #[error("cannot open {path} at {baud} baud")]
    Open { path: String, baud: u32, source: OpenError },
    #[error("{path} hung up: {reason}")]
    HungUp { path: String, reason: String },
    #[error("{path} took no bytes for {} ms", within.as_millis())]
    Stalled { path: String, within: Duration },
    #[error("{path} gave no answer to {request} within {} ms", within.as_millis())]
    NoAnswer { path: String, request: String, within: Duration },
    #[error("{path} answered {request} with {got}, expected {want}")]
    UnexpectedAnswer { path: String, request: String, got: String, want: &'static str },
    #[error("{path} is not ready: {reason}")]
    NotReady { path: String, reason: &'static str },
    #[error("{path} was recorded with settings that are not understood")]
    Settings { path: String, source: SettingsError },
    #[error("{path} was not there at this moment of the recording")]
    NotYet { path: String },
    #[error("{path} has ended")]
    Ended { path: String },
    #[error("{path} has sent nothing for {} s", within.as_secs())]
    Silent { path: String, within: Duration },
    #[error("{path} has sent only damaged or foreign data for {} s", within.as_secs())]
    Garbled { path: String, within: Duration },
}

/// Reason why a port cannot be opened, with what helps.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("{0}; on most systems, membership in the group `dialout` helps")]
    Permission(serialport::Error),
    #[error("{0}; another program has it open")]
    Taken(serialport::Error),
    #[error("it is {0}, not a serial port")]
    NotAPort(&'static str),
    #[error(transparent)]
    Other(serialport::Error),
}

impl OpenError {
    fn new(path: &str, error: serialport::Error) -> Self {
        let kind = std::fs::metadata(path).map(|found| found.file_type());
        match kind {
            Ok(kind) if kind.is_dir() => return Self::NotAPort("a folder"),
            Ok(kind) if kind.is_file() => return Self::NotAPort("a file"),
            Ok(_) | Err(_) => {}
        }
        let text = error.to_string();
        if text.contains("ermission denied") {
            Self::Permission(error)
        } else if text.contains("busy") || text.contains("exclusive lock") {
            Self::Taken(error)
        } else if text.contains("typewriter") || text.contains("Inappropriate ioctl") {
            Self::NotAPort("another device")
        } else {
            Self::Other(error)
        }
    }
}

/// Longest wait for the port to take what we write; requests are a few bytes.
const WRITE_TIMEOUT: Duration = Duration::from_millis(500);
/// Bytes taken by one read: about twenty records, so one read can never fall far behind.
const READ_CHUNK: usize = 512;

/// The bytes in and out of a line: a serial port, or a recording of one.
pub trait Wire: Send {
    /// Waits up to `timeout` for bytes, reads those that are available and returns their number.
    ///
    /// A time-out is an error of the kind [`ErrorKind::TimedOut`]. If the peer is gone, the result
    /// is another error or 0.
    fn read(&mut self, into: &mut [u8], timeout: Duration) -> io::Result<usize>;

    /// Writes all of `bytes`, within `timeout`.
    fn write_all(&mut self, bytes: &[u8], timeout: Duration) -> io::Result<()>;
}

/// Receives a copy of all bytes that pass over a line.
pub trait Tap: Send {
    fn received(&mut self, bytes: &[u8], at: Instant);
    fn sent(&mut self, bytes: &[u8], at: Instant);
}

/// One open line.
pub struct SerialLine {
    wire: Box<dyn Wire>,
    path: String,
    tap: Option<Box<dyn Tap>>,
}

impl SerialLine {
    /// Opens the port at `path`: 8 data bits, no parity, 1 stop bit, no flow control, exclusive.
    ///
    /// Flow control stays off because XON and XOFF (0x11 and 0x13) are valid sensor values. The
    /// port is exclusive because two programs on one port would each get half a record.
    pub fn open(path: &str, baud: u32) -> Result<Self, DeviceError> {
        let builder = serialport::new(path, baud)
            .data_bits(DataBits::Eight)
            .parity(Parity::None)
            .stop_bits(StopBits::One)
            .flow_control(FlowControl::None)
            .timeout(WRITE_TIMEOUT);
        #[cfg(unix)]
        let builder = builder.exclusive(true);
        let port = builder.open().map_err(|error| DeviceError::Open {
            path: path.to_owned(),
            baud,
            source: OpenError::new(path, error),
        })?;
        Ok(Self::over(Box::new(Port(port)), path))
    }

    /// A line over another wire; every error names it by `path`.
    pub fn over(wire: Box<dyn Wire>, path: &str) -> Self {
        Self { wire, path: path.to_owned(), tap: None }
    }

    /// The same line; from now on `tap` gets a copy of all bytes.
    pub fn tapped(self, tap: Box<dyn Tap>) -> Self {
        Self { tap: Some(tap), ..self }
    }

    /// Path of the port; every error names it.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Writes all of `bytes`.
    pub fn write_all(&mut self, bytes: &[u8]) -> Result<(), DeviceError> {
        self.write_all_within(bytes, WRITE_TIMEOUT)
    }

    /// Same as [`write_all`](Self::write_all), with another longest wait.
    pub fn write_all_within(&mut self, bytes: &[u8], within: Duration) -> Result<(), DeviceError> {
        if let Some(tap) = &mut self.tap {
            tap.sent(bytes, Instant::now());
        }
        match self.wire.write_all(bytes, within) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == ErrorKind::TimedOut => {
                Err(DeviceError::Stalled { path: self.path.clone(), within })
            }
            Err(error) => Err(self.hung_up(&error)),
        }
    }

    /// Waits up to `timeout` for bytes and appends those that are available, at most
    /// `READ_CHUNK`, to `into`.
    ///
    /// Returns the time of arrival, or `None` if nothing came. If the peer is gone, the result is
    /// an error, never an endless series of empty reads.
    pub fn read_available(
        &mut self,
        into: &mut Vec<u8>,
        timeout: Duration,
    ) -> Result<Option<Instant>, DeviceError> {
        let mut chunk = [0; READ_CHUNK];
        match self.wire.read(&mut chunk, timeout) {
            // Some platforms report a vanished port as an endless end of file.
            Ok(0) => Err(self.hung_up(&"end of file")),
            Ok(n_read) => {
                let arrival = Instant::now();
                if let Some(tap) = &mut self.tap {
                    tap.received(&chunk[..n_read], arrival);
                }
                into.extend_from_slice(&chunk[..n_read]);
                Ok(Some(arrival))
            }
            Err(error) => match error.kind() {
                ErrorKind::TimedOut | ErrorKind::WouldBlock | ErrorKind::Interrupted => Ok(None),
                _ => Err(self.hung_up(&error)),
            },
        }
    }

    /// Discards input until nothing has come for `quiet`; gives up after `at_most`.
    ///
    /// Returns true if the line became quiet.
    pub fn drain_until_quiet(
        &mut self,
        quiet: Duration,
        at_most: Duration,
    ) -> Result<bool, DeviceError> {
        let deadline = Instant::now() + at_most;
        let mut discarded = Vec::with_capacity(READ_CHUNK);
        loop {
            let quiet_since = Instant::now();
            discarded.clear();
            let arrival = self.read_available(&mut discarded, quiet)?;
            // An interrupted wait returns early and proves no silence.
            if arrival.is_none() && quiet_since.elapsed() >= quiet {
                return Ok(true);
            }
            if Instant::now() >= deadline {
                return Ok(false);
            }
        }
    }

    /// Sends `stop` and discards input, up to three times, until the device is silent. Returns true
    /// if it is.
    ///
    /// A device may still be streaming because the last host died. The first stop may be lost: the
    /// device may take it as part of a command that the last host did not finish.
    pub fn silence(&mut self, stop: &[u8], quiet: Duration) -> Result<bool, DeviceError> {
        for _ in 0..3 {
            self.write_all(stop)?;
            if self.drain_until_quiet(quiet, 10 * quiet)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(crate) fn no_answer(&self, request: impl Into<String>, within: Duration) -> DeviceError {
        DeviceError::NoAnswer { path: self.path.clone(), request: request.into(), within }
    }

    fn hung_up(&self, reason: &dyn std::fmt::Display) -> DeviceError {
        DeviceError::HungUp { path: self.path.clone(), reason: reason.to_string() }
    }
}

/// A port of this machine.
struct Port(Box<dyn SerialPort>);

impl Wire for Port {
    fn read(&mut self, into: &mut [u8], timeout: Duration) -> io::Result<usize> {
        self.0.set_timeout(timeout)?;
        self.0.read(into)
    }

    fn write_all(&mut self, bytes: &[u8], timeout: Duration) -> io::Result<()> {
        self.0.set_timeout(timeout)?;
        self.0.write_all(bytes)
    }
}
