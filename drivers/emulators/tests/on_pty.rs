//! Tests of the emulators on real pseudo-terminals, with the serialport crate as the host.

use std::io::{ErrorKind, Read, Write};
use std::time::{Duration, Instant};

use emulators::{
    DamageKind, DeviceEvent, Emulator, EmulatorError, FaultPlan, GloveEmulator, GloveOptions,
    HandState, LineOptions, LucidGloveEmulator, LucidGloveOptions, Motion, PlugName, ScriptClock,
    TrackerEmulator, TrackerOptions, WrongBaud,
};
use serialport::TTYPort;

/// Longest wait for anything in these tests, enough for a busy machine.
const DEADLINE: Duration = Duration::from_secs(20);
const GLOVE_RECORD: usize = 24;

fn glove() -> Emulator {
    let clock = ScriptClock::since(Instant::now());
    GloveEmulator::start(GloveOptions::default(), Motion::grasp_and_squeeze(), clock)
        .expect("a pseudo-terminal can be made")
}

fn glove_on(line: &LineOptions) -> Emulator {
    let clock = ScriptClock::since(Instant::now());
    GloveEmulator::start_on(line, GloveOptions::default(), Motion::grasp_and_squeeze(), clock)
        .expect("a pseudo-terminal can be made")
}

fn faults(faults: &[&str]) -> LineOptions {
    let faults = faults.iter().map(|text| text.parse().expect("the text is a fault")).collect();
    LineOptions {
        faults: FaultPlan::new(1, faults).expect("the rates fit"),
        ..LineOptions::default()
    }
}

/// Waits until `is_so`, while the emulator's thread works.
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + DEADLINE;
    while !is_so() {
        assert!(Instant::now() < deadline, "never {what}");
        std::thread::park_timeout(Duration::from_millis(2));
    }
}

fn ask(port: &mut TTYPort, host: &[u8], n_bytes: usize) -> Vec<u8> {
    port.write_all(host).expect("the line accepts the bytes");
    read_until(port, |bytes| bytes.len() >= n_bytes)
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
    // After the abort's answer only the answer to the next request may come.
    port.write_all(b"?S").unwrap();
    let answer = read_until(&mut port, |bytes| bytes.len() >= 4);
    assert_eq!(answer, b"?S\x16\0");
}

#[test]
fn every_byte_value_passes_both_ways() {
    // The tracker's binary records and the glove's settings may contain any byte, even control
    // codes.
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
    ask(&mut port, b"G", GLOVE_RECORD);
    let terminal = glove.terminal().expect("it is plugged in");
    glove.unplug();
    assert_eq!(port.read(&mut [0; 64]).unwrap_err().kind(), ErrorKind::BrokenPipe);
    port.write_all(b"G").unwrap_err();
    for path in [glove.path(), &terminal] {
        assert!(!std::path::Path::new(path).exists(), "{path} is gone");
    }
    assert_eq!(glove.terminal(), None);
}

#[test]
fn a_device_is_plugged_in_again_under_the_same_or_another_name() {
    let mut glove = glove();
    let first = glove.path().to_owned();
    assert_eq!(ask(&mut open(&first), b"N\x05", 2), b"N\0");
    glove.unplug();
    glove.plug_in(PlugName::Same).unwrap();
    assert_eq!(glove.path(), first);
    // The unit kept its power, so it kept its settings.
    assert_eq!(ask(&mut open(glove.path()), b"?N", 4), b"?N\x05\0");
    glove.unplug();
    glove.plug_in(PlugName::Other).unwrap();
    assert_ne!(glove.path(), first);
    assert!(!std::path::Path::new(&first).exists());
    assert_eq!(ask(&mut open(glove.path()), b"?N", 4), b"?N\x05\0");
    let folder = std::path::Path::new(&first).parent().unwrap().to_owned();
    drop(glove);
    assert!(!folder.exists(), "nothing is left behind");
}

#[test]
fn a_planned_hang_up_ends_by_itself() {
    let glove = glove_on(&faults(&["hangup:100ms@200ms"]));
    let mut port = open(glove.path());
    port.write_all(b"S").unwrap();
    let mut bytes = [0; 256];
    let deadline = Instant::now() + DEADLINE;
    let error = loop {
        assert!(Instant::now() < deadline, "it never hung up");
        match port.read(&mut bytes) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::TimedOut => {}
            Err(error) => break error,
        }
    };
    assert_eq!(error.kind(), ErrorKind::BrokenPipe);
    wait_until("back", || glove.terminal().is_some());
    // The glove still streams when a new host opens the port.
    let mut port = open(glove.path());
    read_until(&mut port, |bytes| bytes.len() >= 3 * GLOVE_RECORD);
    let report = glove.report();
    assert!(report.records_withheld.unplugged > 0, "{report:?}");
    assert!(report.n_damaged() <= 1 && report.damage.iter().all(|one| one.kind == DamageKind::Cut));
}

#[test]
fn a_host_can_check_the_account_to_the_last_record() {
    let line = faults(&["drop:0.1", "insert:0.1", "text:0.05"]);
    let glove = glove_on(&line);
    let mut port = open(glove.path());
    port.write_all(b"S").unwrap();
    let mut received = read_until(&mut port, |bytes| bytes.len() >= 100 * GLOVE_RECORD);
    port.write_all(&[0x03]).unwrap();
    // No sensor shows 3 in this motion, so this is the answer to the abort.
    received.extend(read_until(&mut port, |bytes| bytes.ends_with(&[0x03, 0])));
    let report = glove.report();
    let pieces = received.split(|byte| *byte == 0);
    let n_good = pieces.filter(|piece| piece.len() == GLOVE_RECORD - 1).count() as u64;
    assert_eq!(n_good, report.records_whole);
    assert!(report.n_damaged() > 5);
    assert_eq!(report.bytes_sent, received.len() as u64);
}

#[test]
fn bytes_come_no_faster_than_the_baud_rate() {
    let line = LineOptions { baud: Some(9600), ..LineOptions::default() };
    let glove = glove_on(&line);
    let mut port = open(glove.path());
    let start = Instant::now();
    // 480 bytes at 960 bytes per second. A busy machine may take longer, but not less time.
    ask(&mut port, &[b'G'; 20], 20 * GLOVE_RECORD);
    assert!(start.elapsed() >= Duration::from_millis(490), "{:?}", start.elapsed());
}

#[test]
fn a_wrong_rate_gives_garbage_until_it_is_right() {
    let line = LineOptions {
        baud: Some(38_400),
        wrong_baud: WrongBaud::Garbage,
        ..LineOptions::default()
    };
    // Garbage may contain a command to restart.
    let options = GloveOptions { restart: Duration::from_millis(20), ..GloveOptions::default() };
    let clock = ScriptClock::since(Instant::now());
    let motion = Motion::held(HandState::FLAT);
    let glove = GloveEmulator::start_on(&line, options, motion, clock).unwrap();
    let (mut port, mut received) = (open(glove.path()), Vec::new());
    for _ in 0..10 {
        port.write_all(b"?S").unwrap();
        let mut bytes = [0; 64];
        let n_read = port.read(&mut bytes).unwrap_or_default();
        received.extend_from_slice(&bytes[..n_read]);
    }
    assert!(!received.windows(4).any(|bytes| bytes == b"?S\x16\0"), "{}", received.escape_ascii());
    drop(port);
    let mut port = serialport::new(glove.path(), 38_400)
        .timeout(Duration::from_millis(50))
        .open_native()
        .unwrap();
    // Garbage may also have started a command or a stream.
    wait_until("the right answer", || {
        port.write_all(&[0x03; 64]).unwrap();
        port.write_all(b"?S").unwrap();
        let mut bytes = [0; 4096];
        let (mut received, mut is_quiet) = (Vec::new(), false);
        while !is_quiet && received.len() < 4096 {
            let n_read = port.read(&mut bytes).unwrap_or_default();
            received.extend_from_slice(&bytes[..n_read]);
            is_quiet = n_read == 0;
        }
        received.ends_with(b"?S\x16\0")
    });
}

#[test]
fn people_do_things_to_a_device_and_feel_what_it_does() {
    let clock = ScriptClock::since(Instant::now());
    let options = GloveOptions { has_cybertouch: true, ..GloveOptions::default() };
    let motion = Motion::named("flat").unwrap();
    let glove = GloveEmulator::start(options, motion.clone(), clock).unwrap();
    let mut port = open(glove.path());
    assert_eq!(ask(&mut port, b"A\x01\x01\x80", 2), b"A\0");
    wait_until("felt", || glove.feedback().actuators == [0, 0x80, 0, 0, 0, 0]);
    glove.happen(DeviceEvent::WristSwitch);
    assert!(glove.feedback().is_light_on);
    assert_eq!(ask(&mut port, b"?L", 4), b"?L\x01\0");

    let options = LucidGloveOptions { streams_at_power_up: false, ..LucidGloveOptions::default() };
    let lucid = LucidGloveEmulator::start(options, motion, clock).unwrap();
    let mut port = open(lucid.path());
    port.write_all(b"A1B2C3D4E1000\n").unwrap();
    wait_until("felt", || lucid.last_forces() == Some([1, 2, 3, 4, 1000]));
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
    // Polls far more than terminal and send queue can hold, because a stream would take minutes.
    while tracker.records_dropped() == 0 {
        assert!(Instant::now() < deadline, "nothing was dropped");
        port.write_all(&[b'P'; 64]).unwrap();
    }
    // When the line is empty, the device answers again.
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
