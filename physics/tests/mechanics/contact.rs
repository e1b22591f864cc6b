//! Contact with friction against closed forms, conservation laws and a second algorithm.

#![allow(clippy::print_stdout, reason = "the values beside the references")]

mod energy;
mod floating_frame;
mod held;
mod indentation;
mod matter;
mod mixture;
mod motion;
mod one_contact;
mod pad;
mod pinch;
mod quick;
mod soak;
mod squeeze;
mod state;
mod tangent;

use std::sync::Arc;

use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use physics::contact::{
    ContactProxy, ContactSettings, ContactSolid, Friction, Motion, Pad, ProxyShape,
};
use physics::material::IsotropicElastic;
use physics::{NodeId, SolidSpec, TetMesh};

use super::test_bodies::{model, nodes_where, shaken_box};

/// In m/s².
const GRAVITY: f64 = 9.81;
/// In seconds.
const DT: f64 = 1e-3;
/// In Pa: so stiff that only pads give way.
const RIGID: f64 = 1e9;

/// Settings whose solver stops late, for comparisons with closed forms.
fn exact() -> ContactSettings {
    ContactSettings { tolerance: 1e-9, most_sweeps: 500, ..ContactSettings::default() }
}

fn contact_solid(
    mesh: TetMesh,
    (young, poisson): (f64, f64),
    supports: Vec<NodeId>,
    settings: ContactSettings,
) -> ContactSolid {
    let material = IsotropicElastic::new(young, poisson).unwrap();
    let spec = SolidSpec::new(mesh, material, supports).unwrap();
    ContactSolid::new(Arc::new(model(&spec)), settings).unwrap()
}

/// Block whose lowest face (z = 0) is glued, centred on the z axis.
fn glued(
    size: [f64; 3],
    cells: [usize; 3],
    elastic: (f64, f64),
    settings: ContactSettings,
) -> ContactSolid {
    let mesh = centred(&shaken_box(size.into(), cells), false);
    let supports = nodes_where(&mesh, |x| x.z == 0.0);
    contact_solid(mesh, elastic, supports, settings)
}

/// Free cube, its middle in the origin.
fn free_cube(
    edge: f64,
    cells: usize,
    elastic: (f64, f64),
    settings: ContactSettings,
) -> ContactSolid {
    let mesh = centred(&shaken_box(Vector3::repeat(edge), [cells; 3]), true);
    contact_solid(mesh, elastic, Vec::new(), settings)
}

/// Moves the middle of a box to the z axis, and with `is_whole` to the origin.
fn centred(mesh: &TetMesh, is_whole: bool) -> TetMesh {
    let high = mesh.rest_positions().iter().fold(Point3::origin(), |high, x| high.sup(x));
    let z = if is_whole { 0.5 * high.z } else { 0.0 };
    let shift = Vector3::new(0.5 * high.x, 0.5 * high.y, z);
    let positions = mesh.rest_positions().iter().map(|x| x - shift).collect();
    TetMesh::new(positions, mesh.elements().to_vec()).unwrap()
}

fn at(x: f64, y: f64, z: f64) -> Isometry3<f64> {
    Isometry3::translation(x, y, z)
}

/// Pose of a plane through the origin moved by `offset` along `normal`, which is the side that it
/// pushes to.
fn plane_pose(normal: Vector3<f64>, offset: f64) -> Isometry3<f64> {
    let turn = UnitQuaternion::rotation_between(&Vector3::y(), &normal).unwrap_or_else(|| {
        UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI)
    });
    Isometry3::from_parts(Translation3::from(normal * offset), turn)
}

fn plane(normal: Vector3<f64>, offset: f64, pad: Pad, mu: f64) -> ContactProxy {
    ContactProxy::fixed(ProxyShape::Plane, plane_pose(normal, offset), pad, Friction::of(mu))
}

/// Table below the plane `z = height`, touched by nodes.
fn table(height: f64, mu: f64) -> ContactProxy {
    ContactProxy { touches_nodes_only: true, ..plane(Vector3::z(), height, Pad::HARD, mu) }
}

fn fingertip(pose: Isometry3<f64>, mu: f64) -> ContactProxy {
    let shape = ProxyShape::Sphere { radius: 8e-3 };
    ContactProxy::fixed(shape, pose, Pad::FINGERTIP, Friction::of(mu))
}

fn moving(velocity: Vector3<f64>) -> Motion {
    Motion { velocity, ..Motion::default() }
}

fn check(what: &str, got: f64, want: f64, share: f64) {
    println!("{what}: {got:.6e}, expected {want:.6e} ({:+.2} %)", 100.0 * (got / want - 1.0));
    assert!((got - want).abs() <= share * want.abs(), "{what}: {got:e}, expected {want:e}");
}
