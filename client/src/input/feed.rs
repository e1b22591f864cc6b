//! Feed of a device: a thread reads the device and provides the newest reading of each of its
//! parts.

mod read_loop;
#[cfg(test)]
mod tests;

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use drivers::device::LEFT_BEHIND;
use drivers::reconnect::ReconnectingDevice;
use engine::{Bell, Mailbox};

use super::input_device::InputDevice;
use read_loop::keep_reading;

/// State of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviceState {
    /// Not opened yet, or no sample has come yet.
    Opening,
    /// Sends samples; the text describes the device.
    Live(String),
    /// The last sample is older than it should be.
    Late,
    /// Sends samples that can be used, but are doubtful for this reason.
    Doubtful(&'static str),
    /// Sends samples that cannot be used, for this reason.
    Faulty(&'static str),
    /// Open, but nothing has come for a while.
    Silent,
    /// Open, but for a while only damaged records have come.
    Garbled,
    /// Was never found, for this reason. The program keeps trying.
    Missing(String),
    /// Was lost, for this reason. The program keeps trying.
    Lost(String),
    /// The recording has ended.
    Ended,
}

/// The newest reading of a device, or of one of its parts, with its state.
pub struct Feed<R> {
    shared: Arc<Shared<R>>,
    /// True while the device is being set up on an open line.
    is_starting: Arc<AtomicBool>,
    /// Reading thread, shared by the feeds of all parts; dropping the last feed ends the thread.
    _reader: Arc<Reader>,
}

/// A reading with the number of its record; all records of the device's driver count, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NumberedReading<R> {
    pub number: u64,
    pub reading: R,
}

struct Shared<R> {
    readings: Mailbox<NumberedReading<R>>,
    state: Mutex<DeviceState>,
    n_readings: AtomicU64,
    n_doubtful: AtomicU64,
    n_lost: AtomicU64,
}

/// The thread that reads the device.
struct Reader {
    name: &'static str,
    stop: Arc<AtomicBool>,
    /// Longest time that ending the device takes.
    farewell: Duration,
    /// True if the end of the device puts its settings back.
    is_put_back: bool,
    thread: Option<JoinHandle<()>>,
}

impl<R: Send + 'static> Feed<R> {
    /// Starts to read the device, now and whenever it comes back. `bell` rings for every reading.
    /// `tend` can do something for the device at least ten times per second.
    pub fn start<D: InputDevice<Reading = R>>(
        reconnecting: ReconnectingDevice<D>,
        bell: Arc<Bell>,
        tend: impl FnMut(&mut D) + Send + 'static,
    ) -> io::Result<Self>
    where
        ReconnectingDevice<D>: Send + 'static,
    {
        let [whole] = Self::start_each(reconnecting, bell, tend)?;
        Ok(whole)
    }

    /// Same as [`start`](Self::start) for the first parts of a device, with a feed for each.
    pub fn start_each<D: InputDevice<Reading = R>, const N_PARTS: usize>(
        reconnecting: ReconnectingDevice<D>,
        bell: Arc<Bell>,
        tend: impl FnMut(&mut D) + Send + 'static,
    ) -> io::Result<[Self; N_PARTS]>
    where
        ReconnectingDevice<D>: Send + 'static,
    {
        let shared: [_; N_PARTS] =
            std::array::from_fn(|_| Arc::new(Shared::ringing(Arc::clone(&bell))));
        let for_thread = shared.clone();
        let is_starting = reconnecting.starting_flag();
        let stop = Arc::new(AtomicBool::new(false));
        let stopping = Arc::clone(&stop);
        let thread = std::thread::Builder::new()
            .name(D::NAME.to_owned())
            .spawn(move || keep_reading(reconnecting, &for_thread, &stopping, tend))?;
        let reader = Arc::new(Reader {
            name: D::NAME,
            stop,
            farewell: D::FAREWELL,
            is_put_back: D::IS_PUT_BACK,
            thread: Some(thread),
        });
        Ok(shared.map(|shared| Self {
            shared,
            is_starting: Arc::clone(&is_starting),
            _reader: Arc::clone(&reader),
        }))
    }

    /// Takes the newest reading, if it is new.
    pub fn take(&self) -> Option<R> {
        self.take_numbered().map(|newest| newest.reading)
    }

    /// Same as [`take`](Self::take), with the number of the record.
    pub fn take_numbered(&self) -> Option<NumberedReading<R>> {
        self.shared.readings.take()
    }

    pub fn state(&self) -> DeviceState {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// True while the device is being set up: its port is there, and it may send samples soon.
    pub fn is_starting(&self) -> bool {
        self.is_starting.load(Ordering::Relaxed)
    }

    /// Number of usable readings so far that were doubtful.
    pub fn n_doubtful(&self) -> u64 {
        self.shared.n_doubtful.load(Ordering::Relaxed)
    }

    /// Number of usable readings so far.
    pub fn n_samples(&self) -> u64 {
        self.shared.n_readings.load(Ordering::Acquire)
    }
}

impl<R> Feed<R> {
    /// Number of damaged records. Their part is not known: they count for the first part.
    pub fn n_lost(&self) -> u64 {
        self.shared.n_lost.load(Ordering::Relaxed)
    }
}

impl<R> Shared<R> {
    fn ringing(bell: Arc<Bell>) -> Self {
        Self {
            readings: Mailbox::ringing(bell),
            state: Mutex::new(DeviceState::Opening),
            n_readings: AtomicU64::new(0),
            n_doubtful: AtomicU64::new(0),
            n_lost: AtomicU64::new(0),
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let Some(thread) = self.thread.take() else { return };
        let deadline = Instant::now() + self.farewell;
        while !thread.is_finished() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        // A thread that waits for a silent port ends by itself within seconds; there is no need to
        // wait for it.
        if thread.is_finished() {
            if thread.join().is_err() {
                tracing::error!("a device thread panicked");
            }
        } else if self.is_put_back {
            // Settings may have been sent even if it is still being set up.
            let name = self.name;
            tracing::warn!(
                target: LEFT_BEHIND,
                "the {name} does not end in time; it may not be as it was found"
            );
        }
    }
}
