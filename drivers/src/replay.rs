//! Feeds a recording back: the bytes of one device, at their times, through the device's own driver.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::keeper::{Lines, News, OpenedLine};
use crate::recording::{DeviceId, Event, RecordingError, RecordingReader, What};
use crate::serial::{DeviceError, SerialLine, Wire};

/// When each moment of a recording comes again. Give all its devices clones of one clock.
#[derive(Debug, Clone)]
pub struct ReplayClock {
    began: Arc<OnceLock<Instant>>,
    /// `None`: everything is due at once.
    speed: Option<f64>,
}

impl ReplayClock {
    /// A clock that stands still until it is started; a speed of 2 takes half the time. `None` unless the
    /// speed is positive.
    pub fn new(speed: f64) -> Option<Self> {
        (speed > 0.0 && speed.is_finite())
            .then(|| Self { began: Arc::default(), speed: Some(speed) })
    }

    /// A clock by which all that was recorded is due already: for whoever wants what it says, not when.
    pub fn at_once() -> Self {
        Self { began: Arc::new(OnceLock::from(Instant::now())), speed: None }
    }

    /// From now on time passes. Does nothing if it does already.
    pub fn start(&self) {
        self.began.get_or_init(Instant::now);
    }

    fn when(&self, at: Duration) -> Instant {
        // A moment beyond what a clock can tell never comes.
        let far = Duration::from_secs(u32::MAX.into());
        let Some(began) = self.began.get() else { return Instant::now() + far };
        let Some(speed) = self.speed else { return *began };
        let seconds = at.as_secs_f64() / speed;
        *began + Duration::try_from_secs_f64(seconds).unwrap_or(far).min(far)
    }
}

/// The lines of one device of a recording, one for each time that it was opened.
///
/// Everything that is written to them is ignored: the answers are those that were recorded.
pub struct ReplayLines {
    tape: Arc<Mutex<Tape>>,
    path: String,
}

/// Where a replay is.
struct Tape {
    events: RecordingReader<File>,
    device: DeviceId,
    clock: ReplayClock,
    /// Read, and not yet played.
    next: Option<Event>,
    /// What is left of bytes that did not fit into a read.
    left: Vec<u8>,
}

impl ReplayLines {
    /// Plays what `device` said.
    pub fn open(path: &Path, device: DeviceId, clock: ReplayClock) -> Result<Self, RecordingError> {
        let tape = Tape {
            events: RecordingReader::open(path)?,
            device,
            clock,
            next: None,
            left: Vec::new(),
        };
        let path = format!("{}, device {device}", path.display());
        Ok(Self { tape: Arc::new(Mutex::new(tape)), path })
    }
}

impl Lines for ReplayLines {
    fn open(&mut self, _path: &str, _baud: u32) -> Result<OpenedLine, DeviceError> {
        let mut tape = lock(&self.tape);
        // What was said before it was ready is of no use now.
        tape.left.clear();
        loop {
            let Some(event) = tape.peek() else {
                return Err(DeviceError::Ended { path: self.path.clone() });
            };
            let What::Opened { settings, .. } = &event.what else {
                tape.next = None;
                continue;
            };
            let (at, settings) = (event.at, String::from_utf8_lossy(settings).into_owned());
            if Instant::now() < tape.clock.when(at) {
                return Err(DeviceError::NotYet { path: self.path.clone() });
            }
            tape.next = None;
            let wire = Box::new(ReplayWire(Arc::clone(&self.tape)));
            return Ok(OpenedLine::SetUp(SerialLine::over(wire, &self.path), settings));
        }
    }

    /// It is all known.
    fn report(&mut self, _news: News<'_>) {}
}

impl Tape {
    /// The device's next event.
    fn peek(&mut self) -> Option<&Event> {
        while self.next.is_none() {
            match self.events.next()? {
                Ok(event) if event.what.device() == Some(self.device) => self.next = Some(event),
                Ok(_) => {}
                Err(error) => tracing::warn!(%error, "the recording is not whole"),
            }
        }
        self.next.as_ref()
    }
}

struct ReplayWire(Arc<Mutex<Tape>>);

impl Wire for ReplayWire {
    fn read(&mut self, into: &mut [u8], timeout: Duration) -> io::Result<usize> {
        let deadline = Instant::now() + timeout;
        let mut tape = lock(&self.0);
        while tape.left.is_empty() {
            let Some(event) = tape.peek() else {
                return Err(io::Error::new(ErrorKind::UnexpectedEof, "the recording has ended"));
            };
            let at = event.at;
            let is_opened = matches!(event.what, What::Opened { .. });
            let due = tape.clock.when(at);
            std::thread::sleep(due.min(deadline).saturating_duration_since(Instant::now()));
            if due > deadline {
                return Err(ErrorKind::TimedOut.into());
            }
            if is_opened {
                // Left to the next line.
                return Err(io::Error::new(ErrorKind::UnexpectedEof, "it was opened anew"));
            }
            match tape.next.take().map(|event| event.what) {
                Some(What::Received { bytes, .. }) => tape.left = bytes,
                Some(What::Lost { reason, .. }) => {
                    return Err(io::Error::new(ErrorKind::UnexpectedEof, reason));
                }
                Some(What::Sent { .. } | What::Opened { .. } | What::Mark { .. } | What::Ended)
                | None => {}
            }
        }
        let n = tape.left.len().min(into.len());
        into[..n].copy_from_slice(&tape.left[..n]);
        tape.left.drain(..n);
        Ok(n)
    }

    fn write_all(&mut self, _bytes: &[u8], _timeout: Duration) -> io::Result<()> {
        Ok(())
    }
}

/// A tape is whole at every moment.
fn lock(tape: &Mutex<Tape>) -> MutexGuard<'_, Tape> {
    tape.lock().unwrap_or_else(PoisonError::into_inner)
}
