//! A device for tests: the test hands over its samples one by one.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use drivers::DecodeCounts;
use drivers::device::Device;
use drivers::line_source::{ConnectionEvent, LineSource, OpenedLine};
use drivers::ports::SystemPorts;
use drivers::reconnect::ReconnectingDevice;
use drivers::serial::{DeviceError, SerialLine, Wire};
use engine::Bell;

use super::feed::Feed;
use super::input_device::InputDevice;

/// Part of a sample, and its reading or the reason why there is none.
pub(super) type Scripted<R> = (usize, Result<R, &'static str>);

/// The device's number of parts, and its samples.
pub(super) struct Script<R> {
    n_parts: usize,
    samples: Arc<Mutex<Receiver<Scripted<R>>>>,
}

pub(super) struct ScriptedDevice<R>(Script<R>);

/// Creates a device with `n_parts` parts. Returns a feed for each of the first parts, and the
/// sender of samples.
pub(super) fn feeds<R: Send + 'static, const N_FEEDS: usize>(
    n_parts: usize,
) -> ([Feed<R>; N_FEEDS], SyncSender<Scripted<R>>) {
    let (sender, receiver) = mpsc::sync_channel(64);
    let script = Script { n_parts, samples: Arc::new(Mutex::new(receiver)) };
    let reconnecting = ReconnectingDevice::<ScriptedDevice<R>>::new(
        "a script",
        script,
        Box::new(SystemPorts),
        Box::new(NoLines),
    );
    let feeds = Feed::start_each(reconnecting, Arc::new(Bell::default()), |_| {}).unwrap();
    (feeds, sender)
}

/// Repeats `look` until it returns true.
pub(super) fn until(mut look: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !look() {
        assert!(Instant::now() < deadline, "this takes too long");
        std::thread::yield_now();
    }
}

impl<R> Clone for Script<R> {
    fn clone(&self) -> Self {
        Self { n_parts: self.n_parts, samples: Arc::clone(&self.samples) }
    }
}

impl<R: Send + 'static> Device for ScriptedDevice<R> {
    type Options = Script<R>;
    type Sample = Scripted<R>;
    type Memory = ();
    const KIND: &'static str = "scripted";

    fn baud(_options: &Script<R>) -> u32 {
        115_200
    }

    fn start(
        _line: SerialLine,
        options: &Script<R>,
        _memory: &mut (),
    ) -> Result<Self, DeviceError> {
        Ok(Self(options.clone()))
    }

    fn resume(line: SerialLine, _settings: &str) -> Result<Self, DeviceError> {
        Err(DeviceError::Ended { path: line.path().to_owned() })
    }

    fn abandon(self) {}

    fn settings(&self) -> String {
        String::new()
    }

    fn next_sample(&mut self, patience: Duration) -> Result<Option<Scripted<R>>, DeviceError> {
        let samples = self.0.samples.lock().unwrap_or_else(PoisonError::into_inner);
        match samples.recv_timeout(patience) {
            Ok(sample) => Ok(Some(sample)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => {
                Err(DeviceError::Ended { path: "a script".to_owned() })
            }
        }
    }

    fn wake(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn period(&self) -> Duration {
        Duration::from_millis(10)
    }

    fn counts(&self) -> DecodeCounts {
        DecodeCounts { dropped_records: 3, ..DecodeCounts::default() }
    }
}

impl<R: Send + 'static> InputDevice for ScriptedDevice<R> {
    type Reading = R;
    const NAME: &'static str = "script";

    fn describe(&self) -> String {
        "scripted".to_owned()
    }

    fn part(&self, sample: &Scripted<R>) -> Option<usize> {
        Some(sample.0).filter(|part| *part < self.0.n_parts)
    }

    fn lacks(&self, part: usize) -> Option<String> {
        (part >= self.0.n_parts).then(|| format!("there is no part {part}"))
    }

    fn reading(&self, sample: Scripted<R>) -> Result<R, &'static str> {
        sample.1
    }
}

struct NoLines;

impl LineSource for NoLines {
    fn open(&mut self, path: &str, _baud: u32) -> Result<OpenedLine, DeviceError> {
        Ok(OpenedLine::Fresh(SerialLine::over(Box::new(NoWire), path)))
    }

    fn report(&mut self, _news: ConnectionEvent<'_>) {}
}

struct NoWire;

impl Wire for NoWire {
    fn read(&mut self, _into: &mut [u8], _timeout: Duration) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::TimedOut.into())
    }

    fn write_all(&mut self, _bytes: &[u8], _timeout: Duration) -> std::io::Result<()> {
        Ok(())
    }
}
