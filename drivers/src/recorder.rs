//! Records devices while they are kept: listens in on their lines and writes on a thread of its own.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::keeper::{Lines, News, OpenedLine};
use crate::recording::{DeviceId, Existing, RecordingHeader, RecordingWriter, What, WriteError};
use crate::serial::{DeviceError, SerialLine, Tap};

/// Events that may wait for a slow disk: half a minute of two devices.
const MOST_WAITING: usize = 8192;
/// How long the writer waits for events before it looks at the clock.
const TICK: Duration = Duration::from_millis(50);

/// Why a recording could not be begun or ended well.
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
    /// Whether the file was there already, and was to be left alone.
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
    what: What,
}

impl Recorder {
    /// Begins a recording at `path`; `program` says who made it.
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

    /// Lines as before, with everything that passes over them recorded as `device`'s.
    pub fn listen(&self, device: DeviceId, lines: Box<dyn Lines>) -> Box<dyn Lines> {
        Box::new(RecordedLines { lines, ear: self.ear(device) })
    }

    /// The person at the desk wants to find this moment again.
    pub fn mark(&self, text: &str) {
        let mark = What::Mark { text: text.to_owned() };
        put(&self.events, &self.n_missed, mark, Instant::now());
    }

    /// Room for what a program itself has to say, kept as the bytes of a device of this kind.
    pub fn notes(&self, device: DeviceId, kind: &str) -> Notes {
        let ear = self.ear(device);
        let (kind, name, settings) = (kind.to_owned(), String::new(), Vec::new());
        ear.put(What::Opened { device, kind, name, settings }, Instant::now());
        Notes { ear, n_noted: Arc::clone(&self.n_noted) }
    }

    /// Bytes received from devices so far.
    pub fn n_bytes(&self) -> u64 {
        self.n_bytes.load(Ordering::Relaxed)
    }

    /// Bytes of notes so far.
    pub fn n_noted(&self) -> u64 {
        self.n_noted.load(Ordering::Relaxed)
    }

    /// Whether it still records; a full disk ends a recording.
    pub fn is_writing(&self) -> bool {
        !self.thread.is_finished()
    }

    /// Ends the recording in good order. The lines must be gone by then: what they still say is not
    /// in it.
    pub fn finish(self) -> Result<(), RecorderError> {
        let at = Instant::now();
        let n_missed = self.n_missed.swap(0, Ordering::Relaxed);
        if n_missed > 0 {
            let _ = self.events.send(Entry { at, what: What::missing(n_missed) });
        }
        // Unless the thread has ended because it could not write, which it says below.
        let _ = self.events.send(Entry { at, what: What::Ended });
        match self.thread.join() {
            Ok(written) => Ok(written?),
            Err(_) => Err(RecorderError::Panicked),
        }
    }

    fn ear(&self, device: DeviceId) -> Ear {
        Ear {
            events: self.events.clone(),
            n_missed: Arc::clone(&self.n_missed),
            n_bytes: Arc::clone(&self.n_bytes),
            device,
        }
    }
}

/// What a program itself has to say in a recording.
pub struct Notes {
    ear: Ear,
    n_noted: Arc<AtomicU64>,
}

impl Notes {
    /// Never waits; what does not fit is counted as missing.
    pub fn write(&self, bytes: &[u8]) {
        let device = self.ear.device;
        self.n_noted.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        self.ear.put(What::Received { device, bytes: bytes.to_vec() }, Instant::now());
    }
}

/// Never waits: a slow disk must not hold up a hand. What does not fit is counted, and the recording
/// says how much is missing.
fn put(events: &SyncSender<Entry>, n_missed: &AtomicU64, what: What, at: Instant) {
    let n_before = n_missed.swap(0, Ordering::Relaxed);
    if n_before > 0 && events.try_send(Entry { at, what: What::missing(n_before) }).is_err() {
        n_missed.fetch_add(n_before, Ordering::Relaxed);
    }
    match events.try_send(Entry { at, what }) {
        // A recorder that ended has said why.
        Ok(()) | Err(TrySendError::Disconnected(_)) => {}
        Err(TrySendError::Full(_)) => {
            n_missed.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Writes until the recording is ended, or everybody who could say something is gone.
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
            What::Opened { device, kind, name, settings } => {
                writer.opened(at, device, &kind, &name, &settings)?;
            }
            What::Received { device, bytes } => writer.received(at, device, &bytes)?,
            What::Sent { device, bytes } => writer.sent(at, device, &bytes)?,
            What::Lost { device, reason } => writer.lost(at, device, &reason)?,
            What::Mark { text } => writer.mark(at, &text)?,
            What::Ended => return writer.finish(at),
        }
    }
}

/// Hears one device.
#[derive(Clone)]
struct Ear {
    events: SyncSender<Entry>,
    n_missed: Arc<AtomicU64>,
    n_bytes: Arc<AtomicU64>,
    device: DeviceId,
}

impl Ear {
    fn put(&self, what: What, at: Instant) {
        put(&self.events, &self.n_missed, what, at);
    }
}

impl Tap for Ear {
    fn received(&mut self, bytes: &[u8], at: Instant) {
        self.n_bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        self.put(What::Received { device: self.device, bytes: bytes.to_vec() }, at);
    }

    fn sent(&mut self, bytes: &[u8], at: Instant) {
        self.put(What::Sent { device: self.device, bytes: bytes.to_vec() }, at);
    }
}

struct RecordedLines {
    lines: Box<dyn Lines>,
    ear: Ear,
}

impl Lines for RecordedLines {
    fn open(&mut self, path: &str, baud: u32) -> Result<OpenedLine, DeviceError> {
        let tapped = |line: SerialLine| line.tapped(Box::new(self.ear.clone()));
        Ok(match self.lines.open(path, baud)? {
            OpenedLine::Fresh(line) => OpenedLine::Fresh(tapped(line)),
            OpenedLine::SetUp(line, settings) => OpenedLine::SetUp(tapped(line), settings),
        })
    }

    fn report(&mut self, news: News<'_>) {
        let device = self.ear.device;
        let what = match news {
            News::Ready { kind, path, settings } => What::Opened {
                device,
                kind: kind.to_owned(),
                name: path.to_owned(),
                settings: settings.as_bytes().to_vec(),
            },
            News::Lost { reason } => What::Lost { device, reason: reason.to_owned() },
        };
        self.ear.put(what, Instant::now());
        self.lines.report(news);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_counted_and_told_where_it_should_stand() {
        let (events, waiting) = sync_channel(2);
        let n_missed = AtomicU64::new(0);
        let say = |text: &str| {
            put(&events, &n_missed, What::Mark { text: text.to_owned() }, Instant::now());
        };
        ["one", "two", "three", "four"].into_iter().for_each(say);
        let next = || waiting.recv().unwrap().what;
        assert_eq!(next(), What::Mark { text: "one".to_owned() });
        assert_eq!(next(), What::Mark { text: "two".to_owned() });
        say("five");
        assert_eq!(next().n_missing(), Some(2));
        let five = next();
        assert_eq!(five, What::Mark { text: "five".to_owned() });
        assert_eq!(five.n_missing(), None);
        assert_eq!(n_missed.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn what_is_missing_at_the_end_is_told_too() {
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
