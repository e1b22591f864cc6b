//! Tests that records need no allocations. A separate test binary, because its allocator counts.

#![allow(clippy::unwrap_used, reason = "a test that cannot build its input has failed")]

#[allow(dead_code, reason = "shared with the tests of throughput, which use more of it")]
#[path = "throughput/streams.rs"]
mod streams;

use std::time::{Duration, Instant};

use allocation_counter::measure;
use drivers::recording::{DeviceId, RecordingHeader, RecordingWriter};
use streams::{Line, SUBJECTS, Subject};

const N_RECORDS: u64 = 5000;

#[test]
fn decoding_allocates_nothing() {
    for subject in &SUBJECTS {
        check_decoder(subject, Line::Clean, N_RECORDS - 1);
        check_decoder(subject, Line::Damaged, N_RECORDS * 98 / 100);
    }
}

#[test]
fn writing_a_recording_allocates_nothing() {
    let header = RecordingHeader { began_unix_ms: 1, program: "test".to_owned() };
    let (file, began) = (Vec::with_capacity(1 << 20), Instant::now());
    let mut writer = RecordingWriter::new(file, &header, began).unwrap();
    let devices = [0, 1].map(|number| DeviceId::new(number).unwrap());
    let mut n_events = 0;
    // Two devices: bytes in pieces of changing length, with some openings, commands and losses.
    let mut write = |n_more: u32| {
        for _ in 0..n_more {
            n_events += 1;
            let at = began + n_events * Duration::from_millis(5);
            let (device, length) = (devices[n_events as usize % 2], n_events as usize % 60);
            writer.received(at, device, &[0x55; 60][..length]).unwrap();
            match n_events % 100 {
                0 => writer.opened(at, device, "cyberglove", "/dev/ttyUSB0", b"hand=left").unwrap(),
                25 => writer.sent(at, device, b"S").unwrap(),
                50 => writer.mark(at, "now").unwrap(),
                75 => writer.lost(at, device, "it hung up").unwrap(),
                _ => writer.tick(at).unwrap(),
            }
        }
    };
    write(100);
    let taken = measure(|| write(5000));
    assert_eq!(taken.count_total, 0, "{taken:?}");
}

/// Decodes a stream in pieces of all lengths up to a whole read; the second time must not allocate.
fn check_decoder(subject: &Subject, line: Line, n_at_least: u64) {
    let stream = subject.stream(N_RECORDS as usize, line);
    let mut decode = (subject.decoder)();
    // The first pass allocates the buffer for an unfinished record.
    let n_before = decode(&stream).records;
    let mut n_after = 0;
    let taken = measure(|| {
        let mut rest = stream.as_slice();
        for length in (1..=512).cycle() {
            let (piece, behind) = rest.split_at(length.min(rest.len()));
            n_after = decode(piece).records;
            rest = behind;
            if rest.is_empty() {
                break;
            }
        }
    });
    assert_eq!(taken.count_total, 0, "{}, {line:?}: {taken:?}", subject.name);
    // A decoder that drops everything needs no memory either, so the records are counted.
    let n_decoded = n_after - n_before;
    assert!(n_decoded >= n_at_least, "{}, {line:?}: {n_decoded} records", subject.name);
}
