//! The emulators on real pseudo-terminals, with the serialport crate as the host.

use std::io::{ErrorKind, Read, Write};
use std::time::{Duration, Instant};

use emulators::{
    Emulator, EmulatorError, GloveEmulator, GloveOptions, HandState, Motion, ScriptClock,
    TrackerEmulator, TrackerOptions,
};
use serialport::TTYPort;

/// Longer than anything here takes, even on a busy machine.
const DEADLINE: Duration = Duration::from_secs(20);
const GLOVE_RECORD: usize = 24;

fn glove() -> Emulator {
    let clock = ScriptClock::since(Instant::now());
    GloveEmulator::start(GloveOptions::default(), Motion::grasp_and_squeeze(), clock)
        .expect("a pseudo-terminal can be made")
}

fn open(path: &str) -> TTYPort {
    serialport::new(path, 115_200)
        .timeout(Duration::from_millis(50))
        .open_native()
        .expect("the emulator's port opens")
}

/// Reads until `is_enough`.
fn read_until(port: &mut TTYPort, mut is_enough: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let deadline = Instant::now() + DEADLINE;
    let (mut bytes, mut chunk) = (Vec::new(), [0; 256]);
    while !is_enough(&bytes) {
        assert!(Instant::now() < deadline, "only got {}", bytes.escape_ascii());
        match port.read(&mut chunk) {
            Ok(n_read) => bytes.extend_from_slice(&chunk[..n_read]),
            Err(error) if error.kind() == ErrorKind::TimedOut => {}
            Err(error) => panic!("the line failed: {error}"),
        }
    }
    bytes
}

#[test]
fn a_poll_gives_one_record() {
    let glove = glove();
    let mut port = open(glove.path());
    port.write_all(b"G").unwrap();
    let record = read_until(&mut port, |bytes| bytes.len() >= GLOVE_RECORD);
    assert_eq!(record.len(), GLOVE_RECORD);
    assert_eq!((record[0], record[GLOVE_RECORD - 1]), (b'G', 0));
    assert!(record[..GLOVE_RECORD - 1].iter().all(|byte| *byte != 0));
}

#[test]
fn a_stream_runs_until_it_is_aborted() {
    let glove = glove();
    let mut port = open(glove.path());
    port.write_all(b"S").unwrap();
    let stream = read_until(&mut port, |bytes| bytes.len() >= 20 * GLOVE_RECORD);
    for record in stream.chunks_exact(GLOVE_RECORD) {
        assert_eq!((record[0], record[GLOVE_RECORD - 1]), (b'S', 0));
    }
    port.write_all(&[0x03]).unwrap();
    read_until(&mut port, |bytes| bytes.ends_with(&[0x03, 0]));
    assert!(glove.records_sent() >= 20);
    // After the abort's answer nothing may come but the answer to the next request.
    port.write_all(b"?S").unwrap();
    let answer = read_until(&mut port, |bytes| bytes.len() >= 4);
    assert_eq!(answer, b"?S\x16\0");
}

#[test]
fn every_byte_value_passes_both_ways() {
    // The tracker's binary records and the glove's settings may hold any byte, even control codes.
    let glove = glove();
    let mut port = open(glove.path());
    for byte in 0..=255 {
        port.write_all(&[b'M', byte, byte, byte, b'?', b'M']).unwrap();
        let answer = read_until(&mut port, |bytes| bytes.len() >= 8);
        assert_eq!(answer, [b'M', 0, b'?', b'M', byte, byte, byte, 0]);
    }
}

#[test]
fn unplugging_is_an_error_for_the_host() {
    let glove = glove();
    let mut port = open(glove.path());
    port.write_all(b"G").unwrap();
    read_until(&mut port, |bytes| bytes.len() >= GLOVE_RECORD);
    let path = glove.path().to_owned();
    glove.unplug();
    assert_eq!(port.read(&mut [0; 64]).unwrap_err().kind(), ErrorKind::BrokenPipe);
    port.write_all(b"G").unwrap_err();
    assert!(!std::path::Path::new(&path).exists(), "the port is gone");
}

#[test]
fn a_second_host_may_come_after_the_first_but_not_beside_it() {
    let glove = glove();
    for _ in 0..3 {
        let mut port = open(glove.path());
        port.write_all(b"G").unwrap();
        read_until(&mut port, |bytes| bytes.len() >= GLOVE_RECORD);
        assert!(serialport::new(glove.path(), 115_200).open_native().is_err());
    }
}

#[test]
fn a_host_that_does_not_read_costs_records_but_not_the_device() {
    let clock = ScriptClock::since(Instant::now());
    let motion = Motion::held(HandState::FLAT);
    let tracker = TrackerEmulator::start(TrackerOptions::default(), motion, clock).unwrap();
    let mut port = open(tracker.path());
    let deadline = Instant::now() + DEADLINE;
    // Far more than terminal and outbox hold; polled, because a stream would take minutes.
    while tracker.records_dropped() == 0 {
        assert!(Instant::now() < deadline, "nothing was dropped");
        port.write_all(&[b'P'; 64]).unwrap();
    }
    // Empty the line, then the device answers as ever.
    port.write_all(b"S").unwrap();
    let mut is_quiet = false;
    while !is_quiet {
        assert!(Instant::now() < deadline, "the line never became empty");
        is_quiet =
            matches!(port.read(&mut [0; 4096]), Err(error) if error.kind() == ErrorKind::TimedOut);
    }
    port.write_all(b"S").unwrap();
    let status = read_until(&mut port, |bytes| bytes.len() >= 55);
    assert_eq!(&status[..6], b"21S3F0");
}

#[test]
fn glove_and_tracker_on_one_clock_are_at_the_same_moment() {
    let origin = Instant::now();
    let clock = ScriptClock::since(origin);
    let motion = Motion::grasp_and_squeeze();
    let tracker = TrackerEmulator::start(TrackerOptions::default(), motion.clone(), clock).unwrap();
    let mut port = open(tracker.path());
    let before = clock.seconds_at(Instant::now());
    port.write_all(b"uO1,2,1\rP").unwrap();
    let record = read_until(&mut port, |bytes| bytes.len() >= 26);
    let after = clock.seconds_at(Instant::now());
    let x_cm: f64 = std::str::from_utf8(&record[3..10]).unwrap().trim().parse().unwrap();
    let steps = 1 + ((after - before) / 1e-3) as usize;
    let is_at_some_moment = (0..=steps).any(|step| {
        let seconds = before + (after - before) * step as f64 / steps as f64;
        (motion.state_at(seconds).receiver_position_cm[0] - x_cm).abs() < 0.1
    });
    assert!(is_at_some_moment, "x = {x_cm} cm between {before} s and {after} s");
}

#[test]
fn impossible_rates_are_refused() {
    for stream_hz in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let options = GloveOptions { stream_hz, ..GloveOptions::default() };
        let clock = ScriptClock::since(Instant::now());
        let started = GloveEmulator::start(options, Motion::held(HandState::FLAT), clock);
        assert!(matches!(started, Err(EmulatorError::StreamRate(_))));
    }
}
