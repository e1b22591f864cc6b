//! One device on one thread: keeps it and hands out its newest reading.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use drivers::keeper::{Device, Keeper, Presence};
use engine::{Bell, Mailbox};

/// How a device is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviceState {
    /// Not opened yet, or nothing has come yet.
    Opening,
    /// Streams; the text says what it is.
    Live(String),
    /// The last sample is older than it should be.
    Late,
    /// Streams, but what comes cannot be used; the text says why.
    Faulty(&'static str),
    /// Open, but nothing has come for a while.
    Silent,
    /// It was never there; the text says why. It is tried again from time to time.
    Missing(String),
    /// Gone; the text says why. It is tried again from time to time.
    Lost(String),
    /// A recording has come to its end.
    Ended,
}

/// Without a sample for so long, a device is not only late but silent.
const SILENT_AFTER: Duration = Duration::from_secs(1);
/// How long to wait for a sample before looking whether the feed is still wanted.
const PATIENCE: Duration = Duration::from_millis(100);

/// How long a device that is being read needs at most to be closed in good order.
const LONGEST_FAREWELL: Duration = Duration::from_millis(400);

/// A device as this program uses it.
pub trait Source: Device {
    type Reading: Send + 'static;
    /// What a person calls it; also the thread's name.
    const NAME: &'static str;

    /// What it is, in a few words.
    fn describe(&self) -> String;
    /// What this program wants of a sample, or why the sample cannot be used; `None` if it is of no
    /// interest.
    fn reading(&self, sample: Self::Sample) -> Option<Result<Self::Reading, &'static str>>;
}

/// The newest reading of a device, and how the device is.
pub struct Feed<R> {
    shared: Arc<Shared<R>>,
    thread: Option<JoinHandle<()>>,
}

struct Shared<R> {
    readings: Mailbox<R>,
    state: Mutex<DeviceState>,
    n_readings: AtomicU64,
    n_lost: AtomicU64,
    stop: AtomicBool,
}

impl<R: Send + 'static> Feed<R> {
    /// Starts to read the device, now and whenever it comes back; `bell` rings for every reading.
    /// `tend` may do something for the device from time to time, at least ten times a second.
    pub fn start<D: Source<Reading = R>>(
        keeper: Keeper<D>,
        bell: Arc<Bell>,
        tend: impl FnMut(&mut D) + Send + 'static,
    ) -> io::Result<Self>
    where
        Keeper<D>: Send + 'static,
    {
        let shared = Arc::new(Shared {
            readings: Mailbox::ringing(bell),
            state: Mutex::new(DeviceState::Opening),
            n_readings: AtomicU64::new(0),
            n_lost: AtomicU64::new(0),
            stop: AtomicBool::new(false),
        });
        let for_thread = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name(D::NAME.to_owned())
            .spawn(move || keep_reading(keeper, &for_thread, tend))?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// The newest reading, once.
    pub fn take(&self) -> Option<R> {
        self.shared.readings.take()
    }

    pub fn state(&self) -> DeviceState {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How many usable readings have come.
    pub fn n_samples(&self) -> u64 {
        self.shared.n_readings.load(Ordering::Relaxed)
    }
}

impl<R> Feed<R> {
    /// How many records came damaged.
    pub fn n_lost(&self) -> u64 {
        self.shared.n_lost.load(Ordering::Relaxed)
    }
}

impl<R> Drop for Feed<R> {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        let Some(thread) = self.thread.take() else { return };
        let deadline = Instant::now() + LONGEST_FAREWELL;
        while !thread.is_finished() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        // One that is just asking a silent port ends by itself in some seconds; nobody has to wait for it.
        if thread.is_finished() && thread.join().is_err() {
            tracing::error!("a device thread panicked");
        }
    }
}

impl<R> Shared<R> {
    fn set_state(&self, state: &mut DeviceState, now: DeviceState) {
        if *state != now {
            state.clone_from(&now);
            *self.state.lock().unwrap_or_else(PoisonError::into_inner) = now;
        }
    }
}

fn keep_reading<D: Source>(
    mut keeper: Keeper<D>,
    shared: &Shared<D::Reading>,
    mut tend: impl FnMut(&mut D),
) {
    let mut state = DeviceState::Opening;
    let mut n_connections = 0;
    while !shared.stop.load(Ordering::Relaxed) {
        let sample = keeper.next_sample(PATIENCE);
        let is_new = keeper.tally().n_connections
            > std::mem::replace(&mut n_connections, keeper.tally().n_connections);
        if is_new && let Some(device) = keeper.device() {
            let what = device.describe();
            tracing::info!("{}: {what} at {}", D::NAME, keeper.path());
        }
        shared.n_lost.store(keeper.tally().decoded.dropped_records, Ordering::Relaxed);
        let has_come = sample.is_some();
        let reading =
            keeper.device().zip(sample).and_then(|(device, sample)| device.reading(sample));
        // A sample without interest, of another receiver, says nothing about the one that we want.
        if reading.is_some() || !has_come {
            let fault = reading.as_ref().and_then(|reading| reading.as_ref().err().copied());
            shared.set_state(&mut state, state_of(&mut keeper, fault));
        }
        if let Some(Ok(reading)) = reading {
            shared.n_readings.fetch_add(1, Ordering::Relaxed);
            shared.readings.put(reading);
        }
        if let Some(device) = keeper.device() {
            tend(device);
        }
    }
}

fn state_of<D: Source>(keeper: &mut Keeper<D>, fault: Option<&'static str>) -> DeviceState {
    let (age, was_there) = (keeper.age(), keeper.tally().n_connections > 0);
    match keeper.presence() {
        Presence::Unopened => DeviceState::Opening,
        Presence::Live => match (fault, keeper.device()) {
            (Some(why), _) => DeviceState::Faulty(why),
            (None, Some(device)) => DeviceState::Live(device.describe()),
            (None, None) => DeviceState::Opening,
        },
        Presence::Late if age > SILENT_AFTER && !keeper.is_recorded() => DeviceState::Silent,
        Presence::Late => DeviceState::Late,
        Presence::Lost(why) if was_there => DeviceState::Lost(why.clone()),
        Presence::Lost(why) => DeviceState::Missing(why.clone()),
        Presence::Ended => DeviceState::Ended,
    }
}
