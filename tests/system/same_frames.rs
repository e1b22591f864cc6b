//! Two solver modes, one contract: the same script gives the same frames, bit for bit.

use std::fs;
use std::sync::Arc;
use std::time::Instant;

use engine::single_solve::{Algorithm, SolveQuestion};
use engine::{
    Bell, EmbeddedLink, FrameContent, LinkOptions, LinkState, MemoryBudget, NodalDisplacements,
    Pass, RemoteLink, ServerUrl, SolverLink, SolverResources,
};
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use physics::material::IsotropicElastic;
use physics::{
    KnownDisplacement, NodeId, ObjectSpec, Outcome, Proxy, ProxyId, SampleId, Shape, SolidSpec,
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
        orientation: UnitQuaternion::identity(),
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
                is_between: false,
                wants_contact_models: i % 2 == 1,
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

fn embedded(threads: usize, content: FrameContent) -> Vec<Arc<SurfaceFrame>> {
    let bell = Arc::new(Bell::default());
    let resources = SolverResources::new(Some(threads), MemoryBudget::default()).unwrap();
    let options = LinkOptions { content, ..LinkOptions::default() };
    let bell_of_link = Arc::clone(&bell);
    let mut link = EmbeddedLink::open(&cube(), options, &resources, bell_of_link).unwrap();
    frames(&mut link, &bell)
}

fn remote(url: ServerUrl, content: FrameContent) -> Vec<Arc<SurfaceFrame>> {
    let bell = Arc::new(Bell::default());
    let options = LinkOptions { content, threads: 1 };
    let mut link = RemoteLink::open(url, cube(), options, Arc::clone(&bell)).unwrap();
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
    let surface = FrameContent::SurfacePositions;
    let reference = embedded(1, surface);
    let solved = reference.iter().filter(|f| f.report.outcome == Outcome::Solved).count();
    assert!(solved > 20, "the script must squeeze, {solved} frames did");
    let stressed = reference.iter().filter_map(|f| f.fields.first());
    assert!(stressed.filter(|s| s.values.iter().any(|&stress| stress > 10.0)).count() > 10);
    for (name, frames) in [
        ("2 threads", embedded(2, surface)),
        ("remote", remote(plain.clone(), surface)),
        ("remote with TLS", remote(pass.into(), surface)),
    ] {
        check_same(name, &frames, &reference);
    }
    check_displacements(&plain, &reference);
}

fn check_same(name: &str, frames: &[Arc<SurfaceFrame>], reference: &[Arc<SurfaceFrame>]) {
    assert_eq!(frames.len(), reference.len());
    for (frame, expected) in frames.iter().zip(reference) {
        // Bits, not values: -0.0 and 0.0 are equal as numbers.
        assert_eq!(bits(frame), bits(expected), "{name}, {:?}", frame.sample);
        assert_eq!(frame, expected, "{name}");
    }
}

/// Checks that all links give the displacements of a single solve for the same known displacements,
/// and the forces and reports of frames that show the surface.
fn check_displacements(server: &ServerUrl, shown: &[Arc<SurfaceFrame>]) {
    let precise = embedded(2, FrameContent::DisplacementsF64);
    check_same("all nodes", &remote(server.clone(), FrameContent::DisplacementsF64), &precise);
    let short = embedded(1, FrameContent::DisplacementsF32);
    check_same("f32", &remote(server.clone(), FrameContent::DisplacementsF32), &short);
    let script = script();
    let mut n_solved = 0;
    for (i, ((precise, short), shown)) in precise.iter().zip(&short).zip(shown).enumerate() {
        let (Some(NodalDisplacements::F64(all)), Some(NodalDisplacements::F32(rounded))) =
            (&precise.displacements, &short.displacements)
        else {
            panic!("frame {i} lacks its displacements");
        };
        let is_rounded = |(u, rounded): (&[f64; 3], &[f32; 3])| u.map(|c| c as f32) == *rounded;
        assert!(all.iter().zip(&**rounded).all(is_rounded), "frame {i}");
        assert_eq!(precise.positions, short.positions);
        assert_eq!((&precise.report, &precise.fields), (&shown.report, &shown.fields));
        assert_eq!(precise.reactions, shown.reactions);
        // Frames of the surface are computed in `f32`, to 1e-5 of the farthest touched node.
        let pairs = precise.positions.iter().flatten().zip(shown.positions.iter().flatten());
        assert!(pairs.fold(0.0, |most: f32, (a, b)| most.max((a - b).abs())) < 1e-6, "frame {i}");
        if precise.report.outcome != Outcome::Solved {
            continue;
        }
        n_solved += 1;
        let question = SolveQuestion {
            spec: cube().solid().unwrap().clone(),
            known: script[i - 1].known.clone(),
            when_underdetermined: WhenUnderdetermined::Refuse,
            algorithm: Algorithm::Factorise,
            wants_stresses: false,
        };
        let solved = engine::ask(server, &question, |_| {}).unwrap().solution;
        let bits = |u: [f64; 3]| u.map(f64::to_bits);
        let single = solved.displacements.iter().map(|u| bits((*u).into()));
        assert!(all.iter().map(|u| bits(*u)).eq(single), "frame {i} differs from the single solve");
        let forces = solved.reactions.iter().map(|r| (r.node, physics::rounded(&r.force)));
        assert!(forces.eq(precise.reactions.iter().copied()), "forces of frame {i}");
    }
    assert!(n_solved > 20, "{n_solved} touches were solved");
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
    let frames = remote(server.url.parse().unwrap(), FrameContent::SurfacePositions);
    assert_eq!(frames.len(), script().len() + 1);
}
