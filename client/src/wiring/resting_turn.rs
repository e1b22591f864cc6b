//! Turn of an object from its own axes to a pose in which it lies still on a table.

use nalgebra::{Point3, UnitQuaternion, Vector3};
use physics::ObjectSpec;

/// Number of steps of the search.
const N_STEPS: u32 = 400;
/// First step, in radians, and the ratio of each step to the one before.
const STEPS: (f64, f64) = (0.2, 0.98);
/// Smallest share by which the centre of mass must sink; objects that stand already stay as they
/// are.
const LEAST: f64 = 1e-3;

/// Returns the turn after which an object lies still on a table if it is put down upright: it rolls
/// down until its centre of mass can sink no further.
pub(super) fn resting_turn(spec: &ObjectSpec) -> UnitQuaternion<f64> {
    let centre = spec.centre_of_mass();
    let lowest = |down: &Vector3<f64>| lowest(spec.rest_points(), &centre, down);
    let mut down = -Vector3::y();
    let upright = lowest(&down).1;
    let (mut best, mut step) = ((down, upright), STEPS.0);
    for _ in 0..N_STEPS {
        let (point, height) = lowest(&down);
        if height < best.1 {
            best = (down, height);
        }
        // Rolling away from the point of support lowers the centre.
        let Some(way) = (point - down * height).try_normalize(1e-12) else { break };
        let Some(next) = (down - way * step).try_normalize(1e-12) else { break };
        (down, step) = (next, step * STEPS.1);
    }
    if best.1 > (1.0 - LEAST) * upright {
        return UnitQuaternion::identity();
    }
    UnitQuaternion::rotation_between(&best.0, &-Vector3::y()).unwrap_or_else(|| {
        UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI)
    })
}

/// The lowest point, from the centre of mass, and the centre's height above it.
fn lowest(
    points: &[Point3<f64>],
    centre: &Point3<f64>,
    down: &Vector3<f64>,
) -> (Vector3<f64>, f64) {
    let arms = points.iter().map(|point| point - centre);
    let depths = arms.map(|arm| (arm, arm.dot(down)));
    depths.fold(
        (Vector3::zeros(), f64::NEG_INFINITY),
        |best, arm| {
            if arm.1 > best.1 { arm } else { best }
        },
    )
}

#[cfg(test)]
mod tests {
    use objects::generate::{GeneratedKind, generate};
    use physics::SolidSpec;
    use physics::material::IsotropicElastic;

    use super::*;

    fn spec(kind: GeneratedKind) -> ObjectSpec {
        let mesh = generate(kind, 300).unwrap().mesh;
        let material = IsotropicElastic::new(1e4, 0.4).unwrap();
        SolidSpec::new(mesh, material, Vec::new()).unwrap().into()
    }

    #[test]
    fn a_cube_stands_and_a_strawberry_lies_on_its_side() {
        assert_eq!(resting_turn(&spec(GeneratedKind::Cube)), UnitQuaternion::identity());
        let strawberry = spec(GeneratedKind::Strawberry);
        let turn = resting_turn(&strawberry);
        assert!(turn.angle() > 0.5, "{}", turn.angle());
        // No small turn lowers its centre by more than the step of the search allows.
        let centre = strawberry.centre_of_mass();
        let height = |turn: UnitQuaternion<f64>| {
            lowest(strawberry.rest_points(), &centre, &(turn.inverse() * -Vector3::y())).1
        };
        for i in 0..12 {
            let axis = Vector3::new((0.5 * f64::from(i)).cos(), 0.0, (0.5 * f64::from(i)).sin());
            let tilted = UnitQuaternion::from_scaled_axis(axis * 0.02) * turn;
            assert!(height(tilted) > height(turn) - 1e-5, "tilt {i}");
        }
    }
}
