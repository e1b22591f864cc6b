//! Round trips of all messages, and errors for damaged ones.

#![allow(clippy::unwrap_used, reason = "a test that cannot build its input has failed")]

use std::sync::Arc;
use std::time::Duration;

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use physics::family::solid::{Algorithm, Solution, SolveAnswer, SolveQuestion};
use physics::material::IsotropicElastic;
use physics::{
    ContactModel, FieldKind, FieldValues, FrameContent, FrameHistory, Grip, KnownDisplacement,
    NodeId, ObjectSpec, Outcome, Proxy, ProxyId, Reaction, SampleId, Shape, Snapshot, SolidSpec,
    State, StepReport, SurfaceFrame, Surroundings, TetMesh, Topology, Touch, WhenUnderdetermined,
};
use proptest::prelude::*;
use prost::Message;
use proto::{FrameAssembler, v1};

fn object() -> ObjectSpec {
    let nodes = vec![
        Point3::origin(),
        Point3::new(0.1, 0.0, 0.0),
        Point3::new(0.0, 0.1, 0.0),
        Point3::new(0.0, 0.0, 0.1),
    ];
    let mesh = TetMesh::new(nodes, vec![[0, 1, 2, 3].map(NodeId)]).unwrap();
    let material = IsotropicElastic::new(1e4, 0.4).unwrap();
    ObjectSpec::Solid(SolidSpec::new(mesh, material, vec![NodeId(0)]).unwrap())
}

fn touch() -> Touch {
    let shapes = [
        Shape::Sphere { centre: Point3::new(0.1, 0.2, 0.3), radius: 0.007 },
        Shape::Cylinder { start: Point3::origin(), end: Point3::new(0.0, 0.0, 0.1), radius: 0.01 },
    ];
    Touch {
        sample: SampleId(7),
        time: 1.25,
        world_from_object: Isometry3::new(
            Vector3::new(0.1, 0.2, 0.3),
            Vector3::new(0.3, -0.4, 0.5),
        ),
        topology_version: 3,
        known: vec![
            KnownDisplacement::whole(NodeId(2), Vector3::new(0.1, 0.2, 0.3)),
            KnownDisplacement { node: NodeId(3), displacement: [None, Some(-0.5), None] },
        ],
        when_underdetermined: WhenUnderdetermined::LeastMotion,
        proxies: shapes
            .map(|shape| Proxy {
                id: ProxyId { hand: 1, finger: 4, segment: 2 },
                shape,
                orientation: UnitQuaternion::from_euler_angles(0.1, -0.7, 0.3),
                velocity: Vector3::x(),
                angular_velocity: Vector3::new(0.0, 2.0, 0.0),
            })
            .to_vec(),
        surroundings: Surroundings::on_table(),
        wants_fields: true,
        wants_state: true,
        is_between: false,
        wants_contact_models: true,
    }
}

fn snapshot() -> Snapshot {
    Snapshot {
        sample: SampleId(6),
        origin: Some(1.2),
        n_substeps: 1234,
        touched: 1.21,
        proxies: touch().proxies,
        is_moving: true,
        matter: State {
            family: "thread".to_owned(),
            version: 2,
            reals: vec![0.1, -0.0, f64::MIN_POSITIVE],
            integers: vec![u64::MAX, 3],
        },
    }
}

fn frame(outcome: Outcome) -> SurfaceFrame {
    SurfaceFrame {
        sample: SampleId(7),
        topology: Arc::new(Topology {
            version: 3,
            grip: Grip::Nodes,
            nodes: vec![NodeId(0), NodeId(2), NodeId(5)],
            rest_positions: vec![[0.0; 3], [1.0, 1.0, 0.0], [2.0, 2.0, 0.0]],
            triangles: vec![[0, 1, 2]],
            fields: vec![FieldKind::VON_MISES],
        }),
        pose: Isometry3::new(Vector3::new(0.0, 0.3, -0.1), Vector3::new(0.2, 0.0, -0.4)),
        positions: Arc::new(vec![[0.0, 0.1, 0.2], [1.0, 1.1, -0.0], [2.0, 2.1, f32::MIN_POSITIVE]]),
        displacements: None,
        fields: vec![FieldValues::from_zero(vec![0.0, 1234.5, f32::MAX], 1.0)],
        reactions: vec![(NodeId(5), [0.5, -0.25, 3.0])],
        contact_forces: vec![(ProxyId { hand: 0, finger: 2, segment: 3 }, [0.0, 0.5, -1.5])],
        contact_models: vec![ContactModel {
            proxy: ProxyId { hand: 0, finger: 2, segment: 3 },
            place: [0.01, -0.0, f32::MIN_POSITIVE],
            force: [0.0, -0.5, 1.5],
            normal: [0.0, 0.0, 1.0],
            stiffness: [300.0, 200.0, 900.0, -20.0, 30.0, 0.1],
            friction: 0.6,
            radius: 4e-3,
            slip_speed: 0.02,
        }],
        report: StepReport { outcome, iterations: 1, residual: 1e-17, is_moving: true },
        history: FrameHistory {
            restored: Some(Arc::new(Snapshot { sample: SampleId(4), ..snapshot() })),
            overtaken: vec![SampleId(5), SampleId(6)],
            n_shortened: 2,
            snapshot: Some(Arc::new(snapshot())),
        },
    }
}

#[test]
fn objects_and_touches_come_back_the_same() {
    let sent = v1::Object::from(&object()).encode_to_vec();
    let received = v1::Object::decode(&sent[..]).unwrap();
    assert_eq!(ObjectSpec::try_from(received).unwrap(), object());

    let sent = v1::Touch::from(&touch()).encode_to_vec();
    let received = v1::Touch::decode(&sent[..]).unwrap();
    assert_eq!(Touch::try_from(received).unwrap(), touch());
}

#[test]
fn frames_of_every_outcome_come_back_the_same() {
    let outcomes = [
        Outcome::AtRest,
        Outcome::Solved,
        Outcome::Underdetermined("free to turn".to_owned()),
        Outcome::Refused("no such node".to_owned()),
        Outcome::Frozen,
    ];
    for outcome in outcomes {
        let sent = frame(outcome);
        let mut assembler = FrameAssembler::default();
        assembler.take_topology((&*sent.topology).into()).unwrap();
        assert_eq!(assembler.frame((&sent).into()).unwrap(), sent);
        // A snapshot that is also the restored state is sent once and received twice.
        let arc = Arc::new(snapshot());
        let [restored, snapshot] = [&arc, &arc].map(|arc| Some(Arc::clone(arc)));
        let history = FrameHistory { restored, snapshot, ..FrameHistory::default() };
        let restored = SurfaceFrame { history, ..sent.clone() };
        let wire = v1::SurfaceFrame::from(&restored);
        assert!(wire.course.as_ref().is_some_and(|course| course.snapshot.is_none()));
        assert_eq!(assembler.frame(wire).unwrap(), restored);
        let without = SurfaceFrame { fields: Vec::new(), history: FrameHistory::default(), ..sent };
        assert_eq!(assembler.frame((&without).into()).unwrap(), without);
    }
}

#[test]
fn displacements_of_all_nodes_come_instead_of_the_surface() {
    let mut assembler = FrameAssembler::default();
    let plain = frame(Outcome::Solved);
    assembler.take_topology((&*plain.topology).into()).unwrap();
    let exact = || (0..6).map(|i| [0.1 * f64::from(i), -0.0, 1e-3 / 3.0]).collect();
    for (content, n_bytes) in
        [(FrameContent::DisplacementsF64, 144), (FrameContent::DisplacementsF32, 72)]
    {
        let sent = plain.clone().with_displacements(content.displacements(exact).unwrap());
        let wire = v1::SurfaceFrame::from(&sent);
        let n_sent = wire.displacements.len() + wire.displacements_f32.len();
        assert_eq!((wire.positions.len(), n_sent), (0, n_bytes));
        assert_eq!(assembler.frame(wire.clone()).unwrap(), sent);

        // The surface has a node 5.
        let mut short = wire.clone();
        short.displacements.truncate(5 * 24);
        short.displacements_f32.truncate(5 * 12);
        let error = assembler.frame(short).unwrap_err();
        assert_eq!(error.to_string(), "the topology names 5, expected less than 5");
        let mut odd = wire.clone();
        odd.displacements.truncate(143);
        odd.displacements_f32.truncate(71);
        let error = assembler.frame(odd).unwrap_err().to_string();
        assert!(error.starts_with("displacements") && error.contains("multiple of"), "{error}");
        let not_finite = |bytes: &bytes::Bytes| bytes.iter().map(|_| 0xff).collect();
        let (displacements, displacements_f32) =
            (not_finite(&wire.displacements), not_finite(&wire.displacements_f32));
        let wild = v1::SurfaceFrame { displacements, displacements_f32, ..wire };
        assert!(assembler.frame(wild).unwrap_err().to_string().contains("not finite"));
    }
}

#[test]
fn a_frame_without_its_topology_is_refused() {
    let sent = v1::SurfaceFrame::from(&frame(Outcome::Solved));
    let error = FrameAssembler::default().frame(sent).unwrap_err();
    assert_eq!(error.to_string(), "the frame is for topology 3, the last one sent is None");
}

#[test]
fn a_question_and_its_answer_come_back_the_same() {
    let ObjectSpec::Solid(spec) = object();
    let Touch { known, when_underdetermined, .. } = touch();
    let question = SolveQuestion {
        spec,
        known,
        when_underdetermined,
        algorithm: Algorithm::Invert,
        wants_stresses: true,
    };
    let sent = v1::SolveRequest::from(&question).encode_to_vec();
    let got = SolveQuestion::try_from(v1::SolveRequest::decode(&sent[..]).unwrap()).unwrap();
    assert_eq!(got, question);

    let answer = SolveAnswer {
        solution: Solution {
            displacements: vec![Vector3::new(0.1, -0.0, 1e-300)],
            reactions: vec![Reaction { node: NodeId(5), force: Vector3::new(1.0, 2.0, 3.0) }],
            strain_energy: 0.25,
            residual: 1e-15,
            stresses: vec![[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]],
        },
        stages: vec![("ordering".to_owned(), Duration::from_millis(3))],
        threads: 2,
    };
    let sent = v1::Answer::from(&answer).encode_to_vec();
    let got = SolveAnswer::try_from(v1::Answer::decode(&sent[..]).unwrap()).unwrap();
    assert_eq!(format!("{got:?}"), format!("{answer:?}"));
}

#[test]
fn arrays_that_do_not_fit_are_refused_by_name() {
    let mut wrong = v1::Touch::from(&touch());
    let known = wrong.known.as_mut().unwrap();
    known.displacements = known.displacements.slice(..16);
    let error = Touch::try_from(wrong).unwrap_err();
    assert_eq!(error.to_string(), "known displacements has 16 bytes, expected a multiple of 24");

    let mut wrong = v1::Touch::from(&touch());
    wrong.world_from_object = wrong.world_from_object.slice(..48);
    let error = Touch::try_from(wrong).unwrap_err();
    assert_eq!(error.to_string(), "world_from_object has 48 bytes, expected a multiple of 56");

    let mut wrong = v1::Touch::from(&touch());
    wrong.proxies[0].shape = Some(v1::proxy::Shape::Sphere(v1::Sphere {
        centre: wrong.proxies[0].velocity.clone(),
        radius: -0.007,
    }));
    let error = Touch::try_from(wrong).unwrap_err();
    assert_eq!(error.to_string(), "radius is -0.007, expected a positive number");

    let mut wrong = v1::Touch::from(&touch());
    wrong.known.as_mut().unwrap().axes = Default::default();
    let error = Touch::try_from(wrong).unwrap_err();
    assert_eq!(error.to_string(), "known axes has 0 bytes, expected 2");

    let mut wrong = v1::Touch::from(&touch());
    wrong.known.as_mut().unwrap().nodes = Default::default();
    let error = Touch::try_from(wrong).unwrap_err();
    assert_eq!(error.to_string(), "known displacements has 48 bytes, expected 0");
}

#[test]
fn fields_of_other_points_are_refused() {
    let sent = frame(Outcome::Solved);
    let mut assembler = FrameAssembler::default();
    assembler.take_topology((&*sent.topology).into()).unwrap();
    let check = |stresses: &[f32], expected: &str| {
        let bytes: Vec<u8> = stresses.iter().flat_map(|s| s.to_le_bytes()).collect();
        let field = v1::FieldValues { values: bytes.into(), low: 0.0, high: 1.0 };
        let wrong = v1::SurfaceFrame { fields: vec![field], ..(&sent).into() };
        assert_eq!(assembler.frame(wrong).unwrap_err().to_string(), expected);
    };
    check(&[1.0, 2.0], "values has 8 bytes, expected 12");
    check(&[1.0, 2.0, f32::NAN], "values contains a number that is not finite");
    let twice = vec![v1::FieldValues::default(); 2];
    let wrong = v1::SurfaceFrame { fields: twice, ..(&sent).into() };
    let error = assembler.frame(wrong).unwrap_err();
    assert_eq!(error.to_string(), "fields names 2, expected less than 2");
}

#[test]
fn snapshots_come_back_the_same_and_damaged_ones_are_refused() {
    let sent = v1::Snapshot::from(&snapshot());
    assert_eq!(Snapshot::try_from(sent.clone()).unwrap(), snapshot());
    let check = |wrong: v1::Snapshot, expected: &str| {
        assert_eq!(Snapshot::try_from(wrong).unwrap_err().to_string(), expected);
    };
    let without = v1::Snapshot { matter: None, ..sent.clone() };
    check(without, "the message lacks the state of the matter");
    let matter = v1::State { reals: vec![0; 9].into(), ..v1::State::default() };
    let odd = v1::Snapshot { matter: Some(matter), ..sent.clone() };
    check(odd, "reals has 9 bytes, expected a multiple of 8");
    let late = v1::Snapshot { origin: Some(f64::INFINITY), ..sent };
    check(late, "time contains a number that is not finite");
}

#[test]
fn what_surrounds_an_object_may_be_left_out_and_must_make_sense() {
    let plain = v1::Touch { surroundings: None, ..(&touch()).into() };
    assert_eq!(Touch::try_from(plain).unwrap().surroundings, Surroundings::default());
    let table = |numbers: &[f64]| {
        let table = numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>().into();
        let surroundings = v1::Surroundings { table, ..Default::default() };
        Touch::try_from(v1::Touch { surroundings: Some(surroundings), ..(&touch()).into() })
    };
    assert!(table(&[0.0, 1.0, 0.0, 0.5]).is_ok());
    let said = |numbers: &[f64]| table(numbers).unwrap_err().to_string();
    assert_eq!(said(&[0.0, 2.0, 0.0, 0.5]), "table is not a unit vector");
    assert_eq!(said(&[0.0; 8]), "table has 64 bytes, expected 0 or 32");
}

#[test]
fn density_comes_back_and_is_that_of_water_if_it_is_left_out() {
    let material = object().material().with_density(1300.0).unwrap();
    let heavy = object().with_material(material);
    let mut sent = v1::Object::from(&heavy);
    assert_eq!(ObjectSpec::try_from(sent.clone()).unwrap(), heavy);
    let Some(v1::object::Family::Solid(solid)) = &mut sent.family else { panic!("it is a solid") };
    solid.density = None;
    assert_eq!(ObjectSpec::try_from(sent).unwrap().material().density(), 1000.0);
}

proptest! {
    #[test]
    fn arbitrary_bytes_give_messages_or_errors(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        if let Ok(object) = v1::Object::decode(&bytes[..]) {
            let _ = ObjectSpec::try_from(object);
        }
        if let Ok(touch) = v1::Touch::decode(&bytes[..]) {
            let _ = Touch::try_from(touch);
        }
        if let Ok(snapshot) = v1::Snapshot::decode(&bytes[..]) {
            let _ = Snapshot::try_from(snapshot);
        }
        if let Ok(request) = v1::SolveRequest::decode(&bytes[..]) {
            let _ = SolveQuestion::try_from(request);
        }
        if let Ok(reply) = v1::Answer::decode(&bytes[..]) {
            let _ = SolveAnswer::try_from(reply);
        }
        if let Ok(topology) = v1::Topology::decode(&bytes[..]) {
            let _ = FrameAssembler::default().take_topology(topology);
        }
    }

    #[test]
    fn a_damaged_message_gives_a_message_or_an_error(at in 0usize..400, value in any::<u8>()) {
        let mut bytes = v1::Object::from(&object()).encode_to_vec();
        let at = at % bytes.len();
        bytes[at] = value;
        if let Ok(object) = v1::Object::decode(&bytes[..]) {
            let _ = ObjectSpec::try_from(object);
        }
        let sent = frame(Outcome::Solved);
        let mut assembler = FrameAssembler::default();
        assembler.take_topology((&*sent.topology).into()).unwrap();
        let mut bytes = v1::SurfaceFrame::from(&sent).encode_to_vec();
        let at = at % bytes.len();
        bytes[at] = value;
        if let Ok(frame) = v1::SurfaceFrame::decode(&bytes[..]) {
            let _ = assembler.frame(frame);
        }
    }
}

#[test]
fn an_outcome_of_a_newer_server_is_a_refusal_and_the_session_goes_on() {
    let sent = frame(Outcome::Solved);
    let mut assembler = FrameAssembler::default();
    assembler.take_topology((&*sent.topology).into()).unwrap();
    let outcome = |outcome: i32, detail: &str| {
        let mut wire = v1::SurfaceFrame::from(&sent);
        let report = v1::StepReport { outcome, detail: detail.to_owned(), ..Default::default() };
        wire.report = Some(report);
        assembler.frame(wire).map(|frame| frame.report.outcome)
    };
    let refused = |text: &str| Ok(Outcome::Refused(text.to_owned()));
    let newer = "the solver is of a newer version and reports outcome 77";
    assert_eq!(outcome(77, "it melted"), refused(&format!("{newer}: it melted")));
    assert_eq!(outcome(77, ""), refused(newer));
    assert_eq!(outcome(0, "").unwrap_err().to_string(), "the message lacks the outcome");
}

#[test]
fn contact_models_that_no_contact_has_are_refused() {
    let sent = frame(Outcome::Solved);
    let mut assembler = FrameAssembler::default();
    assembler.take_topology((&*sent.topology).into()).unwrap();
    let wire = v1::SurfaceFrame::from(&sent);
    let check = |spoil: &dyn Fn(&mut v1::ContactModel), expected: &str| {
        let mut wrong = wire.clone();
        spoil(&mut wrong.contact_models[0]);
        let error = assembler.frame(wrong).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    let numbers = |numbers: &[f32]| numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    check(&|model| model.proxy = 7, "a proxy has the number");
    check(&|model| model.place = numbers(&[0.0; 6]), "place has 24 bytes, expected 12");
    check(&|model| model.stiffness = numbers(&[1.0; 3]), "stiffness has 12 bytes");
    check(&|model| model.stiffness = numbers(&[-9.0; 6]), "numbers that no contact has");
    check(&|model| model.normal = numbers(&[0.5; 3]), "numbers that no contact has");
    check(&|model| model.force = numbers(&[f32::NAN; 3]), "numbers that no contact has");
    check(&|model| model.slip_speed = f32::NEG_INFINITY, "numbers that no contact has");
    let mut many = wire.clone();
    many.contact_models = vec![wire.contact_models[0].clone(); 41];
    let error = assembler.frame(many).unwrap_err();
    assert_eq!(error.to_string(), "contact_models names 41, expected less than 41");
}
