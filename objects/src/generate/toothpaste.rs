//! A tube of toothpaste, lying on its side: the cap towards +x, the flat end towards -x.
//!
//! Along the tube, `s` from 0 at the flat end to 1 at the shoulder, the cross-section changes from
//! a flat ellipse to a circle while its circumference stays about the same, as in a real tube:
//!
//! ```text
//! half height  h = 0.030 + 0.100 S        S = sin(π s / 2)^1.3
//! half width   w = 0.195 - 0.065 S
//! ```
//!
//! The cap is a cylinder with a radius of 0.075 and a length of 0.15. All edges are rounded over
//! about 0.01. The unit of length is the length of the tube with its cap.

use std::f64::consts::FRAC_PI_2;

use nalgebra::{Point3, Vector3};
use physics::TetMesh;

use super::gradient::{smooth_min, with_gradient};
use super::lattice::{Body, BodyError, Interior, fill};

/// A tube of toothpaste, `length` metres long, its middle near the origin, with about `n_nodes`
/// nodes (50 to 200 000).
pub fn toothpaste(length: f64, n_nodes: usize) -> Result<TetMesh, BodyError> {
    fill(&Tube, Interior::Regular, length, n_nodes)
}

/// Linear RGB at a point of a tube of length one.
pub(super) fn colour(x: &Point3<f64>) -> [f32; 3] {
    // The band is slightly oblique, with a thin stripe beside it.
    let along = x.x + 0.25 * x.z;
    if x.x > SHOULDER - 0.005 {
        CAP
    } else if x.x < FLAT_END + 0.05 {
        SEAM
    } else if (-0.18..0.06).contains(&along) {
        BAND
    } else if (0.09..0.125).contains(&along) {
        STRIPE
    } else {
        WHITE
    }
}

const WHITE: [f32; 3] = [0.86, 0.87, 0.88];
const SEAM: [f32; 3] = [0.62, 0.64, 0.68];
const BAND: [f32; 3] = [0.02, 0.12, 0.55];
const STRIPE: [f32; 3] = [0.70, 0.03, 0.04];
const CAP: [f32; 3] = [0.03, 0.30, 0.62];

struct Tube;

const FLAT_END: f64 = -0.5;
const SHOULDER: f64 = 0.35;
const TOP: f64 = 0.5;
const CAP_RADIUS: f64 = 0.075;
const BLEND: f64 = 0.01;

impl Body for Tube {
    fn bounds(&self) -> [Point3<f64>; 2] {
        [Point3::new(-0.53, -0.16, -0.23), Point3::new(0.53, 0.16, 0.23)]
    }

    fn level(&self, x: &Point3<f64>) -> (f64, Vector3<f64>) {
        with_gradient(level, x)
    }
}

fn level(x: &Point3<f64>) -> f64 {
    let s = ((x.x - FLAT_END) / (SHOULDER - FLAT_END)).clamp(0.0, 1.0);
    let round = (FRAC_PI_2 * s).sin().powf(1.3);
    let (height, width) = (0.030 + 0.100 * round, 0.195 - 0.065 * round);
    // A small constant below the root removes its kink on the axis.
    let off_axis = ((x.y / height).powi(2) + (x.z / width).powi(2) + 1e-4).sqrt();
    let tube = smooth_min(&[(1.0 - off_axis) * height, x.x - FLAT_END, SHOULDER - x.x], BLEND);
    let from_axis = (x.y.powi(2) + x.z.powi(2) + 1e-4).sqrt();
    // The cap begins inside the tube, so that the two are blended.
    let cap = smooth_min(&[CAP_RADIUS - from_axis, x.x - (SHOULDER - 0.1), TOP - x.x], BLEND);
    -smooth_min(&[-tube, -cap], BLEND)
}

#[cfg(test)]
mod tests {
    use super::super::lattice::body_checks::check_sound;
    use super::*;

    #[test]
    fn tubes_are_sound_in_any_resolution() {
        for n_nodes in [100, 150, 270, 400, 1000, 2000, 5000, 20_000] {
            check_sound(&toothpaste(0.14, n_nodes).unwrap(), n_nodes, 15.0);
        }
    }

    #[test]
    fn skin_is_on_the_formula() {
        for n_nodes in [300, 1000, 5000] {
            let mesh = toothpaste(1.0, n_nodes).unwrap();
            let nodes = &mesh.surface().topology.nodes;
            let off = |node: &physics::NodeId| {
                Tube.depth(&mesh.rest_positions()[node.index()]).abs() > 1e-3
            };
            let n_off = nodes.iter().filter(|node| off(node)).count();
            println!("{n_off} of {} nodes are beside the surface", nodes.len());
            assert!(n_off * 100 < nodes.len(), "{n_off} of {}", nodes.len());
        }
    }

    #[test]
    fn tube_is_flat_behind_and_round_in_front() {
        let mesh = toothpaste(1.0, 5000).unwrap();
        let thickness = |from: f64, axis: usize| {
            let slice = mesh.rest_positions().iter().filter(|x| (x.x - from).abs() < 0.03);
            2.0 * slice.map(|x| x[axis].abs()).fold(0.0, f64::max)
        };
        assert!(thickness(-0.45, 1) < 0.12 && thickness(-0.45, 2) > 0.30);
        assert!((thickness(0.25, 1) / thickness(0.25, 2) - 1.0).abs() < 0.1);
        assert!((thickness(0.45, 1) - 2.0 * CAP_RADIUS).abs() < 0.02);
    }
}
