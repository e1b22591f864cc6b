//! Tests of conversations with a CyberGlove.

mod requests;
mod start_up;

use std::time::Duration;

use drivers::cyberglove::{Flags, GloveState, Model, Version, identify};
use drivers::serial::SerialLine;
use drivers::{CyberGlove, DeviceError, GloveOptions, GloveSample, Sensor, SensorMask, Side};

use crate::scripted_peer::{ScriptedPeer, Turn};

/// Longest wait for an answer of the scripted peer, enough for a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

fn record(header: u8, first: u8) -> Vec<u8> {
    let mut bytes = vec![header];
    bytes.extend(first..first + 22);
    bytes.push(0);
    bytes
}

fn turn(want: &'static [u8], answer: &[u8]) -> Turn {
    (want, answer.to_vec())
}

/// Questions to a working right 22-sensor glove after it has been silenced, with its answers.
fn information() -> Vec<Turn> {
    vec![
        turn(b"?G", b"?G\x03\0"),
        turn(b"?S", b"?S\x16\0"),
        turn(b"?K", b"?K\x7F\xFF\x7F\0"),
        turn(b"?R", b"?R\x01\0"),
        turn(b"?P", b"?P\x81\xD8\0\0"),
        turn(b"?V", b"?V\0\x02\0\x01\0"),
        turn(b"?i", b"?iCyberGlove II\r\nright\r\n\0"),
    ]
}

fn settings() -> Vec<Turn> {
    vec![
        turn(b"M\x7F\xFF\x7F", b"M\0"),
        turn(b"N\x16", b"N\0"),
        turn(b"D\0", b"D\0"),
        turn(b"U\0", b"U\x01\0"),
    ]
}

/// The whole conversation while that glove is opened.
fn start_up() -> Vec<Turn> {
    [vec![turn(b"\x03", b"\x03\0")], information(), settings()].concat()
}

/// The last command of a driver.
fn goodbye() -> Turn {
    turn(b"\x03", b"")
}

/// Opens a glove on `script` with `options`, calls `act`, drops the glove.
fn check_with(options: &GloveOptions, script: Vec<Turn>, act: impl FnOnce(&mut CyberGlove)) {
    let peer = ScriptedPeer::start(script);
    let mut glove = CyberGlove::open(&peer.path, options).expect("it can be opened");
    act(&mut glove);
    drop(glove);
    peer.finish();
}

fn check(script: Vec<Turn>, act: impl FnOnce(&mut CyberGlove)) {
    check_with(&GloveOptions::default(), script, act);
}

fn next(glove: &mut CyberGlove) -> GloveSample {
    glove.next_sample(PATIENCE).expect("the glove is there").expect("a sample is there")
}

fn thumb_roll(sample: &GloveSample) -> Option<u8> {
    sample.counts.get(Sensor::ThumbRoll)
}

#[test]
fn a_glove_is_opened_polled_and_streamed() {
    let mut script = start_up();
    script.push((b"G", record(b'G', 40)));
    script.push((b"S", [record(b'S', 50), record(b'S', 60)].concat()));
    script.push(goodbye());
    check(script, |glove| {
        let info = glove.info();
        assert_eq!(info.state, GloveState { is_initialised: true, is_plugged_in: true });
        assert_eq!(info.n_sensors, 22);
        assert_eq!(info.mask, SensorMask::GLOVE_22);
        assert_eq!(info.hand, Side::Right);
        assert_eq!(info.flags, Some(Flags::from_wire([0x81, 0xD8, 0])));
        assert_eq!(info.version, Some(Version { firmware: 2, information_format: Some(1) }));
        assert_eq!(info.description.as_deref(), Some("CyberGlove II\r\nright"));
        assert_eq!(info.model(), Some(Model::Two));
        assert_eq!(thumb_roll(&glove.sample().unwrap()), Some(40));
        glove.start_stream().unwrap();
        for want in [50, 60] {
            assert_eq!(thumb_roll(&next(glove)), Some(want));
        }
        assert_eq!(glove.next_sample(Duration::from_millis(20)).unwrap(), None);
        assert_eq!(glove.counts().records, 3);
    });
}

#[test]
fn a_glove_that_goes_away_is_an_error() {
    let mut script = start_up();
    script.push((b"S", record(b'S', 50)));
    let peer = ScriptedPeer::start(script);
    let mut glove = CyberGlove::open(&peer.path, &GloveOptions::default()).unwrap();
    glove.start_stream().unwrap();
    peer.finish();
    let gone = loop {
        if let Err(error) = glove.next_sample(PATIENCE) {
            break error;
        }
    };
    assert!(matches!(gone, DeviceError::HungUp { .. }), "{gone}");
}

#[test]
fn a_glove_is_identified_even_if_it_streams() {
    let mut script = vec![(b"\x03".as_slice(), [record(b'S', 50), vec![3, 0]].concat())];
    script.extend(information());
    let peer = ScriptedPeer::start(script);
    let mut line = SerialLine::open(&peer.path, 115_200).unwrap();
    let info = identify(&mut line).unwrap().expect("a glove is there");
    assert_eq!((info.n_sensors, info.hand), (22, Side::Right));
    peer.finish();
}

#[test]
fn another_device_is_sent_nothing_but_aborts_and_one_question() {
    let error = b"2 E*ERROR*?G*ERROR* EC-1\r\n";
    let peer = ScriptedPeer::start(vec![turn(b"\x03?G", error), turn(b"\x03\x03?G", error)]);
    let mut line = SerialLine::open(&peer.path, 115_200).unwrap();
    assert_eq!(identify(&mut line).unwrap(), None);
    peer.finish();
}
