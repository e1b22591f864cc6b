//! Time of a substep of contact: five fingertips on a cube, at two depths and two sizes.
//! `cargo xtask bench contact`.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot build its input has failed")]

#[allow(dead_code, reason = "shared with the tests of mechanics, which need more of it")]
#[path = "../tests/mechanics/test_bodies.rs"]
mod test_bodies;

use std::sync::Arc;
use std::time::Instant;

use nalgebra::{Isometry3, Point3, Vector3};
use physics::contact::{ContactProxy, ContactSettings, ContactSolid, Friction, Pad, ProxyShape};
use physics::material::IsotropicElastic;
use physics::{SolidSpec, TetMesh};
use test_bodies::{model, shaken_box};

const EDGE: f64 = 0.08;
const TIP: f64 = 8e-3;
const DT: f64 = 1e-3;
/// Substeps before those that are timed: they bring columns and the memory for contacts.
const WARM: usize = 300;
const TIMED: usize = 3000;

fn main() {
    println!("nodes   depth mm  points  contacts  sweeps  median us  99th us  no move: median us");
    for cells in [16, 26] {
        let mesh = shaken_box(Vector3::repeat(EDGE), [cells; 3]);
        let middle = Vector3::repeat(0.5 * EDGE);
        let positions: Vec<Point3<f64>> =
            mesh.rest_positions().iter().map(|x| x - middle).collect();
        let mesh = TetMesh::new(positions, mesh.elements().to_vec()).unwrap();
        let n_nodes = mesh.n_nodes();
        let material = IsotropicElastic::new(4e4, 0.4).unwrap();
        let spec = SolidSpec::new(mesh, material, Vec::new()).unwrap();
        let model = Arc::new(model(&spec));
        for depth in [0.8e-3, 1.8e-3] {
            let mut solid =
                ContactSolid::new(Arc::clone(&model), ContactSettings::default()).unwrap();
            let moving = measure(&mut solid, depth, 1.0);
            let still = measure(&mut solid, depth, 0.0);
            let points: u32 = solid.reports().iter().map(|report| report.points).sum();
            println!(
                "{n_nodes:6}  {:8.1}  {points:6}  {:8.1}  {:6.1}  {:9.1}  {:7.1}  {:9.1}",
                1e3 * depth,
                moving.contacts,
                moving.sweeps,
                moving.median,
                moving.slowest,
                still.median
            );
        }
    }
}

struct Measured {
    /// In microseconds.
    median: f64,
    /// 99th percentile, in microseconds.
    slowest: f64,
    contacts: f64,
    sweeps: f64,
}

/// Times substeps with fingertips that sway by up to 0.3 mm.
fn measure(solid: &mut ContactSolid, depth: f64, sway: f64) -> Measured {
    let pose = |finger: usize, step: usize| {
        let [out, along] = SIDES[finger];
        let time = step as f64 * DT;
        let sideways = 3e-4 * sway * (9.0 * time + finger as f64).sin();
        let inwards = depth * (step as f64 / 100.0).min(1.0);
        let place = out * (0.5 * EDGE + TIP - inwards) + along * (sideways + 4e-3 * finger as f64);
        Isometry3::from_parts(place.into(), nalgebra::UnitQuaternion::identity())
    };
    let mut times = Vec::with_capacity(TIMED);
    let (mut contacts, mut sweeps) = (0, 0);
    for step in 0..WARM + TIMED {
        let proxies: [ContactProxy; 5] = std::array::from_fn(|finger| {
            let shape = ProxyShape::Sphere { radius: TIP };
            let from = pose(finger, step);
            ContactProxy::fixed(shape, from, Pad::FINGERTIP, Friction::SKIN)
                .moved_to(pose(finger, step + 1))
        });
        let start = Instant::now();
        let report = solid.substep(&proxies, &Vector3::zeros(), DT);
        let taken = start.elapsed();
        if step >= WARM {
            times.push(taken);
            contacts += report.contacts;
            sweeps += report.solve.sweeps;
        }
    }
    times.sort_unstable();
    let at = |share: f64| 1e6 * times[(share * (TIMED - 1) as f64) as usize].as_secs_f64();
    Measured {
        median: at(0.5),
        slowest: at(0.99),
        contacts: f64::from(contacts) / TIMED as f64,
        sweeps: f64::from(sweeps) / TIMED as f64,
    }
}

/// Outer normals of the five sides, and a direction along each.
const SIDES: [[Vector3<f64>; 2]; 5] = [
    [Vector3::new(1.0, 0.0, 0.0), Vector3::new(0.0, 1.0, 0.0)],
    [Vector3::new(-1.0, 0.0, 0.0), Vector3::new(0.0, 0.0, 1.0)],
    [Vector3::new(0.0, 1.0, 0.0), Vector3::new(0.0, 0.0, 1.0)],
    [Vector3::new(0.0, -1.0, 0.0), Vector3::new(1.0, 0.0, 0.0)],
    [Vector3::new(0.0, 0.0, 1.0), Vector3::new(1.0, 0.0, 0.0)],
];
