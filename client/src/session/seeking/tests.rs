//! Tests of seeks in a recorded squeeze.

use std::sync::Arc;

use calibration::{HandPose, JointAngles, Profile};
use drivers::replay::ReplayClock;
use emulators::Motion;
use engine::{Bell, MemoryBudget, SolverLocation, SolverResources};
use interaction::grasp::{GraspRules, GraspState};
use interaction::tabletop::Order;
use interaction::thing::{NamedMaterial, ThingParts};
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};
use physics::material::IsotropicElastic;
use physics::{ObjectSpec, SolidSpec};

use super::*;
use crate::input::{PosePlayer, RecordedPose};
use crate::session::{ProfilesInUse, Request, SessionParts};

const PER_SECOND: f64 = 100.0;
/// Time in the middle of the squeeze, in seconds.
const SQUEEZED: f64 = 4.4;
/// Time long after the squeeze, in seconds.
const OVER: f64 = 8.6;

fn cube() -> ThingParts {
    let mesh = objects::generate::cube(0.06, 4).unwrap();
    let material = IsotropicElastic::new(1e4, 0.4).unwrap();
    let spec = ObjectSpec::from(SolidSpec::new(mesh, material, Vec::new()).unwrap());
    let home = Isometry3::translation(0.0, 0.03, 0.0);
    ThingParts { name: "cube".to_owned(), spec: Arc::new(spec), home, colours: None }
}

/// The demonstration's hand at this time.
fn demonstrated(seconds: f64) -> HandPose {
    let state = Motion::grasp_and_squeeze().state_at(seconds);
    let [w, i, j, k] = state.receiver_quaternion;
    let source_from_sensor = Isometry3::from_parts(
        Translation3::from(Vector3::from(state.receiver_position_cm) * 0.01),
        UnitQuaternion::from_quaternion(Quaternion::new(w, i, j, k)),
    );
    let tracker = *Profile::uncalibrated(Side::Right).tracker();
    HandPose {
        angles: JointAngles::from_sensors(&state.angles_deg.map(f64::to_radians)),
        world_from_wrist: tracker.world_from_wrist(&source_from_sensor),
    }
}

/// The largest distance between points of two shapes.
fn farthest(a: &[[f32; 3]], b: &[[f32; 3]]) -> f64 {
    let distance = |(a, b): (&[f32; 3], &[f32; 3])| {
        (0..3).map(|i| f64::from(a[i] - b[i]).powi(2)).sum::<f64>().sqrt()
    };
    a.iter().zip(b).map(distance).fold(0.0, f64::max)
}

fn poses() -> Vec<RecordedPose> {
    let pose = |n: u32| {
        let seconds = f64::from(n) / PER_SECOND;
        let pose = Some(demonstrated(seconds));
        RecordedPose { at: Duration::from_secs_f64(seconds), side: Side::Right, pose, size: None }
    };
    (0..(OVER * PER_SECOND) as u32).map(pose).collect()
}

/// The hands of the recording, paused at this time, and their history until then.
fn paused_at(seconds: f64) -> (HandSource, HandHistory) {
    let until = Duration::from_secs_f64(seconds);
    let clock = ReplayClock::new(1.0).unwrap().beginning_at(until);
    clock.pause();
    let history = HandHistory::of_poses(&poses(), until);
    (HandSource::Recorded(PosePlayer::new(poses(), clock)), history)
}

fn session(rules: &[&str]) -> Session {
    let mut session = unprepared(rules);
    turn_until(&mut session, |session| session.tabletop.things()[0].surface.is_some());
    session
}

fn unprepared(rules: &[&str]) -> Session {
    Session::new(SessionParts {
        hands: paused_at(0.0).0,
        profiles_in_use: ProfilesInUse::anonymous(),
        rules: GraspRules::with(rules).unwrap(),
        things: vec![cube()],
        states: Vec::new(),
        solvers: SolverLocation::Embedded(
            SolverResources::new(Some(1), MemoryBudget::default()).unwrap(),
        ),
        bell: Arc::new(Bell::default()),
        trace: None,
        headset: None,
        profile_store: None,
        notes: None,
        emulated: Vec::new(),
    })
    .unwrap()
}

fn turn_until(session: &mut Session, is_so: impl Fn(&Session) -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !is_so(session) {
        assert!(Instant::now() < deadline, "it never comes");
        session.turn().unwrap();
    }
}

/// Positions of the thing's points after a seek, and the state of its grasp.
fn seek(session: &mut Session, seconds: f64) -> (Vec<[f32; 3]>, GraspState) {
    let (source, history) = paused_at(seconds);
    session.begin_to_seek(source, history).unwrap();
    turn_until(session, |session| session.seeking.is_none());
    let thing = &session.tabletop.things()[0];
    let surface = thing.surface.as_ref().unwrap();
    (surface.frame().positions.to_vec(), thing.grasp.state())
}

#[test]
fn a_place_looks_the_same_whichever_way_one_comes_there() {
    let mut session = session(&[]);
    let rest = seek(&mut session, 0.0);
    assert_eq!(rest.1, GraspState::Approach);
    let squeezed = seek(&mut session, SQUEEZED);
    assert_eq!(squeezed.1, GraspState::Deforming);
    assert!(farthest(&rest.0, &squeezed.0) > 0.005);
    // Forward, back, and to the beginning; the recording stays paused there.
    for (seconds, expected) in [(OVER, &rest), (SQUEEZED, &squeezed), (0.0, &rest)] {
        let now = seek(&mut session, seconds);
        assert_eq!((now.1, farthest(&expected.0, &now.0) < 1e-6), (expected.1, true), "{seconds}");
        for _ in 0..3 {
            session.turn().unwrap();
        }
        assert_eq!(session.tabletop.things()[0].grasp.state(), expected.1);
    }
}

#[test]
fn a_seek_restores_what_recorded_hands_did_and_keeps_what_a_person_chose() {
    let mut session = session(&["release=keeps"]);
    let n_kept = |session: &Session| session.tabletop.things()[0].n_kept();
    let rest = seek(&mut session, 0.0).0;
    let squeezed = seek(&mut session, SQUEEZED).0;
    let left = seek(&mut session, OVER).0;
    assert!(n_kept(&session) == 1 && farthest(&rest, &left) > 0.005, "clay stays as it was left");
    // The thing is as if it had never been pressed.
    assert!(farthest(&squeezed, &seek(&mut session, SQUEEZED).0) < 1e-6 && n_kept(&session) == 0);
    assert!(farthest(&rest, &seek(&mut session, 0.0).0) < 1e-9 && n_kept(&session) == 0);

    let material = IsotropicElastic::new(2e4, 0.4).unwrap();
    let matter = NamedMaterial {
        name: "clay".to_owned(),
        material,
        contact: physics::contact::ContactSettings::default(),
    };
    session.apply_order(&Order::Material(matter)).unwrap();
    turn_until(&mut session, |session| !session.tabletop.is_changing());
    seek(&mut session, SQUEEZED);
    let matter = |session: &Session| *session.tabletop.things()[0].shape().1.material();
    assert_eq!(matter(&session), material);
    // Also for a material that was chosen for the pressed thing.
    seek(&mut session, OVER);
    let softer = IsotropicElastic::new(1.5e4, 0.4).unwrap();
    session
        .apply_order(&Order::Material(NamedMaterial {
            name: "softer".to_owned(),
            material: softer,
            contact: physics::contact::ContactSettings::default(),
        }))
        .unwrap();
    turn_until(&mut session, |session| !session.tabletop.is_changing());
    assert!(farthest(&rest, &seek(&mut session, 0.0).0) < 1e-9 && matter(&session) == softer);
    // Another source begins with the present shape.
    seek(&mut session, OVER);
    let n_before = n_kept(&session);
    session.change_hands(paused_at(0.0).0).unwrap();
    seek(&mut session, 0.0);
    assert_eq!(n_kept(&session), n_before);
}

#[test]
fn a_place_is_found_though_the_thing_is_not_there_yet_and_orders_wait_for_it() {
    let (source, history) = paused_at(SQUEEZED);
    let mut session = unprepared(&[]);
    let (to_session, requests) = std::sync::mpsc::sync_channel(4);
    session.listen(requests);
    to_session
        .send(Request::Seek { source: Box::new(source), history: Box::new(history) })
        .unwrap();
    to_session.send(Request::Order(Order::KeepShape)).unwrap();
    turn_until(&mut session, |session| {
        let thing = &session.tabletop.things()[0];
        session.seeking.is_none() && thing.n_kept() == 1
    });
    let thing = &session.tabletop.things()[0];
    assert_eq!(thing.grasp.state(), GraspState::Deforming);
    assert_eq!(thing.message.as_deref(), Some("this is the rest shape now"));
}

#[test]
fn a_hand_that_was_lost_before_the_place_is_lost_there() {
    let mut session = session(&[]);
    let lost = |seconds: f64| {
        let at = Duration::from_secs_f64(seconds);
        let mut history: Vec<_> = poses().into_iter().filter(|pose| pose.at < at).collect();
        history.push(RecordedPose { at, side: Side::Right, pose: None, size: None });
        history
    };
    let (source, _) = paused_at(OVER);
    let history = HandHistory::of_poses(&lost(SQUEEZED), Duration::from_secs_f64(OVER));
    session.begin_to_seek(source, history).unwrap();
    turn_until(&mut session, |session| session.seeking.is_none());
    let thing = &session.tabletop.things()[0];
    assert!(thing.hand.is_none() && thing.grasp.state() != GraspState::Deforming);
}

#[test]
fn clay_that_another_hand_was_pressing_when_a_recording_began_stays_so() {
    let mut session = session(&["release=keeps"]);
    seek(&mut session, SQUEEZED);
    // As if that hand had been the person's own.
    session.change_hands(paused_at(0.0).0).unwrap();
    turn_until(&mut session, |session| !session.tabletop.is_changing());
    let left = seek(&mut session, 0.0).0;
    assert_eq!(session.tabletop.things()[0].n_kept(), 1);
    seek(&mut session, OVER);
    assert!(farthest(&left, &seek(&mut session, 0.0).0) < 1e-9);
}
