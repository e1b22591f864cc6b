//! Tests of conversations with a glove that uses the OpenGloves alpha encoding.

use std::time::Duration;

use drivers::opengloves::{HapticPulse, OpenGloveSettings, identify};
use drivers::serial::SerialLine;
use drivers::{DeviceError, OpenGlove, Side};

use crate::scripted_peer::ScriptedPeer;

const START_UP: &[u8] = b"A0B0C0D0E0\nZ\n(ZA)\n";
const SHUT_DOWN: &[u8] = b"A0B0C0D0E0\n(ZZ)\n";
const LONG: Duration = Duration::from_secs(20);

fn open(peer: &ScriptedPeer) -> Result<OpenGlove, DeviceError> {
    OpenGlove::open(&peer.path, OpenGlove::BAUD, OpenGloveSettings::default())
}

#[test]
fn a_glove_is_opened_read_and_let_go() {
    let first = b"Z(ZV)5(ZG)0(ZH)1\nA0B0C0D0E0\nA4095B0C0D0E0L\nA0B4095C0D0E0\n".to_vec();
    let peer = ScriptedPeer::start(vec![
        (START_UP, first),
        (b"A0B500C0D0E1000\n", Vec::new()),
        (b"A0B501C0D0E1000\n", Vec::new()),
        (b"F160.00G0.10H1.00\n", b"A0B0C4095D0E0\n".to_vec()),
        (SHUT_DOWN, Vec::new()),
    ]);
    let mut glove = open(&peer).unwrap();
    assert_eq!(glove.info().hand, Some(Side::Right));
    assert_eq!(glove.info().firmware_version, Some(5));
    let sample = glove.next_sample(LONG).unwrap().unwrap();
    assert_eq!((sample.curl[0], sample.buttons.grab), (Some(1.0), true));
    let sample = glove.next_sample(LONG).unwrap().unwrap();
    assert_eq!((sample.curl[1], sample.buttons.grab), (Some(1.0), false));
    // No finger is held yet, so the first call sends nothing; nor does a change of half a step.
    glove.send_forces([0.0, 0.0002, 0.0, 0.0, 0.0]).unwrap();
    glove.send_forces([0.0, 0.5, 0.0, 0.0, 1.0]).unwrap();
    glove.send_forces([0.0, 0.5004, 0.0, 0.0, 2.0]).unwrap();
    glove.send_forces([0.0, 0.5006, 0.0, 0.0, 1.0]).unwrap();
    glove.send_pulse(HapticPulse { frequency_hz: 160.0, duration: 0.1, amplitude: 1.0 }).unwrap();
    let sample = glove.next_sample(LONG).unwrap().unwrap();
    assert_eq!(sample.curl[2], Some(1.0));
    assert_eq!(glove.counts().records, 4);
    assert_eq!(glove.next_sample(Duration::from_millis(20)).unwrap(), None);
    drop(glove);
    peer.finish();
}

#[test]
fn a_board_that_starts_is_asked_again() {
    let boot = b"ets Jun  8 2016 00:22:57\r\n\r\nrst:0x1 (POWERON_RESET)\r\n".to_vec();
    let peer = ScriptedPeer::start(vec![
        (START_UP, boot),
        (START_UP, b"A0B0C0D0E0\nA1B1C1D1E1\n".to_vec()),
        (SHUT_DOWN, Vec::new()),
    ]);
    let mut glove = open(&peer).unwrap();
    assert!(glove.info().is_empty());
    let n_dropped = glove.counts().dropped_records;
    assert!(n_dropped >= 1, "{n_dropped}");
    assert!(glove.next_sample(LONG).unwrap().is_some());
    drop(glove);
    peer.finish();
}

#[test]
fn a_glove_that_streams_unasked_is_as_good() {
    // The glove has streamed since before the port was opened; the first line is incomplete.
    let peer = ScriptedPeer::start(vec![
        (b"", b"48C2048D1024E4095\nA0B0C0D0E0\n".to_vec()),
        (START_UP, b"A4095B0C0D0E0\n".to_vec()),
        (SHUT_DOWN, Vec::new()),
    ]);
    let mut glove = open(&peer).unwrap();
    let sample = loop {
        let sample = glove.next_sample(LONG).unwrap().unwrap();
        if sample.curl[0] == Some(1.0) {
            break sample;
        }
    };
    assert_eq!(sample.curl[1], Some(0.0));
    drop(glove);
    peer.finish();
}

#[test]
fn a_port_without_a_glove_gives_no_answer() {
    let peer = ScriptedPeer::start(vec![(START_UP, b"login: \n".to_vec())]);
    let error = open(&peer).err().expect("there is no glove");
    assert!(matches!(&error, DeviceError::NoAnswer { .. }), "{error}");
    peer.finish();
}

#[test]
fn a_glove_that_goes_away_is_an_error() {
    let peer = ScriptedPeer::start(vec![(START_UP, b"\nA0B0C0D0E0\n".to_vec())]);
    let mut glove = open(&peer).unwrap();
    peer.finish();
    let gone = loop {
        if let Err(error) = glove.next_sample(LONG) {
            break error;
        }
    };
    assert!(matches!(gone, DeviceError::HungUp { .. }), "{gone}");
}

#[test]
fn a_glove_is_known_by_its_answer_or_its_samples() {
    let check = |answer: &[u8], want: Option<(Option<Side>, bool)>| {
        let peer = ScriptedPeer::start(vec![(b"Z\n", answer.to_vec())]);
        // An answer may be slow on a busy machine; a missing answer needs no long wait.
        let within = match want {
            Some((Some(_), _)) => LONG,
            Some((None, _)) => Duration::from_secs(2),
            None => Duration::from_millis(300),
        };
        let mut line = SerialLine::open(&peer.path, OpenGlove::BAUD).unwrap();
        let found = identify(&mut line, within).unwrap();
        let got = found.map(|identity| (identity.info.hand, identity.is_streaming));
        assert_eq!(got, want, "{}", answer.escape_ascii());
        peer.finish();
    };
    check(b"Z(ZV)5(ZG)0(ZH)0\n", Some((Some(Side::Left), false)));
    check(b"C0\nA0B0C0D0E0\nZ(ZV)5(ZG)0(ZH)1\n", Some((Some(Side::Right), true)));
    check(b"C0\nA0B0C0D0E0\n", Some((None, true)));
    check(b"Z\n", None);
    check(b"\x03\0A1\n\nA1B2\n", None);
    check(b"", None);
}
