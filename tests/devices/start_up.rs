//! Devices are opened out of any state in which another program may have left them.

use std::time::Duration;

use drivers::cyberglove::{Model, SamplePeriod};
use drivers::probe::{DeviceIdentity, probe};
use drivers::serial::SerialLine;
use drivers::{CyberGlove, DeviceError, Fastrak, GloveOptions, TrackerOptions};
use emulators::{Emulator, FaultPlan, GloveModel, LineOptions};

use crate::harness::{at_once, glove, line, next, quick_tracker, start, tracker, until};
use crate::sample_accounting::{Judged, account, judged_glove};

/// Another program sends `bytes` and dies.
fn leave(emulator: &Emulator, bytes: &[u8]) {
    let mut host = SerialLine::open(emulator.path(), 115_200).unwrap();
    host.write_all(bytes).unwrap();
}

/// Opens the device twice in a row; each time every record of the new stream must arrive.
fn check<D: Judged>(emulator: &Emulator, options: &D::Options) {
    let mut connections = Vec::new();
    for _ in 0..2 {
        let mut device: D = start(emulator.path(), options);
        connections.push((0..15).map(|_| next(&mut device)).collect::<Vec<_>>());
        assert_eq!(device.counts().dropped_records, 0);
    }
    let n_samples = connections.iter().flatten().count() as u64;
    let account = account::<D>(emulator, &connections);
    assert_eq!((account.n_intact, account.n_dropped), (n_samples, 0), "{account:?}");
}

fn ready_glove() -> GloveOptions {
    // A command that was left half-sent may end as any sample period.
    let sample_period = Some(SamplePeriod::from_hz(100.0).unwrap());
    GloveOptions { sample_period, ..judged_glove() }
}

fn glove_unit() -> emulators::GloveOptions {
    let restart = Duration::from_millis(600);
    emulators::GloveOptions { restart, has_cybertouch: true, ..Default::default() }
}

#[test]
fn a_glove_is_opened_in_the_middle_of_any_stream() {
    let streams: [&[u8]; 9] = [
        b"S",
        b"D\x01S",
        b"U\x01S",
        b"D\x01U\x01S",
        b"N\x04S",
        b"N\x00S",
        b"M\x01\x00\x00S",
        b"Q\x01T\x00\x00\x00\x00S",
        b"s\r",
    ];
    at_once(&streams, |bytes| {
        let emulator = glove(glove_unit(), &line(&[]));
        leave(&emulator, bytes);
        until("it streams", || emulator.records_sent() > 3);
        check::<CyberGlove>(&emulator, &ready_glove());
    });
    let unit = emulators::GloveOptions { model: GloveModel::Third, ..glove_unit() };
    let emulator = glove(unit, &line(&[]));
    leave(&emulator, b"1S");
    until("it streams", || emulator.records_sent() > 3);
    check::<CyberGlove>(&emulator, &GloveOptions { model: Model::Three, ..ready_glove() });
}

#[test]
fn a_glove_is_opened_in_the_middle_of_any_command() {
    let commands: [&[u8]; 16] = [
        b"?",
        b"D",
        b"M\x01",
        b"P",
        b"T\x04\x80",
        b"N",
        b"W",
        b"CA",
        b"CA\x01\x02\x03\x04\x05",
        b"CO\x01",
        b"A\xFF\x01",
        b"A\x06\x00",
        b"t 11",
        b"Y\x01S?",
        // It restarts, and is deaf for a while.
        b"\x12",
        b"S\x12",
    ];
    at_once(&commands, |bytes| {
        let emulator = glove(glove_unit(), &line(&[]));
        leave(&emulator, bytes);
        check::<CyberGlove>(&emulator, &ready_glove());
        assert_eq!(emulator.feedback().actuators, [0; 6], "nothing vibrates");
    });
}

#[test]
fn a_tracker_is_opened_in_the_middle_of_any_stream() {
    let streams: [&[u8]; 8] = [
        b"C",
        b"fC",
        b"uO1,52,61,1\rC",
        b"O1,18,20,1\rfC",
        b"O1,2,11\rfC",
        b"O1,0\rC",
        b"l2,1\rl3,1\rl4,1\rfC",
        b"I1,0\rUFC",
    ];
    at_once(&streams, |bytes| {
        let firmware = emulators::Firmware::Legacy;
        let emulator =
            tracker(emulators::TrackerOptions { firmware, ..quick_tracker() }, &line(&[]));
        leave(&emulator, bytes);
        until("it streams", || emulator.records_sent() > 3);
        check::<Fastrak>(&emulator, &TrackerOptions::default());
    });
}

#[test]
fn a_tracker_is_opened_in_the_middle_of_any_command() {
    let commands: [&[u8]; 10] = [
        b"O1,2,1",
        b"H1,",
        b"X left be",
        b"l",
        b"CA1,0,0",
        // Its output is held back.
        b"\x13",
        b"fC\x13",
        b"C\x13O1",
        // It starts again, and is deaf for a while.
        b"\x19",
        b"C\x19",
    ];
    at_once(&commands, |bytes| {
        let emulator = tracker(quick_tracker(), &line(&[]));
        leave(&emulator, bytes);
        let patience = Duration::from_secs(5);
        check::<Fastrak>(&emulator, &TrackerOptions { patience, ..TrackerOptions::default() });
    });
}

#[test]
fn a_device_that_never_answers_is_an_error_that_names_it() {
    let for_ever = Duration::from_secs(3600);
    at_once(&["glove", "tracker"], |device| {
        let (emulator, error) = if *device == "glove" {
            let unit = emulators::GloveOptions { restart: for_ever, ..Default::default() };
            let emulator = glove(unit, &line(&[]));
            leave(&emulator, b"\x12");
            let outcome = CyberGlove::open(emulator.path(), &ready_glove()).map(drop);
            (emulator, outcome.unwrap_err())
        } else {
            let reinitialise = for_ever;
            let unit = emulators::TrackerOptions { reinitialise, ..Default::default() };
            let emulator = tracker(unit, &line(&[]));
            leave(&emulator, b"\x19");
            let outcome = Fastrak::open(emulator.path(), &TrackerOptions::default()).map(drop);
            (emulator, outcome.unwrap_err().into())
        };
        let DeviceError::NoAnswer { path, .. } = error else { panic!("{error}") };
        assert_eq!(path, emulator.path());
    });
}

#[test]
fn a_device_whose_answers_are_damaged_is_asked_again() {
    const N_TRIES: u64 = 12;
    let tries: Vec<_> =
        (0..N_TRIES).flat_map(|seed| [("glove", seed), ("tracker", seed)]).collect();
    at_once(&tries, |(device, seed)| {
        let faults = FaultPlan::new(*seed, vec!["reply:0.01".parse().unwrap()]).unwrap();
        let line = LineOptions { faults, ..line(&[]) };
        let emulator = match *device {
            "glove" => glove(glove_unit(), &line),
            _ => tracker(quick_tracker(), &line),
        };
        let found = probe(emulator.path(), &[115_200], &mut |_| true).unwrap();
        match *device {
            "glove" => {
                let found = found.map(|found| found.what);
                assert!(matches!(found, Some(DeviceIdentity::CyberGlove(_))), "{found:?}");
            }
            // Opened by the first try: nothing here tries again.
            _ => {
                let found = found.map(|found| found.what);
                assert!(matches!(found, Some(DeviceIdentity::Fastrak(_))), "{found:?}");
                let mut tracker =
                    Fastrak::open(emulator.path(), &TrackerOptions::default()).unwrap();
                assert_eq!(tracker.sample().unwrap().station, 1);
            }
        }
    });
}

#[test]
fn a_device_that_answers_late_is_found() {
    let cases = [
        ("glove", "late:300ms"),
        ("glove", "late:900ms"),
        ("tracker", "late:300ms"),
        ("tracker", "late:900ms"),
    ];
    at_once(&cases, |(device, late)| {
        let late = line(&[late]);
        let emulator = match *device {
            "glove" => glove(glove_unit(), &late),
            _ => tracker(quick_tracker(), &late),
        };
        // On a busy machine an emulator may answer later still.
        let mut tries = (0..3).map(|_| probe(emulator.path(), &[115_200], &mut |_| true).unwrap());
        let found = tries.find_map(|found| found);
        match found.map(|found| found.what) {
            Some(DeviceIdentity::CyberGlove(info)) => {
                assert_eq!((*device, info.n_sensors), ("glove", 22));
                assert!(info.flags.is_some() && info.version.is_some(), "{info:?}");
            }
            Some(DeviceIdentity::Fastrak(status)) => {
                assert_eq!((*device, status.is_in_centimetres), ("tracker", false));
            }
            other => panic!("{device}: {other:?}"),
        }
    });
}

#[test]
fn a_device_that_answers_late_is_opened() {
    at_once(&[("glove", "late:900ms"), ("tracker", "late:900ms")], |(device, late)| {
        let late = line(&[late]);
        if *device == "glove" {
            let emulator = glove(glove_unit(), &late);
            let mut glove = CyberGlove::open(emulator.path(), &judged_glove()).unwrap();
            glove.start_stream().unwrap();
            next(&mut glove);
        } else {
            let emulator = tracker(quick_tracker(), &late);
            let mut tracker = Fastrak::open(emulator.path(), &TrackerOptions::default()).unwrap();
            tracker.start_stream().unwrap();
            next(&mut tracker);
        }
    });
}
