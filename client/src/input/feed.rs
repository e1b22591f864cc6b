//! One device on one thread: opens it, reads it, and opens it again when it is lost.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use drivers::{CyberGlove, DeviceError, Fastrak, GloveSample, TrackerSample};
use engine::{Bell, Mailbox};

/// Where a device is plugged in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Port {
    pub path: String,
    pub baud: u32,
}

/// How a device is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviceState {
    /// Not opened yet.
    Opening,
    /// Streams; the text says what it is.
    Live(String),
    /// Open, but nothing has come for a while.
    Silent,
    /// Gone; the text says why. It is tried again from time to time.
    Lost(String),
}

/// A device as this program reads it.
pub trait Device: Sized {
    type Sample: Send + 'static;
    /// What a person calls it; also the thread's name.
    const NAME: &'static str;

    /// Opens the device and starts its stream.
    fn open(port: &Port) -> Result<Self, DeviceError>;
    /// What it is, in a few words.
    fn describe(&self) -> String;
    fn next_sample(&mut self, patience: Duration) -> Result<Option<Self::Sample>, DeviceError>;
}

impl Device for CyberGlove {
    type Sample = GloveSample;
    const NAME: &'static str = "glove";

    fn open(port: &Port) -> Result<Self, DeviceError> {
        let mut glove = CyberGlove::open(&port.path, port.baud)?;
        glove.start_stream()?;
        Ok(glove)
    }

    fn describe(&self) -> String {
        let info = self.info();
        let hand = match info.hand {
            drivers::Hand::Left => "left",
            drivers::Hand::Right => "right",
        };
        format!("CyberGlove, {} sensors, {hand} hand", info.n_sensors)
    }

    fn next_sample(&mut self, patience: Duration) -> Result<Option<GloveSample>, DeviceError> {
        CyberGlove::next_sample(self, patience)
    }
}

impl Device for Fastrak {
    type Sample = TrackerSample;
    const NAME: &'static str = "tracker";

    fn open(port: &Port) -> Result<Self, DeviceError> {
        let mut tracker = Fastrak::open(&port.path, port.baud)?;
        tracker.start_stream()?;
        Ok(tracker)
    }

    fn describe(&self) -> String {
        let n = self.info().stations.len();
        format!("FASTRAK, {n} station{}", if n == 1 { "" } else { "s" })
    }

    fn next_sample(&mut self, patience: Duration) -> Result<Option<TrackerSample>, DeviceError> {
        Fastrak::next_sample(self, patience)
    }
}

/// The newest sample of a device, and how the device is.
pub struct Feed<S> {
    shared: Arc<Shared<S>>,
    thread: Option<JoinHandle<()>>,
}

struct Shared<S> {
    samples: Mailbox<S>,
    state: Mutex<DeviceState>,
    n_samples: AtomicU64,
    stop: AtomicBool,
}

impl<S: Send + 'static> Feed<S> {
    /// Starts to read the device at `port`, now and whenever it comes back; `bell` rings for every sample.
    pub fn start<D: Device<Sample = S>>(port: Port, bell: Arc<Bell>) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            samples: Mailbox::ringing(bell),
            state: Mutex::new(DeviceState::Opening),
            n_samples: AtomicU64::new(0),
            stop: AtomicBool::new(false),
        });
        let for_thread = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name(D::NAME.to_owned())
            .spawn(move || keep_reading::<D>(&port, &for_thread))?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// The newest sample, once.
    pub fn take(&self) -> Option<S> {
        self.shared.samples.take()
    }

    pub fn state(&self) -> DeviceState {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How many samples have come.
    pub fn n_samples(&self) -> u64 {
        self.shared.n_samples.load(Ordering::Relaxed)
    }
}

impl<S> Drop for Feed<S> {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            if thread.join().is_err() {
                tracing::error!("a device thread panicked");
            }
        }
    }
}

impl<S> Shared<S> {
    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn set_state(&self, state: DeviceState) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }
}

fn keep_reading<D: Device>(port: &Port, shared: &Shared<D::Sample>) {
    const FIRST_PAUSE: Duration = Duration::from_millis(500);
    const LONGEST_PAUSE: Duration = Duration::from_secs(5);
    let mut pause = FIRST_PAUSE;
    while !shared.is_stopped() {
        let before = shared.n_samples.load(Ordering::Relaxed);
        if let Err(e) = read::<D>(port, shared) {
            // With all its causes: "cannot open" alone does not tell a person what to do.
            shared.set_state(DeviceState::Lost(format!("{:#}", anyhow::Error::new(e))));
        }
        let has_spoken = shared.n_samples.load(Ordering::Relaxed) > before;
        pause = if has_spoken { FIRST_PAUSE } else { (pause * 2).min(LONGEST_PAUSE) };
        if !shared.is_stopped() {
            std::thread::park_timeout(pause);
        }
    }
}

/// Reads until the device is lost or the feed is dropped.
fn read<D: Device>(port: &Port, shared: &Shared<D::Sample>) -> Result<(), DeviceError> {
    const PATIENCE: Duration = Duration::from_millis(100);
    const SILENCE: Duration = Duration::from_secs(1);
    let mut device = D::open(port)?;
    let live = DeviceState::Live(device.describe());
    tracing::info!(device = D::NAME, port = port.path, "{}", device.describe());
    shared.set_state(live.clone());
    let (mut last, mut is_silent) = (Instant::now(), false);
    while !shared.is_stopped() {
        match device.next_sample(PATIENCE)? {
            Some(sample) => {
                shared.samples.put(sample);
                shared.n_samples.fetch_add(1, Ordering::Relaxed);
                last = Instant::now();
                if std::mem::take(&mut is_silent) {
                    shared.set_state(live.clone());
                }
            }
            None if !is_silent && last.elapsed() > SILENCE => {
                is_silent = true;
                shared.set_state(DeviceState::Silent);
            }
            None => {}
        }
    }
    Ok(())
}
