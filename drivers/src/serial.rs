//! The serial line: opens a port, reads whatever is there and stamps its arrival.
//!
//! Reads never ask for an exact length: `read_exact` loses the bytes it already has when it times
//! out, and a lost byte costs a whole record.

use std::io::{ErrorKind, Read, Write};
use std::time::{Duration, Instant};

use serialport::{DataBits, FlowControl, Parity, SerialPort, StopBits};

/// Why a device could not be opened or talked to.
///
/// [`DeviceError::HungUp`] ends the connection: drop the driver and open it again. The others say
/// that the conversation failed while the line itself was still there.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    #[error("cannot open {path} at {baud} baud")]
    Open { path: String, baud: u32, source: serialport::Error },
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
}

/// Longest wait for the port to take what we write; requests are a few bytes.
const WRITE_TIMEOUT: Duration = Duration::from_millis(500);
/// Bytes taken by one read: about twenty records, so one read can never fall far behind.
const READ_CHUNK: usize = 512;

/// One open port: 8 data bits, no parity, 1 stop bit, no flow control, ours alone.
///
/// Flow control stays off because XON and XOFF (0x11 and 0x13) are legal sensor values.
pub struct SerialLine {
    port: Box<dyn SerialPort>,
    path: String,
}

impl SerialLine {
    /// Opens `path`. The open is exclusive: two programs on one port would each get half a record.
    pub fn open(path: &str, baud: u32) -> Result<Self, DeviceError> {
        let builder = serialport::new(path, baud)
            .data_bits(DataBits::Eight)
            .parity(Parity::None)
            .stop_bits(StopBits::One)
            .flow_control(FlowControl::None)
            .timeout(WRITE_TIMEOUT);
        #[cfg(unix)]
        let builder = builder.exclusive(true);
        let port = builder.open().map_err(|source| DeviceError::Open {
            path: path.to_owned(),
            baud,
            source,
        })?;
        Ok(Self { port, path: path.to_owned() })
    }

    /// Where the port is; every error names it.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Writes all of `bytes`.
    pub fn write_all(&mut self, bytes: &[u8]) -> Result<(), DeviceError> {
        self.set_timeout(WRITE_TIMEOUT)?;
        match self.port.write_all(bytes) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == ErrorKind::TimedOut => {
                Err(DeviceError::Stalled { path: self.path.clone(), within: WRITE_TIMEOUT })
            }
            Err(error) => Err(self.hung_up(&error)),
        }
    }

    /// Waits up to `timeout` for bytes and appends what is there, at most a few hundred, to `into`.
    ///
    /// Gives the time of arrival, or `None` if nothing came. A peer that has gone is an error, never
    /// an endless row of empty reads.
    pub fn read_available(
        &mut self,
        into: &mut Vec<u8>,
        timeout: Duration,
    ) -> Result<Option<Instant>, DeviceError> {
        self.set_timeout(timeout)?;
        let mut chunk = [0; READ_CHUNK];
        match self.port.read(&mut chunk) {
            // Some platforms report a vanished port as an endless end of file.
            Ok(0) => Err(self.hung_up(&"end of file")),
            Ok(n_read) => {
                let arrival = Instant::now();
                into.extend_from_slice(&chunk[..n_read]);
                Ok(Some(arrival))
            }
            Err(error) => match error.kind() {
                ErrorKind::TimedOut | ErrorKind::WouldBlock | ErrorKind::Interrupted => Ok(None),
                _ => Err(self.hung_up(&error)),
            },
        }
    }

    /// Throws input away until nothing has come for `quiet`, for `at_most` that long.
    ///
    /// Says whether it became quiet.
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

    /// Sends `stop` and drains, up to three times, until the device is silent.
    ///
    /// A device may still be streaming because the last host died, and the first stop may be lost
    /// in the middle of a command which that host never finished.
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

    fn set_timeout(&mut self, timeout: Duration) -> Result<(), DeviceError> {
        self.port.set_timeout(timeout).map_err(|error| self.hung_up(&error))
    }

    fn hung_up(&self, reason: &dyn std::fmt::Display) -> DeviceError {
        DeviceError::HungUp { path: self.path.clone(), reason: reason.to_string() }
    }
}
