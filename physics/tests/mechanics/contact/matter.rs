//! A solid in contact behind `Deformable`: it falls, rests, sleeps, and feels a fingertip.

use nalgebra::{Isometry3, Point3, Quaternion, UnitQuaternion, Vector3};
use physics::contact::ContactSettings;
use physics::material::IsotropicElastic;
use physics::{
    Deformable, Grip, ObjectSpec, Outcome, Proxy, ProxyId, Shape, SolidSpec, StepReport,
    Surroundings, Touch, build,
};

use super::{DT, check};
use crate::test_bodies::shaken_box;

/// In metres.
pub(super) const HEIGHT: f64 = 0.04;
/// In kg: 1000 kg/m³.
pub(super) const MASS: f64 = 0.06 * 0.04 * 0.05 * 1000.0;

pub(super) fn block() -> Box<dyn Deformable> {
    let mesh = shaken_box(Vector3::new(0.06, HEIGHT, 0.05), [4, 3, 3]);
    let material = IsotropicElastic::new(1e5, 0.3).unwrap();
    let spec = SolidSpec::new(mesh, material, Vec::new()).unwrap();
    build(&ObjectSpec::Solid(spec.held_by_contact(ContactSettings::default()).unwrap())).unwrap()
}

/// Touch of an object whose frame is 5 mm above the table.
pub(super) fn touch(object: &dyn Deformable, proxies: Vec<Proxy>) -> Touch {
    Touch {
        world_from_object: Isometry3::translation(0.0, 5e-3, 0.0),
        topology_version: object.surface().topology.version,
        surroundings: Surroundings::on_table(),
        proxies,
        ..Touch::default()
    }
}

/// Fingertip above the middle of the block's top at rest, lowered by `way`.
pub(super) fn fingertip(way: f64) -> Proxy {
    let centre = Point3::new(0.03, HEIGHT + 8e-3 - way, 0.025);
    Proxy {
        id: ProxyId { hand: 1, finger: 1, segment: ProxyId::TIP },
        shape: Shape::Sphere { centre, radius: 8e-3 },
        orientation: UnitQuaternion::identity(),
        velocity: Vector3::zeros(),
        angular_velocity: Vector3::zeros(),
    }
}

pub(super) fn steps_until_still(object: &mut dyn Deformable, proxies: &[Proxy]) -> StepReport {
    let touch = touch(object, proxies.to_vec());
    for _ in 0..3000 {
        let report = object.step(&touch, DT);
        assert_eq!(report.outcome, Outcome::Solved);
        if !report.is_moving {
            return report;
        }
    }
    panic!("it does not come to rest")
}

/// Lowest point of the surface in the world.
pub(super) fn lowest(object: &dyn Deformable) -> f64 {
    let height = |x: &[f32; 3]| (object.pose() * Point3::from(x.map(f64::from))).y;
    5e-3 + object.surface().positions.iter().map(height).fold(f64::INFINITY, f64::min)
}

#[test]
fn a_block_falls_on_the_table_sleeps_there_and_is_pressed_by_a_fingertip() {
    let mut block = block();
    assert_eq!(block.surface().topology.grip, Grip::Contact);
    let fallen = steps_until_still(&mut *block, &[]);
    assert!(fallen.iterations > 0 && block.contact_forces().is_empty());
    println!("it rests {:.1} um above the table", 1e6 * lowest(&*block));
    assert!(lowest(&*block).abs() < 1e-4);
    // Its frame stays 5 mm above the table: the block has fallen by as much.
    steps_until_still(&mut *block, &[fingertip(5e-3 + 1.5e-3)]);
    let [felt] = block.contact_forces() else { panic!("one fingertip") };
    println!("a fingertip presses with {:.3} N", -felt.force.y);
    assert!(felt.force.y < -0.1);
    assert!(felt.force.x.hypot(felt.force.z) < 0.2 * felt.force.y.abs());
    // It sleeps again without the fingertip, and can go back to the press.
    let pressed = block.state();
    steps_until_still(&mut *block, &[]);
    assert!(block.contact_forces().is_empty());
    block.restore(&pressed).unwrap();
    assert_eq!(block.state(), pressed);
    // States that do not fit together are refused, and change nothing.
    let n_shapes = pressed.integers[1] as usize;
    let mut of_no_shape = pressed.clone();
    of_no_shape.integers[3 + n_shapes] = 99;
    let mut no_turn = pressed.clone();
    no_turn.reals[3..7].fill(0.0);
    for wrong in [of_no_shape, no_turn] {
        assert!(block.restore(&wrong).is_err());
        assert_eq!(block.state(), pressed);
    }
}

#[test]
fn a_touch_with_bad_numbers_is_refused() {
    let mut block = block();
    let before = block.state();
    let check = |block: &mut dyn Deformable, spoil: &dyn Fn(&mut Touch)| {
        let mut touch = touch(block, vec![fingertip(0.0)]);
        spoil(&mut touch);
        assert!(matches!(block.step(&touch, DT).outcome, Outcome::Refused(_)));
    };
    let sphere = |radius| Shape::Sphere { centre: Point3::origin(), radius };
    check(&mut *block, &|touch| touch.proxies[0].shape = sphere(-1e-3));
    check(&mut *block, &|touch| touch.proxies[0].shape = sphere(f64::NAN));
    check(&mut *block, &|touch| touch.surroundings.gravity.x = f64::NAN);
    check(&mut *block, &|touch| touch.world_from_object.translation.vector.y = f64::INFINITY);
    check(&mut *block, &|touch| touch.proxies[0].velocity.z = f64::NAN);
    check(&mut *block, &|touch| {
        touch.proxies[0].orientation =
            UnitQuaternion::new_unchecked(Quaternion::new(0.0, 0.0, 0.0, 0.0));
    });
    for dt in [-DT, f64::NAN, f64::INFINITY] {
        let touch = touch(&*block, vec![fingertip(0.0)]);
        assert!(matches!(block.step(&touch, dt).outcome, Outcome::Refused(_)));
    }
    assert_eq!(block.state(), before);
}

#[test]
fn two_fingertips_lift_a_block_from_the_table_and_carry_its_weight() {
    let mut block = block();
    steps_until_still(&mut *block, &[]);
    let tip = |side: f64, depth: f64, height: f64| {
        let x = 0.03 + side * (0.03 + 8e-3 - depth);
        let finger = if side < 0.0 { 0 } else { 1 };
        Proxy {
            id: ProxyId { hand: 1, finger, segment: ProxyId::TIP },
            shape: Shape::Sphere { centre: Point3::new(x, 0.016 + height, 0.025), radius: 8e-3 },
            orientation: UnitQuaternion::identity(),
            velocity: Vector3::zeros(),
            angular_velocity: Vector3::zeros(),
        }
    };
    let mut go = |depth: f64, height: f64| {
        let held = touch(&*block, vec![tip(-1.0, depth, height), tip(1.0, depth, height)]);
        assert_eq!(block.step(&held, DT).outcome, Outcome::Solved);
    };
    for step in 0..200 {
        go(4e-3 * f64::from(step) / 200.0, 0.0);
    }
    for step in 0..200 {
        go(4e-3, 0.02 * f64::from(step) / 200.0);
    }
    for _ in 0..400 {
        go(4e-3, 0.02);
    }
    println!("lifted {:.2} mm", 1e3 * lowest(&*block));
    assert!(lowest(&*block) > 0.015);
    let carried: f64 = block.contact_forces().iter().map(|felt| felt.force.y).sum();
    // The block still swings between the soft fingertips.
    check("carried", carried, MASS * Surroundings::STANDARD_GRAVITY, 0.1);
}

#[test]
fn a_surface_between_touches_is_computed_when_it_is_shown() {
    let (mut each, mut last) = (block(), block());
    let going = |object: &dyn Deformable, i: u32, is_between: bool| Touch {
        is_between,
        ..touch(object, vec![fingertip(5e-3 + 2e-5 * f64::from(i))])
    };
    for i in 0..90 {
        let shown = going(&*each, i, false);
        each.step(&shown, DT);
        let unseen = going(&*last, i, i % 10 != 9);
        last.step(&unseen, DT);
        assert_eq!(each.state(), last.state());
        if i % 10 == 9 {
            assert_eq!(each.surface(), last.surface());
        }
    }
    // After a refused touch, and at no time, it is that of the last step.
    let unseen = going(&*last, 95, true);
    last.step(&unseen, DT);
    let shown = going(&*each, 95, false);
    each.step(&shown, DT);
    assert!(each.surface() != last.surface());
    let state = last.state();
    let mut bad = unseen.clone();
    bad.surroundings.gravity.x = f64::NAN;
    assert!(matches!(last.step(&bad, DT).outcome, Outcome::Refused(_)));
    assert_eq!((each.surface(), last.state()), (last.surface(), state));
    last.step(&unseen, DT);
    each.step(&shown, DT);
    last.step(&unseen, 0.0);
    assert_eq!(each.surface(), last.surface());
}

#[test]
fn a_shape_that_swallows_a_fine_body_meets_a_bounded_number_of_points() {
    let settings = ContactSettings { spacing: Some(1e-3), ..ContactSettings::default() };
    let mut cube = super::free_cube(0.06, 3, (1e4, 0.3), settings);
    assert!(cube.points().len() > 10_000);
    let shape = physics::contact::ProxyShape::Sphere { radius: 1.0 };
    let pad = physics::contact::Pad::FINGERTIP;
    let friction = physics::contact::Friction::SKIN;
    let ball =
        physics::contact::ContactProxy::fixed(shape, super::at(0.97, 0.0, 0.0), pad, friction);
    let report = cube.substep(&[ball], &Vector3::zeros(), 1e-3);
    assert!((1..=768).contains(&report.contacts), "{}", report.contacts);
    assert!(cube.motion().velocity.norm().is_finite());
}
