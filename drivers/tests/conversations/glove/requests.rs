//! Tests of commands and questions to an open CyberGlove.

use drivers::cyberglove::{
    Actuator, ErrorReply, Feature, Model, ModelThreeRequest, Output, Query, Reply, Request,
    RequestError, StoredCalibration, Switch,
};
use drivers::{GloveOptions, Sensor, SensorMask};

use super::{
    PATIENCE, check, check_with, goodbye, next, record, settings, start_up, thumb_roll, turn,
};

#[test]
fn a_request_interrupts_a_stream_and_resumes_it() {
    let mut script = start_up();
    script.push((b"S", record(b'S', 50)));
    // The glove sends a last record before it gets the abort.
    script.push((b"\x03", [record(b'S', 51), vec![0x03, 0]].concat()));
    script.push(turn(b"L\x01", b"L\0"));
    script.push((b"S", record(b'S', 60)));
    script.push(turn(b"\x03", b"\x03\0"));
    script.push(turn(b"U\x01", b"U\0"));
    script.push((b"S", [&record(b'S', 70)[..23], b"\x80\0"].concat()));
    script.push(turn(b"\x03", b"\x03\0"));
    script.push(turn(b"?T", b"?T\x04\x80\0\x01\0"));
    script.push((b"S", Vec::new()));
    script.push(goodbye());
    check(script, |glove| {
        glove.start_stream().unwrap();
        assert_eq!(thumb_roll(&next(glove)), Some(50));
        glove.set_light(Switch::On).unwrap();
        assert_eq!(thumb_roll(&next(glove)), Some(60));
        // From here on records have a status byte, which says that the glove is unplugged.
        glove.turn(Feature::StatusByte, Switch::On).unwrap();
        let sample = next(glove);
        assert_eq!(thumb_roll(&sample), Some(70));
        assert!(!sample.conditions.is_plugged_in);
        assert_eq!(glove.sample_period().unwrap().hz(), Some(100.0));
        assert_eq!(glove.counts().dropped_records, 0);
    });
}

#[test]
fn the_sensors_of_a_record_can_be_chosen() {
    let mut script = start_up();
    script.push(turn(b"M\xF0\x01\0", b"M\0"));
    script.push(turn(b"N\x03", b"N\0"));
    script.push(turn(b"G", b"G\x0A\x0B\x0C\0"));
    script.push(turn(b"?C", b"?C\x01\x02\x03\0\x05\x06\0"));
    script.push(goodbye());
    check(script, |glove| {
        glove.request(&Request::SetSoftwareMask(SensorMask::from_wire([0xF0, 1, 0]))).unwrap();
        glove.request(&Request::SetValueCount(3)).unwrap();
        assert_eq!(glove.info().mask, SensorMask::from_wire([0x70, 0, 0]));
        let counts = glove.sample().unwrap().counts;
        let want = [(Sensor::IndexMpj, 10), (Sensor::IndexPij, 11), (Sensor::IndexDij, 12)];
        assert_eq!(counts.iter().collect::<Vec<_>>(), want);
        let stored = StoredCalibration { offsets: vec![1, 2, 3], gains: vec![0, 5, 6] };
        assert_eq!(glove.stored_calibration().unwrap(), stored);
    });
}

#[test]
fn a_refusal_is_a_typed_error_and_the_stream_goes_on() {
    let mut script = start_up();
    script.push((b"S", record(b'S', 50)));
    script.push(turn(b"\x03", b"\x03\0"));
    script.push(turn(b"Y\x01", b"ey\0"));
    script.push((b"S", record(b'S', 60)));
    script.push(goodbye());
    check(script, |glove| {
        glove.start_stream().unwrap();
        let error = glove.request(&Request::SetExternalSync(Switch::On)).unwrap_err();
        let is_typed =
            matches!(&error, RequestError::Refused { error: ErrorReply::SyncTooFast, .. });
        assert!(is_typed, "{error}");
        assert_eq!(thumb_roll(&next(glove)), Some(60));
    });
}

#[test]
fn a_setting_that_lost_a_byte_is_completed_and_made_again() {
    let mut script = start_up();
    // The unit did not receive all bytes and waits for the rest.
    script.push(turn(b"M\x0F\0\0", b""));
    script.push(turn(b"\x03\x03\x03\x03", b"M\0\x03\0"));
    script.push(turn(b"M\x0F\0\0", b"M\0"));
    script.push(goodbye());
    check(script, |glove| {
        let mask = SensorMask::from_wire([0x0F, 0, 0]);
        assert_eq!(glove.request(&Request::SetSoftwareMask(mask)).unwrap(), Reply::Done);
    });
}

#[test]
fn what_cannot_be_sent_is_not_sent() {
    let mut script = start_up();
    script.push(goodbye());
    check(script, |glove| {
        let stored = StoredCalibration { offsets: vec![1], gains: vec![2] };
        for request in [
            Request::SetBaudDivisor(7),
            Request::Stream,
            Request::StoreCalibration(stored),
            Request::ModelThree(ModelThreeRequest::Enable(Output::Usb, Switch::On)),
        ] {
            let error = glove.request(&request).unwrap_err();
            assert!(matches!(&error, RequestError::Unsuitable { .. }), "{error}");
        }
        assert!(glove.start_high_resolution_stream().is_err());
    });
}

#[test]
fn settings_are_made_again_after_a_restart() {
    let mut script = start_up();
    script.push(turn(b"\x12", b"\x12\r\n\0"));
    script.extend(settings());
    script.push(goodbye());
    check(script, |glove| {
        glove.request(&Request::Restart).unwrap();
    });
}

#[test]
fn actuators_are_switched_off_at_the_end() {
    let mut script = start_up();
    script.push(turn(b"A\x01\x01\x80", b"A\0"));
    script.push(turn(b"?A", b"?A\0\x80\0\0\0\0\0"));
    script.push(turn(b"\x03A\xFF\0\0\0\0\0\0\x03", b""));
    check(script, |glove| {
        glove.touch(Actuator::Index, 0x80).unwrap();
        let strengths = glove.request(&Request::Ask(Query::Touch)).unwrap();
        assert_eq!(strengths, Reply::Touch([0, 0x80, 0, 0, 0, 0]));
    });
}

#[test]
fn a_cyberglove_iii_streams_in_high_resolution() {
    let values: Vec<u8> = (0..22_u16).flat_map(|value| (100 + value).to_be_bytes()).collect();
    let fine_record = [b"12:34:56:07:2S", values.as_slice(), b"\r\n\0"].concat();
    let mut script = start_up();
    script.push(turn(b"1m\x03", b"1m\x03\0"));
    script.push((b"1S", [b"1S\0", fine_record.as_slice()].concat()));
    script.push(turn(b"\x03", b"\x03\0"));
    script.push((b"G", record(b'G', 1)));
    script.push(goodbye());
    let options = GloveOptions { model: Model::Three, ..GloveOptions::default() };
    check_with(&options, script, |glove| {
        let faster = Request::ModelThree(ModelThreeRequest::SetFrameMultiplier(3));
        glove.request(&faster).unwrap();
        glove.start_high_resolution_stream().unwrap();
        let sample = glove.next_high_resolution_sample(PATIENCE).unwrap().unwrap();
        assert_eq!(sample.values[21], 121);
        // Polling ends that stream and gives an ordinary record.
        assert_eq!(thumb_roll(&glove.sample().unwrap()), Some(1));
    });
}
