//! Every command and every query of the CyberGlove, through the emulated unit and back.

use std::time::Duration;

use drivers::cyberglove::{
    BaudCommand, ErrorReply, Feature, Flag, GloveState, Model, ModelThreeRequest, Output, Query,
    Reply, Request, RequestError, SamplePeriod, StoredCalibration, Switch, Version,
};
use drivers::{CyberGlove, GloveOptions, SensorMask, Side};
use emulators::{Emulator, GloveModel, SensorSet};

use crate::harness::{at_once, glove, line};

const FEATURES: [Feature; 7] = [
    Feature::TimeStamp,
    Feature::Filter,
    Feature::SwitchDrivesLight,
    Feature::Light,
    Feature::Quantised,
    Feature::StatusByte,
    Feature::WristSwitch,
];

/// A unit that starts again in no time.
fn quick() -> emulators::GloveOptions {
    let restart = Duration::from_millis(200);
    emulators::GloveOptions { restart, has_cybertouch: true, ..Default::default() }
}

fn open(emulator: &Emulator, options: &GloveOptions) -> CyberGlove {
    CyberGlove::open(emulator.path(), options).unwrap()
}

fn ask(glove: &mut CyberGlove, query: Query, want: Reply) {
    assert_eq!(glove.request(&Request::Ask(query)).unwrap(), want, "{query:?}");
}

/// Sets something and reads it back.
fn check(glove: &mut CyberGlove, set: Request, query: Query, want: Reply) {
    assert_eq!(glove.request(&set).unwrap(), Reply::Done, "{set:?}");
    ask(glove, query, want);
}

#[test]
fn every_setting_is_read_back_as_it_was_made() {
    let gloves = [
        (SensorSet::Glove22, true, None),
        (SensorSet::Glove18, false, None),
        // Some units are said to send a byte before the NUL of an acknowledgement.
        (SensorSet::Glove22, true, Some(b'!')),
    ];
    at_once(&gloves, |(sensors, is_right_hand, extra_acknowledgement)| {
        let (sensors, is_right_hand) = (*sensors, *is_right_hand);
        let extra_acknowledgement = *extra_acknowledgement;
        let unit =
            emulators::GloveOptions { sensors, is_right_hand, extra_acknowledgement, ..quick() };
        let emulator = glove(unit, &line(&[]));
        let baud_command = BaudCommand::Allowed;
        let mut glove = open(&emulator, &GloveOptions { baud_command, ..GloveOptions::default() });
        settings_are_read_back(&mut glove);
    });
}

fn settings_are_read_back(glove: &mut CyberGlove) {
    for feature in FEATURES {
        for switch in [Switch::On, Switch::Off, Switch::On] {
            let query = Query::Feature(feature);
            check(glove, Request::Turn(feature, switch), query, Reply::Feature(switch));
        }
    }
    for hz in [10.0, 100.0] {
        let period = SamplePeriod::from_hz(hz).unwrap();
        for set in [Request::SetPeriod(period), Request::SetPeriodInAscii(period)] {
            check(
                glove,
                Request::SetPeriod(SamplePeriod::FASTEST),
                Query::Period,
                Reply::Period(SamplePeriod::FASTEST),
            );
            check(glove, set, Query::Period, Reply::Period(period));
        }
    }
    check(glove, Request::SetBaudDivisor(0x37), Query::BaudDivisor, Reply::BaudDivisor(0x37));

    let flags = glove.flags().unwrap();
    let changed = flags
        .with(Flag::StatusByte, Switch::Off)
        .with(Flag::Filter, Switch::Off)
        .with(Flag::BinarySync, Switch::On);
    assert_ne!(changed, flags);
    check(glove, Request::SetFlags(changed), Query::Flags, Reply::Flags(changed));
    let without_sync = changed.with(Flag::BinarySync, Switch::Off);
    check(glove, Request::SetExternalSync(Switch::Off), Query::Flags, Reply::Flags(without_sync));

    let strengths = [1, 0, 128, 255, 3, 4];
    check(glove, Request::TouchAll(strengths), Query::Touch, Reply::Touch(strengths));
    let some = Request::TouchSome([None, Some(77), None, None, None, Some(0)]);
    check(glove, some, Query::Touch, Reply::Touch([1, 77, 128, 255, 3, 0]));

    // A NUL and a letter that begins a command are values like any others.
    let mask = SensorMask::from_wire([0x53, 0x00, 0x40]);
    check(glove, Request::SetSoftwareMask(mask), Query::SoftwareMask, Reply::Mask(mask));
    check(glove, Request::SetValueCount(3), Query::ValueCount, Reply::Count(3));
    let mut stored = StoredCalibration { offsets: vec![0, 0x53, 255], gains: vec![3, 0, 0x47] };
    let calibrate = Request::StoreCalibration(stored.clone());
    check(glove, calibrate, Query::Calibration, Reply::Calibration(stored.clone()));
    stored.offsets[2] = 0;
    let offset = Request::StoreOffset { place: 2, offset: 0 };
    check(glove, offset, Query::Calibration, Reply::Calibration(stored.clone()));
    stored.gains[1] = 9;
    let gain = Request::StoreGain { place: 1, gain: 9 };
    check(glove, gain, Query::Calibration, Reply::Calibration(stored));
}

#[test]
fn every_query_is_answered_by_what_is_there() {
    let gloves = [
        (SensorSet::Glove22, SensorMask::GLOVE_22, Side::Right),
        (SensorSet::Glove18, SensorMask::GLOVE_18, Side::Left),
    ];
    at_once(&gloves, |(sensors, mask, hand)| {
        let (sensors, is_right_hand) = (*sensors, *hand == Side::Right);
        let emulator =
            glove(emulators::GloveOptions { sensors, is_right_hand, ..quick() }, &line(&[]));
        let mut glove = open(&emulator, &GloveOptions::default());
        let n_sensors = mask.n_sensors();
        let state = GloveState { is_initialised: true, is_plugged_in: true };
        let version = Version { firmware: 0x0101, information_format: Some(0x0102) };
        ask(&mut glove, Query::State, Reply::State(state));
        ask(&mut glove, Query::SensorCount, Reply::Count(n_sensors as u8));
        ask(&mut glove, Query::ValueCount, Reply::Count(n_sensors as u8));
        ask(&mut glove, Query::HardwareMask, Reply::Mask(*mask));
        ask(&mut glove, Query::SoftwareMask, Reply::Mask(*mask));
        ask(&mut glove, Query::Hand, Reply::Hand(*hand));
        ask(&mut glove, Query::Version, Reply::Version(version));
        ask(&mut glove, Query::Touch, Reply::Touch([0; 6]));
        let info = glove.info().clone();
        assert_eq!((info.n_sensors, info.hand, info.mask), (n_sensors, *hand, *mask));
        assert_eq!((info.version, info.model()), (Some(version), Some(Model::Wired)));
        let description = info.description.unwrap();
        assert!(description.contains(&n_sensors.to_string()), "{description}");
        ask(&mut glove, Query::Description, Reply::Description(description));
        let flags = glove.flags().unwrap();
        assert_eq!(flags.hand(), *hand);
        assert!(flags.contains(Flag::GloveValid) && flags.contains(Flag::CyberTouch));
        assert_eq!(glove.stored_calibration().unwrap().gains.len(), n_sensors);
        assert_eq!(glove.sample_period().unwrap(), SamplePeriod::from_hz(100.0).unwrap());
    });
}

#[test]
fn after_a_restart_the_settings_are_made_again() {
    let emulator = glove(quick(), &line(&[]));
    let options = GloveOptions {
        status_byte: Switch::On,
        sample_period: Some(SamplePeriod::from_hz(50.0).unwrap()),
        ..GloveOptions::default()
    };
    let mut glove = open(&emulator, &options);
    for request in [Request::Restart, Request::Reinitialise] {
        glove.turn(Feature::Quantised, Switch::On).unwrap();
        assert_eq!(glove.request(&request).unwrap(), Reply::Done);
        assert!(glove.is_on(Feature::StatusByte).unwrap(), "{request:?}");
        assert_eq!(glove.sample_period().unwrap(), options.sample_period.unwrap());
        assert!(glove.sample().unwrap().status.is_some());
    }
    // A restart forgets what the options do not ask for; reading the glove again does not.
    glove.request(&Request::Restart).unwrap();
    assert!(!glove.is_on(Feature::Quantised).unwrap());
}

#[test]
fn a_third_model_repeats_its_own_commands() {
    let model = GloveModel::Third;
    let emulator = glove(emulators::GloveOptions { model, ..quick() }, &line(&[]));
    let mut three = open(&emulator, &GloveOptions { model: Model::Three, ..Default::default() });
    let outputs = [Output::Usb, Output::WiFi, Output::SdCard];
    let mut requests: Vec<_> = outputs
        .into_iter()
        .flat_map(|output| {
            [Switch::Off, Switch::On].map(|switch| ModelThreeRequest::Enable(output, switch))
        })
        .collect();
    requests.extend(outputs.map(|output| ModelThreeRequest::SetDivider(output, 0)));
    requests.extend([0, 3, b'S'].map(ModelThreeRequest::SetFrameMultiplier));
    for request in requests {
        let reply = three.request(&Request::ModelThree(request)).unwrap();
        assert_eq!(reply, Reply::Done, "{request:?}");
    }
    assert!(three.state().unwrap().is_plugged_in, "and it still understands the others");
}

#[test]
fn errors_name_what_was_wrong() {
    let unit = emulators::GloveOptions { has_cybertouch: false, ..quick() };
    let emulator = glove(unit, &line(&[]));
    let mut glove = open(&emulator, &GloveOptions::default());
    let refused = [
        (Request::TouchAll([1; 6]), ErrorReply::UnknownCommand),
        (Request::Ask(Query::Touch), ErrorReply::UnknownCommand),
        (Request::SetValueCount(25), ErrorReply::TooManyNumbers),
        (Request::StoreOffset { place: 99, offset: 1 }, ErrorReply::UnknownCommand),
    ];
    for (request, want) in refused {
        match glove.request(&request) {
            Err(RequestError::Refused { path, error, .. }) => {
                assert_eq!((path.as_str(), error), (emulator.path(), want), "{request:?}");
            }
            other => panic!("{request:?} gave {other:?}"),
        }
    }
    let one = StoredCalibration { offsets: vec![1], gains: vec![1] };
    let unsuitable = [
        Request::OneRecord,
        Request::Stream,
        Request::SetBaudDivisor(1),
        Request::StoreCalibration(one),
        Request::ModelThree(ModelThreeRequest::StreamHighResolution),
    ];
    let n_replies = emulator.report().replies_sent;
    for request in unsuitable {
        let outcome = glove.request(&request);
        assert!(
            matches!(outcome, Err(RequestError::Unsuitable { .. })),
            "{request:?}: {outcome:?}"
        );
    }
    assert_eq!(emulator.report().replies_sent, n_replies, "nothing was sent");
    assert!(glove.state().unwrap().is_plugged_in, "the conversation goes on");
}
