//! Time of a substep of contact: five fingertips on a cube in two sizes, with 50 and 100 points
//! that carry force; contacts that stay, sway and are new, alone and through matter that shows its
//! surface. `cargo xtask bench contact`.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot build its input has failed")]

#[allow(dead_code, reason = "shared with the tests of mechanics, which need more of it")]
#[path = "../tests/mechanics/test_bodies.rs"]
mod test_bodies;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nalgebra::{Isometry3, Point3, Vector3};
use physics::contact::{
    ContactMatter, ContactProxy, ContactSettings, ContactSolid, Friction, Motion, Pad, ProxyShape,
};
use physics::material::IsotropicElastic;
use physics::{Deformable, Proxy, ProxyId, Shape, SolidSpec, TetMesh, Touch};
use test_bodies::{model, shaken_box};

const EDGE: f64 = 0.08;
const TIP: f64 = 8e-3;
const DT: f64 = 1e-3;
/// Substeps before those that are timed: they bring columns and the memory for contacts.
const WARM: usize = 300;
const TIMED: usize = 3000;
/// Different places of the fingertips. Their nodes do not all fit into the gathered compliance, but
/// their columns fit into the cache.
const PLACES: usize = 4;

fn main() {
    println!("five fingertips on a free cube of 8 cm; times in us: median, 99th percentile");
    println!(
        "nodes   points  contacts  sweeps     swaying           still       new contacts    \
         matter, shown     matter, between"
    );
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
        for wanted in [50, 100] {
            let settings = ContactSettings::default();
            let mut solid = ContactSolid::new(Arc::clone(&model), settings).unwrap();
            let depth = depth_of(&mut solid, wanted);
            let swaying = swaying(&mut solid, depth, 1.0);
            let still = self::swaying(&mut solid, depth, 0.0);
            let points = points(&solid);
            let new = new_contacts(&mut solid, depth);
            let [shown, between] = [false, true].map(|is_between| {
                let matter = ContactMatter::of(Arc::clone(&model), settings).unwrap();
                through_matter(matter, depth, is_between)
            });
            println!(
                "{n_nodes:6}  {points:6}  {:8.1}  {:6.1}  {} {} {} {} {}",
                swaying.contacts, swaying.sweeps, swaying.times, still.times, new, shown, between,
            );
        }
    }
}

/// Times, in microseconds.
struct Times {
    median: f64,
    slowest: f64,
}

impl Times {
    fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let last = (times.len() - 1) as f64;
        let at = |share: f64| 1e6 * times[(share * last) as usize].as_secs_f64();
        Self { median: at(0.5), slowest: at(0.99) }
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:7.1} {:7.1}  ", self.median, self.slowest)
    }
}

struct Measured {
    times: Times,
    contacts: f64,
    sweeps: f64,
}

/// Pose of a finger: `inwards` from the skin, moved along the side.
fn pose(finger: usize, inwards: f64, along: f64) -> Isometry3<f64> {
    let [out, direction] = SIDES[finger];
    let place = out * (0.5 * EDGE + TIP - inwards) + direction * (along + 4e-3 * finger as f64);
    Isometry3::from(place)
}

fn fingertips(pose: impl Fn(usize) -> [Isometry3<f64>; 2]) -> [ContactProxy; 5] {
    std::array::from_fn(|finger| {
        let shape = ProxyShape::Sphere { radius: TIP };
        let [from, to] = pose(finger);
        ContactProxy::fixed(shape, from, Pad::FINGERTIP, Friction::SKIN).moved_to(to)
    })
}

/// Pose of a finger after a step, as it sways by up to 0.3 mm.
fn swaying_pose(finger: usize, step: usize, depth: f64, sway: f64) -> Isometry3<f64> {
    let sideways = 3e-4 * sway * (9.0 * step as f64 * DT + finger as f64).sin();
    pose(finger, depth * (step as f64 / 100.0).min(1.0), sideways)
}

fn points(solid: &ContactSolid) -> u32 {
    solid.reports().iter().map(|report| report.points).sum()
}

/// Depth at which about this many points carry force.
fn depth_of(solid: &mut ContactSolid, wanted: u32) -> f64 {
    let (mut low, mut high) = (0.0, 4e-3);
    for _ in 0..9 {
        let depth = 0.5 * (low + high);
        solid.place(Motion::default());
        for step in 0..130 {
            let at = |finger| swaying_pose(finger, step, depth, 0.0);
            solid.substep(&fingertips(|finger| [at(finger); 2]), &Vector3::zeros(), DT);
        }
        if points(solid) > wanted { high = depth } else { low = depth }
    }
    solid.place(Motion::default());
    0.5 * (low + high)
}

/// Times substeps with fingertips that sway.
fn swaying(solid: &mut ContactSolid, depth: f64, sway: f64) -> Measured {
    let mut times = Vec::with_capacity(TIMED);
    let (mut contacts, mut sweeps) = (0, 0);
    for step in 0..WARM + TIMED {
        let pose = |finger, step| swaying_pose(finger, step, depth, sway);
        let proxies = fingertips(|finger| [pose(finger, step), pose(finger, step + 1)]);
        let start = Instant::now();
        let report = solid.substep(&proxies, &Vector3::zeros(), DT);
        let taken = start.elapsed();
        if step >= WARM {
            times.push(taken);
            contacts += report.contacts;
            sweeps += report.solve.sweeps;
        }
    }
    Measured {
        times: Times::of(times),
        contacts: f64::from(contacts) / TIMED as f64,
        sweeps: f64::from(sweeps) / TIMED as f64,
    }
}

/// Times the first substep of fingertips at other places, whose columns are cached.
fn new_contacts(solid: &mut ContactSolid, depth: f64) -> Times {
    let mut times = Vec::new();
    for round in 0..PLACES * 51 {
        let along = 6e-3 * (round % PLACES) as f64 - 12e-3;
        let proxies = fingertips(|finger| [pose(finger, depth, along); 2]);
        solid.place(Motion::default());
        let start = Instant::now();
        solid.substep(&proxies, &Vector3::zeros(), DT);
        let taken = start.elapsed();
        // The first round solves for the columns.
        if round >= PLACES {
            times.push(taken);
        }
    }
    Times::of(times)
}

/// Times steps of matter with swaying fingertips, whose surface is shown after each step or is not
/// asked for.
fn through_matter(mut matter: ContactMatter, depth: f64, is_between: bool) -> Times {
    let mut times = Vec::with_capacity(TIMED);
    let mut touch = Touch { is_between, ..Touch::default() };
    for step in 0..WARM + TIMED {
        touch.proxies.clear();
        touch.proxies.extend((0..5).map(|finger| Proxy {
            id: ProxyId { hand: 1, finger: finger as u8, segment: ProxyId::TIP },
            shape: Shape::Sphere {
                centre: swaying_pose(finger, step + 1, depth, 1.0).translation.vector.into(),
                radius: TIP,
            },
            orientation: nalgebra::UnitQuaternion::identity(),
            velocity: Vector3::zeros(),
            angular_velocity: Vector3::zeros(),
        }));
        let start = Instant::now();
        matter.step(&touch, DT);
        let taken = start.elapsed();
        if step >= WARM {
            times.push(taken);
        }
    }
    Times::of(times)
}

/// Outer normals of the five sides, and a direction along each.
const SIDES: [[Vector3<f64>; 2]; 5] = [
    [Vector3::new(1.0, 0.0, 0.0), Vector3::new(0.0, 1.0, 0.0)],
    [Vector3::new(-1.0, 0.0, 0.0), Vector3::new(0.0, 0.0, 1.0)],
    [Vector3::new(0.0, 1.0, 0.0), Vector3::new(0.0, 0.0, 1.0)],
    [Vector3::new(0.0, -1.0, 0.0), Vector3::new(1.0, 0.0, 0.0)],
    [Vector3::new(0.0, 0.0, 1.0), Vector3::new(1.0, 0.0, 0.0)],
];
