//! Accuracy of a calibration on poses that are not in its plan.

use calibration::joints::PerSensor;
use calibration::{GloveModel, Plan, Procedure, fit};
use drivers::{Sensor, SensorMask};

use crate::glove::square_errors;
use crate::person::Person;

/// Number of emulated people.
const N_SEEDS: u64 = 20;

/// Root mean square over all joints and everyday poses, in degrees.
fn overall(squares: &PerSensor<f64>, mask: SensorMask) -> f64 {
    let sum: f64 = mask.sensors().map(|sensor| squares[sensor.bit()]).sum();
    (sum / mask.n_sensors() as f64).sqrt()
}

/// Calibrates twenty people; the error of each must stay below the limit.
fn check(plan: &Plan, limit_deg: f64, limit_seconds: f64) {
    let (mut worst, mut mean) = (0.0, 0.0);
    let mut by_sensor = [0.0; Sensor::ALL.len()];
    for seed in 0..N_SEEDS {
        let mut person = Person::new(seed);
        let mut procedure = Procedure::new(plan.clone());
        let seconds = person.follow(&mut procedure);
        assert!(seconds < limit_seconds, "{seconds}");
        let fit = procedure.fit(&GloveModel::uncalibrated());
        let squares = square_errors(&person.glove, &fit.model, &mut person.random);
        let error = overall(&squares, person.glove.mask);
        println!("seed {seed}: {error:.2} degrees after {seconds:.0} s");
        worst = f64::max(worst, error);
        mean += error / N_SEEDS as f64;
        for (sum, square) in by_sensor.iter_mut().zip(squares) {
            *sum += square / N_SEEDS as f64;
        }
    }
    for sensor in SensorMask::GLOVE_22.sensors() {
        println!("{:24} {:.2}", sensor.name(), by_sensor[sensor.bit()].sqrt());
    }
    println!("mean {mean:.2}, worst {worst:.2}");
    assert!(worst < limit_deg, "{worst}");
}

#[test]
fn a_full_calibration_is_good_to_one_and_a_half_degrees() {
    check(&Plan::full(), 1.5, 140.0);
}

#[test]
fn a_quick_calibration_is_good_to_four_degrees() {
    check(&Plan::quick(), 4.0, 20.0);
}

#[test]
fn a_glove_that_was_put_on_again_needs_only_the_flat_hand() {
    for seed in 0..N_SEEDS {
        let mut person = Person::new(seed);
        let full = person.captures(&Plan::full(), 100);
        let before = fit(&GloveModel::uncalibrated(), &full).model;
        person.glove.put_on_again(&mut person.random);
        let error = |person: &mut Person, model: &GloveModel| {
            overall(&square_errors(&person.glove, model, &mut person.random), person.glove.mask)
        };
        let stale = error(&mut person, &before);
        let flat = person.captures(&Plan::put_on_again(), 100);
        let after = fit(&before, &flat).model;
        let fresh = error(&mut person, &after);
        println!("seed {seed}: {stale:.2} before, {fresh:.2} after");
        assert!(fresh < 2.5 && fresh < stale, "{stale} {fresh}");
        let sensor = Sensor::PinkieRingAbduction;
        assert_eq!(after.sensor(sensor).bend, before.sensor(sensor).bend, "cross terms stay");
    }
}
