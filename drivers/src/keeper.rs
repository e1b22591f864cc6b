//! Keeps a device: opens it, reads it, wakes it when it falls silent, opens it again when it is lost.
//!
//! | nothing good has come for | the keeper |
//! |---|---|
//! | three periods, at least 100 ms | says that the device is late |
//! | 1 s | starts its stream again: a button or a restart may have stopped it |
//! | 3 s, or the line hung up | closes the port and opens it anew, after 0.5 s, 1 s, 2 s, at most 5 s |
//!
//! A recording of a stream that is started again is told twice, that the stream has ended and that it is ready: what
//! was said in between is no sample, and a replay must not take it for one.
//!
//! A device whose port has vanished is sought under other names by its adapter's serial number.

use std::time::{Duration, Instant};

use crate::DecodeCounts;
use crate::ports::{Adapter, PortInfo, Ports};
use crate::serial::{DeviceError, SerialLine};

/// A device that can be kept.
pub trait Device: Sized {
    type Options: Clone;
    type Sample;
    /// What recordings call it.
    const KIND: &'static str;

    fn baud(options: &Self::Options) -> u32;
    /// Sets the device up and starts its stream.
    fn start(line: SerialLine, options: &Self::Options) -> Result<Self, DeviceError>;
    /// Goes on with a stream that was set up before, perhaps long ago: `settings` are what
    /// [`Self::settings`] said then. Nothing is asked of the device.
    fn resume(line: SerialLine, settings: &str) -> Result<Self, DeviceError>;
    /// All that is needed to understand its bytes, as text.
    fn settings(&self) -> String;
    /// The next sample; `None` if none came within `patience`. An error means that it is gone.
    fn next_sample(&mut self, patience: Duration) -> Result<Option<Self::Sample>, DeviceError>;
    /// Starts the stream again.
    fn wake(&mut self) -> Result<(), DeviceError>;
    /// Time between two samples, about.
    fn period(&self) -> Duration;
    fn counts(&self) -> DecodeCounts;
}

/// How a kept device is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Presence {
    /// Not opened yet.
    Unopened,
    /// Samples come.
    Live,
    /// It is open, but the last sample is older than it should be.
    Late,
    /// It is not there; the text says why. It is tried again from time to time.
    Lost(String),
    /// A recording has been played to its end.
    Ended,
}

/// What a keeper has seen, over all connections.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    pub decoded: DecodeCounts,
    /// How often the device was opened.
    pub n_connections: u64,
    /// How often its stream was started again.
    pub n_wakes: u64,
}

const LATE_AFTER: Duration = Duration::from_millis(100);
const WAKE_AFTER: Duration = Duration::from_secs(1);
const REOPEN_AFTER: Duration = Duration::from_secs(3);
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// Between two looks whether a device is there in a recording.
const LOOK_AT_RECORDING: Duration = Duration::from_millis(5);

/// Where a keeper gets its lines from.
pub trait Lines: Send {
    /// A new line to the device at `path`.
    fn open(&mut self, path: &str, baud: u32) -> Result<OpenedLine, DeviceError>;
    /// The device on the last line is ready, or was lost.
    fn report(&mut self, news: News<'_>);
}

/// A line, to a device that is to be set up or to one that was.
pub enum OpenedLine {
    Fresh(SerialLine),
    /// With the settings of that device.
    SetUp(SerialLine, String),
}

/// How a device fares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum News<'a> {
    Ready { kind: &'static str, path: &'a str, settings: &'a str },
    Lost { reason: &'a str },
}

/// The ports of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct PortLines;

impl Lines for PortLines {
    fn open(&mut self, path: &str, baud: u32) -> Result<OpenedLine, DeviceError> {
        Ok(OpenedLine::Fresh(SerialLine::open(path, baud)?))
    }

    /// Whoever wants to know looks at the keeper.
    fn report(&mut self, _news: News<'_>) {}
}

/// One device, as long as it is wanted.
pub struct Keeper<D: Device> {
    /// Where it is, or was last.
    path: String,
    /// Where it was said to be.
    home: String,
    options: D::Options,
    ports: Box<dyn Ports>,
    lines: Box<dyn Lines>,
    device: Option<D>,
    presence: Presence,
    /// Nobody is there to be woken: the bytes come from a recording.
    is_recorded: bool,
    /// Whether the lines know already that the stream has ended.
    is_told: bool,
    /// The adapter that the device was last seen on.
    adapter: Option<Adapter>,
    /// When the last sample came, or the device was opened.
    last_sign: Instant,
    last_wake: Instant,
    next_try: Instant,
    pause: Duration,
    /// Of earlier connections.
    past: DecodeCounts,
    n_connections: u64,
    n_wakes: u64,
}

impl<D: Device> Keeper<D> {
    /// Keeps the device at `path`. Nothing is opened yet.
    pub fn new(
        path: &str,
        options: D::Options,
        ports: Box<dyn Ports>,
        lines: Box<dyn Lines>,
    ) -> Self {
        let now = Instant::now();
        Self {
            path: path.to_owned(),
            home: path.to_owned(),
            options,
            ports,
            lines,
            device: None,
            presence: Presence::Unopened,
            is_recorded: false,
            is_told: false,
            adapter: None,
            last_sign: now,
            last_wake: now,
            next_try: now,
            pause: FIRST_PAUSE,
            past: DecodeCounts::default(),
            n_connections: 0,
            n_wakes: 0,
        }
    }

    /// Where the device is, or was last.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The device, while there is one.
    pub fn device(&mut self) -> Option<&mut D> {
        self.device.as_mut()
    }

    pub fn presence(&self) -> &Presence {
        &self.presence
    }

    /// Whether it comes from a recording.
    pub fn is_recorded(&self) -> bool {
        self.is_recorded
    }

    /// Time since the last sample, or since the device was opened.
    pub fn age(&self) -> Duration {
        self.last_sign.elapsed()
    }

    pub fn tally(&self) -> Tally {
        let mut decoded = self.past;
        if let Some(device) = &self.device {
            decoded += device.counts();
        }
        Tally { decoded, n_connections: self.n_connections, n_wakes: self.n_wakes }
    }

    /// The next sample, or `None` if none came within `patience`; see [`Self::presence`] for why.
    ///
    /// Opening takes as long as it takes, a few seconds at worst.
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
            // Short looks, so that lateness shows in time.
            let look = deadline.saturating_duration_since(now).min(LATE_AFTER / 2);
            match device.next_sample(look) {
                Ok(Some(sample)) => {
                    self.last_sign = Instant::now();
                    self.presence = Presence::Live;
                    self.pause = FIRST_PAUSE;
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
        let opened = self.lines.open(&self.path, baud).and_then(|line| {
            self.is_recorded = matches!(line, OpenedLine::SetUp(..));
            match line {
                OpenedLine::Fresh(line) => D::start(line, &self.options),
                OpenedLine::SetUp(line, settings) => D::resume(line, &settings),
            }
        });
        match opened {
            Ok(device) => {
                let (path, settings) = (self.path.as_str(), device.settings());
                self.lines.report(News::Ready { kind: D::KIND, path, settings: &settings });
                self.device = Some(device);
                self.n_connections += 1;
                self.last_sign = Instant::now();
                self.last_wake = self.last_sign;
                // Live only when a sample has come.
                self.presence = Presence::Late;
                self.remember_adapter();
            }
            Err(error) => self.lose(&error),
        }
    }

    /// Nothing has come for a moment: is that too long?
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
            let path = self.path.clone();
            return self.lose(&DeviceError::Silent { path, within: REOPEN_AFTER });
        }
        if silence > WAKE_AFTER && self.last_wake.elapsed() > WAKE_AFTER {
            self.last_wake = Instant::now();
            self.n_wakes += 1;
            let reason = "it fell silent; its stream is started again";
            self.lines.report(News::Lost { reason });
            self.is_told = true;
            match device.wake() {
                Ok(()) => {
                    self.is_told = false;
                    let (path, settings) = (self.path.as_str(), device.settings());
                    self.lines.report(News::Ready { kind: D::KIND, path, settings: &settings });
                }
                Err(error) => self.lose(&error),
            }
        }
    }

    fn lose(&mut self, why: &DeviceError) {
        let reason = with_causes(why);
        if let Some(device) = self.device.take() {
            self.past += device.counts();
            if !std::mem::take(&mut self.is_told) {
                self.lines.report(News::Lost { reason: &reason });
            }
        }
        self.next_try = Instant::now() + self.pause;
        self.pause = (2 * self.pause).min(LONGEST_PAUSE);
        self.presence = match why {
            DeviceError::Ended { .. } => Presence::Ended,
            DeviceError::NotYet { .. } => {
                self.is_recorded = true;
                if self.n_connections == 0 { Presence::Unopened } else { Presence::Lost(reason) }
            }
            _ => Presence::Lost(reason),
        };
        // Nobody has to be spared in a recording.
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

    /// Where to look for the device: where it was said to be, unless that port is gone and its adapter is
    /// there under another name. Adapters whose serial numbers are not unique cannot be told apart.
    fn place(&self) -> String {
        let Some(adapter) = &self.adapter else { return self.home.clone() };
        let ports = self.ports.list();
        let is_it = |port: &&PortInfo| port.adapter.as_ref() == Some(adapter);
        let is_home_taken = ports.iter().any(|port| port.path == self.home && !is_it(&port));
        let mut places = ports.iter().filter(is_it);
        match (places.next(), places.next()) {
            (Some(only), None) if ports.iter().all(|p| p.path != self.home) || is_home_taken => {
                if only.path != self.path {
                    tracing::info!(from = self.path, to = only.path, "the device has moved");
                }
                only.path.clone()
            }
            _ => self.home.clone(),
        }
    }
}

/// An error and what caused it, in one line.
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
