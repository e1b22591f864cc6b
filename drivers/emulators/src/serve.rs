//! Runs one emulated device on its pseudo-terminal, in one named thread.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::outbox::Outbox;
use crate::pty::Pty;

/// Why an emulated device could not be started.
#[derive(Debug, thiserror::Error)]
pub enum EmulatorError {
    #[error("cannot make a pseudo-terminal")]
    Pty(#[source] io::Error),
    #[error("a stream of {0} Hz is out of the devices' reach, 2 to 120 Hz")]
    StreamRate(f64),
    #[error("cannot start the emulator's thread")]
    Thread(#[source] io::Error),
}

impl EmulatorError {
    /// Refuses rates that a device cannot have, and with them endless or empty periods.
    pub(crate) fn check_stream_hz(stream_hz: f64) -> Result<(), Self> {
        if (2.0..=120.0).contains(&stream_hz) { Ok(()) } else { Err(Self::StreamRate(stream_hz)) }
    }
}

/// A device from bytes to bytes. Time is an argument, so a device can be tested without a clock.
pub(crate) trait Device: Send + 'static {
    /// The host sent `bytes`, any part of a command or several of them.
    fn receive(&mut self, bytes: &[u8], now: Instant, out: &mut Outbox);

    /// When the device next has something to say by itself.
    fn next_due(&self) -> Option<Instant>;

    /// Says what is due at `now`.
    fn emit(&mut self, now: Instant, out: &mut Outbox);
}

/// How long the thread may sleep without a look at whether it should end.
const LOOK_UP: Duration = Duration::from_millis(20);

/// A running emulated device. Dropping it ends the thread and hangs up on the host.
pub struct Emulator {
    name: &'static str,
    path: String,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    should_end: AtomicBool,
    n_sent: AtomicU64,
    n_dropped: AtomicU64,
}

impl Emulator {
    pub(crate) fn start(
        name: &'static str,
        thread_name: &str,
        device: impl Device,
    ) -> Result<Self, EmulatorError> {
        let pty = Pty::open().map_err(EmulatorError::Pty)?;
        let path = pty.path().to_owned();
        let shared = Arc::new(Shared::default());
        let thread = std::thread::Builder::new()
            .name(thread_name.to_owned())
            .spawn({
                let shared = Arc::clone(&shared);
                move || {
                    if let Err(error) = serve(&pty, device, &shared) {
                        tracing::error!(path = pty.path(), %error, "emulator lost its terminal");
                    }
                }
            })
            .map_err(EmulatorError::Thread)?;
        tracing::info!(name, path, "emulator is running");
        Ok(Self { name, path, shared, thread: Some(thread) })
    }

    /// What a driver opens in place of a serial port.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What this is, for a person.
    pub fn name(&self) -> &str {
        self.name
    }

    /// Data records given to the line so far, polled and streamed.
    pub fn records_sent(&self) -> u64 {
        self.shared.n_sent.load(Ordering::Relaxed)
    }

    /// Data records that were due but not sent, because the host did not read or we were late.
    pub fn records_dropped(&self) -> u64 {
        self.shared.n_dropped.load(Ordering::Relaxed)
    }

    /// Pulls the plug: when this returns, the host's next read or write fails.
    pub fn unplug(self) {
        drop(self);
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        self.shared.should_end.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!(path = self.path, "emulator thread panicked");
        }
    }
}

/// Carries bytes between `device` and the host until told to end.
fn serve(pty: &Pty, mut device: impl Device, shared: &Shared) -> io::Result<()> {
    let mut outbox = Outbox::default();
    let mut received = [0; 256];
    while !shared.should_end.load(Ordering::Relaxed) {
        let until_due = match device.next_due() {
            Some(due) => due.saturating_duration_since(Instant::now()),
            None => LOOK_UP,
        };
        pty.wait(until_due.min(LOOK_UP), !outbox.waiting().is_empty())?;
        let n_read = pty.read(&mut received)?;
        let now = Instant::now();
        if n_read > 0 {
            device.receive(&received[..n_read], now, &mut outbox);
        }
        if device.next_due().is_some_and(|due| due <= now) {
            device.emit(now, &mut outbox);
        }
        if !outbox.waiting().is_empty() {
            let n_written = pty.write(outbox.waiting())?;
            outbox.remove(n_written);
        }
        shared.n_sent.store(outbox.n_sent(), Ordering::Relaxed);
        shared.n_dropped.store(outbox.n_dropped(), Ordering::Relaxed);
    }
    Ok(())
}
