//! Tests of every request and every reply of the manual, as bytes.

use proptest::prelude::*;

use super::*;
use crate::cyberglove::SensorMask;
use crate::side::Side;
use crate::transcript::hex;

fn hundred_hz() -> SamplePeriod {
    SamplePeriod::from_words([1152, 1])
}

fn calibration() -> StoredCalibration {
    StoredCalibration { offsets: vec![0x32, 0x00], gains: vec![0x14, 0x15] }
}

#[test]
fn requests_have_the_manuals_bytes() {
    let check = |request: Request, want| assert_eq!(request.encode(), hex(want), "{request:?}");
    check(Request::OneRecord, "47");
    check(Request::Stream, "53");
    check(Request::Abort, "03");
    check(Request::Reinitialise, "09");
    check(Request::Restart, "12");
    check(Request::SetBaudDivisor(0x37), "42 37");
    check(Request::StoreCalibration(calibration()), "43 41 32 00 14 15");
    check(Request::StoreOffset { place: 3, offset: 0x80 }, "43 4F 03 80");
    check(Request::StoreGain { place: 4, gain: 0x81 }, "43 47 04 81");
    check(Request::Turn(Feature::TimeStamp, Switch::On), "44 01");
    check(Request::Turn(Feature::Filter, Switch::Off), "46 00");
    check(Request::Turn(Feature::SwitchDrivesLight, Switch::On), "4A 01");
    check(Request::Turn(Feature::Light, Switch::On), "4C 01");
    check(Request::Turn(Feature::Quantised, Switch::Off), "51 00");
    check(Request::Turn(Feature::StatusByte, Switch::On), "55 01");
    check(Request::Turn(Feature::WristSwitch, Switch::On), "57 01");
    check(Request::SetExternalSync(Switch::On), "59 01");
    check(Request::SetSoftwareMask(SensorMask::GLOVE_22), "4D 7F FF 7F");
    check(Request::SetValueCount(22), "4E 16");
    check(Request::SetFlags(Flags::from_wire([0x81, 0xD8, 0x00])), "50 81 D8 00");
    check(Request::SetPeriod(hundred_hz()), "54 04 80 00 01");
    check(Request::SetPeriodInAscii(hundred_hz()), "74 20 31 31 35 32 20 31 0D");
    check(Request::touch_one(Actuator::Index, 0x80), "41 01 01 80");
    check(Request::TouchSome([Some(9), None, None, None, None, Some(0)]), "41 02 00 09 05 00");
    check(Request::TouchAll([0; ACTUATORS]), "41 FF 00 00 00 00 00 00");
}

#[test]
fn queries_have_the_manuals_letters() {
    let check = |query, want| {
        assert_eq!(Request::Ask(query).encode(), hex(want), "{query:?}");
    };
    check(Query::State, "3F 47");
    check(Query::SensorCount, "3F 53");
    check(Query::HardwareMask, "3F 4B");
    check(Query::SoftwareMask, "3F 4D");
    check(Query::ValueCount, "3F 4E");
    check(Query::Hand, "3F 52");
    check(Query::Flags, "3F 50");
    check(Query::Period, "3F 54");
    check(Query::BaudDivisor, "3F 42");
    check(Query::Calibration, "3F 43");
    check(Query::Touch, "3F 41");
    check(Query::Feature(Feature::TimeStamp), "3F 44");
    check(Query::Feature(Feature::Filter), "3F 46");
    check(Query::Feature(Feature::SwitchDrivesLight), "3F 4A");
    check(Query::Feature(Feature::Light), "3F 4C");
    check(Query::Feature(Feature::Quantised), "3F 51");
    check(Query::Feature(Feature::StatusByte), "3F 55");
    check(Query::Feature(Feature::WristSwitch), "3F 57");
    check(Query::Version, "3F 56");
    check(Query::Description, "3F 69");
}

#[test]
fn a_cyberglove_iii_has_requests_of_its_own() {
    let check = |request: ModelThreeRequest, want: &str, reply: &str| {
        let request = Request::ModelThree(request);
        assert_eq!(request.encode(), want.as_bytes());
        check_reply(request, &hex(reply), Reply::Done);
    };
    check(ModelThreeRequest::Enable(Output::Usb, Switch::On), "1eu", "31 65 75 00");
    check(ModelThreeRequest::Enable(Output::WiFi, Switch::Off), "1dw", "31 64 77 00");
    check(ModelThreeRequest::Enable(Output::SdCard, Switch::On), "1es", "31 65 73 00");
    check(ModelThreeRequest::SetFrameMultiplier(3), "1m\x03", "31 6D 03 00");
    check(ModelThreeRequest::SetDivider(Output::Usb, 2), "1u\x02", "31 75 02 00");
    check(ModelThreeRequest::SetDivider(Output::SdCard, 2), "1s\x02", "31 73 00");
    check(ModelThreeRequest::StreamHighResolution, "1S", "31 53 00");
}

/// Checks that every beginning of `bytes` is incomplete, that the whole is `want`, and that the
/// bytes after it are not read.
fn check_reply(request: Request, bytes: &[u8], want: Reply) {
    for n_bytes in 0..bytes.len() {
        let got = request.read_reply(2, &bytes[..n_bytes]);
        assert_eq!(got, ReplyProgress::Incomplete, "{request:?} after {n_bytes} bytes");
    }
    let want = ReplyProgress::Complete(want);
    assert_eq!(request.read_reply(2, bytes), want, "{request:?}");
    assert_eq!(request.read_reply(2, &[bytes, b"S\0"].concat()), want, "{request:?}");
}

#[test]
fn answers_are_read_by_length_even_with_nuls_inside() {
    let check = |query, bytes, want| check_reply(Request::Ask(query), &hex(bytes), want);
    let state =
        |is_initialised, is_plugged_in| Reply::State(GloveState { is_initialised, is_plugged_in });
    check(Query::State, "3F 47 03 00", state(true, true));
    check(Query::State, "3F 47 01 00", state(true, false));
    check(Query::State, "3F 47 00 00", state(false, false));
    check(Query::SensorCount, "3F 53 12 00", Reply::Count(18));
    check(Query::HardwareMask, "3F 4B 7F FF 7F 00", Reply::Mask(SensorMask::GLOVE_22));
    let third_byte = SensorMask::from_wire([0, 0, 1]);
    check(Query::SoftwareMask, "3F 4D 00 00 01 00", Reply::Mask(third_byte));
    check(Query::ValueCount, "3F 4E 16 00", Reply::Count(22));
    check(Query::Hand, "3F 52 01 00", Reply::Hand(Side::Right));
    check(Query::Hand, "3F 52 00 00", Reply::Hand(Side::Left));
    let flags = Flags::from_wire([0x81, 0xD8, 0x00]);
    check(Query::Flags, "3F 50 81 D8 00 00", Reply::Flags(flags));
    check(Query::Period, "3F 54 04 80 00 01 00", Reply::Period(hundred_hz()));
    check(Query::Period, "3F 54 00 00 00 00 00", Reply::Period(SamplePeriod::FASTEST));
    check(Query::BaudDivisor, "3F 42 37 00", Reply::BaudDivisor(0x37));
    check(Query::Calibration, "3F 43 32 00 14 15 00", Reply::Calibration(calibration()));
    check(Query::Touch, "3F 41 00 80 00 00 00 FF 00", Reply::Touch([0, 0x80, 0, 0, 0, 0xFF]));
    check(Query::Feature(Feature::Filter), "3F 46 01 00", Reply::Feature(Switch::On));
    check(Query::Feature(Feature::WristSwitch), "3F 57 00 00", Reply::Feature(Switch::Off));
    let text = Reply::Description("CyberGlove\r\nright".to_owned());
    check(
        Query::Description,
        "3F 69 43 79 62 65 72 47 6C 6F 76 65 0D 0A 72 69 67 68 74 0D 0A 00",
        text,
    );
}

#[test]
fn other_replies_confirm_the_command() {
    let check = |request, bytes| check_reply(request, &hex(bytes), Reply::Done);
    check(Request::Reinitialise, "09 0D 0A 00");
    check(Request::Restart, "12 0D 0A 00");
    check(Request::SetBaudDivisor(0), "42 00");
    check(Request::StoreCalibration(calibration()), "43 41 00");
    check(Request::StoreOffset { place: 0, offset: 0 }, "43 4F 00");
    check(Request::StoreGain { place: 0, gain: 0 }, "43 47 00");
    for feature in [
        Feature::TimeStamp,
        Feature::Filter,
        Feature::SwitchDrivesLight,
        Feature::Light,
        Feature::Quantised,
        Feature::StatusByte,
        Feature::WristSwitch,
    ] {
        check_reply(Request::Turn(feature, Switch::On), &[feature as u8, 0], Reply::Done);
    }
    check(Request::SetExternalSync(Switch::Off), "59 00");
    check(Request::SetSoftwareMask(SensorMask::GLOVE_18), "4D 00");
    check(Request::SetValueCount(22), "4E 16 00");
    check(Request::SetFlags(Flags::from_wire([0; 3])), "50 00");
    check(Request::SetPeriod(hundred_hz()), "54 00");
    check(Request::SetPeriodInAscii(hundred_hz()), "74 20 31 31 35 32 20 31 0D 0A 00");
    check(Request::touch_one(Actuator::Index, 0x80), "41 00");
    check(Request::TouchAll([0; ACTUATORS]), "41 00");
    check(Request::Abort, "65 3F 00");
}

#[test]
fn a_version_may_end_early() {
    let version = |firmware, information_format| Version { firmware, information_format };
    let check = |bytes: &str, want| {
        assert_eq!(Request::Ask(Query::Version).read_reply(22, &hex(bytes)), want, "{bytes}");
    };
    let whole =
        |firmware, format| ReplyProgress::Complete(Reply::Version(version(firmware, Some(format))));
    let early = |firmware| ReplyProgress::Enough(Reply::Version(version(firmware, None)));
    check("3F 56 01 02 03 04 00", whole(0x0102, 0x0304));
    check("3F 56 00 01 00 02 00", whole(1, 2));
    check("3F 56 01 02 03 04", ReplyProgress::Incomplete);
    check("3F 56 01 02 03 04 05", ReplyProgress::Mismatch);
    check("3F 56 01 02 00", early(0x0102));
    check("3F 56 01 02 03 00", early(0x0102));
    check("3F 56 07 00", early(7));
    check("3F 56 00", ReplyProgress::Incomplete);
}

#[test]
fn errors_are_known_by_their_letter() {
    let refused = |code| ReplyProgress::Refused(ErrorReply::from_code(code));
    let check = |request: Request, bytes: &[u8], want| {
        assert_eq!(request.read_reply(22, bytes), want, "{}", bytes.escape_ascii());
    };
    let unknown = ReplyProgress::Refused(ErrorReply::UnknownCommand);
    check(Request::Ask(Query::State), b"e?\0", unknown.clone());
    check(Request::Ask(Query::State), b"e?\r\n\0", unknown.clone());
    check(Request::Ask(Query::State), b"e?", ReplyProgress::Incomplete);
    check(Request::Ask(Query::State), b"e?x", ReplyProgress::Mismatch);
    check(Request::SetValueCount(1), b"en\0", ReplyProgress::Refused(ErrorReply::TooManyNumbers));
    check(
        Request::SetExternalSync(Switch::On),
        b"ey\0",
        ReplyProgress::Refused(ErrorReply::SyncTooFast),
    );
    check(Request::SetPeriod(hundred_hz()), b"es\0", ReplyProgress::Refused(ErrorReply::TooFast));
    check(Request::Reinitialise, b"eg\0", ReplyProgress::Refused(ErrorReply::NotPluggedIn));
    check(Request::Reinitialise, b"eu\0", refused(b'u'));
    assert_eq!(ErrorReply::from_code(b'u'), ErrorReply::Unlisted(b'u'));
    check(Request::SetPeriodInAscii(hundred_hz()), b"t e?\r\n\0", unknown);
}

#[test]
fn bytes_of_something_else_are_no_reply() {
    let check = |request: Request, bytes: &[u8]| {
        let got = request.read_reply(22, bytes);
        assert_eq!(got, ReplyProgress::Mismatch, "{}", bytes.escape_ascii());
    };
    check(Request::Ask(Query::State), b"?G\x03\x03");
    check(Request::Ask(Query::State), b"?S\x16\0");
    check(Request::Ask(Query::State), b"\x12\r\n\0");
    check(Request::Ask(Query::Hand), b"?R\x02\0");
    check(Request::SetValueCount(22), b"N\x16\x16");
    check(Request::SetValueCount(22), b"M\0");
    check(Request::StoreOffset { place: 0, offset: 0 }, b"CG\0");
    check(Request::Restart, b"\x09\r\n\0");
    check(Request::SetPeriodInAscii(hundred_hz()), b"S12\0");
    check(Request::Ask(Query::Description), &[b"?i".as_slice(), &[b'x'; 5000]].concat());
}

proptest! {
    #[test]
    fn a_mask_survives_the_wire(bytes in any::<[u8; 3]>()) {
        let mask = SensorMask::from_wire(bytes);
        prop_assert_eq!(mask.to_wire(), bytes);
        prop_assert_eq!(mask.sensors().count(), mask.n_sensors());
    }

    #[test]
    fn any_bytes_are_a_reply_or_not(tail in any::<Vec<u8>>(), n_values in 0..=24_usize) {
        let queries = [
            Query::State, Query::HardwareMask, Query::Hand, Query::Flags, Query::Period,
            Query::Calibration, Query::Touch, Query::Version, Query::Description,
        ];
        let requests = queries.map(Request::Ask).into_iter().chain([
            Request::Abort, Request::Restart, Request::SetValueCount(1),
            Request::SetPeriodInAscii(SamplePeriod::FASTEST),
            Request::StoreGain { place: 0, gain: 0 },
        ]);
        for request in requests {
            let _ = request.read_reply(n_values, &tail);
            // With the right beginning more of the code is reached.
            let mut bytes = request.encode();
            bytes.truncate(2);
            bytes.extend(&tail);
            if let ReplyProgress::Complete(_) = request.read_reply(n_values, &bytes) {
                prop_assert!(bytes.contains(&0));
            }
        }
    }
}
