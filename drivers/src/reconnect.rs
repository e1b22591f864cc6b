//! Reconnects a device: opens it, reads it, wakes it when it falls silent, opens it again when it
//! is lost.
//!
//! | no valid sample for | the reconnecting device |
//! |---|---|
//! | three periods, at least 100 ms | reports [`Presence::Late`] |
//! | 1 s | starts the stream again: a button or a restart may have stopped it |
//! | 3 s, or the line hung up | opens the port again, every half second for as long as it takes |
//!
//! A port that is not there costs nothing to try, so it is looked for more often.
//!
//! When a stream is started again, its line source gets two events: first that the device was lost,
//! then that it is ready. The bytes in between are not samples, and a replay must not decode them
//! as samples. If the device cannot be woken, a second loss tells why.
//!
//! If the port of a device has vanished, the device is searched for on other ports by the serial
//! number of its adapter.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::DecodeCounts;
use crate::device::{Device, LEFT_BEHIND};
use crate::line_source::{ConnectionEvent, LineSource, OpenedLine};
use crate::ports::{Adapter, PortInfo, Ports};
use crate::recording::WOKEN;
use crate::serial::DeviceError;

/// Connection state of a reconnecting device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Presence {
    /// Not opened yet.
    Unopened,
    /// Open, and samples arrive.
    Live,
    /// Open, but the last sample is too old.
    Late,
    /// Not connected; the text gives the reason. It is opened again from time to time.
    Lost(String),
    /// The recording has been played to its end.
    Ended,
}

/// Totals over all connections of a device.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ConnectionCounts {
    pub decoded: DecodeCounts,
    /// Number of times the device was opened.
    pub n_connections: u64,
    /// Number of times its stream was started again.
    pub n_wakes: u64,
}

const LATE_AFTER: Duration = Duration::from_millis(100);
const WAKE_AFTER: Duration = Duration::from_secs(1);
const REOPEN_AFTER: Duration = Duration::from_secs(3);
/// Dropped bytes since the last sample from which a device counts as garbled: more than the rest of
/// one record that was cut off.
const GARBLED_BYTES: u64 = 200;
/// Pause before a device that does not answer is asked again.
const BETWEEN_TRIES: Duration = Duration::from_millis(500);
/// Pause before a port that is not there is looked for again.
const BETWEEN_LOOKS: Duration = Duration::from_millis(250);
/// Time between two attempts to open a device of a recording.
const LOOK_AT_RECORDING: Duration = Duration::from_millis(5);

/// One device that is kept open over losses.
pub struct ReconnectingDevice<D: Device> {
    /// Port on which the device is, or was last.
    path: String,
    /// Port that the caller gave.
    home: String,
    options: D::Options,
    ports: Box<dyn Ports>,
    lines: Box<dyn LineSource>,
    device: Option<D>,
    /// What the device must be put back to, while it is lost.
    memory: D::Memory,
    presence: Presence,
    /// True if the bytes come from a recording: then there is no device to wake.
    is_recorded: bool,
    /// True while a device on an open line is being set up.
    is_starting: Arc<AtomicBool>,
    /// The adapter on which the device was seen last.
    adapter: Option<Adapter>,
    /// Time of the last sample, or of the opening.
    last_sign: Instant,
    last_wake: Instant,
    next_try: Instant,
    /// Dropped bytes of this connection before the last sample.
    dropped_before: u64,
    /// Counts of earlier connections.
    past: DecodeCounts,
    n_connections: u64,
    n_wakes: u64,
}

impl<D: Device> ReconnectingDevice<D> {
    /// A device on the port at `path`. Opens nothing yet.
    pub fn new(
        path: &str,
        options: D::Options,
        ports: Box<dyn Ports>,
        lines: Box<dyn LineSource>,
    ) -> Self {
        let now = Instant::now();
        Self {
            path: path.to_owned(),
            home: path.to_owned(),
            options,
            ports,
            lines,
            device: None,
            memory: D::Memory::default(),
            presence: Presence::Unopened,
            is_recorded: false,
            is_starting: Arc::default(),
            adapter: None,
            last_sign: now,
            last_wake: now,
            next_try: now,
            dropped_before: 0,
            past: DecodeCounts::default(),
            n_connections: 0,
            n_wakes: 0,
        }
    }

    /// Port on which the device is, or was last.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The device; `None` while it is not open.
    pub fn device(&mut self) -> Option<&mut D> {
        self.device.as_mut()
    }

    pub fn presence(&self) -> &Presence {
        &self.presence
    }

    /// True if the bytes come from a recording.
    pub fn is_recorded(&self) -> bool {
        self.is_recorded
    }

    /// A flag that is true while a device on an open line is being set up, which may take seconds.
    /// Other threads may read it.
    pub fn starting_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.is_starting)
    }

    /// True if bytes have come since the last sample, or since the device was opened, but none of
    /// them made a sample.
    pub fn is_garbled(&self) -> bool {
        let dropped = self.device.as_ref().map_or(0, |device| device.counts().dropped_bytes);
        dropped.saturating_sub(self.dropped_before) > GARBLED_BYTES
    }

    /// Time since the last sample, or since the device was opened.
    pub fn age(&self) -> Duration {
        self.last_sign.elapsed()
    }

    pub fn counts(&self) -> ConnectionCounts {
        let mut decoded = self.past;
        if let Some(device) = &self.device {
            decoded += device.counts();
        }
        ConnectionCounts { decoded, n_connections: self.n_connections, n_wakes: self.n_wakes }
    }

    /// The next sample, or `None` if none came within `patience`; [`Self::presence`] gives the
    /// reason.
    ///
    /// Opening the device may take longer than `patience`, a few seconds at worst.
    pub fn next_sample(&mut self, patience: Duration) -> Option<D::Sample> {
        let deadline = Instant::now() + patience;
        loop {
            let now = Instant::now();
            let Some(device) = &mut self.device else {
                if now < self.next_try {
                    let until = self.next_try.min(deadline);
                    std::thread::sleep(until.saturating_duration_since(now));
                    if Instant::now() >= deadline {
                        return None;
                    }
                }
                self.open();
                continue;
            };
            // Short waits, so that a late device is reported in time.
            let look = deadline.saturating_duration_since(now).min(LATE_AFTER / 2);
            match device.next_sample(look) {
                Ok(Some(sample)) => {
                    self.last_sign = Instant::now();
                    self.presence = Presence::Live;
                    self.dropped_before = device.counts().dropped_bytes;
                    return Some(sample);
                }
                Ok(None) => self.look_after(),
                Err(error) => self.lose(&error),
            }
            if Instant::now() >= deadline {
                return None;
            }
        }
    }

    fn open(&mut self) {
        self.path = self.place();
        let baud = D::baud(&self.options);
        let memory = &mut self.memory;
        let opened = self.lines.open(&self.path, baud).and_then(|line| {
            self.is_recorded = matches!(line, OpenedLine::SetUp(..));
            self.is_starting.store(!self.is_recorded, Ordering::Relaxed);
            match line {
                OpenedLine::Fresh(line) => D::start(line, &self.options, memory),
                OpenedLine::SetUp(line, settings) => D::resume(line, &settings),
            }
        });
        self.is_starting.store(false, Ordering::Relaxed);
        match opened {
            Ok(device) => {
                let (path, settings) = (self.path.as_str(), device.settings());
                self.lines.report(ConnectionEvent::Ready {
                    kind: D::KIND,
                    path,
                    settings: &settings,
                });
                self.dropped_before = device.counts().dropped_bytes;
                self.device = Some(device);
                self.n_connections += 1;
                self.last_sign = Instant::now();
                self.last_wake = self.last_sign;
                // Live only after the first sample.
                self.presence = Presence::Late;
                self.remember_adapter();
            }
            Err(error) => self.lose(&error),
        }
    }

    /// Acts on silence: reports the device as late, wakes it, or loses it.
    fn look_after(&mut self) {
        let Some(device) = &mut self.device else { return };
        let silence = self.last_sign.elapsed();
        if silence > LATE_AFTER.max(3 * device.period()) {
            self.presence = Presence::Late;
        }
        if self.is_recorded {
            return;
        }
        if silence > REOPEN_AFTER {
            let (path, within) = (self.path.clone(), REOPEN_AFTER);
            return self.lose(&match self.is_garbled() {
                true => DeviceError::Garbled { path, within },
                false => DeviceError::Silent { path, within },
            });
        }
        if silence > WAKE_AFTER && self.last_wake.elapsed() > WAKE_AFTER {
            self.last_wake = Instant::now();
            self.n_wakes += 1;
            self.lines.report(ConnectionEvent::Lost { reason: WOKEN });
            match device.wake() {
                Ok(()) => {
                    let (path, settings) = (self.path.as_str(), device.settings());
                    self.lines.report(ConnectionEvent::Ready {
                        kind: D::KIND,
                        path,
                        settings: &settings,
                    });
                }
                Err(error) => self.lose(&error),
            }
        }
    }

    fn lose(&mut self, why: &DeviceError) {
        let reason = with_causes(why);
        if let Some(device) = self.device.take() {
            self.past += device.counts();
            self.memory = device.abandon();
            self.lines.report(ConnectionEvent::Lost { reason: &reason });
        } else if self.n_connections == 0 && self.presence == Presence::Unopened {
            // A recording then tells that this device was expected, and why it is missing.
            self.lines.report(ConnectionEvent::Lost { reason: &reason });
        }
        self.next_try = Instant::now()
            + match why {
                DeviceError::Open { .. } | DeviceError::HungUp { .. } => BETWEEN_LOOKS,
                _ => BETWEEN_TRIES,
            };
        self.presence = match why {
            DeviceError::Ended { .. } => Presence::Ended,
            DeviceError::NotYet { .. } => {
                self.is_recorded = true;
                if self.n_connections == 0 { Presence::Unopened } else { Presence::Lost(reason) }
            }
            _ => Presence::Lost(reason),
        };
        // A recording needs no pause: there is no device that needs time to recover.
        if self.is_recorded {
            self.next_try = Instant::now() + LOOK_AT_RECORDING;
        }
    }

    fn remember_adapter(&mut self) {
        let here = self.ports.list().into_iter().find(|port| port.path == self.path);
        if let Some(adapter) = here.and_then(|port| port.adapter) {
            self.adapter = Some(adapter);
        }
    }

    /// Port on which to open the device.
    ///
    /// This is `home`, unless that port is gone or taken by another adapter, and the device's
    /// adapter is on exactly one other port. Adapters with the same serial number cannot be told
    /// apart.
    fn place(&self) -> String {
        let Some(adapter) = &self.adapter else { return self.home.clone() };
        let ports = self.ports.list();
        let is_it = |port: &&PortInfo| port.adapter.as_ref() == Some(adapter);
        let is_home_taken = ports.iter().any(|port| port.path == self.home && !is_it(&port));
        let mut places = ports.iter().filter(is_it);
        match (places.next(), places.next()) {
            (Some(only), None) if ports.iter().all(|p| p.path != self.home) || is_home_taken => {
                if only.path != self.path {
                    tracing::info!(
                        from = self.path,
                        to = only.path,
                        "the device is on another port"
                    );
                }
                only.path.clone()
            }
            _ => self.home.clone(),
        }
    }
}

impl<D: Device> Drop for ReconnectingDevice<D> {
    /// Says so if the device is lost and could not be put back. A device that is open puts itself
    /// back.
    fn drop(&mut self) {
        if self.device.is_none()
            && let Some(changes) = D::left_behind(&self.memory, &self.options)
        {
            let (path, kind) = (&self.path, D::KIND);
            tracing::warn!(
                target: LEFT_BEHIND,
                "the {kind} at {path} was lost and could not be put back. Until it is switched off \
                 and on, other programs find {changes}"
            );
        }
    }
}

/// An error and its causes, in one line.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
