//! Motion of free bodies on tables and between plates.

use std::collections::HashMap;

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use physics::contact::{
    ContactProxy, ContactSettings, ContactSolid, Friction, Motion, Pad, ProxyShape,
};
use physics::{NodeId, TetMesh};

use super::{DT, GRAVITY, RIGID, at, check, contact_solid, exact, free_cube, moving, plane, table};
use crate::test_bodies::shaken_box;

const EDGE: f64 = 0.04;

fn down() -> Vector3<f64> {
    Vector3::new(0.0, 0.0, -GRAVITY)
}

/// Rigid cube that rests on a table.
fn resting(mu: f64, gravity: &Vector3<f64>) -> (ContactSolid, ContactProxy) {
    let mut solid = free_cube(EDGE, 2, (RIGID, 0.3), exact());
    let table = table(-0.5 * EDGE, mu);
    for _ in 0..100 {
        solid.substep(&[table], gravity, DT);
    }
    (solid, table)
}

#[test]
fn a_sliding_block_stops_after_the_way_that_friction_allows() {
    let (mut solid, table) = resting(0.3, &down());
    let start = solid.motion().world_from_object.translation.x;
    let mut motion = *solid.motion();
    motion.velocity.x = 0.5;
    let mut state = solid.state();
    state.motion = motion;
    solid.restore(&state).unwrap();
    for _ in 0..250 {
        solid.substep(&[table], &down(), DT);
    }
    let way = solid.motion().world_from_object.translation.x - start;
    // The implicit sum of (v0 - k mu g dt) dt.
    check("way", way, 0.042224, 0.005);
    assert!(solid.motion().velocity.norm() < 1e-6);
}

#[test]
fn a_block_on_an_incline_holds_below_the_friction_angle_and_slides_above() {
    for (angle, expected) in [(0.25_f64, None), (0.35, Some(0.11985))] {
        let (solid, table) = resting(0.3, &down());
        let mut solid = solid;
        let gravity = Vector3::new(angle.sin(), 0.0, -angle.cos()) * GRAVITY;
        let start = solid.motion().world_from_object.translation.x;
        for _ in 0..200 {
            solid.substep(&[table], &gravity, DT);
        }
        let moved = solid.motion().world_from_object.translation.x - start;
        match expected {
            None => {
                println!("moved {moved:.2e} m");
                assert!(moved.abs() < 1e-6, "{moved}");
            }
            Some(speed) => check("speed", solid.motion().velocity.x, speed, 0.02),
        }
    }
}

#[test]
fn a_cube_tips_over_where_its_weight_leaves_its_base() {
    for (angle, tips) in [(0.75_f64, false), (0.82, true)] {
        let mut solid = free_cube(EDGE, 2, (RIGID, 0.3), exact());
        let table = table(-0.5 * EDGE, 1.5);
        let gravity = Vector3::new(angle.sin(), 0.0, -angle.cos()) * GRAVITY;
        for _ in 0..400 {
            solid.substep(&[table], &gravity, DT);
        }
        let turn = solid.motion().world_from_object.rotation.angle();
        println!("incline {angle}: turned by {turn:.4} rad");
        assert_eq!(turn > 0.1, tips, "{turn}");
        assert_eq!(turn < 0.01, !tips, "{turn}");
    }
}

/// Ball of tetrahedra that all meet in its middle; `n` triangles along each edge of an octahedron.
fn ball(radius: f64, n: i32) -> TetMesh {
    let mut nodes = vec![Point3::origin()];
    let mut numbers = HashMap::new();
    let mut number = |at: [i32; 3]| {
        *numbers.entry(at).or_insert_with(|| {
            let direction = Vector3::from(at.map(f64::from));
            nodes.push(Point3::from(direction * (radius / direction.norm())));
            NodeId(nodes.len() as u32 - 1)
        })
    };
    let mut elements = Vec::new();
    for signs in 0..8 {
        let sign = [0, 1, 2].map(|axis| if signs >> axis & 1 == 1 { -1 } else { 1 });
        let mut add = |corners: [[i32; 2]; 3]| {
            let at = |[i, j]: [i32; 2]| [sign[0] * i, sign[1] * j, sign[2] * (n - i - j)];
            let mut face = corners.map(|corner| number(at(corner)));
            if sign[0] * sign[1] * sign[2] < 0 {
                face.swap(1, 2);
            }
            elements.push([NodeId(0), face[0], face[1], face[2]]);
        };
        for i in 0..n {
            for j in 0..n - i {
                add([[i, j], [i + 1, j], [i, j + 1]]);
                if i + j < n - 1 {
                    add([[i + 1, j], [i + 1, j + 1], [i, j + 1]]);
                }
            }
        }
    }
    TetMesh::new(nodes, elements).unwrap()
}

#[test]
fn a_ball_between_plates_rolls_half_as_far_as_the_plate_moves() {
    const RADIUS: f64 = 0.025;
    let settings = ContactSettings::default();
    let mut solid = contact_solid(ball(RADIUS, 13), (RIGID, 0.3), Vec::new(), settings);
    let pad = Pad::FINGERTIP;
    let bottom = plane(Vector3::z(), -RADIUS, pad, 0.6);
    let mut top = plane(-Vector3::z(), -RADIUS, pad, 0.6);
    let shifted = |pose: &Isometry3<f64>, x: f64, z: f64| at(x, 0.0, z) * pose;
    let start = top.to;
    for step in 1..=100 {
        top = top.moved_to(shifted(&start, 0.0, -2.4e-3 * f64::from(step) / 100.0));
        solid.substep(&[bottom, top], &Vector3::zeros(), DT);
    }
    let start = top.to;
    let before = solid.motion().world_from_object;
    for step in 1..=300 {
        top = top.moved_to(shifted(&start, 0.03 * f64::from(step) / 300.0, 0.0));
        solid.substep(&[bottom, top], &Vector3::zeros(), DT);
    }
    top.from = top.to;
    for _ in 0..50 {
        solid.substep(&[bottom, top], &Vector3::zeros(), DT);
    }
    let centre = |pose: &Isometry3<f64>| pose * solid.body().unwrap().centre;
    let after = solid.motion().world_from_object;
    check("way of the centre", (centre(&after) - centre(&before)).x, 0.015, 0.01);
    let turn = (after.rotation * before.rotation.inverse()).angle();
    println!("turned by {turn:.4} rad");
    assert!((0.600..0.630).contains(&turn), "{turn}");
}

#[test]
fn a_block_behind_a_spring_sticks_and_slips() {
    // A wide soft pad is the spring: 200 N/m over one side of a plate. The plate is thin, so that
    // the spring hardly tips it, and much stiffer than its pads: all nodes slip at the same moment.
    const THICK: f64 = 1e-3;
    let settings = ContactSettings { spacing: Some(0.02), ..exact() };
    let mesh = shaken_box(Vector3::new(EDGE, EDGE, THICK), [2, 2, 1]);
    let mesh = super::centred(&mesh, true);
    let mut solid = contact_solid(mesh, (100.0 * RIGID, 0.3), Vec::new(), settings);
    let (mass, normal) = (0.2, 2.0);
    let scale = solid.body().unwrap().mass / mass;
    // A lighter body: all forces and the spring in proportion.
    let gravity = Vector3::new(0.0, 0.0, -normal / mass);
    let stiffness = 200.0 * scale;
    let spring = Pad { tangential: 1.0, ..Pad::soft(EDGE * THICK / stiffness) };
    let base = ContactProxy {
        friction: Friction { sticking: 0.5, sliding: 0.3 },
        pad: Pad::FINGERTIP,
        ..table(-0.5 * THICK, 0.5)
    };
    let half_extents = Vector3::new(0.01, 0.1, 0.1);
    let mut pusher = ContactProxy::fixed(
        ProxyShape::Box { half_extents },
        at(-0.5 * EDGE - 0.01, 0.0, 0.0),
        spring,
        Friction::NONE,
    );
    let (mut most, mut least, mut slip_from) = (0.0_f64, f64::INFINITY, None);
    let mut slips = Vec::new();
    let place = |solid: &ContactSolid| solid.motion().world_from_object.translation.x;
    for step in 1..=2000 {
        let x = -0.5 * EDGE - 0.01 + 0.01 * f64::from(step) * DT;
        pusher = pusher.moved_to(at(x, 0.0, 0.0));
        solid.substep(&[base, pusher], &gravity, DT);
        let force = solid.reports()[1].force.x / scale;
        let is_slipping = solid.motion().velocity.x > 1e-3;
        match (slip_from, is_slipping) {
            (None, true) => slip_from = Some((place(&solid), step)),
            (Some((from, first)), false) => {
                slips.push((place(&solid) - from, first));
                slip_from = None;
            }
            _ => {}
        }
        if step > 200 {
            most = most.max(force);
            least = if slips.is_empty() { least } else { least.min(force) };
        }
    }
    println!("slips {slips:?}");
    check("largest force", most, 1.0, 0.05);
    check("smallest force", least, 0.2, 0.15);
    let period = f64::from(slips[2].1 - slips[1].1) * DT;
    check("slip", slips[1].0, 5.093e-3, 0.05);
    check("period", period, 0.5093, 0.05);
}

#[test]
fn forces_are_those_that_change_the_momentum_however_the_scene_is_turned() {
    let scene = |turn: UnitQuaternion<f64>| {
        let mut solid = free_cube(EDGE, 3, (3e4, 0.3), ContactSettings::default());
        let turned = |pose: Isometry3<f64>| turn * pose;
        let tip = |pose| ContactProxy {
            from: turned(pose),
            to: turned(pose),
            ..super::fingertip(pose, 0.6)
        };
        let mut proxies = [
            tip(at(-0.5 * EDGE - 7e-3, 2e-3, 1e-3)),
            tip(at(0.5 * EDGE + 7e-3, -1e-3, 0.0)),
            ContactProxy {
                from: turned(table(-0.5 * EDGE, 0.4).from),
                to: turned(table(-0.5 * EDGE, 0.4).to),
                ..table(-0.5 * EDGE, 0.4)
            },
        ];
        let placed = Motion {
            world_from_object: turned(Isometry3::identity()),
            ..moving(turn * Vector3::new(0.05, 0.0, 0.0))
        };
        solid.place(placed);
        let gravity = turn * down();
        let mut forces = Vec::new();
        for step in 0..40 {
            for (i, proxy) in proxies[..2].iter_mut().enumerate() {
                let way = Vector3::new(0.0, 1e-4 * f64::from(step % 7), 5e-5 * i as f64);
                let next =
                    turned(Isometry3::from(turn.inverse() * proxy.to.translation.vector + way));
                *proxy = proxy.moved_to(Isometry3::from_parts(next.translation, proxy.to.rotation));
            }
            let before = solid.motion().velocity;
            solid.substep(&proxies, &gravity, DT);
            let mass = solid.body().unwrap().mass;
            let sum: Vector3<f64> = solid.reports().iter().map(|report| report.force).sum();
            let expected = ((solid.motion().velocity - before) / DT - gravity) * mass;
            assert!((sum - expected).norm() < 1e-9 * sum.norm().max(1e-3), "{sum} {expected}");
            let problem = solid.problem();
            for i in 0..problem.n_contacts() {
                let (force, slip) = (problem.force(i), problem.displacement(i));
                assert!(force[0] >= 0.0);
                let tangential = force[1].hypot(force[2]);
                assert!(tangential <= problem.side(i).mu * force[0] + 1e-9);
                let along = force[1] * slip[1] + force[2] * slip[2];
                assert!(along <= 1e-9, "slip is against friction");
            }
            forces.extend(solid.reports().iter().map(|report| turn.inverse() * report.force));
        }
        forces
    };
    let straight = scene(UnitQuaternion::identity());
    let turned = scene(UnitQuaternion::from_euler_angles(0.7, -1.1, 2.3));
    let largest = straight.iter().map(|force| force.norm()).fold(0.0, f64::max);
    let apart = straight.iter().zip(&turned).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    println!("largest force {largest:.3} N, turned scene {apart:.1e} N apart");
    assert!(largest > 0.1 && apart < 1e-9 * largest);
}
