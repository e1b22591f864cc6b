//! Plays a recording: the bytes of one device, at their times, through the device's own driver.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::line_source::{ConnectionEvent, LineSource, OpenedLine};
use crate::recording::{DeviceId, Event, EventKind, RecordingError, RecordingReader};
use crate::serial::{DeviceError, SerialLine, Wire};

/// The clock of a replay: gives each moment of a recording its time.
///
/// Give all devices of a recording clones of one clock.
#[derive(Debug, Clone)]
pub struct ReplayClock {
    /// Bytes that were recorded before this moment are skipped.
    first: Duration,
    state: Arc<Mutex<ClockState>>,
}

/// Position and speed of a clock.
#[derive(Debug, Clone, Copy)]
struct ClockState {
    /// Everything up to this moment of the recording is due.
    at: Duration,
    /// Time at which the clock was at `at`; `None` while it stands still.
    since: Option<Instant>,
    /// `None`: everything is due at once.
    speed: Option<f64>,
    has_started: bool,
    is_paused: bool,
}

/// Longest wait that a clock returns; a moment that is further away never comes.
const FAR: Duration = Duration::from_secs(u32::MAX as u64);

impl ReplayClock {
    /// A clock that stands still until it is started. A `speed` of 2 halves the time. `None` unless
    /// the speed is positive and finite.
    pub fn new(speed: f64) -> Option<Self> {
        is_speed(speed).then(|| Self::with(Some(speed)))
    }

    /// A clock by which the whole recording is due at once, to read a recording without its
    /// timing. Its position is the time of the event that was read last.
    pub fn at_once() -> Self {
        Self::with(None)
    }

    /// The same clock, but it begins at `first`; the recording is skipped up to there.
    pub fn beginning_at(self, first: Duration) -> Self {
        self.state().at = first;
        Self { first, ..self }
    }

    fn with(speed: Option<f64>) -> Self {
        let (at, since) = (Duration::ZERO, None);
        let state = ClockState { at, since, speed, has_started: false, is_paused: false };
        Self { first: Duration::ZERO, state: Arc::new(Mutex::new(state)) }
    }

    /// Starts the clock, unless it is paused. Does nothing if it has started already.
    pub fn start(&self) {
        let mut state = self.state();
        if !state.has_started {
            state.change(|state| state.has_started = true);
        }
    }

    /// Stops the clock until [`Self::go_on`].
    pub fn pause(&self) {
        self.state().change(|state| state.is_paused = true);
    }

    /// Ends a pause.
    pub fn go_on(&self) {
        self.state().change(|state| state.is_paused = false);
    }

    pub fn is_paused(&self) -> bool {
        self.state().is_paused
    }

    /// Sets the speed, relative to that of the recording. Returns false, and keeps the old speed,
    /// if `speed` is not positive and finite.
    pub fn set_speed(&self, speed: f64) -> bool {
        if is_speed(speed) {
            self.state().change(|state| state.speed = Some(speed));
        }
        is_speed(speed)
    }

    /// Speed relative to that of the recording; `None` if everything is due at once.
    pub fn speed(&self) -> Option<f64> {
        self.state().speed
    }

    /// Position in the recording. It grows beyond the end of the recording.
    pub fn position(&self) -> Duration {
        self.state().position(Instant::now())
    }

    /// True if the moment `at` of the recording is due.
    pub fn is_due(&self, at: Duration) -> bool {
        let state = self.state();
        state.speed.is_none() || at <= state.position(Instant::now())
    }

    /// Time until the moment `at` is due; very long while the clock stands still.
    pub fn until(&self, at: Duration) -> Duration {
        self.when(at).saturating_duration_since(Instant::now())
    }

    /// Notes that an event of the moment `at` has been read.
    fn reach(&self, at: Duration) {
        let mut state = self.state();
        if state.speed.is_none() {
            state.at = state.at.max(at);
        }
    }

    fn when(&self, at: Duration) -> Instant {
        let (now, state) = (Instant::now(), *self.state());
        let Some(speed) = state.speed else { return now };
        let Some(ahead) = at.checked_sub(state.at) else { return now };
        let Some(since) = state.since else {
            return if ahead.is_zero() { now } else { now + FAR };
        };
        let seconds = ahead.as_secs_f64() / speed;
        since + Duration::try_from_secs_f64(seconds).unwrap_or(FAR).min(FAR)
    }

    /// Locks the state. A poisoned lock is no problem: no holder leaves the state half changed.
    fn state(&self) -> MutexGuard<'_, ClockState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClockState {
    /// Applies `change` from the present position on.
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

/// The lines of one device of a recording: one line for each time that the device was opened.
///
/// Bytes that are written to the lines are ignored: the answers are in the recording.
pub struct ReplayLines {
    events: Arc<Mutex<DeviceEvents>>,
    path: String,
}

/// The events of one device, and the position of the replay in them.
struct DeviceEvents {
    events: RecordingReader<File>,
    device: DeviceId,
    clock: ReplayClock,
    /// Event that has been read and not yet been played.
    next: Option<Event>,
    /// Rest of the bytes that did not fit into a read.
    left: Vec<u8>,
}

impl ReplayLines {
    /// Plays the bytes that `device` sent.
    pub fn open(path: &Path, device: DeviceId, clock: ReplayClock) -> Result<Self, RecordingError> {
        let events = DeviceEvents {
            events: RecordingReader::open(path)?,
            device,
            clock,
            next: None,
            left: Vec::new(),
        };
        let path = format!("{}, device {device}", path.display());
        Ok(Self { events: Arc::new(Mutex::new(events)), path })
    }
}

impl LineSource for ReplayLines {
    fn open(&mut self, _path: &str, _baud: u32) -> Result<OpenedLine, DeviceError> {
        let mut events = lock(&self.events);
        // Bytes from before the device was ready are not samples.
        events.left.clear();
        loop {
            let Some(event) = events.peek() else {
                return Err(DeviceError::Ended { path: self.path.clone() });
            };
            let EventKind::Opened { settings, .. } = &event.what else {
                events.next = None;
                continue;
            };
            let (at, settings) = (event.at, String::from_utf8_lossy(settings).into_owned());
            if !events.clock.is_due(at) {
                return Err(DeviceError::NotYet { path: self.path.clone() });
            }
            events.next = None;
            if !events.pass_over() {
                continue;
            }
            let wire = Box::new(ReplayWire(Arc::clone(&self.events)));
            return Ok(OpenedLine::SetUp(SerialLine::over(wire, &self.path), settings));
        }
    }

    /// Does nothing: the recording holds these events already.
    fn report(&mut self, _news: ConnectionEvent<'_>) {}
}

impl DeviceEvents {
    /// The device's next event.
    fn peek(&mut self) -> Option<&Event> {
        while self.next.is_none() {
            match self.events.next()? {
                Ok(event) if event.what.device() == Some(self.device) => self.next = Some(event),
                Ok(_) => {}
                Err(error) => tracing::warn!(%error, "the recording is incomplete"),
            }
        }
        self.next.as_ref()
    }

    /// Skips the events before the clock's first moment. Returns true if the device is still
    /// connected at that moment.
    fn pass_over(&mut self) -> bool {
        let first = self.clock.first;
        while let Some(event) = self.peek().filter(|event| event.at < first) {
            match event.what {
                EventKind::Opened { .. } => return false,
                EventKind::Lost { .. } => {
                    self.next = None;
                    return false;
                }
                EventKind::Received { .. }
                | EventKind::Sent { .. }
                | EventKind::Mark { .. }
                | EventKind::Ended => {
                    self.next = None;
                }
            }
        }
        true
    }
}

struct ReplayWire(Arc<Mutex<DeviceEvents>>);

impl Wire for ReplayWire {
    fn read(&mut self, into: &mut [u8], timeout: Duration) -> io::Result<usize> {
        let deadline = Instant::now() + timeout;
        let mut events = lock(&self.0);
        while events.left.is_empty() {
            let Some(event) = events.peek() else {
                return Err(io::Error::new(ErrorKind::UnexpectedEof, "the recording has ended"));
            };
            let at = event.at;
            let is_opened = matches!(event.what, EventKind::Opened { .. });
            let due = events.clock.when(at);
            std::thread::sleep(due.min(deadline).saturating_duration_since(Instant::now()));
            if due > deadline {
                return Err(ErrorKind::TimedOut.into());
            }
            if is_opened {
                // The event stays for the next line.
                return Err(io::Error::new(ErrorKind::UnexpectedEof, "it was opened again"));
            }
            events.clock.reach(at);
            match events.next.take().map(|event| event.what) {
                Some(EventKind::Received { bytes, .. }) => events.left = bytes,
                Some(EventKind::Lost { reason, .. }) => {
                    return Err(io::Error::new(ErrorKind::UnexpectedEof, reason));
                }
                Some(
                    EventKind::Sent { .. }
                    | EventKind::Opened { .. }
                    | EventKind::Mark { .. }
                    | EventKind::Ended,
                )
                | None => {}
            }
        }
        let n = events.left.len().min(into.len());
        into[..n].copy_from_slice(&events.left[..n]);
        events.left.drain(..n);
        Ok(n)
    }

    fn write_all(&mut self, _bytes: &[u8], _timeout: Duration) -> io::Result<()> {
        Ok(())
    }
}

/// Locks the events. A poisoned lock is no problem: no holder leaves them half changed.
fn lock(events: &Mutex<DeviceEvents>) -> MutexGuard<'_, DeviceEvents> {
    events.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Position of a clock, in seconds, when `later` has passed since it was in `state`.
    fn position(state: &ClockState, later: Duration) -> f64 {
        let since = state.since.unwrap_or_else(Instant::now);
        state.position(since + later).as_secs_f64()
    }

    #[test]
    fn a_clock_stands_still_until_it_is_started_and_while_it_is_paused() {
        let clock = ReplayClock::new(2.0).unwrap().beginning_at(5 * SECOND);
        assert_eq!(position(&clock.state(), SECOND), 5.0);
        assert!(clock.is_due(5 * SECOND) && !clock.is_due(6 * SECOND));
        assert!(clock.when(6 * SECOND) > Instant::now() + 100 * SECOND);
        clock.start();
        assert!((position(&clock.state(), SECOND) - 7.0).abs() < 1e-9);
        clock.pause();
        let at = clock.position();
        assert_eq!(position(&clock.state(), 10 * SECOND), at.as_secs_f64());
        // Started again, it is still paused.
        clock.start();
        assert!(clock.is_paused() && clock.position() == at);
        clock.go_on();
        assert!(clock.set_speed(0.5) && !clock.set_speed(0.0) && !clock.set_speed(f64::NAN));
        let from = position(&clock.state(), Duration::ZERO);
        assert!((position(&clock.state(), SECOND) - from - 0.5).abs() < 1e-9);
        assert!(from >= at.as_secs_f64());
    }

    #[test]
    fn without_timing_all_events_are_due_at_once() {
        let clock = ReplayClock::at_once();
        assert!(clock.is_due(FAR) && clock.when(FAR) <= Instant::now());
        assert_eq!(clock.speed(), None);
    }
}
