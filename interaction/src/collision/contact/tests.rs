//! What fingertips touch on a cube, by hand.

use super::*;
use engine::Stepper;
use physics::material::IsotropicElastic;
use physics::{MemoryLimits, Model, ObjectSpec, Progress, SolidSpec};

/// A cube of 6 cm about the origin, with points every centimetre.
pub(crate) fn cube_at_rest() -> TouchableSurface {
    let mesh = objects::generate::cube(0.06, 6).unwrap();
    let material = IsotropicElastic::new(1e4, 0.3).unwrap();
    let spec = ObjectSpec::Solid(SolidSpec::new(mesh, material, Vec::new()).unwrap());
    let model = Model::prepare(&spec, MemoryLimits::default(), &Progress::default()).unwrap();
    TouchableSurface::new(Arc::new(Stepper::new(&model).rest_frame()))
}

fn contact(x: f64, y: f64, z: f64) -> Option<(Point3<f64>, Vector3<f64>)> {
    let surface = cube_at_rest();
    let fingertip = Ball { centre: Point3::new(x, y, z), radius: 0.007 };
    surface.contact(None, &fingertip, &[]).map(|c| {
        let nodes = &surface.frame().topology.nodes;
        let point = nodes.iter().position(|n| *n == c.node).unwrap();
        (surface.positions[point], c.normal)
    })
}

#[test]
fn a_fingertip_touches_the_nearest_point_of_a_face() {
    let (point, normal) = contact(0.0365, 0.011, -0.002).unwrap();
    assert!((point - Point3::new(0.03, 0.01, 0.0)).norm() < 1e-6);
    assert!((normal - Vector3::x()).norm() < 1e-6);
}

#[test]
fn a_fingertip_in_the_air_touches_nothing() {
    assert!(contact(0.0375, 0.011, -0.002).is_none());
    assert!(contact(0.2, 0.0, 0.0).is_none());
}

#[test]
fn a_fingertip_between_points_touches_too() {
    assert!(contact(0.0365, 0.005, 0.005).is_some());
}

#[test]
fn a_taken_node_leaves_its_neighbour() {
    let surface = cube_at_rest();
    let fingertip = Ball { centre: Point3::new(0.0365, 0.001, 0.0), radius: 0.007 };
    let first = surface.contact(None, &fingertip, &[]).unwrap();
    let second = surface.contact(None, &fingertip, &[Some(first.node)]).unwrap();
    assert_ne!(first.node, second.node);
}

#[test]
fn a_fingertip_beside_an_edge_touches_only_if_it_is_near_enough() {
    // The edge at (3, 3) cm is 7.07 mm away, then 6.93 mm.
    assert!(contact(0.035, 0.035, 0.005).is_none());
    assert!(contact(0.0349, 0.0349, 0.005).is_some());
}

#[test]
fn a_fingertip_that_has_sunk_in_still_touches() {
    let (point, normal) = contact(0.018, 0.001, 0.0).unwrap();
    assert!((point - Point3::new(0.03, 0.0, 0.0)).norm() < 1e-6, "{point}");
    assert!((normal - Vector3::x()).norm() < 1e-6);
}

#[test]
fn a_fast_fingertip_is_not_missed() {
    let surface = cube_at_rest();
    // From one side to the other in one step.
    let before = Point3::new(0.06, 0.001, 0.002);
    let fingertip = Ball { centre: Point3::new(-0.06, 0.001, 0.002), radius: 0.007 };
    assert!(surface.contact(None, &fingertip, &[]).is_none());
    let met = surface.contact(Some(&before), &fingertip, &[]).unwrap();
    assert!((met.normal - Vector3::x()).norm() < 1e-6, "it met {:?}", met.normal);
}
