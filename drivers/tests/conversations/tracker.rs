//! Tests of conversations with a FASTRAK: opening in any state, questions and streams.

mod others;

use std::time::Duration;

use drivers::polhemus::answer::{Answer, CommandErrorCode};
use drivers::polhemus::driver::{
    AlignmentOption, BoresightOption, HemisphereOption, LastResort, StationOption,
};
use drivers::polhemus::output::{OutputItem, OutputList};
use drivers::polhemus::protocol::Request;
use drivers::polhemus::settings::{Alignment, Filter, Form, Station};
use drivers::{
    Condition, DeviceError, Fastrak, StylusSwitch, TrackerError, TrackerOptions, TrackerSample,
};

use crate::scripted_peer::{ScriptedPeer, Turn};

/// Longest wait for an answer, enough for a busy machine.
const PATIENT: Duration = Duration::from_secs(20);

fn status(flags: &str) -> Vec<u8> {
    format!("21S{flags}    F31  {:6}{:32}\r\n", "2.1", "bench").into_bytes()
}

fn record_of(station: u8, x_cm: f32) -> Vec<u8> {
    let mut bytes = vec![b'0', b'0' + station, b' '];
    let numbers = [x_cm, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    bytes.extend(b"\r\n");
    bytes
}

fn record(x_cm: f32) -> Vec<u8> {
    record_of(1, x_cm)
}

/// The whole conversation while a tracker with one receiver is opened.
fn start_up() -> Vec<Turn> {
    let mut script = questions(b"21l1000\r\n", &[b"O1\r"]);
    script.push((b"uO1,2,11,1\rv2\rx2\re1,0\rf", Vec::new()));
    script.push((b"S", status("3F3")));
    script
}

/// The beginning of it: the unit, with the factory's settings, is asked for them.
fn questions(stations: &[u8], lists: &[&'static [u8]]) -> Vec<Turn> {
    let mut script: Vec<Turn> = vec![
        (b"\x11c", b"01   12.34  -5.60   0.07  90.00 -1".to_vec()),
        (b"S", status("3F0")),
        (b"l1\r", stations.to_vec()),
    ];
    script.extend(lists.iter().map(|list| (*list, list_of(list))));
    script.extend(filters());
    script.push((b"e1\r", b"21e1\r\n".to_vec()));
    script
}

/// Questions for both filters, which are off.
fn filters() -> [Turn; 2] {
    [
        (b"v\r", b"2 v  0.000  1.000  0.000  0.000\r\n".to_vec()),
        (b"x\r", b"2 x  0.000  1.000  0.000  0.000\r\n".to_vec()),
    ]
}

/// The factory's output list of the station that is asked for, as text in inches.
fn list_of(question: &[u8]) -> Vec<u8> {
    [b"2", &question[1..2], b"O 2 4 1\r\n"].concat()
}

/// The end: the unit is put back to the factory's settings.
fn put_back() -> Vec<Turn> {
    let mut script: Vec<Turn> = vec![
        (b"c", Vec::new()),
        (b"O1,2,4,1\re1,1\rFU", Vec::new()),
        (b"S", status("3F0")),
        (b"l1\r", b"21l1000\r\n".to_vec()),
        (b"O1\r", list_of(b"O1\r")),
    ];
    script.extend(filters());
    script.push(STOP);
    script
}

/// Place in `start_up` of the settings.
const SETTINGS: usize = 7;
/// Last byte to a unit.
const STOP: Turn = (b"c", Vec::new());

fn open(peer: &ScriptedPeer) -> Result<Fastrak, TrackerError> {
    Fastrak::open(&peer.path, &TrackerOptions::default())
}

/// Plays `script` to a driver that opens with `options` and is dropped at once.
fn check_opens(script: Vec<Turn>, options: &TrackerOptions, stations: &[u8]) {
    let peer = ScriptedPeer::start(script);
    let tracker = Fastrak::open(&peer.path, options).expect("it opens");
    assert_eq!(tracker.info().stations, stations);
    drop(tracker);
    peer.finish();
}

fn next(tracker: &mut Fastrak) -> TrackerSample {
    let sample = tracker.next_sample(PATIENT).expect("the line holds");
    sample.expect("the peer sends it")
}

fn x_cm(sample: &TrackerSample) -> f64 {
    (sample.source_from_sensor.translation.x * 100.0).round()
}

#[test]
fn a_tracker_is_opened_polled_and_streamed() {
    let mut script = start_up();
    script.push((b"P", record(25.0)));
    script.push((b"C", [record(30.0), record(35.0)].concat()));
    script.extend(put_back());
    let peer = ScriptedPeer::start(script);

    let mut tracker = open(&peer).unwrap();
    assert_eq!(tracker.info().version, "2.1");
    assert_eq!(tracker.info().id, "bench");
    assert_eq!(tracker.info().stations, [1]);
    let sample = tracker.sample().unwrap();
    assert_eq!(sample.source_from_sensor.translation.x, 0.25);
    assert_eq!(sample.condition, Condition::Good);
    tracker.start_stream().unwrap();
    for want in [30.0, 35.0] {
        assert_eq!(x_cm(&next(&mut tracker)), want);
    }
    assert_eq!(tracker.next_sample(Duration::from_millis(20)).unwrap(), None);
    assert_eq!(tracker.counts().records, 3);
    assert_eq!(tracker.hemisphere_flips(), 0);
    drop(tracker);
    peer.finish();
}

#[test]
fn a_tracker_that_streams_text_is_silenced_first() {
    let line = b"01   12.34  -5.60   0.07  90.00 -12.50 179.99\r\n";
    let mut script = start_up();
    script.insert(0, (b"", line.repeat(40)));
    script[1].1 = [line.repeat(3), b"01   12.34  -5".to_vec()].concat();
    script.extend(put_back());
    check_opens(script, &TrackerOptions::default(), &[1]);
}

#[test]
fn a_tracker_that_streams_binary_is_silenced_first() {
    let mut script = start_up();
    script.insert(0, (b"", record(10.0).repeat(40)));
    script[1].1 = [record(11.0), record(12.0)[..20].to_vec()].concat();
    script.extend(put_back());
    check_opens(script, &TrackerOptions::default(), &[1]);
}

#[test]
fn held_back_output_is_let_go_and_an_unfinished_line_is_ended() {
    let mut script = start_up();
    // The stop and the first status request get no answer: the output is suspended, or the
    // unfinished line swallows them.
    script[0].1 = Vec::new();
    script[1].1 = Vec::new();
    script.insert(2, (b"\x11\rc", b"2 E*ERROR*O1,2cS*ERROR* EC-2*PS0*FL1*ST0\r\n".to_vec()));
    script.insert(3, (b"S", status("3F0")));
    script.extend(put_back());
    check_opens(script, &TrackerOptions::default(), &[1]);
}

#[test]
fn a_silent_tracker_is_started_again_as_a_last_resort() {
    let mut script = start_up();
    script[1].1 = Vec::new();
    let silent = (b"\x11\rcS\x11\rcS\x11\rcS".as_slice(), Vec::new());
    script.splice(2..2, [silent, (b"\x19\x11\rcS", status("3F0"))]);
    script.extend(put_back());
    let last_resort = LastResort::Reinitialise(Duration::ZERO);
    check_opens(script, &TrackerOptions { last_resort, ..Default::default() }, &[1]);
}

#[test]
fn silence_is_no_answer() {
    let peer = ScriptedPeer::start(vec![(b"\x11cS\x11\rcS\x11\rcS\x11\rcSc", Vec::new())]);
    let error = open(&peer).err().expect("no tracker answers");
    assert!(matches!(&error, TrackerError::Device(DeviceError::NoAnswer { .. })), "{error}");
    peer.finish();
}

#[test]
fn a_refused_setting_has_the_reason() {
    let mut script = start_up();
    script.truncate(SETTINGS);
    script.push((b"u", Vec::new()));
    let refusal = b"2 E*ERROR*O1,2,11,1*ERROR* EC-3*PS0*FL1*ST0\r\n".to_vec();
    script.push((b"O1,2,11,1\r", refusal));
    script.extend(put_back());
    let peer = ScriptedPeer::start(script);
    let error = open(&peer).err().expect("it refuses");
    let TrackerError::Refused { error: refusal, .. } = &error else { panic!("{error}") };
    assert_eq!(refusal.code, Some(CommandErrorCode::OutOfRange));
    assert_eq!((refusal.field, refusal.station), (Some(1), Some(1)));
    assert!(error.to_string().contains("out of range"), "{error}");
    assert!(matches!(DeviceError::from(error), DeviceError::UnexpectedAnswer { .. }));
    peer.finish();
}

#[test]
fn a_tracker_that_stays_in_inches_is_not_used() {
    let mut script = start_up();
    script[SETTINGS + 1].1 = status("3F1");
    script.extend(put_back());
    let peer = ScriptedPeer::start(script);
    let error = open(&peer).err().expect("it is in inches");
    assert!(matches!(&error, TrackerError::Device(DeviceError::NotReady { .. })), "{error}");
    peer.finish();
}

#[test]
fn several_stations_send_in_turn() {
    let mut script = questions(b"21l1010\r\n", &[b"O1\r", b"O3\r"]);
    script.push((b"uO1,2,11,1\rO3,2,11,1\rv2\rx2\re1,0\rf", Vec::new()));
    script.push((b"S", status("3F3")));
    script.push((b"P", [record_of(1, 10.0), record_of(3, 20.0)].concat()));
    script.push((b"C", [record_of(1, 30.0), record_of(3, 40.0), record_of(1, 50.0)].concat()));
    script.push((b"c", Vec::new()));
    script.push((b"O1,2,4,1\rO3,2,4,1\re1,1\rFU", Vec::new()));
    script.push((b"S", status("3F0")));
    script.push((b"l1\r", b"21l1010\r\n".to_vec()));
    script.extend([b"O1\r", b"O3\r"].map(|list| (list.as_slice(), list_of(list))));
    script.extend(filters());
    script.push(STOP);
    let peer = ScriptedPeer::start(script);
    let mut tracker = open(&peer).unwrap();
    let stations = |samples: &[TrackerSample]| -> Vec<_> {
        samples.iter().map(|sample| (sample.station, x_cm(sample))).collect()
    };
    assert_eq!(tracker.info().stations, [1, 3]);
    assert_eq!(stations(&tracker.samples().unwrap()), [(1, 10.0), (3, 20.0)]);
    tracker.start_stream().unwrap();
    let streamed = [(); 3].map(|()| next(&mut tracker));
    assert_eq!(stations(&streamed), [(1, 30.0), (3, 40.0), (1, 50.0)]);
    drop(tracker);
    peer.finish();
}

#[test]
fn stations_are_switched_and_read_back() {
    let mut script = questions(b"21l1000\r\n", &[b"O2\r"]);
    script.push((b"l1,0\rl2,1\r", Vec::new()));
    script.push((b"l1\r", b"21l0100\r\n".to_vec()));
    script.push((b"uO2,2,11,1\rv2\rx2\re1,0\rf", Vec::new()));
    script.push((b"S", status("3F3")));
    script.push((b"c", Vec::new()));
    script.push((b"O2,2,4,1\rl1,1\rl2,0\re1,1\rFU", Vec::new()));
    script.push((b"S", status("3F0")));
    script.push((b"l1\r", b"21l1000\r\n".to_vec()));
    script.push((b"O2\r", list_of(b"O2\r")));
    script.extend(filters());
    script.push(STOP);
    let stations = StationOption::Only(vec![Station::Two]);
    check_opens(script, &TrackerOptions { stations, ..Default::default() }, &[2]);
}

#[test]
fn without_any_station_the_first_is_switched_on() {
    let mut script = start_up();
    script[2].1 = b"21l0000\r\n".to_vec();
    script.insert(SETTINGS, (b"l1,1\r", Vec::new()));
    script.insert(SETTINGS + 1, (b"l1\r", b"21l1000\r\n".to_vec()));
    let mut end = put_back();
    end[1].0 = b"O1,2,4,1\rl1,0\re1,1\rFU";
    end[3].1 = b"21l0000\r\n".to_vec();
    script.extend(end);
    check_opens(script, &TrackerOptions::default(), &[1]);
}

#[test]
fn a_station_that_does_not_switch_is_an_error() {
    let mut script = start_up();
    script.truncate(SETTINGS);
    script.insert(4, (b"O4\r", list_of(b"O4\r")));
    script.push((b"l4,1\r", Vec::new()));
    script.push((b"l1\r", b"21l1000\r\n".to_vec()));
    script.push((b"c", Vec::new()));
    script.push((b"O1,2,4,1\rO4,2,4,1\rl4,0\re1,1\rFU", Vec::new()));
    script.push((b"S", status("3F0")));
    script.push((b"l1\r", b"21l1000\r\n".to_vec()));
    script.extend([b"O1\r", b"O4\r"].map(|list| (list.as_slice(), list_of(list))));
    script.extend(filters());
    let peer = ScriptedPeer::start(script);
    let stations = StationOption::Only(vec![Station::One, Station::Four]);
    let opened = Fastrak::open(&peer.path, &TrackerOptions { stations, ..Default::default() });
    assert!(matches!(opened.err(), Some(TrackerError::Device(DeviceError::NotReady { .. }))));
    peer.finish();
}

#[test]
fn every_option_is_sent() {
    let mut script = start_up();
    script[SETTINGS].0 = b"uO1,2,4,1\rR1\rA1,0,0,0,10,0,0,0,10,0\rH1,0,0,1\rv3\rx2\rB1\re1,0\rF";
    script[SETTINGS + 1].1 = status("3F2");
    let line = b"01    7.00   0.00   0.00   0.00   0.00   0.00\r\n";
    script.push((b"P", line.to_vec()));
    let mut end = put_back();
    // Its list was the same. Its filters were off; a named filter changes both.
    end[1].0 = b"v2\rx2\re1,1\rFU";
    script.extend(end);
    let peer = ScriptedPeer::start(script);
    let items = [2, 4, 1].map(|number| OutputItem::from_number(number).unwrap());
    let options = TrackerOptions {
        form: Form::Ascii,
        list: OutputList::new(items.to_vec()).unwrap(),
        hemisphere: HemisphereOption::Zenith([0.0, 0.0, 1.0]),
        attitude_filter: Filter::Low,
        alignment: AlignmentOption::Set(Alignment {
            origin_cm: [0.0; 3],
            on_x_axis_cm: [10.0, 0.0, 0.0],
            on_y_axis_cm: [0.0, 10.0, 0.0],
        }),
        boresight: BoresightOption::Now,
        ..Default::default()
    };
    let mut tracker = Fastrak::open(&peer.path, &options).unwrap();
    assert_eq!(x_cm(&tracker.sample().unwrap()), 7.0);
    drop(tracker);
    peer.finish();
}

#[test]
fn a_stream_that_the_stylus_stopped_is_started_again() {
    let pressed = |digit: u8| {
        let mut bytes = record(10.0);
        bytes.splice(31..31, [b' ', digit]);
        bytes
    };
    let mut script = start_up();
    script[SETTINGS].0 = b"uO1,2,11,16,1\rv2\rx2\re1,0\rf";
    script.push((b"C", [pressed(b'0'), pressed(b'1')].concat()));
    script.push((b"c", Vec::new()));
    script.push((b"S", status("3F3")));
    script.push((b"l1\r", b"21l1000\r\n".to_vec()));
    script.push((b"O1\r", b"21O 21116 1\r\n".to_vec()));
    script.push((b"C", pressed(b'0')));
    script.extend(put_back());
    let peer = ScriptedPeer::start(script);
    let items = [2, 11, 16, 1].map(|number| OutputItem::from_number(number).unwrap());
    let list = OutputList::new(items.to_vec()).unwrap();
    let options = TrackerOptions { list, ..Default::default() };
    let mut tracker = Fastrak::open(&peer.path, &options).unwrap();
    // No stream was started yet, so this sends nothing.
    tracker.restart_stream().unwrap();
    tracker.start_stream().unwrap();
    assert_eq!(next(&mut tracker).stylus, Some(StylusSwitch::Released));
    assert_eq!(next(&mut tracker).stylus, Some(StylusSwitch::Pressed));
    assert_eq!(tracker.next_sample(Duration::from_millis(20)).unwrap(), None);
    tracker.restart_stream().unwrap();
    assert_eq!(next(&mut tracker).stylus, Some(StylusSwitch::Released));
    drop(tracker);
    peer.finish();
}

#[test]
fn a_request_interrupts_a_stream_and_lets_it_go_on() {
    let refusal = b"2 E*ERROR*H2,0,0,1*ERROR* EC-3*PS0*FL0*ST1\r\n".to_vec();
    let mut script = start_up();
    script.push((b"C", record(10.0)));
    script.push((b"c", record(11.0)));
    script.push((b"H1\r", b"21H   0.00   0.00   1.00\r\n".to_vec()));
    script.push((b"C", record(12.0)));
    script.push((b"c", record(13.0)[..9].to_vec()));
    script.push((b"H2,0,0,1\r", refusal));
    script.push((b"C", record(14.0)));
    script.extend(put_back());
    let peer = ScriptedPeer::start(script);
    let mut tracker = open(&peer).unwrap();
    tracker.start_stream().unwrap();
    assert_eq!(x_cm(&next(&mut tracker)), 10.0);
    let answer = tracker.request(&Request::QueryHemisphere(Station::One)).unwrap();
    assert_eq!(answer, Some(Answer::Hemisphere([0.0, 0.0, 1.0])));
    assert_eq!(x_cm(&next(&mut tracker)), 12.0);
    let refused = tracker.request(&Request::SetHemisphere(Station::Two, [0.0, 0.0, 1.0]));
    assert!(matches!(refused, Err(TrackerError::Refused { .. })));
    assert_eq!(x_cm(&next(&mut tracker)), 14.0);
    drop(tracker);
    peer.finish();
}

#[test]
fn requests_that_would_break_decoding_are_not_sent() {
    let mut script = start_up();
    script.push((b"d", Vec::new()));
    script.extend(put_back());
    let peer = ScriptedPeer::start(script);
    let mut tracker = open(&peer).unwrap();
    for request in [Request::SetForm(Form::Ascii), Request::FactoryDefaults, Request::Suspend] {
        let refused = tracker.request(&request);
        assert!(matches!(refused, Err(TrackerError::Unsendable { .. })), "{request:?}");
    }
    let off = drivers::polhemus::settings::Switch::Off;
    assert_eq!(tracker.request(&Request::SetCompensation(off)).unwrap(), None);
    drop(tracker);
    peer.finish();
}

#[test]
fn a_jump_through_the_transmitter_is_counted() {
    let mut script = start_up();
    script.push((b"C", [record(30.0), record(-30.0), record(-31.0)].concat()));
    script.extend(put_back());
    let peer = ScriptedPeer::start(script);
    let mut tracker = open(&peer).unwrap();
    tracker.start_stream().unwrap();
    for want in [30.0, -30.0, -31.0] {
        assert_eq!(x_cm(&next(&mut tracker)), want);
    }
    assert_eq!(tracker.hemisphere_flips(), 1);
    drop(tracker);
    peer.finish();
}
