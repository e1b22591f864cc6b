//! Serial lines that are slow, at another rate, late, or used by another device.

use drivers::cyberglove::SamplePeriod;
use drivers::device::Device;
use drivers::serial::SerialLine;
use drivers::{CyberGlove, DeviceError, Fastrak, GloveOptions, TrackerOptions};
use emulators::{Emulator, LineOptions, WrongBaud};

use crate::harness::{
    at_once, glove, keep, line, live, lost, next, quick_tracker, start, take_rest, tracker, until,
};
use crate::sample_accounting::{Account, Judged, account, judged_glove};

const GLOVE: &str = "glove";
const TRACKER: &str = "tracker";

/// A unit that starts again in no time, should garbage tell it to.
fn quick_glove() -> emulators::GloveOptions {
    emulators::GloveOptions { restart: std::time::Duration::from_millis(200), ..Default::default() }
}

/// Takes some samples; every record must be among them, and nothing dropped.
fn check_all_arrive<D: Judged>(emulator: &Emulator, options: &D::Options, n_samples: usize) {
    let mut device: D = start(emulator.path(), options);
    let mut samples: Vec<_> = (0..n_samples).map(|_| next(&mut device)).collect();
    samples.extend(take_rest(emulator, &mut device));
    let want = Account { n_intact: samples.len() as u64, ..Account::default() };
    assert_eq!(account::<D>(emulator, &[samples]), want);
    assert_eq!(device.counts().dropped_records, 0);
}

#[test]
fn what_a_slow_line_has_no_room_for_is_no_damage() {
    at_once(&[GLOVE, TRACKER], |device| {
        let slow = LineOptions { baud: Some(9600), ..line(&[]) };
        let emulator = match *device {
            GLOVE => {
                let emulator = glove(quick_glove(), &slow);
                let options = GloveOptions { baud: 9600, ..judged_glove() };
                check_all_arrive::<CyberGlove>(&emulator, &options, 40);
                emulator
            }
            _ => {
                let emulator = tracker(quick_tracker(), &slow);
                let options = TrackerOptions { baud: 9600, ..TrackerOptions::default() };
                check_all_arrive::<Fastrak>(&emulator, &options, 40);
                emulator
            }
        };
        assert!(emulator.report().records_withheld.slow_line > 40, "{:?}", emulator.report());
    });
}

#[test]
fn late_replies_are_waited_for_and_not_taken_for_others() {
    let cases = [
        (GLOVE, "late:150ms"),
        // Later than anybody waits: asked again, the unit answers twice.
        (GLOVE, "late:700ms@#3"),
        (TRACKER, "late:200ms"),
        (TRACKER, "late:800ms@#1"),
    ];
    at_once(&cases, |(device, fault)| {
        let late = line(&[fault]);
        if *device == GLOVE {
            check_all_arrive::<CyberGlove>(&glove(quick_glove(), &late), &judged_glove(), 20);
        } else {
            let options = TrackerOptions::default();
            check_all_arrive::<Fastrak>(&tracker(quick_tracker(), &late), &options, 20);
        }
    });
}

#[test]
fn a_wrong_baud_rate_is_an_error_and_the_right_one_still_works() {
    fn check<D: Device>(emulator: &Emulator, wrong: D::Options, right: D::Options) {
        let mut reconnecting = keep::<D>(emulator.path(), wrong);
        let reason = lost(&mut reconnecting);
        // With silence, garbage or endless garbage, the error names the port.
        let is_told = ["gave no answer to", "answered", "is this the right baud rate?"]
            .iter()
            .any(|words| reason.contains(words));
        assert!(is_told && reason.contains(emulator.path()), "{reason}");
        assert_eq!(
            (reconnecting.counts().n_connections, reconnecting.counts().decoded.records),
            (0, 0)
        );
        drop(reconnecting);
        live(&mut keep::<D>(emulator.path(), right), 20);
    }
    let cases =
        [(GLOVE, "at rest"), (GLOVE, "streaming"), (TRACKER, "at rest"), (TRACKER, "streaming")];
    at_once(&cases, |(device, state)| {
        let strict =
            LineOptions { baud: Some(115_200), wrong_baud: WrongBaud::Garbage, ..line(&[]) };
        let leave_streaming = |emulator: &Emulator, stream: &[u8]| {
            let mut host = SerialLine::open(emulator.path(), 115_200).unwrap();
            host.write_all(stream).unwrap();
            until("it streams", || emulator.records_sent() > 3);
        };
        if *device == GLOVE {
            let emulator = glove(quick_glove(), &strict);
            if *state == "streaming" {
                leave_streaming(&emulator, b"S");
            }
            // Garbage may have set any sample period, so the right one is asked for.
            let sample_period = Some(SamplePeriod::from_hz(100.0).unwrap());
            let right = GloveOptions { sample_period, ..judged_glove() };
            check::<CyberGlove>(&emulator, GloveOptions { baud: 38_400, ..right }, right);
        } else {
            let emulator = tracker(quick_tracker(), &strict);
            if *state == "streaming" {
                leave_streaming(&emulator, b"fC");
            }
            let wrong = TrackerOptions { baud: 57_600, ..TrackerOptions::default() };
            check::<Fastrak>(&emulator, wrong, TrackerOptions::default());
        }
    });
}

#[test]
fn a_port_that_is_taken_is_refused_and_its_owner_not_disturbed() {
    let emulator = glove(quick_glove(), &line(&[]));
    let mut owner: CyberGlove = start(emulator.path(), &judged_glove());
    let mut samples: Vec<_> = (0..20).map(|_| next(&mut owner)).collect();
    for _ in 0..3 {
        match CyberGlove::open(emulator.path(), &GloveOptions::default()).map(drop) {
            Err(error @ DeviceError::Open { .. }) => {
                assert!(error.to_string().contains(emulator.path()), "{error}");
            }
            other => panic!("{other:?}"),
        }
        samples.push(next(&mut owner));
    }
    samples.extend(take_rest(&emulator, &mut owner));
    let want = Account { n_intact: samples.len() as u64, ..Account::default() };
    assert_eq!(account::<CyberGlove>(&emulator, &[samples]), want);
}
