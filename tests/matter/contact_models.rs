//! Contact models: what a fingertip feels near its place, embedded and behind a server alike.

use engine::{MemoryBudget, SolverLocation, SolverResources, Stepper};
use nalgebra::{Isometry3, Matrix3, Point3, UnitQuaternion, Vector3};
use physics::contact::ContactSettings;
use physics::material::IsotropicElastic;
use physics::{
    ObjectSpec, Proxy, ProxyId, SampleId, Shape, SolidSpec, SurfaceFrame, Surroundings, Touch,
    build,
};
use solver_server::{Limits, ServerThread};

use crate::solver_links::{Solved, bits, url};

const EDGE: f64 = 0.05;

/// A cube that hands hold by contact, its middle in the origin.
fn cube() -> ObjectSpec {
    let mesh = objects::generate::cube(EDGE, 4).unwrap();
    let material = IsotropicElastic::new(6e4, 0.35).unwrap();
    let spec = SolidSpec::new(mesh, material, Vec::new()).unwrap();
    // So much friction that contacts stick.
    let friction = physics::contact::Friction::of(4.0);
    let settings = ContactSettings { friction, tolerance: 1e-9, ..ContactSettings::default() };
    ObjectSpec::from(spec.held_by_contact(settings).unwrap())
}

/// Bounds of the cube along x.
fn sides() -> [f64; 2] {
    let cube = cube();
    let rest = cube.rest_points();
    let xs = || rest.iter().map(|x| x.x);
    [xs().fold(f64::INFINITY, f64::min), xs().fold(f64::NEG_INFINITY, f64::max)]
}

/// Thumb and index finger that pinch the cube, the index moved by `way`.
fn touch(i: u64, way: Vector3<f64>) -> Touch {
    let [low, high] = sides();
    let tip = |finger: u8, x: f64, way: Vector3<f64>| Proxy {
        id: ProxyId { hand: 1, finger, segment: ProxyId::TIP },
        shape: Shape::Sphere { centre: Point3::new(x, 1e-3, -1e-3) + way, radius: 8e-3 },
        orientation: UnitQuaternion::identity(),
        velocity: Vector3::zeros(),
        angular_velocity: Vector3::zeros(),
    };
    let depth = 1.5e-3;
    Touch {
        sample: SampleId(i),
        time: 1e-3 * i as f64,
        world_from_object: Isometry3::translation(0.0, 0.3, 0.0),
        topology_version: 0,
        proxies: vec![
            tip(0, low - 8e-3 + depth, Vector3::zeros()),
            tip(1, high + 8e-3 - depth, way),
        ],
        surroundings: Surroundings { table: None, gravity: Vector3::zeros() },
        wants_contact_models: true,
        ..Touch::default()
    }
}

/// Steps until the cube rests between the fingers, and returns the last frame.
const N_STEPS: u64 = 120;

fn force(frame: &SurfaceFrame) -> Vector3<f64> {
    let of_index = frame.contact_forces.iter().find(|(id, _)| id.finger == 1);
    -Vector3::from(of_index.expect("the index finger pushes").1.map(f64::from))
}

#[test]
fn models_are_the_same_behind_a_server_and_foretell_the_force() {
    let resources = || SolverResources::new(Some(1), MemoryBudget::default()).expect("one thread");
    let server = ServerThread::start(0, resources(), Limits { sessions: 4, nodes: 1000 }).unwrap();
    let mut here = Stepper::new(build(&cube()).unwrap());
    let mut embedded = Solved::by_spec(&SolverLocation::Embedded(resources()), &cube());
    let mut remote = Solved::by_spec(&SolverLocation::Remote(url(&server)), &cube());
    let version = here.rest_frame().topology.version;
    let at = |i: u64, way| Touch { topology_version: version, ..touch(i, way) };
    let mut last = None;
    for i in 1..=N_STEPS {
        let touch = Touch { wants_contact_models: i > 100, ..at(i, Vector3::zeros()) };
        let expected = here.step(&touch);
        assert_eq!(expected.contact_models.is_empty(), i <= 100, "only if wanted");
        for solved in [&mut embedded, &mut remote] {
            let frame = solved.step(&touch);
            assert_eq!(frame.contact_models, expected.contact_models);
            assert_eq!(bits(&frame), bits(&expected));
        }
        last = Some(expected);
    }
    let last = last.unwrap();
    assert_eq!(last.contact_models.len(), 2);
    assert!(last.contact_models.iter().all(physics::ContactModel::is_valid));
    let model = last.contact_models.iter().find(|model| model.proxy.finger == 1).unwrap();
    assert_eq!(Vector3::from(model.force.map(f64::from)), force(&last));
    // The next step with the finger a little aside, from the same state.
    let snapshot = std::sync::Arc::new(here.snapshot());
    let way = 20e-6;
    let columns = [0, 1, 2].map(|axis| {
        let mut force_after = |way: f64| {
            here.restore(&snapshot).unwrap();
            force(&here.step(&at(N_STEPS + 1, Vector3::ith(axis, way))))
        };
        -(force_after(way) - force_after(-way)) / (2.0 * way)
    });
    let differences = Matrix3::from_columns(&columns);
    let stiffness = model.stiffness_matrix().map(f64::from);
    let error = (stiffness - differences).norm() / differences.norm();
    // The turn of the contacts' frames, and hard pads over bones, make the rest.
    assert!(error < 0.12, "{stiffness} {differences}");
}
