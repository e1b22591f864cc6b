//! Memory allocations of a frame of the hand. This is a test binary of its own because it counts
//! allocations.

#![allow(clippy::unwrap_used, reason = "a test that cannot build its input has failed")]

#[allow(dead_code, reason = "shared with other tests, which need more of it")]
#[path = "collision/shapes.rs"]
mod shapes;

use std::sync::Arc;

use allocation_counter::measure;
use interaction::collision::{Ball, SphereTree, SurfaceContact, TouchableSurface};
use nalgebra::{Point3, Vector3};
use physics::{Shape, SurfaceFrame};
use shapes::{Body, Random, Waves};

/// All contact searches of a hand in a new shape.
fn ask(surface: &mut TouchableSurface, frame: &Arc<SurfaceFrame>, patch: &mut Vec<SurfaceContact>) {
    surface.update(Arc::clone(frame));
    for finger in 0..5 {
        let angle = f64::from(finger);
        let outward = Vector3::new(angle.cos(), angle.sin(), 0.2);
        let [before, now] = [0.06, 0.044].map(|r| Point3::from(outward * r));
        let tip = Ball { centre: now, radius: 0.008 };
        let contact = surface.contact(Some(&before), &tip, &[]).unwrap();
        let nearest = surface.nearest(&now, 0.02).unwrap();
        surface.patch(&nearest.point, 0.008, &contact.normal, patch);
        assert!(!patch.is_empty());
        // One segment beside the skin, and one that passes through it.
        for end in [Point3::from(outward * 0.05), Point3::from(outward * 0.03)] {
            let start = Point3::from(outward * 0.05 + Vector3::z() * 0.03);
            surface.segment_depth(&Shape::Cylinder { start, end, radius: 0.007 });
        }
    }
}

#[test]
fn a_frame_of_the_hand_allocates_nothing() {
    let body = Body::ball(0.04, 20);
    let mut random = Random(5);
    let frames: Vec<Arc<SurfaceFrame>> = (0..8)
        .map(|i| {
            let waves = Waves::random(&mut random, 0.05 * f64::from(i));
            body.frame(|x| waves.moved(x))
        })
        .collect();
    let mut surface = TouchableSurface::new(Arc::clone(&frames[0]));
    let mut patch = Vec::with_capacity(body.rest.len());
    ask(&mut surface, &frames[0], &mut patch);
    for frame in &frames {
        let taken = measure(|| ask(&mut surface, frame, &mut patch));
        assert_eq!(taken.count_total, 0, "{taken:?}");
    }
}

#[test]
fn a_tree_that_is_built_again_allocates_nothing() {
    let body = Body::ball(0.04, 20);
    let triangles = &body.topology.triangles;
    let waves = Waves::random(&mut Random(6), 0.8);
    let moved: Vec<Point3<f64>> = body.rest.iter().map(|x| waves.moved(x)).collect();
    let mut tree = SphereTree::default();
    tree.rebuild(&body.rest, triangles);
    for points in [&moved, &body.rest] {
        let taken = measure(|| tree.rebuild(points, triangles));
        assert_eq!(taken.count_total, 0, "{taken:?}");
    }
}
