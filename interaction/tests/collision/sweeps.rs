//! Tests of moving fingertips: the time of the first contact, and no passage through thin objects.

use std::sync::Arc;

use interaction::collision::{Ball, TouchableSurface};
use nalgebra::{Point3, Vector3};

use crate::brute_force::BruteForce;
use crate::shapes;
use crate::shapes::{Body, Random, Waves};

/// Compares the first contact with the distance at many places of the path.
#[test]
fn the_first_touch_is_where_samples_of_the_way_come_near() {
    const SAMPLES: usize = 100;
    let mut random = Random(11);
    let mut n_met = 0;
    for frame in shapes(&mut random, 1) {
        let surface = TouchableSurface::new(Arc::clone(&frame));
        let brute = BruteForce::new(&frame);
        for _ in 0..25 {
            let (from, radius) = (random.point(0.08), random.between(0.001, 0.01));
            let tip = Ball { centre: random.point(0.05), radius };
            let at = |part: f64| from + (tip.centre - from) * part;
            let distance = |part: f64| brute.nearest(&at(part)).0;
            let part = surface.first_touch(&from, &tip);
            for sample in 0..=SAMPLES {
                let sample = sample as f64 / SAMPLES as f64;
                if part.is_none_or(|part| sample < part) {
                    let distance = distance(sample);
                    assert!(distance > radius - 1e-9, "missed at {sample}: {distance} m");
                }
            }
            if let Some(part) = part.filter(|part| *part > 0.0) {
                assert!((distance(part) - radius).abs() < 1e-9, "{} m", distance(part) - radius);
                n_met += 1;
            }
        }
    }
    assert!(n_met > 30, "{n_met}");
}

/// Plates of two millimetres, one flat and one bent.
fn plates(random: &mut Random) -> [TouchableSurface; 2] {
    let plate = Body::block(Vector3::new(0.1, 0.1, 0.002), [20, 20, 1]);
    let waves = Waves::random(random, 0.3);
    [plate.frame(|x| *x), plate.frame(|x| waves.moved(x))].map(TouchableSurface::new)
}

/// A fingertip flies through a plate with samples anywhere on its path. The line of its centre
/// passes through the middle part of the plate, so that it never only grazes the rim.
#[test]
fn a_fast_fingertip_never_passes_through_a_thin_plate() {
    const SPEED: f64 = 5.0;
    let mut random = Random(12);
    let plates = plates(&mut random);
    for case in 0..6000 {
        let surface = &plates[case % 2];
        let rate = if case % 4 < 2 { 90.0 } else { 30.0 };
        let radius = if case % 3 == 0 { random.between(1e-5, 1e-3) } else { 0.007 };
        let direction = loop {
            let direction = random.direction();
            if direction.z.abs() > 0.1 {
                break direction;
            }
        };
        let through = Point3::new(random.between(-0.03, 0.03), random.between(-0.03, 0.03), 0.0);
        let step = SPEED / rate;
        let phase = random.between(0.0, step);
        // Sample after sample, from well before the plate to well behind it.
        let n_steps = (0.4 / step) as i32;
        let at = |i: i32| through + direction * (f64::from(i) * step + phase);
        let mut met = None;
        for i in -n_steps..n_steps {
            let tip = Ball { centre: at(i + 1), radius };
            met = surface.contact(Some(&at(i)), &tip, &[]);
            if met.is_some() {
                break;
            }
        }
        let met = met.unwrap_or_else(|| panic!("case {case}: {radius} m passed by at {through}"));
        // The contact is on the side that the fingertip comes from.
        if direction.z.abs() > 0.7 {
            assert!(met.normal.dot(&direction) < 0.0, "case {case}: {:?}", met.normal);
        }
    }
}

/// The fingertip was on the skin at the last sample, and is far behind the plate now.
#[test]
fn a_fingertip_that_touched_before_does_not_pass_through_either() {
    let mut random = Random(13);
    let [flat, _] = plates(&mut random);
    for case in 0..2000 {
        let x = Point3::new(random.between(-0.03, 0.03), random.between(-0.03, 0.03), 0.0);
        let before = x + Vector3::z() * 0.0075;
        // Touching the far side, or beyond it.
        let depth = random.between(0.002, 0.06);
        let tip = Ball { centre: x - Vector3::z() * depth, radius: 0.007 };
        let met = flat.contact(Some(&before), &tip, &[]);
        let met = met.unwrap_or_else(|| panic!("case {case}: {depth} m"));
        assert!(met.normal.z > 0.9, "case {case}: {depth} m, {:?}", met.normal);
    }
}
