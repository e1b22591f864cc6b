//! Tests that a recording whose writer dies can be read up to its last written chunk.
//!
//! The writer is this test program itself. It is started again to run one of the writer tests
//! below, which do nothing unless the environment variable `PATH` below is set.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use drivers::recording::{
    DeviceId, Ending, Event, EventKind, Existing, RecordingHeader, RecordingReader, RecordingWriter,
};

/// Environment variable with the path of the recording that a writer makes.
const PATH: &str = "DRIVERS_CRASH_TEST_RECORDING";
/// Longest wait for a few written kilobytes, enough for a busy machine.
const DEADLINE: Duration = Duration::from_secs(60);
const GLOVE: DeviceId = DeviceId::new(4).expect("small enough");

/// The event with this number; there is one event every 10 ms.
fn event(number: u64) -> Event {
    let bytes = number.to_le_bytes().repeat(3);
    let at = Duration::from_millis(10) * number as u32;
    Event { at, what: EventKind::Received { device: GLOVE, bytes } }
}

fn write(path: &Path, n_events: u64) -> RecordingWriter<std::fs::File> {
    let header = RecordingHeader { began_unix_ms: 0, program: "crash test".to_owned() };
    let began = Instant::now();
    let mut writer =
        RecordingWriter::create(path, &header, began, Existing::Keep).expect("the file is new");
    for number in 0..n_events {
        let Event { at, what: EventKind::Received { device, bytes } } = event(number) else {
            unreachable!("all events are of this kind");
        };
        writer.received(began + at, device, &bytes).expect("there is room");
    }
    writer
}

/// Not a test, but a writer that aborts in the middle of a chunk.
#[test]
fn writer_that_aborts() {
    if let Some(path) = std::env::var_os(PATH) {
        // A chunk holds 11 events, so the last 7 are still in memory.
        let _writer = write(Path::new(&path), 11 * 100 + 7);
        std::process::abort();
    }
}

/// Not a test, but a writer that is killed from outside.
#[test]
fn writer_that_does_not_stop() {
    if let Some(path) = std::env::var_os(PATH) {
        write(Path::new(&path), 400_000_000);
    }
}

fn start(writer: &str, path: &Path) -> Child {
    let this_program = std::env::current_exe().expect("a program knows itself");
    let mut command = Command::new(this_program);
    command.args(["--exact", writer]).env(PATH, path);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("this program can be started again")
}

/// Number of events in the file; checks that it contains nothing else.
fn n_events(path: &Path) -> u64 {
    let open = || RecordingReader::open(path).expect("the head is sound");
    let summary = open().summary().expect("the file can be read");
    assert!(matches!(summary.ending, Ending::Cut { .. }), "{summary:?}");
    assert_eq!(summary.n_damaged_places, 0, "{summary:?}");
    for (number, got) in (0..).zip(open().take_while(Result::is_ok).flatten()) {
        assert_eq!(got, event(number));
    }
    summary.n_events
}

#[test]
fn an_abort_loses_only_what_was_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("aborted");
    let status = start("writer_that_aborts", &path).wait().unwrap();
    assert!(!status.success(), "{status}");
    assert_eq!(n_events(&path), 11 * 100);
}

#[test]
fn a_killed_writer_leaves_a_readable_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("killed");
    let mut child = start("writer_that_does_not_stop", &path);
    let deadline = Instant::now() + DEADLINE;
    let length = || std::fs::metadata(&path).map_or(0, |metadata| metadata.len());
    while length() < 20_000 {
        assert!(Instant::now() < deadline, "the writer writes nothing");
        assert!(child.try_wait().unwrap().is_none(), "the writer stopped by itself");
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let n_events = n_events(&path);
    assert!(n_events * 28 > 19_000, "{n_events} events");
}
