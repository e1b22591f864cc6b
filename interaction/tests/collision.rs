//! Comparison of contact searches with a test of every point and every triangle of the skin.

#![allow(clippy::unwrap_used, reason = "a test that cannot build its input has failed")]

#[path = "collision/brute_force.rs"]
mod brute_force;
#[path = "collision/contacts.rs"]
mod contacts;
#[path = "collision/depths.rs"]
mod depths;
#[path = "collision/interference.rs"]
mod interference;
#[path = "collision/patches.rs"]
mod patches;
#[path = "collision/shapes.rs"]
mod shapes;
#[path = "collision/sweeps.rs"]
mod sweeps;

use std::sync::Arc;

use nalgebra::{Point3, Vector3};
use physics::{SurfaceFrame, TetMesh};
use shapes::{Body, Random, Waves};

/// Test bodies: round, with edges, thin, without symmetry, and two in one.
fn bodies() -> Vec<Body> {
    let ball = Body::ball(0.04, 8);
    let cube = Body::block(Vector3::repeat(0.06), [7; 3]);
    let plate = Body::block(Vector3::new(0.1, 0.08, 0.002), [14, 11, 1]);
    let blob = of_mesh(&objects::generate::blob(0.1, 800).unwrap());
    let pair = Body::together(&[(&ball, Vector3::zeros()), (&plate, Vector3::new(0.0, 0.0, 0.05))]);
    vec![ball, cube, plate, blob, pair]
}

fn of_mesh(mesh: &TetMesh) -> Body {
    let surface = mesh.surface();
    let rest = surface.positions.iter().map(|x| Point3::from(x.map(f64::from))).collect();
    Body::new(rest, surface.topology.triangles.clone())
}

/// Each body in several smooth random shapes.
fn shapes(random: &mut Random, n_shapes: usize) -> Vec<Arc<SurfaceFrame>> {
    let mut frames = Vec::new();
    for body in bodies() {
        for _ in 0..n_shapes {
            let waves = Waves::random(random, 0.7);
            frames.push(body.frame(|x| waves.moved(x)));
        }
    }
    frames
}
