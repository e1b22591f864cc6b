//! Tests of the nodes under a fingertip.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use interaction::collision::{SurfaceContact, TouchableSurface};
use nalgebra::{Point3, Vector3};
use physics::{NodeId, SurfaceFrame};

use crate::brute_force::BruteForce;
use crate::shapes;
use crate::shapes::{Body, Random};

impl BruteForce<'_> {
    /// The rules of `TouchableSurface::patch`, over all points.
    fn patch(
        &self,
        centre: &Point3<f64>,
        radius: f64,
        normal: &Vector3<f64>,
    ) -> BTreeMap<NodeId, SurfaceContact> {
        let is_under = |point: &usize| {
            let from_centre = self.positions[*point] - centre;
            let height = from_centre.dot(normal);
            height.abs() <= radius
                && (from_centre - normal * height).norm() <= radius
                && self.contact(*point).normal.dot(normal) > 0.0
        };
        let under: BTreeSet<usize> = (0..self.positions.len()).filter(is_under).collect();
        let distance = |point: usize| (self.positions[point] - centre).norm();
        let nearest = under.iter().copied().min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
        let mut connected: BTreeSet<usize> = nearest.into_iter().collect();
        loop {
            let ring = self.neighbours(&connected);
            // Points that are not under the disc connect as well, over one step.
            let beyond = self.neighbours(&ring.difference(&under).copied().collect());
            let more: BTreeSet<usize> = ring.union(&beyond).copied().collect();
            let more: BTreeSet<usize> = more.intersection(&under).copied().collect();
            let n_before = connected.len();
            connected.extend(more);
            if connected.len() == n_before {
                break;
            }
        }
        connected.iter().map(|&point| (self.contact(point).node, self.contact(point))).collect()
    }

    fn neighbours(&self, points: &BTreeSet<usize>) -> BTreeSet<usize> {
        let triangles = self.frame.topology.triangles.iter();
        let triangles = triangles.map(|t| t.map(|i| i as usize));
        triangles.filter(|t| t.iter().any(|i| points.contains(i))).flatten().collect()
    }
}

#[test]
fn patches_are_those_of_brute_force() {
    let mut random = Random(31);
    let mut patch = Vec::new();
    let mut n_nodes = 0;
    for frame in shapes(&mut random, 1) {
        let surface = TouchableSurface::new(Arc::clone(&frame));
        let brute = BruteForce::new(&frame);
        for _ in 0..60 {
            let point = random.point(0.05);
            let Some(skin) = surface.nearest(&point, 0.03) else { continue };
            let radius = random.between(0.002, 0.03);
            surface.patch(&skin.point, radius, &skin.normal, &mut patch);
            let expected = brute.patch(&skin.point, radius, &skin.normal);
            let nodes: Vec<NodeId> = patch.iter().map(|contact| contact.node).collect();
            assert_eq!(nodes, expected.keys().copied().collect::<Vec<_>>());
            for contact in &patch {
                let expected = &expected[&contact.node];
                assert_eq!(contact.displacement, expected.displacement);
                assert!((contact.normal - expected.normal).norm() < 1e-9);
            }
            n_nodes += patch.len();
        }
    }
    assert!(n_nodes > 1000, "{n_nodes}");
}

fn check_patch(frame: &Arc<SurfaceFrame>, centre: Point3<f64>, radius: f64, expected: usize) {
    let surface = TouchableSurface::new(Arc::clone(frame));
    let mut patch = Vec::new();
    surface.patch(&centre, radius, &Vector3::z(), &mut patch);
    assert_eq!(patch.len(), expected, "{patch:?}");
    let points = BruteForce::new(frame);
    for contact in &patch {
        let at = frame.topology.nodes.iter().position(|node| *node == contact.node).unwrap();
        assert!((points.positions[at].z - centre.z).abs() < 1e-6, "on the face that is touched");
    }
}

#[test]
fn the_far_side_of_a_plate_and_a_plate_behind_it_are_not_under_the_finger() {
    // Points every 5 mm: within 7.5 mm of one of them are 9.
    let plate = Body::block(Vector3::new(0.1, 0.1, 0.002), [20, 20, 1]);
    check_patch(&plate.frame(|x| *x), Point3::new(0.0, 0.0, 0.001), 0.0075, 9);
    let stack =
        Body::together(&[(&plate, Vector3::zeros()), (&plate, Vector3::new(0.0, 0.0, -0.003))]);
    check_patch(&stack.frame(|x| *x), Point3::new(0.0, 0.0, 0.001), 0.0075, 9);
}

#[test]
fn a_disc_between_points_has_none_or_those_on_either_side() {
    // Points every 10 mm. In the middle of a square the nearest are 7.07 mm away.
    let coarse = Body::block(Vector3::new(0.1, 0.1, 0.02), [10, 10, 2]).frame(|x| *x);
    let middle = Point3::new(0.005, 0.005, 0.01);
    check_patch(&coarse, middle, 0.007, 0);
    check_patch(&coarse, middle, 0.0071, 4);
    // Without a direction there is no disc.
    let mut patch = vec![];
    TouchableSurface::new(coarse).patch(&middle, 0.01, &Vector3::zeros(), &mut patch);
    assert!(patch.is_empty());
}
