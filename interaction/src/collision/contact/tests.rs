//! Contacts of fingertips with a cube, checked by hand.

use std::sync::Arc;

use super::*;
use engine::Stepper;
use physics::material::IsotropicElastic;
use physics::{Grip, MemoryLimits, Model, ObjectSpec, Progress, SolidSpec, SurfaceFrame, Topology};

/// A cube of 6 cm about the origin, with points every centimetre.
pub(crate) fn cube_at_rest() -> TouchableSurface {
    let mesh = objects::generate::cube(0.06, 6).unwrap();
    let material = IsotropicElastic::new(1e4, 0.3).unwrap();
    let spec = ObjectSpec::from(SolidSpec::new(mesh, material, Vec::new()).unwrap());
    let model = Model::prepare(&spec, MemoryLimits::default(), &Progress::default()).unwrap();
    TouchableSurface::new(Arc::new(Stepper::new(model.object()).rest_frame()))
}

/// An open square about the origin with this half edge, which faces along z.
pub(crate) fn open_square(half: f32) -> TouchableSurface {
    let corner = |[x, y]: [f32; 2]| [half * x, half * y, 0.0];
    let rest = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(corner).to_vec();
    let topology = Topology {
        version: 0,
        grip: Grip::Contact,
        nodes: (0..4).map(NodeId).collect(),
        rest_positions: rest.clone(),
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        fields: Vec::new(),
    };
    TouchableSurface::new(Arc::new(SurfaceFrame::at_rest(Arc::new(topology), Arc::new(rest))))
}

fn contact(x: f64, y: f64, z: f64) -> Option<(Point3<f64>, Vector3<f64>)> {
    let surface = cube_at_rest();
    let fingertip = Ball { centre: Point3::new(x, y, z), radius: 0.007 };
    surface.contact(None, &fingertip, &[]).map(|c| {
        let nodes = &surface.frame().topology.nodes;
        let point = nodes.iter().position(|n| *n == c.node).unwrap();
        (surface.skin().positions[point], c.normal)
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
fn nothing_sinks_into_an_open_skin() {
    let page = open_square(0.03);
    let is_touched = |z: f64| {
        let fingertip = Ball { centre: Point3::new(0.001, 0.002, z), radius: 0.007 };
        page.contact(None, &fingertip, &[]).is_some()
    };
    // Before the page and behind it, at the same distances.
    for (distance, expected) in [(0.006, true), (0.008, false), (0.015, false)] {
        assert_eq!(is_touched(distance), expected, "{distance} m before it");
        assert_eq!(is_touched(-distance), expected, "{distance} m behind it");
    }
}

#[test]
fn the_normal_is_on_the_side_where_a_point_is() {
    let skin = open_square(0.03).nearest(&Point3::new(0.0, 0.0, -0.01), 0.1).unwrap();
    for (z, expected) in [(0.01, 1.0), (-0.01, -1.0)] {
        let normal = skin.normal_towards(&Point3::new(0.005, 0.0, z));
        assert!((normal - Vector3::z() * expected).norm() < 1e-12, "{normal}");
    }
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
