//! Quick hands and quick bodies: nothing passes through, and no energy is gained.

use std::sync::Arc;

use nalgebra::{Point3, UnitQuaternion, Vector3};
use physics::contact::{ContactMatter, ContactSettings, Pad};
use physics::material::IsotropicElastic;
use physics::{Deformable, Outcome, Proxy, ProxyId, Shape, SolidSpec, Surroundings, Touch};

use super::DT;
use crate::test_bodies::{model, nodes_where, shaken_box};

/// Sides of the block, in metres: 120 g.
const SIZE: [f64; 3] = [0.06, 0.04, 0.05];
/// In m/s.
const QUICK: f64 = 5.0;
const RADIUS: f64 = 8e-3;

/// Block, free or glued at its lowest side, in weightless space.
fn block(is_free: bool) -> ContactMatter {
    let mesh = shaken_box(SIZE.into(), [5, 4, 4]);
    let material = IsotropicElastic::new(1e5, 0.3).unwrap();
    let supports = if is_free { Vec::new() } else { nodes_where(&mesh, |x| x.y == 0.0) };
    let spec = SolidSpec::new(mesh, material, supports).unwrap();
    ContactMatter::of(Arc::new(model(&spec)), ContactSettings::default()).unwrap()
}

fn part(finger: u8, shape: Shape) -> Proxy {
    Proxy {
        id: ProxyId { hand: 1, finger, segment: ProxyId::TIP },
        shape,
        orientation: UnitQuaternion::identity(),
        velocity: Vector3::zeros(),
        angular_velocity: Vector3::zeros(),
    }
}

/// Fingertip above the middle of the top, lowered by `way`.
fn fingertip(way: f64) -> Vec<Proxy> {
    let centre = Point3::new(0.031, SIZE[1] + RADIUS - way, 0.024);
    vec![part(1, Shape::Sphere { centre, radius: RADIUS })]
}

/// Four fingers side by side above the top, lowered by `way`.
fn flat_hand(way: f64) -> Vec<Proxy> {
    let finger = |i: u8| {
        let end =
            |x: f64| Point3::new(x, SIZE[1] + RADIUS - way, 0.025 + 0.016 * (f64::from(i) - 1.5));
        part(i + 1, Shape::Cylinder { start: end(-0.02), end: end(0.08), radius: RADIUS })
    };
    (0..4).map(finger).collect()
}

fn step(object: &mut ContactMatter, proxies: Vec<Proxy>) {
    let touch = Touch { proxies, surroundings: Surroundings::default(), ..Touch::default() };
    assert_eq!(object.step(&touch, DT).outcome, Outcome::Solved);
}

/// Deepest point of the skin in a bone, in metres: negative outside of all bones.
fn in_bone(object: &ContactMatter, proxies: &[Proxy]) -> f64 {
    let solid = object.solid();
    let pose = solid.motion().world_from_object;
    let points = solid.contacts().iter().map(|contact| {
        let rest = solid.points().points()[contact.point as usize].rest;
        (contact.proxy as usize, pose * (rest + contact.displacement))
    });
    let bone = RADIUS - Pad::OVER_BONE.thickness;
    let depth = |(proxy, point): (usize, Point3<f64>)| match proxies[proxy].shape {
        Shape::Sphere { centre, .. } => bone - (point - centre).norm(),
        Shape::Cylinder { start, end, .. } => {
            let axis = (end - start) / (end - start).norm();
            let apart = point - start;
            bone - (apart - axis * apart.dot(&axis)).norm()
        }
    };
    points.map(depth).fold(f64::NEG_INFINITY, f64::max)
}

fn push(object: &ContactMatter) -> f64 {
    object.contact_forces().iter().map(|felt| felt.force.y).sum()
}

fn kinetic(object: &ContactMatter) -> f64 {
    let solid = object.solid();
    solid.body().map_or(0.0, |body| body.kinetic_energy(solid.motion()))
}

#[test]
fn a_quick_hand_presses_a_supported_body_and_does_not_pass_through() {
    for hand in [fingertip as fn(f64) -> Vec<Proxy>, flat_hand] {
        let mut block = block(false);
        // From 10 mm above the top to 12 mm below it.
        let mut most = 0.0_f64;
        for i in 0..=4 {
            let proxies = hand(-0.01 + QUICK * DT * f64::from(i).min(4.4));
            step(&mut block, proxies.clone());
            let deepest = in_bone(&block, &proxies);
            println!(
                "step {i}: pushed by {:.2} N, {:.2} mm in the bone",
                push(&block),
                1e3 * deepest
            );
            assert!(deepest < 0.0 && push(&block) <= 0.0);
            most = most.min(push(&block));
        }
        assert!(most < -1.0);
        // It stays pressed by the same force, and goes back to its shape.
        let held = hand(-0.01 + QUICK * DT * 4.0);
        for _ in 0..50 {
            step(&mut block, held.clone());
        }
        let first = push(&block);
        step(&mut block, held.clone());
        assert!((push(&block) / first - 1.0).abs() < 1e-3 && first < -1.0);
        for i in (0..=4).rev() {
            step(&mut block, hand(-0.01 + QUICK * DT * f64::from(i)));
        }
        assert_eq!(push(&block), 0.0);
    }
}

#[test]
fn a_quick_hand_strikes_a_free_body_away_with_no_more_energy_than_a_wall_gives() {
    // A flat hand that goes on for 19 cm, and a fingertip that stops 7 mm below the top: a ball
    // that sinks by more than its radius leaves the validity of small strains, and tears through.
    type Hand = fn(f64) -> Vec<Proxy>;
    for (hand, longest, least) in [(flat_hand as Hand, 1.0, 0.9 * QUICK), (fingertip, 7e-3, 0.05)] {
        let mut block = block(true);
        let centre = block.solid().body().unwrap().centre;
        let (mut most, mut deepest) = (0.0_f64, f64::NEG_INFINITY);
        for i in 0..40 {
            let way = (-0.01 + QUICK * DT * f64::from(i)).min(longest);
            let proxies = hand(way);
            step(&mut block, proxies.clone());
            deepest = deepest.max(in_bone(&block, &proxies));
            most = most.max(kinetic(&block));
            // The middle of the block stays below the bones.
            let below = (block.pose() * centre).y;
            assert!(below < SIZE[1] + 0.5 * RADIUS - way, "step {i}: {below}");
        }
        // Elastic matter leaves a wall that comes with v at 2 v at most.
        let body = block.solid().body().unwrap();
        let of_wall = 0.5 * body.mass * (2.0 * QUICK).powi(2);
        let speed = -block.solid().motion().velocity.y;
        println!("leaves at {speed:.2} m/s, {most:.3} J of at most {of_wall:.3} J");
        println!("deepest in a bone: {:.2} mm", 1e3 * deepest);
        assert!(speed > least && most < of_wall && deepest < 0.0);
    }
}

#[test]
fn a_quick_body_is_thrown_back_by_a_hand_that_rests() {
    let mut block = block(true);
    let hand = flat_hand(-0.02);
    step(&mut block, hand.clone());
    // Upwards, towards the hand 20 mm above it.
    let mut state = block.state();
    state.reals[7 + 1] = QUICK;
    block.restore(&state).unwrap();
    let before = kinetic(&block);
    assert!(before > 1.0);
    for _ in 0..40 {
        step(&mut block, hand.clone());
        assert!(in_bone(&block, &hand) < 0.0);
        assert!(kinetic(&block) <= before * (1.0 + 1e-9));
    }
    let speed = block.solid().motion().velocity.y;
    println!("comes at {QUICK} m/s, leaves at {speed:.2} m/s");
    assert!(speed < -0.1 * QUICK);
}
