//! A soft fingertip on a rigid flat: force, sliding, turning.

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use physics::contact::{ContactProxy, ContactSettings, ContactSolid, Friction, ProxyReport};

use super::{DT, RIGID, at, check, exact, fingertip, glued};

const TIP: f64 = 8e-3;

fn flat() -> ContactSolid {
    glued([0.04, 0.04, 0.01], [2, 2, 1], (RIGID, 0.3), exact())
}

/// Presses a fingertip to a depth in some place, without friction: no bristle is loaded. Friction
/// begins then.
fn pressed(depth: f64, place: [f64; 2], mu: f64) -> (ContactSolid, ContactProxy) {
    let mut solid = flat();
    let tip = pressed_on(&mut solid, depth, place, mu);
    (solid, tip)
}

fn pressed_on(solid: &mut ContactSolid, depth: f64, [x, y]: [f64; 2], mu: f64) -> ContactProxy {
    let mut tip = fingertip(at(x, y, 0.01 + TIP), 0.0);
    tip.to = at(x, y, 0.01 + TIP - depth);
    solid.substep(&[tip], &Vector3::zeros(), DT);
    tip.from = tip.to;
    tip.friction = Friction::of(mu);
    solid.substep(&[tip], &Vector3::zeros(), DT);
    tip
}

fn moved(
    solid: &mut ContactSolid,
    tip: &mut ContactProxy,
    to: Isometry3<f64>,
    n: usize,
) -> ProxyReport {
    let way = tip.moved_to(to);
    for step in 0..n {
        let pose = |step: usize| way.pose_at(step as f64 / n as f64);
        let part = ContactProxy { from: pose(step), to: pose(step + 1), ..*tip };
        solid.substep(&[part], &Vector3::zeros(), DT);
    }
    (tip.from, tip.to) = (to, to);
    solid.reports()[0]
}

#[test]
fn a_fingertip_on_a_rigid_flat_presses_by_the_volume_that_it_sinks() {
    for (depth, force, radius, share) in
        [(1e-3, 0.21991, 3.873e-3, 0.035), (2e-3, 0.75398, 5.2915e-3, 0.02)]
    {
        for place in [[0.0, 0.0], [0.7e-3, 0.3e-3], [1.0e-3, 1.0e-3]] {
            let (solid, _) = pressed(depth, place, 0.0);
            let report = solid.reports()[0];
            check("force", report.force.norm(), force, share);
            check("radius", (report.area / std::f64::consts::PI).sqrt(), radius, 0.12);
            check("depth", report.depth, depth, 0.1);
        }
    }
}

#[test]
fn a_fingertip_that_is_moved_aside_slides_from_the_edge_inwards() {
    // Q/(mu N) = 2 q - q², q = x c_n / (mu d c_t). Normals are not parallel: up to 3 % above it.
    let (mut solid, mut tip) = pressed(1e-3, [0.0, 0.0], 0.5);
    let normal = solid.reports()[0].force.z.abs();
    let mut last = 0.0;
    for (x, expected) in [(0.1e-3, 0.363), (0.25e-3, 0.766), (0.5e-3, 1.024)] {
        let to = at(x, 0.0, 0.01 + TIP - 1e-3);
        let n = ((x - last) / 0.01e-3).round() as usize;
        last = x;
        let report = moved(&mut solid, &mut tip, to, n);
        check("friction", report.force.x.abs() / (0.5 * normal), expected, 0.09);
    }
    assert_eq!(solid.reports()[0].sticking, 0);
}

#[test]
fn a_fingertip_resists_turning_up_to_the_torsion_of_its_patch() {
    for (depth, limit, share) in [(1e-3, 0.5552, 0.09), (2e-3, 0.5847, 0.03)] {
        let (mut solid, mut tip) = pressed(depth, [0.3e-3, 0.2e-3], 0.5);
        // Long bristles would trail behind the turn, which takes from the lever arm.
        tip.pad.tangential = 1e-9;
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.3);
        let to = Isometry3::from_parts(tip.to.translation, turn);
        let report = moved(&mut solid, &mut tip, to, 30);
        let radius = (2.0 * TIP * depth - depth * depth).sqrt();
        let unit = 0.5 * report.force.z.abs() * radius;
        check("torsion", report.moment.z.abs() / unit, limit, share);
        // Turning back to the start: friction has another sign, and the same size.
        let report = moved(&mut solid, &mut tip, Isometry3::from(to.translation), 30);
        check("torsion back", report.moment.z.abs() / unit, limit, share);
    }
}

#[test]
fn few_points_resist_turning_as_much_as_they_can_hold() {
    // Points 2 mm apart at small depths, and 4 mm apart as on large bodies.
    for (spacing, depth) in
        [(2e-3, 0.2e-3), (2e-3, 0.35e-3), (2e-3, 0.5e-3), (4e-3, 1e-3), (4e-3, 2e-3)]
    {
        let settings = ContactSettings { spacing: Some(spacing), ..exact() };
        let (mut moments, mut points) = (Vec::new(), Vec::new());
        for place in 0..9 {
            let [x, y] = [place % 3, place / 3].map(|i| f64::from(i) * spacing / 3.0);
            let mut solid = glued([0.04, 0.04, 0.01], [2, 2, 1], (RIGID, 0.3), settings);
            let mut tip = pressed_on(&mut solid, depth, [x, y], 0.5);
            tip.pad.tangential = 1e-9;
            let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.3);
            let to = Isometry3::from_parts(tip.to.translation, turn);
            let report = moved(&mut solid, &mut tip, to, 30);
            // The moment about the axis of the shape, and the whole load of the integral.
            let normal = std::f64::consts::PI * (TIP - depth) * depth * depth / 1e-7;
            let radius = (2.0 * TIP * depth - depth * depth).sqrt();
            moments.push(report.moment.z.abs() / (8.0 / 15.0 * 0.5 * normal * radius));
            points.push(report.points);
        }
        let mean = moments.iter().sum::<f64>() / 9.0;
        let most = moments.iter().fold(0.0_f64, |most, m| m.max(most));
        let least = moments.iter().fold(f64::INFINITY, |least, m| m.min(least));
        println!(
            "{:.0} mm apart, depth {:.2} mm: {} to {} points, moment / limit {least:.2} to {most:.2}, \
             mean {mean:.2}",
            1e3 * spacing,
            1e3 * depth,
            points.iter().min().unwrap(),
            points.iter().max().unwrap(),
        );
        // No share of the limit is missing that an unknown of its own would have to carry.
        assert!(least > 0.8 && most < 1.25);
    }
}
