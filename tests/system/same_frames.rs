//! Two solver modes, one contract: the same script gives the same frames, bit for bit.

use std::fs;
use std::sync::Arc;
use std::time::Instant;

use engine::{
    Bell, EmbeddedLink, LinkState, MemoryBudget, Pass, RemoteLink, ServerUrl, SolverLink,
    SolverResources,
};
use nalgebra::{Isometry3, Point3, Vector3};
use physics::material::IsotropicElastic;
use physics::{
    KnownDisplacement, NodeId, ObjectSpec, Proxy, ProxyId, SampleId, Shape, SolidSpec,
    SurfaceFrame, Surroundings, Touch, WhenUnderdetermined,
};

use crate::program::{PATIENCE, Server};

fn cube() -> ObjectSpec {
    let mesh = objects::generate::cube(0.06, 5).unwrap();
    let material = IsotropicElastic::new(1e4, 0.4).unwrap();
    ObjectSpec::from(SolidSpec::new(mesh, material, Vec::new()).unwrap())
}

/// Everything that a touch can be: nothing, several contact sets, too few nodes, nonsense.
fn script() -> Vec<Touch> {
    let five = [30u32, 66, 102, 140, 185];
    let sets: [&[u32]; 6] = [&[], &five, &five[..4], &five[..2], &[9_999_999], &five[1..]];
    let proxy = Proxy {
        id: ProxyId { hand: 1, finger: 1, segment: ProxyId::TIP },
        shape: Shape::Sphere { centre: Point3::new(0.04, 0.0, 0.0), radius: 0.007 },
        velocity: Vector3::new(0.1, 0.0, 0.0),
        angular_velocity: Vector3::zeros(),
    };
    (0..60u64)
        .map(|i| {
            let known = sets[i as usize / 3 % sets.len()]
                .iter()
                .map(|&node| {
                    let wave = |axis: usize| (0.3 * i as f64 + f64::from(node) + axis as f64).sin();
                    let displacement = Vector3::from_fn(|axis, _| 0.004 * wave(axis));
                    KnownDisplacement::whole(NodeId(node), displacement)
                })
                .collect();
            Touch {
                sample: SampleId(i + 1),
                time: 0.01 * i as f64,
                world_from_object: Isometry3::translation(0.0, 0.001 * i as f64, 0.0),
                topology_version: 0,
                known,
                when_underdetermined: WhenUnderdetermined::Refuse,
                proxies: vec![proxy],
                surroundings: Surroundings::on_table(),
                wants_fields: i % 2 == 0,
                wants_state: i % 3 == 0,
            }
        })
        .collect()
}

/// Submits each touch and waits for its frame, so that none is overtaken.
fn frames(link: &mut dyn SolverLink, bell: &Bell) -> Vec<Arc<SurfaceFrame>> {
    // The first frame is the object at rest and needs no touch.
    let mut frames = vec![frame_of(SampleId(0), link, bell)];
    for touch in script() {
        let sample = touch.sample;
        link.submit(touch);
        frames.push(frame_of(sample, link, bell));
    }
    assert!(matches!(link.state(), LinkState::Ready(_)));
    frames
}

fn frame_of(sample: SampleId, link: &mut dyn SolverLink, bell: &Bell) -> Arc<SurfaceFrame> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        assert!(Instant::now() < deadline, "no frame for {sample:?}: {:?}", link.state());
        match link.latest() {
            Some(frame) if frame.sample == sample => return frame,
            Some(_) | None => bell.wait_for(PATIENCE / 100),
        }
    }
}

fn embedded(threads: usize) -> Vec<Arc<SurfaceFrame>> {
    let bell = Arc::new(Bell::default());
    let resources = SolverResources::new(Some(threads), MemoryBudget::default()).unwrap();
    let mut link = EmbeddedLink::start(&cube(), resources, Arc::clone(&bell)).unwrap();
    frames(&mut link, &bell)
}

fn remote(url: ServerUrl) -> Vec<Arc<SurfaceFrame>> {
    let bell = Arc::new(Bell::default());
    let mut link = RemoteLink::start(url, cube(), Arc::clone(&bell)).unwrap();
    frames(&mut link, &bell)
}

#[test]
fn embedded_and_remote_give_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let pass = folder.path().join("lab.pass");
    let (server, _guarded) =
        (Server::start("127.0.0.1:0"), Server::start_with_pass("127.0.0.1:0", &pass));
    let plain: ServerUrl = server.url.parse().unwrap();
    let pass: Pass = fs::read_to_string(&pass).unwrap().parse().unwrap();
    let reference = embedded(1);
    let solved = reference.iter().filter(|f| f.report.outcome == physics::Outcome::Solved).count();
    assert!(solved > 20, "the script must squeeze, {solved} frames did");
    let stressed = reference.iter().filter_map(|f| f.fields.first());
    assert!(stressed.filter(|s| s.values.iter().any(|&stress| stress > 10.0)).count() > 10);
    for (name, frames) in [
        ("2 threads", embedded(2)),
        ("remote", remote(plain)),
        ("remote with TLS", remote(pass.into())),
    ] {
        assert_eq!(frames.len(), reference.len());
        for (frame, expected) in frames.iter().zip(&reference) {
            // Bits, not values: -0.0 and 0.0 are equal as numbers.
            assert_eq!(bits(frame), bits(expected), "{name}, {:?}", frame.sample);
            assert_eq!(frame, expected, "{name}");
        }
    }
}

fn bits(frame: &SurfaceFrame) -> Vec<u32> {
    let forces = frame.reactions.iter().map(|(_, force)| force);
    let numbers = frame.positions.iter().chain(forces).flatten();
    numbers
        .chain(frame.fields.iter().flat_map(|field| field.values.iter()))
        .map(|n| n.to_bits())
        .collect()
}

#[test]
fn an_object_that_cannot_be_solved_is_refused_in_words() {
    // Supports on one edge leave a hinge: the server must say so, and go on serving others.
    let server = Server::start("127.0.0.1:0");
    let cube = cube();
    let solid = cube.solid().unwrap();
    let hinge = (0..6).map(NodeId).collect();
    let loose = SolidSpec::new(solid.mesh().clone(), *solid.material(), hinge).unwrap();
    let bell = Arc::new(Bell::default());
    let object = ObjectSpec::from(loose);
    let link = RemoteLink::start(server.url.parse().unwrap(), object, Arc::clone(&bell)).unwrap();
    let deadline = Instant::now() + PATIENCE;
    let why = loop {
        assert!(Instant::now() < deadline);
        match link.state() {
            LinkState::Failed(why) => break why,
            LinkState::Preparing(_) | LinkState::Ready(_) | LinkState::Lost(_) => {
                bell.wait_for(PATIENCE / 1000);
            }
        }
    };
    assert!(why.contains("free to turn about the axis"), "{why}");
    assert_eq!(remote(server.url.parse().unwrap()).len(), script().len() + 1);
}
