//! Tests of opening a CyberGlove in any state that the last host left.

use drivers::cyberglove::{RestartPolicy, SamplePeriod, Switch, Version};
use drivers::{CyberGlove, DeviceError, GloveOptions};

use super::{check, check_with, goodbye, information, record, settings, start_up, turn};
use crate::scripted_peer::{ScriptedPeer, Turn};

/// Opens a glove on `script`, which must fail; returns the error.
fn check_fails(script: Vec<Turn>) -> DeviceError {
    let peer = ScriptedPeer::start(script);
    let error = CyberGlove::open(&peer.path, &GloveOptions::default()).err();
    peer.finish();
    error.expect("it cannot be opened")
}

#[test]
fn a_glove_that_was_left_streaming_is_silenced_first() {
    let mut script = start_up();
    // Records of another shape, the last one cut off.
    let left_over = [record(b'S', 50), b"S\x01\x02\0S\x01".to_vec(), vec![0x03, 0]].concat();
    script[0].1 = left_over;
    script.push(goodbye());
    check(script, |_| {});
}

#[test]
fn a_command_that_the_last_host_left_unfinished_is_ended() {
    // The unit waits for six strengths. It takes the abort and the question as three of them, and
    // three aborts as the others; the last five aborts are aborts again.
    let mut script = vec![turn(b"\x03?G\x03\x03\x03", b"A\0"), turn(b"\x03\x03\x03\x03\x03", b"")];
    script.extend(information());
    script.extend(settings());
    script.push(goodbye());
    check(script, |_| {});
}

#[test]
fn a_question_that_completes_a_command_is_asked_again() {
    // The unit waits for the three bytes of a mask.
    let mut script = vec![turn(b"\x03?G", b"M\0"), turn(&[3; 8], b"\x03\0")];
    script.extend(information());
    script.extend(settings());
    script.push(goodbye());
    check(script, |_| {});
}

#[test]
fn a_line_that_the_last_host_left_unfinished_is_ended() {
    // The unit collects a line of text until a carriage return.
    let mut script = vec![
        turn(b"\x03?G", b""),
        turn(b"\x03\x03\x03\x03\x03\x03\x03\x03?G", b""),
        turn(b"\r", b"t e?\r\n\0"),
        turn(b"\x03", b"\x03\0"),
    ];
    script.extend(information());
    script.extend(settings());
    script.push(goodbye());
    check(script, |_| {});
}

#[test]
fn a_unit_that_reports_late_that_it_is_back_is_understood() {
    let mut script = start_up();
    script[1].1 = b"\x12\r\n\0?G\x03\0".to_vec();
    script.push(goodbye());
    check(script, |_| {});
}

/// The conversation with a unit that never answers.
fn deaf() -> Vec<Turn> {
    vec![
        turn(b"\x03?G", b""),
        turn(b"\x03\x03\x03\x03\x03\x03\x03\x03?G", b""),
        turn(b"\r\x03?G", b""),
        turn(&[3; 64], b""),
        turn(b"?G", b""),
        turn(b"\x03?G\x03?G", b""),
    ]
}

#[test]
fn silence_is_no_answer() {
    let error = check_fails(deaf());
    assert!(matches!(&error, DeviceError::NoAnswer { .. }), "{error}");
}

#[test]
fn a_restart_is_the_last_resort() {
    let mut script = deaf();
    script.push(turn(b"\x12", b"\x12\r\n\0"));
    script.extend(start_up());
    script.push(goodbye());
    let options = GloveOptions { restart: RestartPolicy::LastResort, ..GloveOptions::default() };
    check_with(&options, script, |_| {});
}

#[test]
fn options_become_settings() {
    let mut script = start_up();
    script.truncate(10);
    script.push(turn(b"D\x01", b"D\0"));
    script.push(turn(b"U\x01", b"U\0"));
    script.push(turn(b"F\0", b"F\0"));
    script.push(turn(b"t 1152 1\r", b"t 1152 1\r\n\0"));
    let values = record(b'G', 40)[..23].to_vec();
    script.push((b"G", [values.as_slice(), b"\x89\x01\x2C\x01\x01\x85\0"].concat()));
    script.push(goodbye());
    let options = GloveOptions {
        sample_period: Some(SamplePeriod::from_hz(100.0).unwrap()),
        time_stamp: Switch::On,
        status_byte: Switch::On,
        filter: Some(Switch::Off),
        ..GloveOptions::default()
    };
    check_with(&options, script, |glove| {
        let sample = glove.sample().unwrap();
        assert_eq!(sample.ticks, Some(0x0001_2C00));
        assert!(sample.status.unwrap().is_light_on());
    });
}

#[test]
fn what_another_program_left_on_is_switched_off() {
    let mut script = start_up();
    // Both kinds of sync, quantised values, and a CyberTouch that may still vibrate.
    script[5].1 = b"?P\x81\xDB\x03\0".to_vec();
    script.insert(8, turn(b"P\x81\xD8\x02", b"P\0"));
    script.push(turn(b"A\xFF\0\0\0\0\0\0", b"A\0"));
    script.push(goodbye());
    check(script, |_| {});
}

#[test]
fn a_unit_may_keep_its_version_and_description_to_itself() {
    let mut script = start_up();
    script[5].1 = b"e?\0".to_vec();
    // A version that ends early.
    script[6].1 = b"?V\x01\x02\0".to_vec();
    script[7].1 = Vec::new();
    script.push(goodbye());
    check(script, |glove| {
        assert_eq!(glove.info().flags, None);
        let version = Version { firmware: 0x0102, information_format: None };
        assert_eq!(glove.info().version, Some(version));
        assert_eq!(glove.info().description, None);
    });
}

#[test]
fn a_unit_without_a_glove_is_not_ready() {
    let error = check_fails(vec![turn(b"\x03", b"\x03\0"), turn(b"?G", b"?G\x01\0")]);
    assert!(matches!(&error, DeviceError::NotReady { .. }), "{error}");
}

#[test]
fn a_port_that_is_not_there_is_named() {
    let opened = CyberGlove::open("/dev/no-such-port", &GloveOptions::at_baud(38_400));
    let error = opened.err().expect("there is none");
    assert!(matches!(&error, DeviceError::Open { baud: 38_400, .. }), "{error}");
    assert!(error.to_string().contains("/dev/no-such-port"));
}
