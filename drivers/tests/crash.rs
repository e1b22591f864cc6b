//! A recording whose writer dies is readable up to what it had written.
//!
//! The writer is this very program, started again to run one of the tests below that do nothing
//! unless they are told where to write.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use drivers::recording::{
    DeviceId, Ending, Event, Existing, RecordingHeader, RecordingReader, RecordingWriter, What,
};

/// Tells a writer where to write.
const PATH: &str = "DRIVERS_CRASH_TEST_RECORDING";
/// Longer than a busy machine needs to write a few kilobytes.
const DEADLINE: Duration = Duration::from_secs(60);
const GLOVE: DeviceId = DeviceId::new(4).expect("small enough");

/// The event of that number: one each 10 ms.
fn event(number: u64) -> Event {
    let bytes = number.to_le_bytes().repeat(3);
    let at = Duration::from_millis(10) * number as u32;
    Event { at, what: What::Received { device: GLOVE, bytes } }
}

fn write(path: &Path, n_events: u64) -> RecordingWriter<std::fs::File> {
    let header = RecordingHeader { began_unix_ms: 0, program: "crash test".to_owned() };
    let began = Instant::now();
    let mut writer =
        RecordingWriter::create(path, &header, began, Existing::Keep).expect("the file is new");
    for number in 0..n_events {
        let Event { at, what: What::Received { device, bytes } } = event(number) else {
            unreachable!("all events are of this kind");
        };
        writer.received(began + at, device, &bytes).expect("there is room");
    }
    writer
}

/// Not a test of its own: the writer that aborts in the middle of a chunk.
#[test]
fn writer_that_aborts() {
    if let Some(path) = std::env::var_os(PATH) {
        // 11 events to a chunk: the last 7 are still in memory.
        let _writer = write(Path::new(&path), 11 * 100 + 7);
        std::process::abort();
    }
}

/// Not a test of its own: the writer that is killed from outside.
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

/// How many of the events are in the file, after it is clear that there is nothing else in it.
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
