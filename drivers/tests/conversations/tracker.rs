//! Conversations with a FASTRAK.

use std::time::Duration;

use drivers::{Condition, DeviceError, Fastrak};

use crate::peer::{Peer, Turn};

fn status(flags: &str) -> Vec<u8> {
    format!("21S{flags}    F31  {:6}{:32}\r\n", "2.1", "bench").into_bytes()
}

fn record(x_cm: f32) -> Vec<u8> {
    let mut bytes = b"01 ".to_vec();
    let numbers = [x_cm, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    bytes.extend(b"\r\n");
    bytes
}

/// What a tracker with one receiver says while it is opened.
fn start_up() -> Vec<Turn> {
    vec![
        (b"c", b"01   12.34  -5.60   0.07  90.00 -1".to_vec()),
        (b"S", status("3F0")),
        (b"l1\r", b"21l1000\r\n".to_vec()),
        (b"uO1,2,11,1\rv2\rx2\re1,0\rf", Vec::new()),
        (b"S", status("3F3")),
    ]
}

#[test]
fn a_tracker_is_opened_polled_and_streamed() {
    let mut script = start_up();
    script.push((b"P", record(25.0)));
    script.push((b"C", [record(30.0), record(35.0)].concat()));
    script.push((b"c", Vec::new()));
    let peer = Peer::start(script);

    let mut tracker = Fastrak::open(&peer.path, 115_200).unwrap();
    assert_eq!(tracker.info().version, "2.1");
    assert_eq!(tracker.info().id, "bench");
    assert_eq!(tracker.info().stations, [1]);
    let sample = tracker.sample().unwrap();
    assert_eq!(sample.source_from_sensor.translation.x, 0.25);
    assert_eq!(sample.condition, Condition::Good);
    tracker.start_stream().unwrap();
    for want in [0.3, 0.35] {
        let sample = tracker.next_sample(Duration::from_secs(20)).unwrap().unwrap();
        assert!((sample.source_from_sensor.translation.x - want).abs() < 1e-6);
    }
    assert_eq!(tracker.next_sample(Duration::from_millis(20)).unwrap(), None);
    assert_eq!(tracker.counts().records, 3);
    drop(tracker);
    peer.finish();
}

#[test]
fn a_line_that_the_last_host_left_unfinished_is_ended() {
    let mut script = start_up();
    // The stop and the first status request are swallowed by that line.
    script[0].1 = Vec::new();
    script[1].1 = Vec::new();
    script.insert(2, (b"\rc", b"2 E*ERROR*O1,2cS*ERROR* EC-2*PS0*FL1*ST0\r\n".to_vec()));
    script.insert(3, (b"S", status("3F0")));
    script.push((b"c", Vec::new()));
    let peer = Peer::start(script);
    drop(Fastrak::open(&peer.path, 115_200).unwrap());
    peer.finish();
}

#[test]
fn a_refused_setting_is_an_error() {
    let mut script = start_up();
    script.truncate(3);
    script.push((b"u", Vec::new()));
    let refusal = b"2 E*ERROR*O1,2,11,1*ERROR* EC-3*PS0*FL1*ST0\r\n".to_vec();
    script.push((b"O1,2,11,1\r", refusal));
    let peer = Peer::start(script);
    let error = Fastrak::open(&peer.path, 115_200).err().expect("it refuses");
    assert!(matches!(&error, DeviceError::UnexpectedAnswer { .. }), "{error}");
    peer.finish();
}

#[test]
fn a_tracker_that_stays_in_inches_is_not_used() {
    let mut script = start_up();
    script[4].1 = status("3F1");
    script.push((b"c", Vec::new()));
    let peer = Peer::start(script);
    let error = Fastrak::open(&peer.path, 115_200).err().expect("it is in inches");
    assert!(matches!(&error, DeviceError::NotReady { .. }), "{error}");
    peer.finish();
}
