//! Tests of the writer: the time at which bytes reach the file, their number, and refused input.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use super::*;

/// A file in memory that can be read while it is written, and can be full.
#[derive(Debug, Default, Clone)]
struct Disk(Rc<RefCell<Contents>>);

#[derive(Debug, Default)]
struct Contents {
    bytes: Vec<u8>,
    n_syncs: usize,
    limit: Option<usize>,
}

impl Disk {
    fn n_events(&self) -> usize {
        read(&self.0.borrow().bytes).0.len()
    }

    fn n_syncs(&self) -> usize {
        self.0.borrow().n_syncs
    }
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut contents = self.0.borrow_mut();
        let room = contents.limit.map_or(usize::MAX, |limit| limit - contents.bytes.len());
        let n_bytes = bytes.len().min(room);
        contents.bytes.extend_from_slice(&bytes[..n_bytes]);
        Ok(n_bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.borrow_mut().n_syncs += 1;
        Ok(())
    }
}

fn start() -> (Disk, RecordingWriter<Disk>, Instant) {
    let (disk, began) = (Disk::default(), Instant::now());
    let writer = RecordingWriter::new(disk.clone(), &header(), began).unwrap();
    (disk, writer, began)
}

#[test]
fn events_reach_the_file_within_100_ms_and_the_disk_within_a_second() {
    let (disk, mut writer, began) = start();
    let at = |ms| began + Duration::from_millis(ms);
    writer.received(at(10), device(0), b"a").unwrap();
    writer.received(at(109), device(0), b"b").unwrap();
    assert_eq!(disk.n_events(), 0);
    writer.tick(at(110)).unwrap();
    assert_eq!((disk.n_events(), disk.n_syncs()), (2, 0));
    writer.received(at(300), device(0), b"c").unwrap();
    writer.received(at(400), device(0), b"d").unwrap();
    assert_eq!(disk.n_events(), 4);
    writer.tick(at(999)).unwrap();
    assert_eq!(disk.n_syncs(), 0);
    writer.tick(at(1000)).unwrap();
    assert_eq!(disk.n_syncs(), 1);
    writer.tick(at(5000)).unwrap();
    assert_eq!(disk.n_syncs(), 1, "nothing new to sync");
    writer.mark(at(5000), "here").unwrap();
    writer.flush(at(5000)).unwrap();
    assert_eq!((disk.n_events(), disk.n_syncs()), (5, 2));
    writer.received(at(5001), device(0), b"e").unwrap();
    drop(writer);
    assert_eq!(disk.n_events(), 6, "a dropped writer writes what is left");
}

#[test]
fn four_kilobytes_are_written_at_once() {
    let (disk, mut writer, began) = start();
    for _ in 0..40 {
        writer.received(began, device(0), &[1; 100]).unwrap();
    }
    assert_eq!(disk.n_events(), 0);
    writer.received(began, device(0), &[1; 100]).unwrap();
    assert_eq!(disk.n_events(), 41);
}

#[test]
fn a_full_disk_stops_the_recording_and_leaves_the_rest_readable() {
    let (disk, mut writer, began) = start();
    writer.mark(began, "kept").unwrap();
    writer.flush(began).unwrap();
    let n_bytes = disk.0.borrow().bytes.len();
    disk.0.borrow_mut().limit = Some(n_bytes + 3);
    writer.mark(began, "lost").unwrap();
    assert!(matches!(writer.flush(began), Err(WriteError::Write(_))));
    disk.0.borrow_mut().limit = None;
    assert!(matches!(writer.mark(began, "late"), Err(WriteError::Stopped)));
    assert!(matches!(writer.tick(began), Err(WriteError::Stopped)));
    assert!(matches!(writer.finish(began), Err(WriteError::Stopped)));
    let (events, errors) = read(&disk.0.borrow().bytes);
    assert_eq!(events.len(), 1);
    assert_eq!(errors.len(), 1);
    assert!(errors[0].contains("cut"), "{errors:?}");
}

#[test]
fn what_is_too_long_is_refused_cut_or_split() {
    let (disk, mut writer, began) = start();
    let too_long = |outcome| matches!(outcome, Err(WriteError::TooLong { .. }));
    assert!(too_long(writer.opened(began, device(0), &"k".repeat(MAX_KIND + 1), "", &[])));
    assert!(too_long(writer.opened(began, device(0), "k", "", &[0; MAX_BYTES + 1])));
    // Almost a full chunk, then the longest event.
    writer.received(began, device(0), &[1; 4000]).unwrap();
    let (kind, name) = ("k".repeat(MAX_KIND), "é".repeat(MAX_TEXT));
    writer.opened(began, device(0), &kind, &name, &[0xAC; MAX_BYTES]).unwrap();
    writer.received(began, device(0), &[2; 2 * MAX_BYTES + 1]).unwrap();
    writer.lost(began, device(0), &format!("x{name}")).unwrap();
    writer.finish(began).unwrap();
    let (events, errors) = read(&disk.0.borrow().bytes);
    assert_eq!(errors, [""; 0]);
    let lengths: Vec<usize> = events
        .iter()
        .map(|event| match &event.what {
            EventKind::Opened { name, settings, .. } => name.len() + settings.len(),
            EventKind::Received { bytes, .. } | EventKind::Sent { bytes, .. } => bytes.len(),
            EventKind::Lost { reason, .. } => reason.len(),
            EventKind::Mark { text } => text.len(),
            EventKind::Ended => 0,
        })
        .collect();
    // The reason is cut between two characters.
    let want = [4000, MAX_TEXT + MAX_BYTES, MAX_BYTES, MAX_BYTES, 1, MAX_TEXT - 1, 0];
    assert_eq!(lengths, want);
}

/// Extra bytes per record beyond the record's own, over 55 s from `start_s` on, for a glove at
/// 100 Hz and a tracker that sends `n_tracker` records in that time.
fn overhead(start_s: u64, n_tracker: u64) -> f64 {
    let start_us = start_s * 1_000_000;
    let glove = (0..5500).map(|count| received(start_us + count * 10_000, 0, &[7; 24]));
    let tracker = (0..n_tracker).map(|count| received(start_us + count * 8_333, 1, &[7; 33]));
    let mut events: Vec<Event> = glove.chain(tracker).collect();
    events.sort_by_key(|event| event.at);
    let n_head = written(&[]).len();
    let n_own = 5500 * 24 + n_tracker as usize * 33;
    (written(&events).len() - n_head - n_own) as f64 / events.len() as f64
}

#[test]
fn a_record_costs_at_most_four_bytes_more_than_its_own() {
    // The later a chunk, the more bytes its time needs.
    for start_s in [0, 300, 9 * 3600] {
        let (alone, both) = (overhead(start_s, 0), overhead(start_s, 6600));
        assert!(alone <= 4.0, "{alone} bytes for each record of a glove");
        assert!(both <= 3.5, "{both} bytes for each record of glove and tracker");
    }
}

#[test]
fn records_need_no_memory_of_their_own() {
    let (_disk, mut writer, began) = start();
    let capacity = writer.chunk_capacity();
    for count in 0..10_000 {
        let at = began + Duration::from_millis(count);
        writer.received(at, device(0), &[count as u8; 512]).unwrap();
    }
    assert_eq!(writer.chunk_capacity(), capacity);
}

#[test]
fn a_file_is_only_replaced_if_asked() {
    let folder = tempfile::tempdir().unwrap();
    let (path, began) = (folder.path().join("session.palpate"), Instant::now());
    let create = |existing| RecordingWriter::create(&path, &header(), began, existing);
    let mut writer = create(Existing::Keep).unwrap();
    writer.mark(began, "first").unwrap();
    writer.finish(began).unwrap();
    let error = create(Existing::Keep).expect_err("there is one already");
    assert!(error.to_string().contains("session.palpate"), "{error}");
    let n_events = || RecordingReader::open(&path).unwrap().summary().unwrap().n_events;
    assert_eq!(n_events(), 2, "left alone");
    create(Existing::Replace).unwrap().finish(began).unwrap();
    assert_eq!(n_events(), 1);
}
