//! Poses arrive as the hand has them: in every form of record, from every station, in every frame.

use drivers::polhemus::answer::CommandErrorCode;
use drivers::polhemus::driver::{
    AlignmentOption, BoresightOption, HemisphereOption, StationOption,
};
use drivers::polhemus::output::{OutputItem, OutputList, StylusWidth};
use drivers::polhemus::protocol::Request;
use drivers::polhemus::settings::{Alignment, Form, PositionEnvelope, Station};
use drivers::{Condition, Fastrak, StylusSwitch, TrackerError, TrackerOptions, TrackerSample};
use emulators::{DeviceEvent, Emulator, Firmware, HandState, Keyframe, Motion};
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};

use crate::harness::{at_once, line, next, quick_tracker, tracker_in};

/// Where the receivers of the four stations sit on the hand.
const RECEIVERS_CM: [[f64; 3]; 4] =
    [[0.0, 0.0, 0.0], [5.0, 0.0, 0.0], [0.0, -4.0, 1.0], [2.0, 3.0, -6.0]];
/// Far more than the rounding of a binary record, far less than anything that could go wrong.
const BINARY: Tolerance = Tolerance { metres: 1e-6, radians: 1e-6 };

#[derive(Debug, Clone, Copy)]
struct Tolerance {
    metres: f64,
    radians: f64,
}

/// A pose with nothing special about it.
fn hand() -> HandState {
    let turn = UnitQuaternion::from_euler_angles(0.7, -0.4, 2.1);
    HandState {
        receiver_position_cm: [31.25, -12.5, 18.75],
        receiver_quaternion: [turn.w, turn.i, turn.j, turn.k],
        ..HandState::FLAT
    }
}

/// A tracker with this many receivers on a hand that keeps still.
fn emulator(n_receivers: usize, firmware: Firmware) -> Emulator {
    let receivers_cm =
        std::array::from_fn(|place| (place < n_receivers).then_some(RECEIVERS_CM[place]));
    let options = emulators::TrackerOptions { receivers_cm, firmware, ..quick_tracker() };
    tracker_in(options, Motion::held(hand()), &line(&[]))
}

/// Where a station's receiver is, from the motion.
fn pose(station: u8) -> Isometry3<f64> {
    let state = Motion::held(hand()).state_at(0.0);
    let metres = |cm: [f64; 3]| Vector3::from(cm) * 0.01;
    let [w, i, j, k] = state.receiver_quaternion;
    let turn = UnitQuaternion::from_quaternion(Quaternion::new(w, i, j, k));
    let offset = metres(RECEIVERS_CM[usize::from(station) - 1]);
    let place = metres(state.receiver_position_cm) + turn * offset;
    Isometry3::from_parts(Translation3::from(place), turn)
}

fn check(sample: &TrackerSample, want: &Isometry3<f64>, tolerance: Tolerance) {
    let got = sample.source_from_sensor;
    let metres = (got.translation.vector - want.translation.vector).norm();
    // The angle between two attitudes does not depend on the quaternions' signs.
    let radians = got.rotation.angle_to(&want.rotation);
    assert!(
        metres <= tolerance.metres && radians <= tolerance.radians,
        "station {}: {got:?} is {metres} m and {radians} rad away from {want:?}",
        sample.station
    );
}

fn open(emulator: &Emulator, options: &TrackerOptions) -> Fastrak {
    Fastrak::open(emulator.path(), options).unwrap()
}

fn list(numbers: &[u8]) -> OutputList {
    let item = |number: &u8| OutputItem::from_number(*number).unwrap();
    OutputList::new(numbers.iter().map(item).collect()).unwrap()
}

/// Half the last digit of each number, and a little for how they add up.
fn tolerance(form: Form, items: &[u8]) -> Tolerance {
    let is_in = |wanted: u8| items.contains(&wanted);
    let (cm, turn) = match form {
        _ if is_in(19) => (300.0 / 8192.0, (180.0_f64 / 8192.0).to_radians()),
        _ if is_in(20) => (300.0 / 8192.0, 2.0 / 8192.0),
        Form::Binary => return BINARY,
        Form::Ascii if is_in(52) => (1e-3, 1e-4),
        Form::Ascii if is_in(4) => (0.01, 0.01_f64.to_radians()),
        Form::Ascii => (0.01, 2e-4),
    };
    Tolerance { metres: 0.01 * cm, radians: turn }
}

#[test]
fn every_output_list_in_either_form_gives_the_poses_of_all_stations() {
    let lists: [&[u8]; 12] = [
        &[2, 4, 1],
        &[2, 11, 1],
        &[2, 5, 6, 7, 1],
        &[52, 54, 51],
        &[52, 61, 1],
        &[52, 55, 56, 57, 1],
        &[0, 11, 50, 2, 0, 1],
        &[3, 2, 53, 4, 16, 1],
        &[2, 1, 11, 1],
        &[4, 2, 11, 66, 1],
        // Only older firmware knows packed numbers.
        &[18, 19, 1],
        &[20, 18, 1],
    ];
    let cases: Vec<_> =
        lists.into_iter().flat_map(|list| [(list, Form::Ascii), (list, Form::Binary)]).collect();
    at_once(&cases, |&(items, form)| {
        let emulator = emulator(4, Firmware::Legacy);
        let options = TrackerOptions { form, list: list(items), ..TrackerOptions::default() };
        let mut tracker = open(&emulator, &options);
        let polled = tracker.samples().unwrap();
        tracker.start_stream().unwrap();
        let streamed: Vec<_> = (0..8).map(|_| next(&mut tracker)).collect();
        for samples in [&polled[..], &streamed[..4], &streamed[4..]] {
            let stations: Vec<_> = samples.iter().map(|sample| sample.station).collect();
            assert_eq!(stations, [1, 2, 3, 4], "{items:?}");
            for sample in samples {
                check(sample, &pose(sample.station), tolerance(form, items));
                assert_eq!(sample.condition, Condition::Good);
            }
        }
        assert_eq!(tracker.counts().dropped_bytes, 0, "{items:?} {form:?}");
    });
}

#[test]
fn newer_firmware_refuses_packed_numbers_with_the_reason() {
    let emulator = emulator(1, Firmware::Current);
    let options = TrackerOptions { list: list(&[18, 19, 1]), ..TrackerOptions::default() };
    match Fastrak::open(emulator.path(), &options).map(drop) {
        Err(TrackerError::Refused { error, .. }) => {
            assert_eq!(error.code, Some(CommandErrorCode::OutOfRange));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn any_number_of_stations_is_found_or_chosen() {
    let only = |stations: &[Station]| StationOption::Only(stations.to_vec());
    let cases = [
        (1, StationOption::AsFound, vec![1]),
        (2, StationOption::AsFound, vec![1, 2]),
        (3, StationOption::AsFound, vec![1, 2, 3]),
        (4, StationOption::AsFound, vec![1, 2, 3, 4]),
        (4, only(&[Station::Two]), vec![2]),
        (4, only(&[Station::Four, Station::One]), vec![1, 4]),
    ];
    at_once(&cases, |(n_receivers, stations, want)| {
        let emulator = emulator(*n_receivers, Firmware::Current);
        let options = TrackerOptions { stations: stations.clone(), ..TrackerOptions::default() };
        let mut tracker = open(&emulator, &options);
        assert_eq!(tracker.info().stations, *want);
        tracker.start_stream().unwrap();
        for station in want.iter().cycle().take(12) {
            let sample = next(&mut tracker);
            assert_eq!(sample.station, *station);
            check(&sample, &pose(*station), BINARY);
        }
    });
}

#[test]
fn frames_are_those_that_were_asked_for() {
    let emulator = emulator(1, Firmware::Current);
    let mut tracker = open(&emulator, &TrackerOptions::default());
    let mut check_after = |requests: &[Request], want: Isometry3<f64>| {
        for request in requests {
            assert_eq!(tracker.request(request).unwrap(), None);
        }
        check(&tracker.sample().unwrap(), &want, BINARY);
    };
    let (at, plain) = (Station::One, pose(1));
    let turned = |rotation| Isometry3::from_parts(plain.translation, rotation);
    check_after(&[], plain);
    // The present attitude becomes the reference one; the place stays.
    check_after(&[Request::Boresight(at)], turned(UnitQuaternion::identity()));
    let reference = UnitQuaternion::from_euler_angles(0.0, 0.0, 90_f64.to_radians());
    let angles = Request::SetBoresightAngles(at, [90.0, 0.0, 0.0]);
    check_after(&[angles, Request::Boresight(at)], turned(reference));
    check_after(&[Request::ResetBoresight(at)], plain);
    // A frame whose x axis is the transmitter's y axis.
    let alignment = Alignment {
        origin_cm: [10.0, 20.0, 30.0],
        on_x_axis_cm: [10.0, 50.0, 30.0],
        on_y_axis_cm: [-40.0, 20.0, 30.0],
    };
    let source_from_frame = Isometry3::from_parts(Translation3::new(0.1, 0.2, 0.3), reference);
    check_after(&[Request::SetAlignment(at, alignment)], source_from_frame.inverse() * plain);
    check_after(&[Request::ResetAlignment(at)], plain);
    let tip = Translation3::from(plain * nalgebra::Point3::new(0.02, 0.0, -0.05));
    let with_tip = Isometry3::from_parts(tip, plain.rotation);
    check_after(&[Request::SetTipOffset(at, [2.0, 0.0, -5.0])], with_tip);
    check_after(&[Request::SetTipOffset(at, [0.0; 3])], plain);
    // The field is the same at the opposite point; the zenith says which is meant.
    let opposite = Isometry3::from_parts(plain.translation.inverse(), plain.rotation);
    check_after(&[Request::SetHemisphere(at, [-1.0, 0.0, 0.0])], opposite);
}

#[test]
fn options_set_the_frame_when_the_tracker_is_opened() {
    let emulator = emulator(2, Firmware::Current);
    let origin_cm = [0.0, 0.0, 10.0];
    let alignment =
        Alignment { origin_cm, on_x_axis_cm: [10.0, 0.0, 10.0], on_y_axis_cm: [0.0, 10.0, 10.0] };
    let options = TrackerOptions {
        alignment: AlignmentOption::Set(alignment),
        boresight: BoresightOption::Now,
        hemisphere: HemisphereOption::Zenith([0.0, 0.0, 1.0]),
        ..TrackerOptions::default()
    };
    let shifted = |station| {
        let place = pose(station).translation.vector - Vector3::new(0.0, 0.0, 0.1);
        Isometry3::from_parts(Translation3::from(place), UnitQuaternion::identity())
    };
    for sample in open(&emulator, &options).samples().unwrap() {
        check(&sample, &shifted(sample.station), BINARY);
    }
    let options = TrackerOptions {
        alignment: AlignmentOption::Reset,
        boresight: BoresightOption::Reset,
        hemisphere: HemisphereOption::Follow,
        ..TrackerOptions::default()
    };
    for sample in open(&emulator, &options).samples().unwrap() {
        check(&sample, &pose(sample.station), BINARY);
    }
}

#[test]
fn a_jump_through_the_transmitter_is_noticed() {
    // From one side of the zenith's plane to the other, half a metre in front of the transmitter.
    let keyframe = |seconds, y_cm, name: &'static str| {
        let state = HandState { receiver_position_cm: [50.0, y_cm, 0.0], ..HandState::FLAT };
        Keyframe { seconds, state, name: name.into() }
    };
    let motion = Motion::new(vec![keyframe(0.0, 5.0, "right"), keyframe(0.5, -5.0, "left")], 1.0);
    let emulator = tracker_in(quick_tracker(), motion.unwrap(), &line(&[]));
    let hemisphere = HemisphereOption::Zenith([0.0, 1.0, 0.0]);
    let mut tracker = open(&emulator, &TrackerOptions { hemisphere, ..Default::default() });
    tracker.start_stream().unwrap();
    crate::harness::until("a flip", || {
        next(&mut tracker);
        tracker.hemisphere_flips() > 1
    });
}

#[test]
fn a_doubtful_pose_has_a_reason() {
    let emulator = emulator(2, Firmware::Current);
    let mut tracker = open(&emulator, &TrackerOptions::default());
    let limits = PositionEnvelope { max_cm: [20.0; 3], min_cm: [-20.0; 3] };
    tracker.request(&Request::SetPositionEnvelope(Station::One, limits)).unwrap();
    let [one, two] = tracker.samples().unwrap()[..] else { panic!("two stations") };
    assert_eq!((one.condition, two.condition), (Condition::Degraded('x'), Condition::Good));
    check(&one, &pose(1), BINARY);
    emulator.happen(DeviceEvent::PulledOff { station: 2 });
    let [one, two] = tracker.samples().unwrap()[..] else { panic!("two stations") };
    assert_eq!((one.condition, two.condition), (Condition::Degraded('x'), Condition::Invalid('l')));
}

#[test]
fn the_button_of_a_stylus_is_in_the_samples() {
    let widths = [(1, StylusWidth::One), (2, StylusWidth::Two), (3, StylusWidth::Three)];
    at_once(&widths, |&(stylus_columns, stylus_width)| {
        let options = emulators::TrackerOptions { stylus_columns, ..quick_tracker() };
        let emulator = tracker_in(options, Motion::held(hand()), &line(&[]));
        let list = list(&[2, 11, 16, 1]);
        let options = TrackerOptions { list, stylus_width, ..TrackerOptions::default() };
        let mut tracker = open(&emulator, &options);
        tracker.start_stream().unwrap();
        assert_eq!(next(&mut tracker).stylus, Some(StylusSwitch::Released));
        for (event, want) in [
            (DeviceEvent::StylusPressed, StylusSwitch::Pressed),
            (DeviceEvent::StylusReleased, StylusSwitch::Released),
        ] {
            emulator.happen(event);
            crate::harness::until("the button shows", || next(&mut tracker).stylus == Some(want));
        }
        check(&next(&mut tracker), &pose(1), BINARY);
    });
}
