//! The handle of a running emulated device.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use crate::event::{DeviceEvent, Feedback};
use crate::fault::{DeviceKind, FaultPlanError};
use crate::line::LineOptions;
use crate::peer::{Device, Peer};
use crate::port_name::PortName;
use crate::pty::Pty;
use crate::report::{JournalEntry, Ledger, LineReport};
use crate::serve::{Desk, Terminal, serve};

/// Why an emulated device could not be started or plugged in.
#[derive(Debug, thiserror::Error)]
pub enum EmulatorError {
    #[error("cannot make a pseudo-terminal")]
    Pty(#[source] io::Error),
    #[error("cannot make a name for the port in the temporary folder")]
    Name(#[source] io::Error),
    #[error("a stream of {0} Hz is out of the devices' reach, 2 to 120 Hz")]
    StreamRate(f64),
    #[error("a line of {0} baud carries nothing; expected 300 to 4000000")]
    Baud(u32),
    #[error("these faults cannot be")]
    Faults(#[from] FaultPlanError),
    #[error("cannot start the emulator's thread")]
    Thread(#[source] io::Error),
    #[error("the emulator's thread has ended")]
    Ended,
}

impl EmulatorError {
    /// Refuses rates that a device cannot have, and with them endless or empty periods.
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

/// Under which name a device is plugged in again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlugName {
    Same,
    /// Another one in the same folder, as an adapter in another socket gets.
    Other,
}

/// A running emulated device. Dropping it ends the thread and hangs up on the host.
pub struct Emulator {
    name: &'static str,
    path: String,
    n_names: u32,
    desk: Arc<Desk>,
    ledger: Arc<Mutex<Ledger>>,
    thread: Option<JoinHandle<()>>,
}

/// What to call a kind of device.
pub(crate) struct Names {
    /// For a person.
    pub(crate) device: &'static str,
    pub(crate) thread: &'static str,
    pub(crate) port: &'static str,
    pub(crate) kind: DeviceKind,
}

impl Emulator {
    pub(crate) fn start(
        names: &Names,
        device: impl Device,
        options: &LineOptions,
    ) -> Result<Self, EmulatorError> {
        EmulatorError::check_line(options, names.kind)?;
        let port_name = PortName::reserve(names.port).map_err(EmulatorError::Name)?;
        let pty = Pty::open().map_err(EmulatorError::Pty)?;
        port_name.point_to(pty.path()).map_err(EmulatorError::Name)?;
        let path = port_name.path().to_owned();
        let desk = Arc::new(Desk::new(pty.path()));
        let peer = Peer::new(device, options, Instant::now());
        let ledger = peer.outbox.shared_ledger();
        let terminal = Terminal::new(pty, port_name, options);
        let thread = std::thread::Builder::new()
            .name(names.thread.to_owned())
            .spawn({
                let desk = Arc::clone(&desk);
                move || serve(terminal, peer, &desk)
            })
            .map_err(EmulatorError::Thread)?;
        tracing::info!(name = names.device, path, "emulator is running");
        Ok(Self { name: names.device, path, n_names: 1, desk, ledger, thread: Some(thread) })
    }

    /// What a driver opens in place of a serial port: a link that stays while the terminal behind it
    /// changes, and is missing while the device is unplugged.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The terminal behind [`path`](Self::path) at this moment; `None` while unplugged.
    pub fn terminal(&self) -> Option<String> {
        self.desk.terminal()
    }

    /// What this is, for a person.
    pub fn name(&self) -> &str {
        self.name
    }

    /// Data records given to the line so far, polled and streamed, whole and damaged.
    pub fn records_sent(&self) -> u64 {
        self.ledger().report.n_sent()
    }

    /// Data records that were due but not sent.
    pub fn records_dropped(&self) -> u64 {
        self.ledger().report.records_withheld.total()
    }

    /// The account of all data records so far.
    pub fn report(&self) -> LineReport {
        self.ledger().report.clone()
    }

    /// The newest data records as the device made them, oldest first;
    /// [`LineOptions::journal_capacity`] says how many.
    pub fn journal(&self) -> Vec<JournalEntry> {
        self.ledger().journal.iter().cloned().collect()
    }

    /// What the device lets its wearer feel and see.
    pub fn feedback(&self) -> Feedback {
        self.desk.feedback()
    }

    /// The last force line that a LucidGlove was sent, thumb to pinkie.
    pub fn last_forces(&self) -> Option<[u16; 5]> {
        self.feedback().forces
    }

    /// Does something to the device; returns when it has happened.
    pub fn happen(&self, event: DeviceEvent) {
        self.desk.happen(event);
    }

    /// Pulls the plug: when this returns, the host's next read or write fails and the name is gone.
    /// The device itself keeps its power and its settings.
    pub fn unplug(&self) {
        self.desk.unplug();
    }

    /// Plugs the device in again, on a new terminal. Does nothing if it is plugged in.
    pub fn plug_in(&mut self, name: PlugName) -> Result<(), EmulatorError> {
        if self.desk.terminal().is_some() {
            return Ok(());
        }
        if name == PlugName::Other {
            self.n_names += 1;
        }
        self.path = self.desk.plug_in(self.n_names)?;
        Ok(())
    }

    fn ledger(&self) -> std::sync::MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        self.desk.end();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!(path = self.path, "emulator thread panicked");
        }
    }
}
