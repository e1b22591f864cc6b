//! Conversations with a CyberGlove.

use std::time::Duration;

use drivers::{CyberGlove, DeviceError, Hand, Sensor, SensorMask};

use crate::peer::{Peer, Turn};

fn record(header: u8, first: u8) -> Vec<u8> {
    let mut bytes = vec![header];
    bytes.extend(first..first + 22);
    bytes.push(0);
    bytes
}

/// What a healthy right 22-sensor glove says while it is opened.
fn start_up() -> Vec<Turn> {
    vec![
        (b"\x03", b"\x03\0".to_vec()),
        (b"?G", b"?G\x03\0".to_vec()),
        (b"?S", b"?S\x16\0".to_vec()),
        (b"?K", b"?K\x7F\xFF\x7F\0".to_vec()),
        (b"?R", b"?R\x01\0".to_vec()),
        (b"M\x7F\xFF\x7F", b"M\0".to_vec()),
        (b"N\x16", b"N\0".to_vec()),
        (b"D\0", b"D\0".to_vec()),
        (b"U\0", b"U\x01\0".to_vec()),
    ]
}

#[test]
fn a_glove_is_opened_polled_and_streamed() {
    let mut script = start_up();
    script.push((b"G", record(b'G', 40)));
    script.push((b"S", [record(b'S', 50), record(b'S', 60)].concat()));
    script.push((b"\x03", Vec::new()));
    let peer = Peer::start(script);

    let mut glove = CyberGlove::open(&peer.path, 115_200).unwrap();
    assert_eq!(glove.info().n_sensors, 22);
    assert_eq!(glove.info().mask, SensorMask::GLOVE_22);
    assert_eq!(glove.info().hand, Hand::Right);
    assert_eq!(glove.sample().unwrap().counts.get(Sensor::ThumbRoll), Some(40));
    glove.start_stream().unwrap();
    for want in [50, 60] {
        let sample = glove.next_sample(Duration::from_secs(20)).unwrap().unwrap();
        assert_eq!(sample.counts.get(Sensor::ThumbRoll), Some(want));
    }
    assert_eq!(glove.next_sample(Duration::from_millis(20)).unwrap(), None);
    assert_eq!(glove.counts().records, 3);
    // Dropping the driver sends the abort that ends the script.
    drop(glove);
    peer.finish();
}

#[test]
fn a_glove_that_was_left_streaming_is_silenced_first() {
    let mut script = start_up();
    script[0].1 = [record(b'S', 50), record(b'S', 51)[..7].to_vec(), vec![0x03, 0]].concat();
    script.push((b"\x03", Vec::new()));
    let peer = Peer::start(script);
    drop(CyberGlove::open(&peer.path, 115_200).unwrap());
    peer.finish();
}

#[test]
fn a_glove_that_goes_away_is_an_error() {
    let mut script = start_up();
    script.push((b"S", record(b'S', 50)));
    let peer = Peer::start(script);
    let mut glove = CyberGlove::open(&peer.path, 115_200).unwrap();
    glove.start_stream().unwrap();
    peer.finish();
    let gone = loop {
        if let Err(error) = glove.next_sample(Duration::from_secs(20)) {
            break error;
        }
    };
    assert!(matches!(gone, DeviceError::HungUp { .. }), "{gone}");
}

#[test]
fn a_unit_without_a_glove_is_not_ready() {
    let peer = Peer::start(vec![(b"\x03", b"\x03\0".to_vec()), (b"?G", b"?G\x01\0".to_vec())]);
    let opened = CyberGlove::open(&peer.path, 115_200);
    assert!(matches!(opened.err(), Some(DeviceError::NotReady { .. })));
    peer.finish();
}

#[test]
fn silence_is_no_answer() {
    // Three tries, then the driver gives up.
    let peer = Peer::start(vec![(b"\x03?G?G?G", Vec::new())]);
    let opened = CyberGlove::open(&peer.path, 115_200);
    let error = opened.err().expect("nobody answers");
    assert!(matches!(&error, DeviceError::NoAnswer { .. }), "{error}");
    peer.finish();
}

#[test]
fn a_port_that_is_not_there_is_named() {
    let error = CyberGlove::open("/dev/no-such-port", 115_200).err().expect("there is none");
    assert!(matches!(&error, DeviceError::Open { .. }), "{error}");
    assert!(error.to_string().contains("/dev/no-such-port"));
}
