//! One device on one thread: opens it, reads it, and opens it again when it is lost.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use drivers::{
    Condition, CyberGlove, DeviceError, Fastrak, GloveOptions, GloveSample, Hand, TrackerSample,
};
use engine::{Backoff, Bell, Mailbox};

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
    /// Streams, but what comes cannot be used; the text says why.
    Faulty(&'static str),
    /// Open, but nothing has come for a while.
    Silent,
    /// Gone; the text says why. It is tried again from time to time.
    Lost(String),
}

/// Why a device was given up for now.
#[derive(Debug, thiserror::Error)]
enum FeedError {
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A device that was switched off and on again stays silent until it is set up anew.
    #[error("it has said nothing for {} s", GIVE_UP_AFTER.as_secs())]
    Silent,
}

/// Without a sample for so long, a device counts as silent.
const SILENT_AFTER: Duration = Duration::from_secs(1);
/// And so long after that it is opened anew.
const GIVE_UP_AFTER: Duration = Duration::from_secs(3);

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
    /// Why a sample cannot be used, if it cannot.
    fn fault(sample: &Self::Sample) -> Option<&'static str>;
}

/// What a glove says, and on which hand it is.
#[derive(Debug, Clone)]
pub struct GloveReading {
    pub hand: Hand,
    pub sample: GloveSample,
}

impl Device for CyberGlove {
    type Sample = GloveReading;
    const NAME: &'static str = "glove";

    fn open(port: &Port) -> Result<Self, DeviceError> {
        let mut glove = CyberGlove::open(&port.path, &GloveOptions::at_baud(port.baud))?;
        glove.start_stream()?;
        Ok(glove)
    }

    fn describe(&self) -> String {
        let info = self.info();
        let hand = match info.hand {
            Hand::Left => "left",
            Hand::Right => "right",
        };
        format!("CyberGlove, {} sensors, {hand} hand", info.n_sensors)
    }

    fn next_sample(&mut self, patience: Duration) -> Result<Option<GloveReading>, DeviceError> {
        let hand = self.info().hand;
        let sample = CyberGlove::next_sample(self, patience)?;
        Ok(sample.map(|sample| GloveReading { hand, sample }))
    }

    fn fault(reading: &GloveReading) -> Option<&'static str> {
        let is_plugged_in = reading.sample.conditions.is_plugged_in;
        (!is_plugged_in).then_some("the glove is not plugged into its interface unit")
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
        // The wrist's receiver is the first one; others would make the hand jump.
        let wrist = self.info().stations.first().copied();
        let sample = Fastrak::next_sample(self, patience)?;
        Ok(sample.filter(|sample| wrist.is_none_or(|wrist| sample.station == wrist)))
    }

    fn fault(sample: &TrackerSample) -> Option<&'static str> {
        match sample.condition {
            Condition::Good | Condition::Warning(_) | Condition::Degraded(_) => None,
            Condition::Invalid(_) => {
                Some("the tracker reports a fault; is the receiver plugged in?")
            }
        }
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

    /// How many usable samples have come.
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
    let mut backoff = Backoff::default();
    while !shared.is_stopped() {
        let before = shared.n_samples.load(Ordering::Relaxed);
        if let Err(e) = read::<D>(port, shared) {
            // With all its causes: "cannot open" alone does not tell a person what to do.
            shared.set_state(DeviceState::Lost(format!("{:#}", anyhow::Error::new(e))));
        }
        if shared.n_samples.load(Ordering::Relaxed) > before {
            backoff.reset();
        }
        if !shared.is_stopped() {
            std::thread::park_timeout(backoff.pause());
        }
    }
}

/// Reads until the device is lost or the feed is dropped.
fn read<D: Device>(port: &Port, shared: &Shared<D::Sample>) -> Result<(), FeedError> {
    const PATIENCE: Duration = Duration::from_millis(100);
    let mut device = D::open(port)?;
    let live = DeviceState::Live(device.describe());
    tracing::info!("{}: {} at {}", D::NAME, device.describe(), port.path);
    let mut state = live.clone();
    shared.set_state(live.clone());
    let mut last = Instant::now();
    while !shared.is_stopped() {
        let sample = device.next_sample(PATIENCE)?;
        let now = match &sample {
            Some(sample) => {
                last = Instant::now();
                D::fault(sample).map_or_else(|| live.clone(), DeviceState::Faulty)
            }
            None if last.elapsed() > GIVE_UP_AFTER => return Err(FeedError::Silent),
            None if last.elapsed() > SILENT_AFTER => DeviceState::Silent,
            None => state.clone(),
        };
        if state != now {
            state = now;
            shared.set_state(state.clone());
        }
        if let Some(sample) = sample.filter(|_| state == live) {
            shared.n_samples.fetch_add(1, Ordering::Relaxed);
            shared.samples.put(sample);
        }
    }
    Ok(())
}
