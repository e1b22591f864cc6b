//! The handle of a running emulated device.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use crate::device_event::{DeviceEvent, Feedback};
use crate::device_on_line::{DeviceOnLine, EmulatedDevice};
use crate::fault::{DeviceKind, FaultPlanError};
use crate::line_options::LineOptions;
use crate::line_report::{LineLog, LineReport, SentRecord};
use crate::port_name::PortName;
use crate::pty::Pty;
use crate::serve::{EmulatorControl, Terminal, serve};

/// Reason why an emulated device could not be started or plugged in.
#[derive(Debug, thiserror::Error)]
pub enum EmulatorError {
    #[error("cannot make a pseudo-terminal")]
    Pty(#[source] io::Error),
    #[error("cannot make a name for the port in the temporary folder")]
    Name(#[source] io::Error),
    #[error("no device streams at {0} Hz, expected 2 to 120 Hz")]
    StreamRate(f64),
    #[error("no line has {0} baud, expected 300 to 4000000")]
    Baud(u32),
    #[error(
        "the one-axis device has numbers that no device can have, expected a mass, a force and a \
         period above zero, and finite numbers"
    )]
    OneAxis,
    #[error("these faults are not possible")]
    Faults(#[from] FaultPlanError),
    #[error("cannot start the emulator's thread")]
    Thread(#[source] io::Error),
    #[error("the emulator's thread has ended")]
    Ended,
}

impl EmulatorError {
    /// Refuses rates that a device cannot have, and thus infinite periods and periods of zero.
    pub(crate) fn check_stream_hz(stream_hz: f64) -> Result<(), Self> {
        if (2.0..=120.0).contains(&stream_hz) { Ok(()) } else { Err(Self::StreamRate(stream_hz)) }
    }

    fn check_line(options: &LineOptions, device: DeviceKind) -> Result<(), Self> {
        match options.baud.filter(|baud| !(300..=4_000_000).contains(baud)) {
            Some(baud) => Err(Self::Baud(baud)),
            None => Ok(options.faults.check_for(device)?),
        }
    }
}

/// Port name under which a device is plugged in again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlugName {
    Same,
    /// Another name in the same folder, as for an adapter in another socket.
    Other,
}

/// A running emulated device. Dropping it ends the thread and hangs up on the host.
pub struct Emulator {
    name: &'static str,
    path: String,
    n_names: u32,
    control: Arc<EmulatorControl>,
    log: Arc<Mutex<LineLog>>,
    thread: Option<JoinHandle<()>>,
}

/// Names of a kind of device.
pub(crate) struct Names {
    /// For texts on the screen.
    pub(crate) device: &'static str,
    pub(crate) thread: &'static str,
    pub(crate) port: &'static str,
    pub(crate) kind: DeviceKind,
}

impl Emulator {
    pub(crate) fn start(
        names: &Names,
        device: impl EmulatedDevice,
        options: &LineOptions,
    ) -> Result<Self, EmulatorError> {
        EmulatorError::check_line(options, names.kind)?;
        let port_name = PortName::reserve(names.port).map_err(EmulatorError::Name)?;
        let pty = Pty::open().map_err(EmulatorError::Pty)?;
        port_name.point_to(pty.path()).map_err(EmulatorError::Name)?;
        let path = port_name.path().to_owned();
        let control = Arc::new(EmulatorControl::new(pty.path()));
        let peer = DeviceOnLine::new(device, options, Instant::now());
        let log = peer.queue.shared_log();
        let terminal = Terminal::new(pty, port_name, options);
        let thread = std::thread::Builder::new()
            .name(names.thread.to_owned())
            .spawn({
                let control = Arc::clone(&control);
                move || serve(terminal, peer, &control)
            })
            .map_err(EmulatorError::Thread)?;
        tracing::info!(name = names.device, path, "emulator is running");
        Ok(Self { name: names.device, path, n_names: 1, control, log, thread: Some(thread) })
    }

    /// Path that a driver opens like a serial port. It is a link that stays the same while the
    /// terminal behind it changes; while the device is unplugged it does not exist.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The terminal behind [`path`](Self::path) at present; `None` while unplugged.
    pub fn terminal(&self) -> Option<String> {
        self.control.terminal()
    }

    /// Name of the kind of device, for texts on the screen.
    pub fn name(&self) -> &str {
        self.name
    }

    /// Number of data records that were sent, polled and streamed, whole and damaged.
    pub fn records_sent(&self) -> u64 {
        self.log().report.n_sent()
    }

    /// Number of data records that were due but not sent.
    pub fn records_dropped(&self) -> u64 {
        self.log().report.records_withheld.total()
    }

    /// The counts of all data records until now.
    pub fn report(&self) -> LineReport {
        self.log().report.clone()
    }

    /// The newest data records as the device made them, oldest first; at most
    /// [`LineOptions::journal_capacity`].
    pub fn journal(&self) -> Vec<SentRecord> {
        self.log().journal.iter().cloned().collect()
    }

    /// Feedback that the wearer feels and sees.
    pub fn feedback(&self) -> Feedback {
        self.control.feedback()
    }

    /// The forces that a LucidGlove received last, thumb to pinkie.
    pub fn last_forces(&self) -> Option<[u16; 5]> {
        self.feedback().forces
    }

    /// Applies an event to the device; returns after it has been applied.
    pub fn happen(&self, event: DeviceEvent) {
        self.control.happen(event);
    }

    /// Unplugs the device. After this returns, the host's next read or write fails and the port
    /// name is gone. The device itself keeps its power and its settings.
    pub fn unplug(&self) {
        self.control.unplug();
    }

    /// Plugs the device in again, on a new terminal. Does nothing if it is plugged in.
    pub fn plug_in(&mut self, name: PlugName) -> Result<(), EmulatorError> {
        if self.control.terminal().is_some() {
            return Ok(());
        }
        if name == PlugName::Other {
            self.n_names += 1;
        }
        self.path = self.control.plug_in(self.n_names)?;
        Ok(())
    }

    fn log(&self) -> std::sync::MutexGuard<'_, LineLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        self.control.end();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!(path = self.path, "emulator thread panicked");
        }
    }
}
