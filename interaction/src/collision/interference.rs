//! Interference tests between the hand's shapes and the spheres of the tree.
//!
//! Implements \[Ma98\], section 4.4: exact for a cylinder with flat caps.

use nalgebra::Point3;
use physics::Shape;

use super::triangle::nearest_on_edge;

/// True if two balls share a point.
pub fn spheres_touch(a: &Point3<f64>, radius_a: f64, b: &Point3<f64>, radius_b: f64) -> bool {
    let reach = radius_a + radius_b;
    (a - b).norm_squared() <= reach * reach
}

/// True if a ball and a cylinder with flat caps share a point.
///
/// With the cylinder along z from `cl` to `cu`, `dmin` is the distance of the ball's centre from
/// the axis and `dz` its distance beyond a cap: the four cases of the thesis.
pub fn sphere_touches_cylinder(
    centre: &Point3<f64>,
    radius: f64,
    start: &Point3<f64>,
    end: &Point3<f64>,
    cylinder_radius: f64,
) -> bool {
    let axis = end - start;
    let length = axis.norm();
    let from_start = centre - start;
    // A cylinder without length is a disc without direction; the ball around the disc is the safe
    // choice.
    let Some(direction) = axis.try_normalize(f64::MIN_POSITIVE) else {
        return spheres_touch(centre, radius, start, cylinder_radius);
    };
    let along = from_start.dot(&direction);
    let dmin = (from_start - direction * along).norm();
    if dmin > cylinder_radius + radius {
        return false;
    }
    let dz = if along < 0.0 { -along } else { along - length };
    if dz <= 0.0 {
        return true;
    }
    if dz > radius {
        return false;
    }
    dmin <= cylinder_radius + (radius * radius - dz * dz).sqrt()
}

/// True if a ball and a capsule share a point; the capsule is every point within `capsule_radius`
/// of the line from `start` to `end`.
pub(super) fn sphere_touches_capsule(
    centre: &Point3<f64>,
    radius: f64,
    start: &Point3<f64>,
    end: &Point3<f64>,
    capsule_radius: f64,
) -> bool {
    let (nearest, _) = nearest_on_edge(centre, start, end);
    spheres_touch(centre, radius, &nearest, capsule_radius)
}

/// True if a ball and one of the hand's shapes share a point.
pub(super) fn sphere_touches(centre: &Point3<f64>, radius: f64, shape: &Shape) -> bool {
    match shape {
        Shape::Sphere { centre: other, radius: other_radius } => {
            spheres_touch(centre, radius, other, *other_radius)
        }
        Shape::Cylinder { start, end, radius: cylinder_radius } => {
            sphere_touches_cylinder(centre, radius, start, end, *cylinder_radius)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector3;
    use proptest::prelude::*;

    /// Distance from a point to the solid cylinder, by minimising over a fine grid of its points:
    /// slow and independent of the case analysis.
    fn brute_distance(p: &Point3<f64>, start: &Point3<f64>, end: &Point3<f64>, radius: f64) -> f64 {
        const STEPS: usize = 60;
        let axis = end - start;
        let direction = axis.normalize_or_x();
        let side = direction.cross(&least_aligned(&direction)).normalize_or_x();
        let other = direction.cross(&side);
        let mut nearest = f64::INFINITY;
        for i in 0..=STEPS {
            let on_axis = start + axis * (i as f64 / STEPS as f64);
            for j in 0..STEPS {
                let angle = std::f64::consts::TAU * j as f64 / STEPS as f64;
                for k in 0..=10 {
                    let r = radius * f64::from(k) / 10.0;
                    let q = on_axis + (side * angle.cos() + other * angle.sin()) * r;
                    nearest = nearest.min((p - q).norm());
                }
            }
        }
        nearest
    }

    trait OrX {
        fn normalize_or_x(&self) -> Vector3<f64>;
    }
    impl OrX for Vector3<f64> {
        fn normalize_or_x(&self) -> Vector3<f64> {
            self.try_normalize(1e-12).unwrap_or_else(Vector3::x)
        }
    }

    fn least_aligned(v: &Vector3<f64>) -> Vector3<f64> {
        let mut axis = Vector3::zeros();
        axis[v.iamin()] = 1.0;
        axis
    }

    fn point() -> impl Strategy<Value = Point3<f64>> {
        prop::array::uniform3(-1.0..1.0f64).prop_map(Point3::from)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn agrees_with_brute_force(
            centre in point(), radius in 0.01..0.8f64,
            start in point(), end in point(), cylinder_radius in 0.01..0.5f64,
        ) {
            prop_assume!((end - start).norm() > 0.05);
            let distance = brute_distance(&centre, &start, &end, cylinder_radius);
            // The grid is as coarse as this; within it either answer is right.
            let slack = 0.05;
            let touches =
                sphere_touches_cylinder(&centre, radius, &start, &end, cylinder_radius);
            if distance < radius - slack {
                prop_assert!(touches, "distance {distance}, radius {radius}");
            }
            if distance > radius + slack {
                prop_assert!(!touches, "distance {distance}, radius {radius}");
            }
        }
    }

    #[test]
    fn a_ball_beside_the_rim_of_a_cap_is_judged_exactly() {
        let (start, end) = (Point3::origin(), Point3::new(0.0, 0.0, 1.0));
        // 3-4-5: the rim point (1, 0, 1) is exactly 0.5 away.
        let centre = Point3::new(1.3, 0.0, 1.4);
        assert!(sphere_touches_cylinder(&centre, 0.5001, &start, &end, 1.0));
        assert!(!sphere_touches_cylinder(&centre, 0.4999, &start, &end, 1.0));
    }
}
