//! Feeds a recording back: the bytes of one device, at their times, through the device's own driver.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::keeper::{Lines, News, OpenedLine};
use crate::recording::{DeviceId, Event, RecordingError, RecordingReader, What};
use crate::serial::{DeviceError, SerialLine, Wire};

/// When each moment of a recording comes again. Give all its devices clones of one clock.
#[derive(Debug, Clone)]
pub struct ReplayClock {
    /// What was recorded before is passed over.
    first: Duration,
    dial: Arc<Mutex<Dial>>,
}

/// Where a clock is, and how it goes on.
#[derive(Debug, Clone, Copy)]
struct Dial {
    /// Everything up to here is due.
    at: Duration,
    /// When it was there; `None` while it stands still.
    since: Option<Instant>,
    /// `None`: everything is due at once.
    speed: Option<f64>,
    has_started: bool,
    is_paused: bool,
}

/// A moment beyond what a clock can tell never comes.
const FAR: Duration = Duration::from_secs(u32::MAX as u64);

impl ReplayClock {
    /// A clock that stands still until it is started; a speed of 2 takes half the time. `None` unless the
    /// speed is positive.
    pub fn new(speed: f64) -> Option<Self> {
        is_speed(speed).then(|| Self::with(Some(speed)))
    }

    /// A clock by which all that was recorded is due already: for whoever wants what it says, not when. It is where
    /// what was last read was said.
    pub fn at_once() -> Self {
        Self::with(None)
    }

    /// The same, but it begins in the middle of the recording.
    pub fn beginning_at(self, first: Duration) -> Self {
        self.dial().at = first;
        Self { first, ..self }
    }

    fn with(speed: Option<f64>) -> Self {
        let (at, since) = (Duration::ZERO, None);
        let dial = Dial { at, since, speed, has_started: false, is_paused: false };
        Self { first: Duration::ZERO, dial: Arc::new(Mutex::new(dial)) }
    }

    /// From now on time passes, unless it is paused. Does nothing if it does already.
    pub fn start(&self) {
        let mut dial = self.dial();
        if !dial.has_started {
            dial.change(|dial| dial.has_started = true);
        }
    }

    /// Stands still from now on.
    pub fn pause(&self) {
        self.dial().change(|dial| dial.is_paused = true);
    }

    /// Goes on after a pause.
    pub fn go_on(&self) {
        self.dial().change(|dial| dial.is_paused = false);
    }

    pub fn is_paused(&self) -> bool {
        self.dial().is_paused
    }

    /// Goes on so many times as fast as it was; says whether that is a speed.
    pub fn set_speed(&self, speed: f64) -> bool {
        if is_speed(speed) {
            self.dial().change(|dial| dial.speed = Some(speed));
        }
        is_speed(speed)
    }

    /// How many times as fast as it was; `None` if all is due at once.
    pub fn speed(&self) -> Option<f64> {
        self.dial().speed
    }

    /// Where in the recording it is. It goes on beyond the end.
    pub fn position(&self) -> Duration {
        self.dial().position(Instant::now())
    }

    /// Whether this moment has come again.
    pub fn is_due(&self, at: Duration) -> bool {
        let dial = self.dial();
        dial.speed.is_none() || at <= dial.position(Instant::now())
    }

    /// How long it takes until this moment comes again; very long while the clock stands still.
    pub fn until(&self, at: Duration) -> Duration {
        self.when(at).saturating_duration_since(Instant::now())
    }

    /// What was said at this moment is read.
    fn reach(&self, at: Duration) {
        let mut dial = self.dial();
        if dial.speed.is_none() {
            dial.at = dial.at.max(at);
        }
    }

    fn when(&self, at: Duration) -> Instant {
        let (now, dial) = (Instant::now(), *self.dial());
        let Some(speed) = dial.speed else { return now };
        let Some(ahead) = at.checked_sub(dial.at) else { return now };
        let Some(since) = dial.since else {
            return if ahead.is_zero() { now } else { now + FAR };
        };
        let seconds = ahead.as_secs_f64() / speed;
        since + Duration::try_from_secs_f64(seconds).unwrap_or(FAR).min(FAR)
    }

    /// A dial is whole at every moment.
    fn dial(&self) -> MutexGuard<'_, Dial> {
        self.dial.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Dial {
    /// Changes how it goes on from here.
    fn change(&mut self, change: impl FnOnce(&mut Self)) {
        let now = Instant::now();
        self.at = self.position(now);
        change(self);
        self.since = (self.has_started && !self.is_paused).then_some(now);
    }

    fn position(&self, now: Instant) -> Duration {
        let passed =
            self.since.map_or(Duration::ZERO, |since| now.saturating_duration_since(since));
        let seconds = passed.as_secs_f64() * self.speed.unwrap_or(1.0);
        self.at.saturating_add(Duration::try_from_secs_f64(seconds).unwrap_or(FAR))
    }
}

fn is_speed(speed: f64) -> bool {
    speed > 0.0 && speed.is_finite()
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
            if !tape.clock.is_due(at) {
                return Err(DeviceError::NotYet { path: self.path.clone() });
            }
            tape.next = None;
            if !tape.pass_over() {
                continue;
            }
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

    /// Passes over what was said before the clock's first moment; says whether the device was still there then.
    fn pass_over(&mut self) -> bool {
        let first = self.clock.first;
        while let Some(event) = self.peek().filter(|event| event.at < first) {
            match event.what {
                What::Opened { .. } => return false,
                What::Lost { .. } => {
                    self.next = None;
                    return false;
                }
                What::Received { .. } | What::Sent { .. } | What::Mark { .. } | What::Ended => {
                    self.next = None;
                }
            }
        }
        true
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
            tape.clock.reach(at);
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

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Where a clock is that was here so long ago.
    fn position(dial: &Dial, later: Duration) -> f64 {
        let since = dial.since.unwrap_or_else(Instant::now);
        dial.position(since + later).as_secs_f64()
    }

    #[test]
    fn a_clock_stands_still_until_it_is_started_and_while_it_is_paused() {
        let clock = ReplayClock::new(2.0).unwrap().beginning_at(5 * SECOND);
        assert_eq!(position(&clock.dial(), SECOND), 5.0);
        assert!(clock.is_due(5 * SECOND) && !clock.is_due(6 * SECOND));
        assert!(clock.when(6 * SECOND) > Instant::now() + 100 * SECOND);
        clock.start();
        assert!((position(&clock.dial(), SECOND) - 7.0).abs() < 1e-9);
        clock.pause();
        let at = clock.position();
        assert_eq!(position(&clock.dial(), 10 * SECOND), at.as_secs_f64());
        // Started again, it is still paused.
        clock.start();
        assert!(clock.is_paused() && clock.position() == at);
        clock.go_on();
        assert!(clock.set_speed(0.5) && !clock.set_speed(0.0) && !clock.set_speed(f64::NAN));
        let from = position(&clock.dial(), Duration::ZERO);
        assert!((position(&clock.dial(), SECOND) - from - 0.5).abs() < 1e-9);
        assert!(from >= at.as_secs_f64());
    }

    #[test]
    fn all_is_due_at_once_if_nobody_cares_when() {
        let clock = ReplayClock::at_once();
        assert!(clock.is_due(FAR) && clock.when(FAR) <= Instant::now());
        assert_eq!(clock.speed(), None);
    }
}
