//! Tests of distances to the skin: signed ones of points, and depths of finger segments.

use std::sync::Arc;

use interaction::collision::{Segment, TouchableSurface};
use nalgebra::{Point3, Vector3};
use physics::{Shape, SurfaceFrame};

use crate::brute_force::BruteForce;
use crate::shapes::{Body, Random};
use crate::{bodies, shapes};

#[test]
fn the_nearest_skin_is_that_of_brute_force_with_the_sign_of_the_winding_number() {
    let mut random = Random(21);
    let (mut n_inside, mut n_none) = (0, 0);
    for frame in shapes(&mut random, 2) {
        let surface = TouchableSurface::new(Arc::clone(&frame));
        let brute = BruteForce::new(&frame);
        for _ in 0..300 {
            let point = random.point(0.06);
            let reach = random.between(0.0, 0.04);
            let expected = brute.signed_distance(&point);
            let Some(nearest) = surface.nearest(&point, reach) else {
                assert!(expected.abs() > reach);
                n_none += 1;
                continue;
            };
            assert_eq!(nearest.distance, expected);
            assert!(nearest.distance.abs() <= reach);
            assert!(((point - nearest.point).norm() - expected.abs()).abs() < 1e-12);
            assert!(brute.nearest(&nearest.point).0 < 1e-12, "on the skin");
            assert!((nearest.normal.norm() - 1.0).abs() < 1e-12);
            let side = (point - nearest.point).dot(&nearest.normal);
            assert!(side * expected >= 0.0, "the normal points outward");
            n_inside += usize::from(expected < 0.0);
        }
    }
    assert!(n_inside > 200 && n_none > 200, "{n_inside} inside, {n_none} out of reach");
}

/// Points beside the edges and corners of a cube, where a single face's normal does not give the
/// side.
#[test]
fn the_sign_is_right_beside_edges_and_corners() {
    let spiky = {
        let ball = Body::ball(0.03, 6);
        // Every third point is pulled out or pressed in: sharp ridges and pits.
        let moved: Vec<Point3<f64>> =
            ball.rest.iter().enumerate().map(|(i, x)| x * [1.0, 1.25, 0.8][i % 3]).collect();
        Body::new(moved, ball.topology.triangles.clone())
    };
    let mut random = Random(22);
    for body in [spiky, Body::block(Vector3::repeat(0.06), [2; 3])] {
        let frame = body.frame(|x| *x);
        let surface = TouchableSurface::new(Arc::clone(&frame));
        let brute = BruteForce::new(&frame);
        for _ in 0..3000 {
            let corner = brute.positions[random.below(brute.positions.len())];
            let point = corner + random.direction() * random.between(1e-4, 0.01);
            let nearest = surface.nearest(&point, 1.0).unwrap();
            assert_eq!(nearest.distance, brute.signed_distance(&point), "at {point}");
        }
    }
}

/// Greatest depth of many places of the axis.
fn sampled_depth(
    brute: &BruteForce,
    start: &Point3<f64>,
    end: &Point3<f64>,
    radius: f64,
    spacing: f64,
) -> f64 {
    let n_samples = ((end - start).norm() / spacing).ceil().max(1.0) as usize;
    let places = (0..=n_samples).map(|i| start + (end - start) * (i as f64 / n_samples as f64));
    places.map(|p| radius - brute.signed_distance(&p)).fold(0.0, f64::max)
}

#[test]
fn segments_are_as_deep_as_samples_of_their_axis() {
    const SPACING: f64 = 1e-4;
    let mut random = Random(23);
    let (mut n_clear, mut n_deep) = (0, 0);
    for frame in shapes(&mut random, 1) {
        let surface = TouchableSurface::new(Arc::clone(&frame));
        let brute = BruteForce::new(&frame);
        for _ in 0..30 {
            let start = random.point(0.06);
            let end = start + random.direction() * random.between(0.0, 0.03);
            let radius = random.between(0.003, 0.01);
            let depth = surface.segment_depth(&Shape::Cylinder { start, end, radius });
            let sampled = sampled_depth(&brute, &start, &end, radius, SPACING);
            // The deepest place may be between two samples.
            assert!(depth >= sampled - 1e-12, "{depth} m, samples say {sampled} m");
            assert!(depth <= sampled + SPACING * 0.5 + 1e-4, "{depth} m, samples say {sampled} m");
            // The depth at the reported place is right.
            if let Some(penetration) = surface.penetration(&Shape::Cylinder { start, end, radius })
            {
                let there = radius - brute.signed_distance(&penetration.at);
                assert!((0.0..1.01e-4).contains(&(depth - there + 1e-9)), "{depth} m, {there} m");
                assert!(Segment { start, end }.apart_from_point(&penetration.at) < 1e-9);
            }
            n_clear += usize::from(depth == 0.0);
            n_deep += usize::from(depth > radius);
        }
    }
    assert!(n_clear > 20 && n_deep > 20, "{n_clear} clear, {n_deep} deep");
}

#[test]
fn segments_beside_the_skin_are_judged_exactly() {
    let mut random = Random(24);
    let mut n_touching = 0;
    for frame in shapes(&mut random, 1) {
        let surface = TouchableSurface::new(Arc::clone(&frame));
        let brute = BruteForce::new(&frame);
        for _ in 0..400 {
            let skin = brute.positions[random.below(brute.positions.len())];
            let start = skin + random.direction() * 0.01;
            let end = start + random.direction() * 0.03;
            let shape = Shape::Cylinder { start, end, radius: 0.008 };
            // An axis outside of the skin that does not pass through it.
            if brute.winding(&start) < 0.5 && brute.shallow_depth(&shape) < 0.008 {
                assert!(
                    (surface.segment_depth(&shape) - brute.shallow_depth(&shape)).abs() < 1e-12
                );
                n_touching += usize::from(surface.segment_depth(&shape) > 0.0);
            }
        }
    }
    assert!(n_touching > 100, "{n_touching}");
}

fn check_depth(frame: &Arc<SurfaceFrame>, shape: &Shape, expected: f64) {
    let depth = TouchableSurface::new(Arc::clone(frame)).segment_depth(shape);
    assert!(depth >= expected - 1e-6 && depth <= expected + 1.01e-4, "{depth} m");
}

#[test]
fn depths_in_a_cube_by_hand() {
    let cube = bodies()[1].frame(|x| *x);
    let along_x = |height: f64| {
        let [start, end] = [-0.02, 0.02].map(|x| Point3::new(x, 0.0, height));
        Shape::Cylinder { start, end, radius: 0.007 }
    };
    check_depth(&cube, &along_x(0.0371), 0.0);
    check_depth(&cube, &along_x(0.035), 0.002);
    check_depth(&cube, &along_x(0.03), 0.007);
    check_depth(&cube, &along_x(0.022), 0.015);
    // Through the middle of the cube, 30 mm from its sides, and out on both ends.
    let through = Shape::Cylinder {
        start: Point3::new(-0.1, 0.0, 0.0),
        end: Point3::new(0.1, 0.0, 0.0),
        radius: 0.007,
    };
    check_depth(&cube, &through, 0.037);
    let inside = Shape::Sphere { centre: Point3::new(0.0, 0.01, 0.0), radius: 0.005 };
    check_depth(&cube, &inside, 0.025);
    let outside = Shape::Sphere { centre: Point3::new(0.0, 0.05, 0.0), radius: 0.019 };
    check_depth(&cube, &outside, 0.0);
}

#[test]
fn an_open_surface_has_no_inside() {
    let mut open = bodies().swap_remove(1);
    let mut topology = (*open.topology).clone();
    topology.triangles.retain(|t| t.iter().any(|&i| open.rest[i as usize].z < 0.029));
    open.topology = Arc::new(topology);
    let frame = open.frame(|x| *x);
    let ball = |y: f64| Shape::Sphere { centre: Point3::new(0.0, y, 0.0), radius: 0.007 };
    check_depth(&frame, &ball(0.0), 0.0);
    check_depth(&frame, &ball(0.026), 0.003);
    check_depth(&frame, &ball(0.034), 0.003);
}
