//! Tests of the node that a fingertip touches, on random shapes.

use std::sync::Arc;

use interaction::collision::{Ball, SurfaceContact, TouchableSurface, nearest_point};
use nalgebra::{Point3, Vector3};
use physics::{NodeId, Shape, SurfaceFrame};

use crate::brute_force::BruteForce;
use crate::shapes::{Random, Waves};
use crate::{bodies, shapes};

/// Greatest depth at which a fingertip is still found, as in the program.
const DEEPEST: f64 = 0.02;

impl BruteForce<'_> {
    /// The rules of `TouchableSurface::contact`, over all triangles.
    fn contact_of(
        &self,
        before: Option<&Point3<f64>>,
        tip: &Ball,
        taken: &[Option<NodeId>],
    ) -> Option<SurfaceContact> {
        let now = self.touched(tip, taken);
        let met = before.and_then(|before| Some((before, self.first_touch(before, tip)?)));
        let touched = match met {
            None => now,
            Some((before, part)) => {
                let centre = before + (tip.centre - before) * part;
                let then = Ball { centre, radius: tip.radius * (1.0 + 1e-6) };
                let then = self.touched(&then, taken);
                let line = Ball { radius: 0.0, ..*tip };
                let is_through = part > 0.0 || self.first_touch(before, &line).is_some();
                if is_through { then.or(now) } else { now.or(then) }
            }
        };
        touched.or_else(|| self.buried(tip, taken)).map(|point| self.contact(point))
    }

    fn buried(&self, tip: &Ball, taken: &[Option<NodeId>]) -> Option<usize> {
        let (distance, _) = self.nearest(&tip.centre);
        if distance > tip.radius + DEEPEST || self.winding(&tip.centre) < 0.5 {
            return None;
        }
        let apart = |p: &Point3<f64>| (tip.centre - p).norm();
        let mut triangles = self.frame.topology.triangles.iter().zip(self.triangles());
        let (corners, _) = triangles
            .find(|(_, corners)| apart(&nearest_point(&tip.centre, corners)) == distance)?;
        let corners = corners.map(|i| i as usize).into_iter();
        let free = corners.filter(|&i| !taken.contains(&Some(self.frame.topology.nodes[i])));
        free.min_by(|&a, &b| apart(&self.positions[a]).total_cmp(&apart(&self.positions[b])))
    }
}

/// A fingertip near the skin, above or below.
fn fingertip(random: &mut Random, brute: &BruteForce) -> Ball {
    let skin = brute.positions[random.below(brute.positions.len())];
    let centre = skin + random.direction() * random.between(0.0, 0.025);
    Ball { centre, radius: random.between(0.002, 0.009) }
}

fn check_same(found: Option<SurfaceContact>, expected: Option<SurfaceContact>) {
    match (found, expected) {
        (Some(found), Some(expected)) => {
            assert_eq!(found.node, expected.node);
            assert_eq!(found.displacement, expected.displacement);
            assert!((found.normal - expected.normal).norm() < 1e-9);
        }
        (found, expected) => assert_eq!(found, expected),
    }
}

#[test]
fn a_fingertip_touches_what_brute_force_finds() {
    let mut random = Random(1);
    let (mut n_found, mut n_cases) = (0, 0);
    for frame in shapes(&mut random, 2) {
        let surface = TouchableSurface::new(Arc::clone(&frame));
        let brute = BruteForce::new(&frame);
        for _ in 0..200 {
            let tip = fingertip(&mut random, &brute);
            let found = surface.contact(None, &tip, &[]);
            check_same(found, brute.contact_of(None, &tip, &[]));
            // Another finger holds the node that was found.
            let taken = [found.map(|contact| contact.node), None];
            check_same(surface.contact(None, &tip, &taken), brute.contact_of(None, &tip, &taken));
            n_found += usize::from(found.is_some());
            n_cases += 1;
        }
    }
    assert!(n_found > n_cases / 4 && n_found < n_cases * 9 / 10, "{n_found} of {n_cases}");
}

#[test]
fn a_fingertip_on_its_way_meets_what_brute_force_finds() {
    let mut random = Random(2);
    let (mut n_found, mut n_cases) = (0, 0);
    for frame in shapes(&mut random, 2) {
        let surface = TouchableSurface::new(Arc::clone(&frame));
        let brute = BruteForce::new(&frame);
        for _ in 0..150 {
            let tip = fingertip(&mut random, &brute);
            let before = tip.centre + random.direction() * random.between(0.0, 0.15);
            let found = surface.contact(Some(&before), &tip, &[]);
            check_same(found, brute.contact_of(Some(&before), &tip, &[]));
            n_found += usize::from(found.is_some());
            n_cases += 1;
        }
    }
    assert!(n_found > n_cases / 2, "{n_found} of {n_cases}");
}

/// Compares a skin that is updated from shape to shape with a new one of each shape.
#[test]
fn an_updated_surface_finds_what_a_new_one_finds() {
    let mut random = Random(3);
    for body in bodies() {
        let mut updated = TouchableSurface::new(body.frame(|x| *x));
        for step in 0..6 {
            // From small changes, which refit the tree, to changes that rebuild it.
            let waves = Waves::random(&mut random, 0.15 * f64::from(step));
            let stretch = if step == 4 { 6.0 } else { 1.0 };
            let frame = body.frame(|x| {
                let x = waves.moved(x);
                Point3::new(x.x * stretch, x.y, x.z / stretch)
            });
            updated.update(Arc::clone(&frame));
            check_alike(&updated, &TouchableSurface::new(Arc::clone(&frame)), &frame, &mut random);
        }
    }
}

fn check_alike(
    one: &TouchableSurface,
    other: &TouchableSurface,
    frame: &SurfaceFrame,
    random: &mut Random,
) {
    assert_eq!(one.largest_displacement(), other.largest_displacement());
    let brute = BruteForce::new(frame);
    for _ in 0..200 {
        let tip = fingertip(random, &brute);
        let before = tip.centre + random.direction() * random.between(0.0, 0.1);
        assert_eq!(one.contact(None, &tip, &[]), other.contact(None, &tip, &[]));
        assert_eq!(one.contact(Some(&before), &tip, &[]), other.contact(Some(&before), &tip, &[]));
        assert_eq!(one.nearest(&tip.centre, 0.02), other.nearest(&tip.centre, 0.02));
    }
}

#[test]
fn the_largest_displacement_is_that_of_the_farthest_point() {
    let body = &bodies()[0];
    let frame = body.frame(|x| if *x == body.rest[17] { Point3::new(1.0, 2.0, 2.0) } else { *x });
    let expected = (Point3::new(1.0, 2.0, 2.0) - body.rest[17]).norm();
    let largest = TouchableSurface::new(frame).largest_displacement();
    assert!((largest - expected).abs() < 1e-6, "{largest} m");
}

#[test]
fn a_hand_that_is_nowhere_touches_nothing() {
    let surface = TouchableSurface::new(bodies()[1].frame(|x| *x));
    let good = Point3::new(0.0, 0.0, 0.2);
    for nowhere in [f64::NAN, f64::INFINITY, 1e300] {
        let nowhere = Point3::new(0.0, nowhere, 0.0);
        let tip = Ball { centre: nowhere, radius: 0.007 };
        assert_eq!(surface.contact(None, &tip, &[]), None);
        assert_eq!(surface.contact(Some(&good), &tip, &[]), None);
        assert_eq!(surface.contact(Some(&nowhere), &Ball { centre: good, ..tip }, &[]), None);
        assert_eq!(surface.nearest(&nowhere, 0.1), None);
        let segment = Shape::Cylinder { start: good, end: nowhere, radius: 0.007 };
        assert_eq!(surface.segment_depth(&segment), 0.0);
        let mut patch = Vec::new();
        surface.patch(&nowhere, 0.01, &Vector3::z(), &mut patch);
        surface.patch(&good, 0.01, &(nowhere - good), &mut patch);
        assert!(patch.is_empty());
    }
}
