//! Contents of a CyberGlove's records in every format, and its light and vibration.

use std::time::Duration;

use drivers::cyberglove::{
    Actuator, Feature, Model, ModelThreeRequest, Output, Request, SamplePeriod, Switch,
};
use drivers::{CyberGlove, GloveOptions, GloveSample, Sensor, SensorMask};
use emulators::{DeviceEvent, Emulator, GloveModel, HandState, Motion, SensorSet};

use crate::harness::{DEADLINE, at_once, glove_in, line, next};

/// Degrees per count and count at zero, by mask bit: the emulated wearer's.
#[rustfmt::skip]
const WEARER: [(f64, f64); 24] = [
    (1.0, 120.0),
    (1.0, 120.0),
    (1.0, 120.0),
    (0.5, 140.0),
    (1.4, 100.0),
    (0.8, 60.0),
    (1.4, 65.0),
    (0.5, 140.0),
    (1.4, 100.0),
    (0.8, 60.0),
    (1.4, 65.0),
    (0.5, 140.0),
    (1.4, 100.0),
    (0.8, 60.0),
    (1.4, 65.0),
    (0.5, 140.0),
    (1.4, 100.0),
    (0.8, 60.0),
    (1.4, 65.0),
    (0.5, 140.0),
    (0.5, 90.0),
    (0.7, 100.0),
    (0.3, 100.0),
    (0.5, 140.0),
];

/// A hand in which no two sensors feel the same.
fn hand() -> HandState {
    HandState { angles_deg: std::array::from_fn(|bit| 1.7 * bit as f64 - 9.0), ..HandState::FLAT }
}

fn reading(bit: usize) -> f64 {
    let (degrees_per_count, zero_count) = WEARER[bit];
    hand().angles_deg[bit] / degrees_per_count + zero_count
}

fn emulator(options: emulators::GloveOptions) -> Emulator {
    glove_in(options, Motion::held(hand()), &line(&[]))
}

fn open(emulator: &Emulator, options: &GloveOptions) -> CyberGlove {
    CyberGlove::open(emulator.path(), options).unwrap()
}

/// All sensors of `mask`, and no others, have the count of the held hand.
fn check(sample: &GloveSample, mask: SensorMask) {
    let got: Vec<_> = sample.counts.iter().collect();
    let want: Vec<_> =
        mask.sensors().map(|sensor| (sensor, reading(sensor.bit()).round() as u8)).collect();
    assert_eq!(got, want);
    assert!(sample.conditions.is_plugged_in && !sample.conditions.is_too_fast);
}

#[test]
fn counts_are_those_of_the_hand_in_every_shape_of_record() {
    let on_off = [Switch::Off, Switch::On];
    let sets =
        [(SensorSet::Glove18, SensorMask::GLOVE_18), (SensorSet::Glove22, SensorMask::GLOVE_22)];
    let cases: Vec<_> = sets
        .into_iter()
        .flat_map(|set| on_off.map(|time_stamp| on_off.map(|status| (set, time_stamp, status))))
        .flatten()
        .collect();
    at_once(&cases, |&((sensors, mask), time_stamp, status_byte)| {
        let emulator = emulator(emulators::GloveOptions { sensors, ..Default::default() });
        let options = GloveOptions { time_stamp, status_byte, ..GloveOptions::default() };
        let mut glove = open(&emulator, &options);
        let polled = glove.sample().unwrap();
        glove.start_stream().unwrap();
        let streamed: Vec<_> = (0..5).map(|_| next(&mut glove)).collect();
        for sample in streamed.iter().chain([&polled]) {
            check(sample, mask);
            assert_eq!(sample.ticks.is_some(), time_stamp == Switch::On);
            assert_eq!(sample.status.is_some(), status_byte == Switch::On);
            assert!(sample.status.is_none_or(|status| status.is_plugged_in()));
        }
        let ticks: Vec<_> = streamed.iter().map(|sample| sample.ticks).collect();
        assert!(time_stamp == Switch::Off || ticks.is_sorted(), "{ticks:?}");
        assert_eq!(glove.counts().dropped_bytes, 0);
    });
}

#[test]
fn commands_in_the_middle_of_a_stream_change_it_and_it_goes_on() {
    let emulator = emulator(emulators::GloveOptions::default());
    let mut glove = open(&emulator, &GloveOptions::default());
    glove.start_stream().unwrap();
    check(&next(&mut glove), SensorMask::GLOVE_22);

    glove.turn(Feature::StatusByte, Switch::On).unwrap();
    assert!(next(&mut glove).status.is_some());
    glove.turn(Feature::TimeStamp, Switch::On).unwrap();
    assert!(next(&mut glove).ticks.is_some());
    glove.request(&Request::SetSoftwareMask(SensorMask::GLOVE_18)).unwrap();
    check(&next(&mut glove), SensorMask::GLOVE_18);
    glove.request(&Request::SetValueCount(7)).unwrap();
    check(&next(&mut glove), SensorMask::GLOVE_18.first(7));
    // A refusal does not end the stream.
    assert!(glove.request(&Request::SetValueCount(25)).is_err());
    check(&next(&mut glove), SensorMask::GLOVE_18.first(7));
    glove.set_up().unwrap();
    let sample = next(&mut glove);
    check(&sample, SensorMask::GLOVE_22);
    assert_eq!((sample.ticks, sample.status), (None, None));
    assert_eq!(glove.counts().dropped_records, 0);
}

#[test]
fn records_come_at_the_requested_rate_or_are_marked_too_fast() {
    let emulator = emulator(emulators::GloveOptions::default());
    let options = GloveOptions { time_stamp: Switch::On, ..GloveOptions::default() };
    let mut glove = open(&emulator, &options);
    glove.start_stream().unwrap();
    glove.set_sample_period(SamplePeriod::from_hz(40.0).unwrap()).unwrap();
    let ticks: Vec<_> = (0..12).map(|_| next(&mut glove).ticks.unwrap()).collect();
    // The emulated unit has a tick of a millisecond; a busy machine may make a record late, but by
    // less than a period.
    assert!(ticks[11] - ticks[0] >= 10 * 25 - 1, "{ticks:?}");
    glove.set_sample_period(SamplePeriod::from_hz(500.0).unwrap()).unwrap();
    assert!((0..5).all(|_| next(&mut glove).conditions.is_too_fast));
}

#[test]
fn light_switch_and_plug_show_in_the_status_byte() {
    let emulator = emulator(emulators::GloveOptions::default());
    let options = GloveOptions { status_byte: Switch::On, ..GloveOptions::default() };
    let mut glove = open(&emulator, &options);
    let mut check = |is_switch_on, is_light_on, is_plugged_in| {
        let sample = glove.sample().unwrap();
        let status = sample.status.unwrap();
        let got = (status.is_switch_on(), status.is_light_on(), status.is_plugged_in());
        assert_eq!(got, (is_switch_on, is_light_on, is_plugged_in));
        assert_eq!(sample.conditions.is_plugged_in, is_plugged_in);
        assert_eq!(emulator.feedback().is_light_on, is_light_on);
        assert_eq!(glove.state().unwrap().is_plugged_in, is_plugged_in);
    };
    check(false, false, true);
    emulator.happen(DeviceEvent::WristSwitch);
    check(true, true, true);
    emulator.happen(DeviceEvent::PulledOff { station: 1 });
    check(true, true, false);
    emulator.happen(DeviceEvent::PutBack { station: 1 });
    check(true, true, true);
    glove.set_light(Switch::Off).unwrap();
    let mut check = |is_switch_on, is_light_on| {
        let status = glove.sample().unwrap().status.unwrap();
        assert_eq!((status.is_switch_on(), status.is_light_on()), (is_switch_on, is_light_on));
    };
    check(true, false);
    // From now on the light does not follow the switch.
    emulator.happen(DeviceEvent::WristSwitch);
    check(false, false);
}

#[test]
fn a_cybertouch_vibrates_and_stops_when_the_driver_goes() {
    let emulator = emulator(emulators::GloveOptions { has_cybertouch: true, ..Default::default() });
    let mut glove = open(&emulator, &GloveOptions::default());
    glove.start_stream().unwrap();
    glove.touch(Actuator::Index, 128).unwrap();
    glove.touch(Actuator::Palm, 255).unwrap();
    assert_eq!(emulator.feedback().actuators, [0, 128, 0, 0, 0, 255]);
    glove.touch_all([9; 6]).unwrap();
    assert_eq!(emulator.feedback().actuators, [9; 6]);
    drop(glove);
    crate::harness::until("still", || emulator.feedback().actuators == [0; 6]);
}

#[test]
fn a_pulse_of_the_sync_input_gives_a_sample() {
    let emulator = emulator(emulators::GloveOptions::default());
    let mut glove = open(&emulator, &GloveOptions::default());
    glove.request(&Request::SetExternalSync(Switch::On)).unwrap();
    for _ in 0..3 {
        assert!(glove.next_sample(Duration::from_millis(30)).unwrap().is_none());
        emulator.happen(DeviceEvent::SyncPulse);
        check(&next(&mut glove), SensorMask::GLOVE_22);
    }
}

#[test]
fn a_third_model_streams_in_high_resolution_and_ordinarily_again() {
    let model = GloveModel::Third;
    let emulator = emulator(emulators::GloveOptions { model, ..Default::default() });
    let mut glove = open(&emulator, &GloveOptions { model: Model::Three, ..Default::default() });
    let fine_count = |sensor: Sensor| (reading(sensor.bit()) * 16.0).round() as u16;
    let want: Vec<_> = SensorMask::GLOVE_22.sensors().map(fine_count).collect();
    glove.start_high_resolution_stream().unwrap();
    let fine = |glove: &mut CyberGlove| {
        let samples: Vec<_> = (0..10)
            .map(|_| glove.next_high_resolution_sample(DEADLINE).unwrap().expect("samples come"))
            .collect();
        assert!(samples.iter().all(|sample| sample.values == *want));
        // On a busy machine a late record may fall into the frame of the next.
        assert!(samples.is_sorted_by_key(|sample| sample.time), "time goes on");
        assert!(samples[0].time < samples[9].time, "time does not stand still");
    };
    fine(&mut glove);
    // A command in between, and the stream goes on as it was.
    let off = ModelThreeRequest::Enable(Output::SdCard, Switch::Off);
    glove.request(&Request::ModelThree(off)).unwrap();
    fine(&mut glove);
    glove.start_stream().unwrap();
    check(&next(&mut glove), SensorMask::GLOVE_22);
    drop(glove);
    let mut wired = open(&emulator, &GloveOptions::default());
    assert!(wired.start_high_resolution_stream().is_err(), "only if the options say so");
}
