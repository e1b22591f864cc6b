//! Every command of the FASTRAK that the driver lets through, with its read-back.

use drivers::polhemus::answer::{Answer, CommandErrorCode, Status};
use drivers::polhemus::output::{OutputItem, OutputList};
use drivers::polhemus::protocol::{Request, RequestError};
use drivers::polhemus::settings::{
    Alignment, AngularEnvelope, Filter, FilterOf, FilterParameters, Form, PortBits, PortParity,
    PortSettings, PositionEnvelope, Station, StylusMode, Switch, SyncMode, Units,
};
use drivers::{Condition, Fastrak, TrackerError, TrackerOptions};
use emulators::{DeviceEvent, Emulator, ErrorReport};

use crate::harness::{at_once, line, next, quick_tracker, tracker};

fn four_receivers() -> Emulator {
    let receivers_cm = [0.0, 1.0, 2.0, 3.0].map(|x| Some([x, 0.0, 0.0]));
    tracker(emulators::TrackerOptions { receivers_cm, ..quick_tracker() }, &line(&[]))
}

fn open(emulator: &Emulator) -> Fastrak {
    Fastrak::open(emulator.path(), &TrackerOptions::default()).unwrap()
}

fn set(tracker: &mut Fastrak, request: Request) {
    assert_eq!(tracker.request(&request).unwrap(), None, "{request:?}");
}

fn ask(tracker: &mut Fastrak, query: Request, want: Answer) {
    assert_eq!(tracker.request(&query).unwrap(), Some(want), "{query:?}");
}

fn status(tracker: &mut Fastrak) -> Status {
    match tracker.request(&Request::QueryStatus).unwrap() {
        Some(Answer::Status(status)) => status,
        other => panic!("{other:?} is no status"),
    }
}

#[test]
fn every_setting_of_a_station_is_read_back_as_it_was_made() {
    at_once(&Station::ALL, |station| {
        let (emulator, at) = (four_receivers(), *station);
        let mut tracker = open(&emulator);
        let mut check = |request, query, want| {
            set(&mut tracker, request);
            ask(&mut tracker, query, want);
        };
        let alignment = Alignment {
            origin_cm: [1.5, -2.25, 3.0],
            on_x_axis_cm: [10.0, 0.0, 0.5],
            on_y_axis_cm: [0.0, 12.0, -1.0],
        };
        let reset = Alignment {
            origin_cm: [0.0; 3],
            on_x_axis_cm: [200.0, 0.0, 0.0],
            on_y_axis_cm: [0.0, 200.0, 0.0],
        };
        let query = Request::QueryAlignment(at);
        check(Request::SetAlignment(at, alignment), query.clone(), Answer::Alignment(alignment));
        check(Request::ResetAlignment(at), query, Answer::Alignment(reset));
        let angles = [10.0, -20.5, 30.25];
        let query = Request::QueryBoresightAngles(at);
        check(Request::SetBoresightAngles(at, angles), query, Answer::BoresightAnglesDeg(angles));
        let zenith = [0.0, -0.5, 1.0];
        let query = Request::QueryHemisphere(at);
        check(Request::SetHemisphere(at, zenith), query, Answer::Hemisphere(zenith));
        let query = Request::QueryIncrement(at);
        check(Request::SetIncrement(at, 2.5), query.clone(), Answer::IncrementCm(2.5));
        check(Request::SetIncrement(at, 0.0), query, Answer::IncrementCm(0.0));
        let query = Request::QueryTipOffset(at);
        check(Request::SetTipOffset(at, angles), query, Answer::TipOffsetCm(angles));
        let limits =
            PositionEnvelope { max_cm: [100.0, 90.5, 80.0], min_cm: [-70.0, -60.0, -50.25] };
        let query = Request::QueryPositionEnvelope(at);
        check(Request::SetPositionEnvelope(at, limits), query, Answer::PositionEnvelope(limits));
        let limits =
            AngularEnvelope { max_deg: [170.0, 80.0, 160.5], min_deg: [-90.0, -45.0, -1.25] };
        let query = Request::QueryAngularEnvelope(at);
        check(Request::SetAngularEnvelope(at, limits), query, Answer::AngularEnvelope(limits));
        let query = Request::QueryTransmitterMounting(at);
        let want = Answer::TransmitterMountingDeg(angles);
        check(Request::SetTransmitterMounting(at, angles), query, want);
        let list = OutputList::position_and_quaternion();
        ask(&mut tracker, Request::QueryOutputList(at), Answer::OutputList(list));
        ask(&mut tracker, Request::QueryStations(at), Answer::Stations([true; 4]));
    });
}

#[test]
fn every_setting_of_the_unit_is_read_back_as_it_was_made() {
    let emulator = tracker(quick_tracker(), &line(&[]));
    let mut tracker = open(&emulator);
    for of in [FilterOf::Attitude, FilterOf::Position] {
        let numbers = FilterParameters { sensitivity: 0.25, low: 0.1, high: 0.75, factor: 0.875 };
        set(&mut tracker, Request::SetFilter(of, Filter::Custom(numbers)));
        ask(&mut tracker, Request::QueryFilter(of), Answer::Filter(of, numbers));
    }
    // The one strength whose numbers the manual gives; it sets both filters.
    set(&mut tracker, Request::SetFilter(FilterOf::Attitude, Filter::Medium));
    let medium = FilterParameters { sensitivity: 0.2, low: 0.2, high: 0.8, factor: 0.95 };
    for of in [FilterOf::Attitude, FilterOf::Position] {
        ask(&mut tracker, Request::QueryFilter(of), Answer::Filter(of, medium));
    }
    for filter in [Filter::Low, Filter::Heavy, Filter::Off] {
        set(&mut tracker, Request::SetFilter(FilterOf::Position, filter));
    }
    for mode in [SyncMode::Video, SyncMode::External, SyncMode::Internal] {
        set(&mut tracker, Request::SetSync(mode));
        ask(&mut tracker, Request::QuerySync, Answer::Sync(mode));
    }
    for switch in [Switch::On, Switch::Off] {
        set(&mut tracker, Request::SetCompensation(switch));
        assert_eq!(status(&mut tracker).is_compensated, switch == Switch::On);
    }
    set(&mut tracker, Request::SetName("left bench 0,1".to_owned()));
    ask(&mut tracker, Request::QueryName, Answer::Name("left bench 0,1".to_owned()));
    set(&mut tracker, Request::SetStylusMode(Station::One, StylusMode::PointTrack));
    set(&mut tracker, Request::EndLine);
    set(&mut tracker, Request::Resume);
    let got = status(&mut tracker);
    assert!(got.is_binary && got.is_in_centimetres && !got.is_continuous, "{got:?}");
    let want = (Some(1), "EMU1.0", "left bench 0,1");
    assert_eq!((got.sensors, got.version.as_str(), got.id.as_str()), want);

    // What is saved survives the power; a unit that saves is silent for a while.
    set(&mut tracker, Request::SaveSettings);
    drop(tracker);
    emulator.happen(DeviceEvent::PowerCycle);
    let options = TrackerOptions { patience: crate::harness::DEADLINE, ..Default::default() };
    let tracker = Fastrak::open(emulator.path(), &options).unwrap();
    assert_eq!(tracker.info().id, "left bench 0,1");
}

#[test]
fn commands_in_the_middle_of_a_stream_leave_it_running() {
    let emulator = four_receivers();
    let mut tracker = open(&emulator);
    tracker.start_stream().unwrap();
    for _ in 0..2 {
        next(&mut tracker);
        set(&mut tracker, Request::SetSync(SyncMode::Internal));
        next(&mut tracker);
        assert!(!status(&mut tracker).is_continuous, "it is stopped for the question");
        next(&mut tracker);
        assert!(tracker.request(&Request::SetIncrement(Station::One, 1e9)).is_err());
    }
    next(&mut tracker);
    assert_eq!(tracker.counts().dropped_records, 0);
}

#[test]
fn the_last_fault_stays_until_it_is_cleared() {
    let error_report = ErrorReport::Latched;
    let options = emulators::TrackerOptions { error_report, ..quick_tracker() };
    let emulator = tracker(options, &line(&[]));
    let mut tracker = open(&emulator);
    assert_eq!(tracker.sample().unwrap().condition, Condition::Good);
    emulator.happen(DeviceEvent::PulledOff { station: 1 });
    assert_eq!(tracker.sample().unwrap().condition, Condition::Invalid('l'));
    emulator.happen(DeviceEvent::PutBack { station: 1 });
    assert_eq!(tracker.sample().unwrap().condition, Condition::Invalid('l'), "it is latched");
    assert_eq!(status(&mut tracker).built_in_test, Some(u16::from(b'l')));
    let answer = tracker.request(&Request::QueryBuiltInTest(Station::One)).unwrap();
    assert!(matches!(answer, Some(Answer::BuiltInTest(_))), "{answer:?}");
    set(&mut tracker, Request::ClearBuiltInTest(Station::One));
    assert_eq!(status(&mut tracker).built_in_test, None);
    assert_eq!(tracker.sample().unwrap().condition, Condition::Good);
}

#[test]
fn a_refused_command_is_a_complaint_with_its_reason() {
    let emulator = tracker(quick_tracker(), &line(&[]));
    let mut tracker = open(&emulator);
    let on_a_line = Alignment {
        origin_cm: [0.0; 3],
        on_x_axis_cm: [1.0, 0.0, 0.0],
        on_y_axis_cm: [2.0, 0.0, 0.0],
    };
    let too_large = FilterParameters { sensitivity: 0.5, low: 0.5, high: 5.0, factor: 0.5 };
    let cases = [
        (Request::SetAlignment(Station::One, on_a_line), 4),
        (Request::SetFilter(FilterOf::Position, Filter::Custom(too_large)), 2),
    ];
    for (request, field) in cases {
        match tracker.request(&request) {
            Err(TrackerError::Refused { path, error, .. }) => {
                assert_eq!(path, emulator.path());
                let got = (error.code, error.field);
                assert_eq!(got, (Some(CommandErrorCode::OutOfRange), Some(field)), "{request:?}");
            }
            other => panic!("{request:?} gave {other:?}"),
        }
    }
    let number = tracker.request(&Request::SetIncrement(Station::One, f64::NAN));
    let is_number = |source| matches!(source, RequestError::Number(_));
    assert!(matches!(number, Err(TrackerError::Unsendable { source, .. }) if is_number(source)));
    assert_eq!(status(&mut tracker).built_in_test, None, "the conversation goes on");
}

#[test]
fn what_would_change_the_records_under_the_decoder_is_not_sent() {
    let emulator = tracker(quick_tracker(), &line(&[]));
    let mut tracker = open(&emulator);
    let port = PortSettings {
        baud: 9600,
        parity: PortParity::None,
        bits: PortBits::Eight,
        handshake: Switch::Off,
    };
    let requests = [
        Request::OneRecord,
        Request::ContinuousOn,
        Request::ContinuousOff,
        Request::SetForm(Form::Ascii),
        Request::SetUnits(Units::Inches),
        Request::FactoryDefaults,
        Request::SetOutputList(Station::One, OutputList::new(vec![OutputItem::LineEnd]).unwrap()),
        Request::SetStation(Station::One, Switch::Off),
        Request::SetPort(port),
        Request::GuidedAlignment,
        Request::Reinitialise,
        Request::Suspend,
    ];
    for request in requests {
        match tracker.request(&request) {
            Err(TrackerError::Unsendable { source, .. }) => {
                assert_eq!(source, RequestError::ChangesRecords, "{request:?}");
            }
            other => panic!("{request:?} gave {other:?}"),
        }
    }
    let got = status(&mut tracker);
    assert!(got.is_binary && got.is_in_centimetres, "{got:?}");
    assert_eq!(tracker.sample().unwrap().station, 1);
}
