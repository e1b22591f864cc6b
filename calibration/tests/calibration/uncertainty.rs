//! Tests the error estimates of a calibration.

use calibration::fit::{Finding, GainSource, drift, fit};
use calibration::{Capture, GloveModel, Plan, PoseId, Procedure};
use drivers::{Sensor, SensorMask};

use crate::glove::square_errors;
use crate::person::Person;
use crate::random::Random;

/// Root mean square of measured minus requested angles; `None` where no angle was requested.
fn rms(model: &GloveModel, captures: &[Capture], sensor: Sensor) -> Option<f64> {
    let (mut n, mut square) = (0, 0.0);
    for capture in captures {
        if let Some(asked) = capture.asked[sensor.bit()] {
            n += 1;
            let seen = model.angle(sensor, |s| capture.counts[s.bit()]).unwrap();
            square += (seen - asked).powi(2);
        }
    }
    (n > 0).then(|| (square / f64::from(n)).sqrt())
}

/// Share of the intervals that contain the true error, which is computed from forty new rounds of
/// the same poses.
fn coverage(plan: &Plan, n_seeds: u64) -> f64 {
    let (mut n, mut n_inside) = (0, 0);
    let (mut below, mut above) = (0, 0);
    for seed in 100..100 + n_seeds {
        let mut person = Person::new(seed);
        let captures = person.captures(plan, 100);
        let fit = fit(&GloveModel::uncalibrated(), &captures);
        let new: Vec<_> = (0..40).flat_map(|_| person.captures(plan, 20)).collect();
        for sensor in SensorMask::GLOVE_22.sensors() {
            let Some(error) = fit.sensors[sensor.bit()].and_then(|sensor| sensor.error) else {
                continue;
            };
            let truth = rms(&fit.model, &new, sensor).unwrap();
            n += 1;
            n_inside += u32::from((error.low..=error.high).contains(&truth));
            below += u32::from(truth < error.low);
            above += u32::from(truth > error.high);
        }
    }
    println!("{n_inside} of {n} intervals hold the true error; {below} above it, {above} below it");
    f64::from(n_inside) / f64::from(n)
}

#[test]
fn intervals_hold_the_true_error_as_often_as_they_claim() {
    let share = coverage(&Plan::full(), 40);
    assert!((0.92..0.98).contains(&share), "{share}");
}

#[test]
fn even_two_degrees_of_freedom_give_an_honest_interval() {
    let share = coverage(&Plan::quick(), 100);
    assert!((0.92..0.98).contains(&share), "{share}");
}

#[test]
fn inaccurate_poses_do_not_bias_the_gains() {
    // The angles of this joint are few, and small beside the error: the wrong regression is 7 %
    // off.
    let sensor = Sensor::RingMiddleAbduction;
    let n_seeds = 80;
    let ratios = (0..n_seeds).map(|seed| {
        let mut person = Person::new(seed);
        person.glove.coupling = 0.0;
        let captures = person.captures(&Plan::full(), 40);
        let found = fit(&GloveModel::uncalibrated(), &captures).model.sensor(sensor).map.gain;
        found / person.glove.gain(sensor)
    });
    let mean = ratios.sum::<f64>() / n_seeds as f64;
    assert!((mean - 1.0).abs() < 0.03, "{mean}");
}

#[test]
fn a_wrong_pose_is_named_and_done_again() {
    let mistakes = [
        (PoseId::Fist, PoseId::TableTop),
        (PoseId::Hook, PoseId::Fist),
        (PoseId::IndexBent, PoseId::MiddleBent),
        (PoseId::Spread, PoseId::Flat),
        (PoseId::ThumbDown, PoseId::ThumbOut),
        (PoseId::WristUp, PoseId::WristDown),
        (PoseId::Cup, PoseId::Hook),
    ];
    for (seed, mistake) in mistakes.into_iter().enumerate() {
        let mut person = Person::new(seed as u64);
        person.mistake = Some(mistake);
        let mut procedure = Procedure::new(Plan::full());
        person.follow(&mut procedure);
        let spoilt = procedure.fit(&GloveModel::uncalibrated());
        let named: Vec<_> = spoilt.outliers.iter().map(|outlier| outlier.pose).collect();
        println!("{mistake:?}: {:?}", spoilt.outliers);
        assert_eq!(named, [mistake.0]);
        procedure.retake(&spoilt.outliers);
        assert_eq!(procedure.view().n_steps, 1);
        assert_eq!(procedure.view().name, mistake.0.pose().name);
        person.follow(&mut procedure);
        let good = procedure.fit(&GloveModel::uncalibrated());
        assert_eq!(good.outliers, []);
        let squares = square_errors(&person.glove, &good.model, &mut person.random);
        let mean = squares.iter().sum::<f64>() / person.glove.mask.n_sensors() as f64;
        assert!(mean.sqrt() < 1.5);
    }
}

#[test]
fn correct_poses_are_not_reported_as_wrong() {
    let n_named: usize = (0..60)
        .map(|seed| {
            let captures = Person::new(seed).captures(&Plan::full(), 100);
            fit(&GloveModel::uncalibrated(), &captures).outliers.len()
        })
        .sum();
    // The configured risk is one in a hundred calibrations.
    assert!(n_named <= 1, "{n_named}");
}

#[test]
fn cross_terms_are_taken_up_when_the_glove_has_them_and_only_then() {
    let between =
        [Sensor::MiddleIndexAbduction, Sensor::RingMiddleAbduction, Sensor::PinkieRingAbduction];
    let (mut n_needless, mut n_bends, mut n_mixes) = (0, 0, 0);
    let n_seeds = 40;
    for seed in 0..n_seeds {
        let mut person = Person::new(seed);
        let coupled = fit(&GloveModel::uncalibrated(), &person.captures(&Plan::full(), 100)).model;
        let has_bend = |sensor: &&Sensor| coupled.sensor(**sensor).bend != Default::default();
        n_bends += between.iter().filter(has_bend).count();
        let thumb = [Sensor::ThumbRoll, Sensor::ThumbIndexAbduction];
        n_mixes += thumb.iter().filter(|s| coupled.sensor(**s).leaks[0].is_some()).count();
        person.glove.coupling = 0.0;
        let plain = fit(&GloveModel::uncalibrated(), &person.captures(&Plan::full(), 100)).model;
        for sensor in between.into_iter().chain(thumb) {
            let model = plain.sensor(sensor);
            let n_leaks = model.leaks.iter().flatten().count();
            n_needless += n_leaks + usize::from(model.bend != Default::default());
        }
    }
    println!("bends {n_bends} of 120, mixes {n_mixes} of 80, needless {n_needless} in 200");
    assert!(n_bends >= 108, "{n_bends}");
    assert!(n_mixes >= 72, "{n_mixes}");
    // The configured risk is one sensor in twenty.
    assert!(n_needless <= 16, "{n_needless}");
}

/// Origin of the gain and findings for a sensor index PIJ with this gain, in degrees per count.
fn findings(gain_deg: f64) -> (GainSource, Vec<Finding>) {
    let zero = if gain_deg > 0.0 { 100.0 } else { 220.0 };
    let mut person = Person::new(5);
    let captures: Vec<_> = person
        .captures(&Plan::full(), 100)
        .into_iter()
        .map(|mut capture| {
            let bit = Sensor::IndexPij.bit();
            capture.counts[bit] =
                capture.asked[bit].map(|asked| zero + asked.to_degrees() / gain_deg);
            capture
        })
        .collect();
    let fit = fit(&GloveModel::uncalibrated(), &captures);
    let findings = fit.findings.into_iter().filter(|f| f.to_string().starts_with("index PIJ"));
    (fit.sensors[Sensor::IndexPij.bit()].unwrap().gain, findings.collect())
}

#[test]
fn gains_that_no_hand_can_have_are_refused_and_reported() {
    assert_eq!(findings(0.9), (GainSource::Fitted, vec![]));
    let (gain, told) = findings(-0.9);
    assert_eq!(gain, GainSource::SignRefused);
    assert!(told.contains(&Finding::SignRefused(Sensor::IndexPij)), "{told:?}");
    let (gain, told) = findings(4.0);
    assert_eq!(gain, GainSource::Clamped);
    let clamped = |f: &Finding| matches!(f, Finding::GainClamped { gain_deg, .. } if (gain_deg - 3.0).abs() < 1e-6);
    assert!(told.iter().any(clamped), "{told:?}");
    assert!(told.iter().any(|f| matches!(f, Finding::LowResolution { .. })), "{told:?}");
}

#[test]
fn drift_is_reported_in_degrees() {
    let mut person = Person::new(3);
    let captures = person.captures(&Plan::full(), 100);
    let before = fit(&GloveModel::uncalibrated(), &captures).model;
    let mut after = before;
    // Shifts the index MPJ by two counts, whatever its gain.
    let map = &mut after.sensor_mut(Sensor::IndexMpj).map;
    map.offset += 2.0;
    let want = 2.0 * map.gain;
    let drift = drift(&before, &after, &captures);
    assert!((drift[Sensor::IndexMpj.bit()].unwrap() - want).abs() < 1e-9);
    assert_eq!(drift[Sensor::IndexPij.bit()], Some(0.0));
    assert_eq!(drift[Sensor::Spare.bit()], None);
}

#[test]
fn an_18_sensor_glove_calibrates_as_well() {
    let mut person = Person::new(8);
    person.glove.mask = SensorMask::GLOVE_18;
    let fit = fit(&GloveModel::uncalibrated(), &person.captures(&Plan::full(), 100));
    assert!(fit.sensors[Sensor::IndexDij.bit()].is_none());
    let squares = square_errors(&person.glove, &fit.model, &mut Random::new(1));
    assert!((squares.iter().sum::<f64>() / 18.0).sqrt() < 1.5);
}
