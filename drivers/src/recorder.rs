//! Records devices while they are in use: taps their lines and writes the file on its own thread.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::line_source::{ConnectionEvent, LineSource, OpenedLine};
use crate::recording::{
    DeviceId, EventKind, Existing, RecordingHeader, RecordingWriter, WriteError,
};
use crate::serial::{DeviceError, SerialLine, Tap};

/// Largest number of events that wait for a slow disk: half a minute of two devices.
const MOST_WAITING: usize = 8192;
/// Longest wait of the writer for an event before it looks at the clock.
const TICK: Duration = Duration::from_millis(50);

/// Reason why a recording could not be started or finished.
#[derive(Debug, thiserror::Error)]
pub enum RecorderError {
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error("cannot start the recorder's thread")]
    Thread(#[source] io::Error),
    #[error("the recorder's thread panicked")]
    Panicked,
}

impl RecorderError {
    /// True if the file exists already and must not be replaced.
    pub fn is_taken(&self) -> bool {
        let Self::Write(WriteError::Create { source, .. }) = self else { return false };
        source.kind() == io::ErrorKind::AlreadyExists
    }
}

/// A recording in the making. Dropping it leaves a recording that reads as cut.
pub struct Recorder {
    events: SyncSender<Entry>,
    n_missed: Arc<AtomicU64>,
    n_bytes: Arc<AtomicU64>,
    n_noted: Arc<AtomicU64>,
    thread: JoinHandle<Result<(), WriteError>>,
}

struct Entry {
    at: Instant,
    what: EventKind,
}

impl Recorder {
    /// Starts a recording at `path`; `program` is the name and version of the recording program.
    pub fn start(path: &Path, program: &str, existing: Existing) -> Result<Self, RecorderError> {
        let unix = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let header =
            RecordingHeader { began_unix_ms: unix.as_millis() as u64, program: program.to_owned() };
        let writer = RecordingWriter::create(path, &header, Instant::now(), existing)?;
        let (events, waiting) = sync_channel(MOST_WAITING);
        let n_missed = Arc::new(AtomicU64::new(0));
        let thread = std::thread::Builder::new()
            .name("recorder".to_owned())
            .spawn(move || write(writer, &waiting))
            .map_err(RecorderError::Thread)?;
        let (n_bytes, n_noted) = (Arc::default(), Arc::default());
        Ok(Self { events, n_missed, n_bytes, n_noted, thread })
    }

    /// The same lines; all bytes that pass over them are recorded under `device`.
    pub fn listen(&self, device: DeviceId, lines: Box<dyn LineSource>) -> Box<dyn LineSource> {
        Box::new(RecordedLines { lines, tap: self.tap(device) })
    }

    /// Adds a mark, with which the user can find this moment again.
    pub fn mark(&self, text: &str) {
        let mark = EventKind::Mark { text: text.to_owned() };
        put(&self.events, &self.n_missed, mark, Instant::now());
    }

    /// Opens a channel for the program's own notes; they are recorded as the bytes of a device of
    /// this kind.
    pub fn notes(&self, device: DeviceId, kind: &str) -> Notes {
        let tap = self.tap(device);
        let (kind, name, settings) = (kind.to_owned(), String::new(), Vec::new());
        tap.put(EventKind::Opened { device, kind, name, settings }, Instant::now());
        Notes { tap, n_noted: Arc::clone(&self.n_noted) }
    }

    /// Bytes received from devices so far.
    pub fn n_bytes(&self) -> u64 {
        self.n_bytes.load(Ordering::Relaxed)
    }

    /// Bytes of notes so far.
    pub fn n_noted(&self) -> u64 {
        self.n_noted.load(Ordering::Relaxed)
    }

    /// True while the recording is being written; a full disk ends it.
    pub fn is_writing(&self) -> bool {
        !self.thread.is_finished()
    }

    /// Finishes the recording. Drop the recorded lines first: later bytes are not recorded.
    pub fn finish(self) -> Result<(), RecorderError> {
        let at = Instant::now();
        let n_missed = self.n_missed.swap(0, Ordering::Relaxed);
        if n_missed > 0 {
            let _ = self.events.send(Entry { at, what: EventKind::missing(n_missed) });
        }
        // This fails only if the thread has ended with a write error, which `join` returns below.
        let _ = self.events.send(Entry { at, what: EventKind::Ended });
        match self.thread.join() {
            Ok(written) => Ok(written?),
            Err(_) => Err(RecorderError::Panicked),
        }
    }

    fn tap(&self, device: DeviceId) -> RecordingTap {
        RecordingTap {
            events: self.events.clone(),
            n_missed: Arc::clone(&self.n_missed),
            n_bytes: Arc::clone(&self.n_bytes),
            device,
        }
    }
}

/// Writes the program's own notes into a recording.
pub struct Notes {
    tap: RecordingTap,
    n_noted: Arc<AtomicU64>,
}

impl Notes {
    /// Records `bytes`. Never waits; a note that does not fit into the queue is counted as missing.
    pub fn write(&self, bytes: &[u8]) {
        let device = self.tap.device;
        self.n_noted.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        self.tap.put(EventKind::Received { device, bytes: bytes.to_vec() }, Instant::now());
    }
}

/// Queues an event. Never waits: a slow disk must not delay a hand.
///
/// Events that do not fit into the queue are counted, and a mark in the recording gives their
/// number.
fn put(events: &SyncSender<Entry>, n_missed: &AtomicU64, what: EventKind, at: Instant) {
    let n_before = n_missed.swap(0, Ordering::Relaxed);
    if n_before > 0 && events.try_send(Entry { at, what: EventKind::missing(n_before) }).is_err() {
        n_missed.fetch_add(n_before, Ordering::Relaxed);
    }
    match events.try_send(Entry { at, what }) {
        // The recorder has ended; `finish` returns the reason.
        Ok(()) | Err(TrySendError::Disconnected(_)) => {}
        Err(TrySendError::Full(_)) => {
            n_missed.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Writes events until the recording is finished or all senders are dropped.
fn write(mut writer: RecordingWriter<File>, events: &Receiver<Entry>) -> Result<(), WriteError> {
    loop {
        let Entry { at, what } = match events.recv_timeout(TICK) {
            Ok(entry) => entry,
            Err(RecvTimeoutError::Timeout) => {
                writer.tick(Instant::now())?;
                continue;
            }
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        };
        match what {
            EventKind::Opened { device, kind, name, settings } => {
                writer.opened(at, device, &kind, &name, &settings)?;
            }
            EventKind::Received { device, bytes } => writer.received(at, device, &bytes)?,
            EventKind::Sent { device, bytes } => writer.sent(at, device, &bytes)?,
            EventKind::Lost { device, reason } => writer.lost(at, device, &reason)?,
            EventKind::Mark { text } => writer.mark(at, &text)?,
            EventKind::Ended => return writer.finish(at),
        }
    }
}

/// Records the bytes of one device.
#[derive(Clone)]
struct RecordingTap {
    events: SyncSender<Entry>,
    n_missed: Arc<AtomicU64>,
    n_bytes: Arc<AtomicU64>,
    device: DeviceId,
}

impl RecordingTap {
    fn put(&self, what: EventKind, at: Instant) {
        put(&self.events, &self.n_missed, what, at);
    }
}

impl Tap for RecordingTap {
    fn received(&mut self, bytes: &[u8], at: Instant) {
        self.n_bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        self.put(EventKind::Received { device: self.device, bytes: bytes.to_vec() }, at);
    }

    fn sent(&mut self, bytes: &[u8], at: Instant) {
        self.put(EventKind::Sent { device: self.device, bytes: bytes.to_vec() }, at);
    }
}

struct RecordedLines {
    lines: Box<dyn LineSource>,
    tap: RecordingTap,
}

impl LineSource for RecordedLines {
    fn open(&mut self, path: &str, baud: u32) -> Result<OpenedLine, DeviceError> {
        let tapped = |line: SerialLine| line.tapped(Box::new(self.tap.clone()));
        Ok(match self.lines.open(path, baud)? {
            OpenedLine::Fresh(line) => OpenedLine::Fresh(tapped(line)),
            OpenedLine::SetUp(line, settings) => OpenedLine::SetUp(tapped(line), settings),
        })
    }

    fn report(&mut self, news: ConnectionEvent<'_>) {
        let device = self.tap.device;
        let what = match news {
            ConnectionEvent::Ready { kind, path, settings } => EventKind::Opened {
                device,
                kind: kind.to_owned(),
                name: path.to_owned(),
                settings: settings.as_bytes().to_vec(),
            },
            ConnectionEvent::Lost { reason } => {
                EventKind::Lost { device, reason: reason.to_owned() }
            }
        };
        self.tap.put(what, Instant::now());
        self.lines.report(news);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_that_do_not_fit_are_counted_in_their_place() {
        let (events, waiting) = sync_channel(2);
        let n_missed = AtomicU64::new(0);
        let say = |text: &str| {
            put(&events, &n_missed, EventKind::Mark { text: text.to_owned() }, Instant::now());
        };
        ["one", "two", "three", "four"].into_iter().for_each(say);
        let next = || waiting.recv().unwrap().what;
        assert_eq!(next(), EventKind::Mark { text: "one".to_owned() });
        assert_eq!(next(), EventKind::Mark { text: "two".to_owned() });
        say("five");
        assert_eq!(next().n_missing(), Some(2));
        let five = next();
        assert_eq!(five, EventKind::Mark { text: "five".to_owned() });
        assert_eq!(five.n_missing(), None);
        assert_eq!(n_missed.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn events_missing_at_the_end_are_counted_too() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("run.plpr");
        let recorder = Recorder::start(&file, "test", Existing::Keep).unwrap();
        recorder.n_missed.store(3, Ordering::Relaxed);
        recorder.finish().unwrap();
        let events = crate::recording::RecordingReader::open(&file).unwrap();
        let missing: Vec<u64> =
            events.filter_map(|event| event.unwrap().what.n_missing()).collect();
        assert_eq!(missing, [3]);
    }
}
