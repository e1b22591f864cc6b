//! Bodies between two hands, and between a hand and a table.

use nalgebra::{Point3, UnitQuaternion, Vector3};
use physics::{Deformable, Outcome, Proxy, ProxyId, Shape, StepReport, Surroundings, Touch};

use super::matter::{HEIGHT, MASS, block, lowest, steps_until_still, touch};
use super::{DT, check};

const RADIUS: f64 = 8e-3;

/// Finger of a hand along an axis through its middle.
fn finger(hand: u8, finger: u8, middle: Point3<f64>, along: Vector3<f64>) -> Proxy {
    Proxy {
        id: ProxyId { hand, finger, segment: ProxyId::TIP },
        shape: Shape::Cylinder { start: middle - along, end: middle + along, radius: RADIUS },
        orientation: UnitQuaternion::identity(),
        velocity: Vector3::zeros(),
        angular_velocity: Vector3::zeros(),
    }
}

fn step(object: &mut dyn Deformable, held: &Touch) -> StepReport {
    let report = object.step(held, DT);
    assert_eq!(report.outcome, Outcome::Solved);
    report
}

/// Steps until the body rests, at most ten seconds.
fn rest(object: &mut dyn Deformable, held: &Touch) {
    for _ in 0..10_000 {
        if !step(object, held).is_moving {
            return;
        }
    }
    panic!("it does not come to rest");
}

fn force(object: &dyn Deformable, hand: u8) -> Vector3<f64> {
    let of_hand = object.contact_forces().iter().filter(|felt| felt.proxy.hand == hand);
    of_hand.map(|felt| felt.force).sum()
}

#[test]
fn a_block_is_squeezed_between_a_flat_hand_and_the_table() {
    let mut block = block();
    steps_until_still(&mut *block, &[]);
    let above = lowest(&*block);
    let pressing = |object: &dyn Deformable, depth: f64| {
        // The block lies 5 mm below its frame.
        let y = HEIGHT - 5e-3 + RADIUS - depth;
        let at = |i: u8| Point3::new(0.03, y, 0.025 + 0.016 * (f64::from(i) - 0.5));
        let fingers = (0..2).map(|i| finger(1, i, at(i), Vector3::x() * 0.01));
        touch(object, fingers.collect())
    };
    let mut last = 0.0;
    for depth in [1e-3, 3e-3] {
        let held = pressing(&*block, depth);
        rest(&mut *block, &held);
        let pressed = -force(&*block, 1).y;
        println!(
            "{:.0} mm: {pressed:.2} N, {:.1} um lower",
            1e3 * depth,
            1e6 * (above - lowest(&*block))
        );
        assert!(pressed > 1.5 * last);
        // The table's pads are thin: the low side stays where it is.
        assert!((lowest(&*block) - above).abs() < 2e-4);
        last = pressed;
    }
    // The hand goes, and the block stands as before.
    steps_until_still(&mut *block, &[]);
    assert!((lowest(&*block) - above).abs() < 1e-6);
}

#[test]
fn two_flat_hands_squeeze_a_block_with_equal_forces_and_hold_it() {
    let mut block = block();
    steps_until_still(&mut *block, &[]);
    let pressing = |object: &dyn Deformable, depth: f64, up: f64| {
        let hand = |hand: u8, side: f64| {
            let x = 0.03 + side * (0.03 + RADIUS - depth);
            let at = move |i: u8| Point3::new(x, 0.015 + up, 0.025 + 0.02 * (f64::from(i) - 0.5));
            (0..2).map(move |i| finger(hand, i, at(i), Vector3::y() * 0.01))
        };
        touch(object, hand(0, -1.0).chain(hand(1, 1.0)).collect())
    };
    for i in 0..200 {
        let held = pressing(&*block, 3e-3 * f64::from(i) / 200.0, 0.0);
        step(&mut *block, &held);
    }
    for i in 0..200 {
        let held = pressing(&*block, 3e-3, 0.03 * f64::from(i) / 200.0);
        step(&mut *block, &held);
    }
    let held = pressing(&*block, 3e-3, 0.03);
    rest(&mut *block, &held);
    let [left, right] = [force(&*block, 0), force(&*block, 1)];
    println!("squeezed by {:.2} and {:.2} N", left.x, right.x);
    assert!(left.x > 1.0);
    check("equal", -right.x, left.x, 1e-4);
    check("carried", left.y + right.y, MASS * Surroundings::STANDARD_GRAVITY, 1e-3);
    assert!(lowest(&*block) > 0.027, "{}", lowest(&*block));
}
