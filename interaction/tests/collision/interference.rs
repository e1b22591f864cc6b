//! Comparison of the interference tests of \[Ma98\], chapter 4, with distances, a million times
//! each.

use interaction::collision::{sphere_touches_cylinder, spheres_touch};
use nalgebra::{Point3, Vector3};

use crate::shapes::Random;

const CASES: usize = 1_000_000;
/// Distance from exact contact within which either answer is right.
const SLACK: f64 = 1e-9;

/// Distance from a point to a solid cylinder, by search: the cylinder is a stack of discs, and the
/// distance to them falls and then rises along the axis.
fn distance_to_cylinder(
    p: &Point3<f64>,
    start: &Point3<f64>,
    end: &Point3<f64>,
    radius: f64,
) -> f64 {
    let way = end - start;
    let mut side = Vector3::zeros();
    side[way.iamin()] = 1.0;
    let one = way.cross(&side) / way.cross(&side).norm();
    let other = way.cross(&one) / way.norm();
    // Every disc has its nearest point in the same direction, no farther out than its rim.
    let (u, v) = ((p - start).dot(&one), (p - start).dot(&other));
    let aside = one * u + other * v;
    let aside = aside * (radius / aside.norm()).min(1.0);
    let to_disc = |part: f64| (p - (start + way * part + aside)).norm();
    // Golden section: of two places within, one is used again.
    let golden = (5f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (0.0, 1.0);
    let (mut left, mut right) = (1.0 - golden, golden);
    let (mut to_left, mut to_right) = (to_disc(left), to_disc(right));
    for _ in 0..45 {
        if to_left <= to_right {
            (high, right, to_right) = (right, left, to_left);
            left = high - golden * (high - low);
            to_left = to_disc(left);
        } else {
            (low, left, to_left) = (left, right, to_right);
            right = low + golden * (high - low);
            to_right = to_disc(right);
        }
    }
    to_disc(low).min(to_disc(high))
}

#[test]
fn a_ball_touches_a_cylinder_exactly_if_it_is_near_enough() {
    let mut random = Random(41);
    let (mut n_touching, mut n_clear) = (0, 0);
    for case in 0..CASES {
        let (centre, start) = (random.point(1.0), random.point(1.0));
        let end = start + random.direction() * random.between(0.01, 1.0);
        let cylinder_radius = random.between(0.001, 0.5);
        let distance = distance_to_cylinder(&centre, &start, &end, cylinder_radius);
        // Every other ball is sized to touch by a hair, or to miss by a hair.
        let radius = if case % 2 == 0 {
            random.between(0.0, 1.0)
        } else {
            distance * (1.0 + random.between(-1e-4, 1e-4))
        };
        if (distance - radius).abs() > SLACK {
            let touches = sphere_touches_cylinder(&centre, radius, &start, &end, cylinder_radius);
            assert_eq!(touches, distance < radius, "case {case}: {distance} from {radius}");
            if touches { n_touching += 1 } else { n_clear += 1 }
        }
    }
    assert!(n_touching > CASES / 4 && n_clear > CASES / 4, "{n_touching}, {n_clear}");
}

#[test]
fn balls_touch_exactly_if_they_are_near_enough() {
    let mut random = Random(42);
    let mut n_touching = 0;
    for case in 0..CASES {
        let (a, b) = (random.point(1.0), random.point(1.0));
        let distance = (a.x - b.x).hypot(a.y - b.y).hypot(a.z - b.z);
        let sum = if case % 2 == 0 {
            random.between(0.0, 2.0)
        } else {
            distance * (1.0 + random.between(-1e-6, 1e-6))
        };
        let radius = random.between(0.0, sum);
        if (distance - sum).abs() > SLACK {
            let touches = spheres_touch(&a, radius, &b, sum - radius);
            assert_eq!(touches, distance < sum, "case {case}: {distance} from {sum}");
            n_touching += usize::from(touches);
        }
    }
    assert!((CASES / 4..CASES * 3 / 4).contains(&n_touching), "{n_touching}");
}
