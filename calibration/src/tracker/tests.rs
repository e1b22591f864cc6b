//! Tests pivots and placements without noise.

use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use super::placement::Aside;
use super::*;

/// Poses of a receiver that turns about a point of the transmitter's frame.
fn turns(turn: impl Fn(f64) -> Vector3<f64>, slip: f64) -> Vec<Isometry3<f64>> {
    (0..200)
        .map(|n| {
            let t = f64::from(n) * 0.05;
            let spot = Vector3::new(0.3 + slip * t.sin(), 0.1, 0.0);
            let rotation = UnitQuaternion::from_scaled_axis(turn(t));
            let arm = Vector3::new(0.01, 0.0, 0.04);
            Isometry3::from_parts((spot - rotation * arm).into(), rotation)
        })
        .collect()
}

fn all_axes(t: f64) -> Vector3<f64> {
    Vector3::new(0.4 * t.sin(), 0.4 * (1.7 * t).sin(), 0.4 * (2.3 * t).sin())
}

#[test]
fn an_exact_motion_gives_the_exact_pivot() {
    let pivot = Pivot::find(&turns(all_axes, 0.0)).unwrap();
    assert!((pivot.in_sensor - Point3::new(0.01, 0.0, 0.04)).norm() < 1e-9);
    assert!((pivot.in_source - Point3::new(0.3, 0.1, 0.0)).norm() < 1e-9);
    assert!(pivot.wander < 1e-9);
}

#[test]
fn a_poor_motion_is_refused_with_the_reason() {
    let check = |poses: &[Isometry3<f64>], want: &str| {
        let got = Pivot::find(poses).unwrap_err().to_string();
        assert!(got.contains(want), "{got}");
    };
    check(&[], "only 0 tracker samples, expected at least 60");
    check(&turns(|t| all_axes(t) * 0.05, 0.0), "the hand hardly turned");
    check(&turns(|t| Vector3::z() * t.sin(), 0.0), "turn the hand about more axes");
    check(&turns(all_axes, 0.03), "the heel of the hand moved by");
}

fn slid(x: f64, y: f64) -> Isometry3<f64> {
    Isometry3::translation(0.3 + x, y, -0.05)
}

#[test]
fn slides_on_a_level_desk_give_the_axes_of_polhemus() {
    // Ahead is the transmitter's x, right its y; the hand was slid slightly obliquely to the left.
    let start = slid(0.0, 0.0);
    let placements =
        Placements::Slid { start, ahead: slid(0.2, 0.0), aside: Aside::Left(slid(0.05, -0.2)) };
    let turns = placements.turns().unwrap();
    assert!(turns.world_from_source.angle_to(&ours_from_polhemus()) < 1e-9);
    assert!(turns.sensor_from_wrist.angle_to(&ours_from_polhemus().inverse()) < 1e-9);
    assert_eq!(
        Placements::Levelled { start }.turns().unwrap().world_from_source,
        ours_from_polhemus()
    );
}

#[test]
fn poor_placements_are_refused_with_the_reason() {
    let check = |ahead: Isometry3<f64>, right: Isometry3<f64>, want: &str| {
        let aside = Aside::Right(right);
        let got = Placements::Slid { start: slid(0.0, 0.0), ahead, aside }.turns().unwrap_err();
        assert!(got.to_string().contains(want), "{got}");
    };
    check(slid(0.02, 0.0), slid(0.0, 0.2), "slid ahead by 20 mm, expected at least 80");
    check(slid(0.2, 0.0), slid(0.2, 0.03), "slid aside by 30 mm, expected at least 80");
    let turned = slid(0.0, 0.2) * UnitQuaternion::from_scaled_axis(Vector3::z() * 0.3);
    check(slid(0.2, 0.0), turned, "the hand turned by 17 degrees");
}

#[test]
fn the_mean_of_poses_lies_between_them() {
    let turn = |angle: f64| UnitQuaternion::from_scaled_axis(Vector3::x() * angle);
    let pose =
        |x: f64, angle: f64| Isometry3::from_parts(Translation3::new(x, 0.0, 0.0), turn(angle));
    let mean = mean_pose(&[pose(1.0, 0.1), pose(2.0, 0.3)]).unwrap();
    assert!((mean.translation.x - 1.5).abs() < 1e-12);
    assert!(mean.rotation.angle_to(&turn(0.2)) < 1e-12);
    assert_eq!(mean_pose(&[]), None);
}
