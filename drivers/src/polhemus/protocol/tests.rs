//! Tests of every command of the manual's table, as bytes.

use super::*;
use crate::polhemus::output::OutputItem;
use crate::polhemus::settings::FilterParameters;
use crate::transcript::hex;

use Station::{Four, One, Three, Two};

fn check(request: Request, want: &str) {
    let bytes = request.encode().expect("the request can be sent");
    assert_eq!(bytes.escape_ascii().to_string(), want, "{request:?}");
}

fn refuse(request: Request, want: RequestError) {
    assert_eq!(request.encode(), Err(want));
}

#[test]
fn single_bytes_act_at_once() {
    check(Request::OneRecord, "P");
    check(Request::ContinuousOn, "C");
    check(Request::ContinuousOff, "c");
    check(Request::EndLine, r"\r");
    check(Request::QueryStatus, "S");
    check(Request::SetForm(Form::Ascii), "F");
    check(Request::SetForm(Form::Binary), "f");
    check(Request::SetUnits(Units::Inches), "U");
    check(Request::SetUnits(Units::Centimetres), "u");
    check(Request::SetCompensation(Switch::On), "D");
    check(Request::SetCompensation(Switch::Off), "d");
    check(Request::FactoryDefaults, "W");
    check(Request::SaveSettings, r"\x0b");
    check(Request::Reinitialise, r"\x19");
    check(Request::Suspend, r"\x13");
    check(Request::Resume, r"\x11");
}

#[test]
fn settings_are_lines() {
    let list = OutputList::position_and_quaternion();
    let bytes = Request::SetOutputList(One, list).encode().unwrap();
    assert_eq!(bytes, hex("4F 31 2C 32 2C 31 31 2C 31 0D"));
    let numbers = [52, 5, 6, 7, 66, 51].map(|number| OutputItem::from_number(number).unwrap());
    let list = OutputList::new(numbers.to_vec()).unwrap();
    check(Request::SetOutputList(Four, list), r"O4,52,5,6,7,16,1\r");
    check(Request::SetStation(Two, Switch::On), r"l2,1\r");
    check(Request::SetStation(Three, Switch::Off), r"l3,0\r");
    let alignment = Alignment {
        origin_cm: [1.0, 2.5, -3.0],
        on_x_axis_cm: [11.0, 2.5, -3.0],
        on_y_axis_cm: [1.0, 12.5, -3.0],
    };
    check(Request::SetAlignment(One, alignment), r"A1,1,2.5,-3,11,2.5,-3,1,12.5,-3\r");
    check(Request::ResetAlignment(One), r"R1\r");
    check(Request::GuidedAlignment, r"A0\r");
    check(Request::Boresight(Two), r"B2\r");
    check(Request::ResetBoresight(Two), r"b2\r");
    check(Request::SetBoresightAngles(One, [0.0, -90.0, 12.25]), r"G1,0,-90,12.25\r");
    check(Request::SetHemisphere(One, [0.0, 0.0, 1.0]), r"H1,0,0,1\r");
    check(Request::SetIncrement(One, 0.5), r"I1,0.5\r");
    check(Request::SetTipOffset(One, [7.0, 0.01, -0.00001]), r"N1,7,0.01,0\r");
    let envelope = PositionEnvelope { max_cm: [200.0; 3], min_cm: [-200.0, -100.0, 0.0] };
    check(Request::SetPositionEnvelope(One, envelope), r"V1,200,200,200,-200,-100,0\r");
    let envelope = AngularEnvelope { max_deg: [180.0, 90.0, 180.0], min_deg: [-180.0, -90.0, 0.0] };
    check(Request::SetAngularEnvelope(One, envelope), r"Q1,180,90,180,-180,-90,0\r");
    check(Request::SetTransmitterMounting(One, [0.0, 0.0, 180.0]), r"r1,0,0,180\r");
    check(Request::SetSync(SyncMode::Internal), r"y0\r");
    check(Request::SetSync(SyncMode::External), r"y1\r");
    check(Request::SetSync(SyncMode::Video), r"y2\r");
    check(Request::SetStylusMode(One, StylusMode::Mouse), r"e1,0\r");
    check(Request::SetStylusMode(One, StylusMode::PointTrack), r"e1,1\r");
    check(Request::ClearBuiltInTest(One), r"T1,0\r");
    check(Request::SetName("left bench".to_owned()), r"Xleft bench\r");
}

#[test]
fn filters_have_named_strengths_and_numbers() {
    let set = Request::SetFilter;
    check(set(FilterOf::Attitude, Filter::Off), r"v2\r");
    check(set(FilterOf::Attitude, Filter::Low), r"v3\r");
    check(set(FilterOf::Position, Filter::Off), r"x2\r");
    check(set(FilterOf::Position, Filter::Medium), r"x4\r");
    check(set(FilterOf::Position, Filter::Heavy), r"x5\r");
    let numbers = FilterParameters { sensitivity: 0.2, low: 0.2, high: 0.8, factor: 0.95 };
    check(set(FilterOf::Attitude, Filter::Custom(numbers)), r"v0.2,0.2,0.8,0.95\r");
}

#[test]
fn the_port_is_set_by_hundreds_of_baud() {
    let settings = |baud| {
        let (parity, bits) = (PortParity::None, PortBits::Eight);
        Request::SetPort(PortSettings { baud, parity, bits, handshake: Switch::Off })
    };
    check(settings(115_200), r"o1152,N,8,0\r");
    check(settings(300), r"o3,N,8,0\r");
    refuse(settings(250), RequestError::Baud(250));
    let (parity, bits) = (PortParity::Even, PortBits::Seven);
    let settings = PortSettings { baud: 9600, parity, bits, handshake: Switch::On };
    check(Request::SetPort(settings), r"o96,E,7,1\r");
}

#[test]
fn a_setting_is_read_back_by_its_letter() {
    check(Request::QueryOutputList(One), r"O1\r");
    check(Request::QueryStations(One), r"l1\r");
    check(Request::QueryAlignment(Two), r"A2\r");
    check(Request::QueryBoresightAngles(One), r"G1\r");
    check(Request::QueryHemisphere(One), r"H1\r");
    check(Request::QueryIncrement(One), r"I1\r");
    check(Request::QueryTipOffset(One), r"N1\r");
    check(Request::QueryPositionEnvelope(One), r"V1\r");
    check(Request::QueryAngularEnvelope(One), r"Q1\r");
    check(Request::QueryTransmitterMounting(One), r"r1\r");
    check(Request::QueryFilter(FilterOf::Attitude), r"v\r");
    check(Request::QueryFilter(FilterOf::Position), r"x\r");
    check(Request::QuerySync, r"y\r");
    check(Request::QueryBuiltInTest(One), r"T1\r");
    check(Request::QueryName, r"X\r");
}

#[test]
fn what_the_unit_cannot_read_is_not_sent() {
    refuse(Request::SetIncrement(One, 10_000.0), RequestError::Number(10_000.0));
    let not_a_number = Request::SetHemisphere(One, [f64::NAN, 0.0, 0.0]).encode();
    assert!(matches!(not_a_number, Err(RequestError::Number(number)) if number.is_nan()));
    refuse(Request::SetName("x".repeat(33)), RequestError::Name(33));
    refuse(Request::SetName("two\rlines".to_owned()), RequestError::Name(9));
    refuse(Request::SetName(String::new()), RequestError::Name(0));
}
