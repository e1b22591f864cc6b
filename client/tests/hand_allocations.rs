//! Memory allocations of a sample of a hand on its path from glove and tracker to the solver. This
//! is a test binary of its own because it counts allocations.

#![allow(clippy::unwrap_used, reason = "a test that cannot build its input has failed")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use allocation_counter::measure;
use calibration::{GloveData, Profile, SensorMap};
use drivers::{Sensor, SensorCounts, Side};
use emulators::Motion;
use engine::{Bell, MemoryBudget, ServerUrl, SolverLink, SolverLocation, SolverResources};
use interaction::grasp::{GraspRules, GraspState};
use interaction::profiles::Profiles;
use interaction::shape_history::ShapeId;
use interaction::tabletop::{HandEffects, Tabletop};
use interaction::thing::ThingParts;
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};
use physics::material::IsotropicElastic;
use physics::{ObjectSpec, SampleId, SolidSpec, SurfaceFrame};

/// Samples of glove and tracker at a moment of the demonstration.
fn sample_at(seconds: f64) -> (GloveData, Isometry3<f64>) {
    let state = Motion::grasp_and_squeeze().state_at(seconds);
    let count = |sensor: Sensor| {
        let map = SensorMap::default_for(sensor);
        let count = map.offset + state.angles_deg[sensor.bit()].to_radians() / map.gain;
        count.round().clamp(1.0, 255.0) as u8
    };
    let mut slots = Sensor::ALL.map(count);
    slots[Sensor::IndexAbduction.bit()] = 0;
    slots[Sensor::Spare.bit()] = 0;
    let [w, i, j, k] = state.receiver_quaternion;
    let source_from_sensor = Isometry3::from_parts(
        Translation3::from(Vector3::from(state.receiver_position_cm) * 0.01),
        UnitQuaternion::from_quaternion(Quaternion::new(w, i, j, k)),
    );
    (GloveData::Counts(SensorCounts::from_slots(slots)), source_from_sensor)
}

/// Waits for the newest frame.
fn frame(link: &mut dyn SolverLink, bell: &Bell) -> Arc<SurfaceFrame> {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(frame) = link.latest() {
            return frame;
        }
        assert!(Instant::now() < deadline, "no frame comes: {:?}", link.state());
        bell.wait_for(Duration::from_millis(20));
    }
}

/// A hand that squeezes its own cube.
struct Worker {
    side: Side,
    /// Place of the cube.
    place: Vector3<f64>,
    link: Box<dyn SolverLink>,
}

fn cube() -> Arc<ObjectSpec> {
    let mesh = objects::generate::cube(0.06, 5).unwrap();
    let material = IsotropicElastic::new(1e4, 0.4).unwrap();
    Arc::new(ObjectSpec::from(SolidSpec::new(mesh, material, Vec::new()).unwrap()))
}

/// A table with a cube at each place. Both hands are right ones, so that one demonstration is
/// enough for both.
fn table(places: &[Vector3<f64>], rules: &[&str]) -> (Profile, Tabletop) {
    let thing = |place: &Vector3<f64>| ThingParts {
        name: "cube".to_owned(),
        spec: cube(),
        home: Isometry3::from(Translation3::from(place + Vector3::y() * 0.03)),
        colours: None,
    };
    let profile = Profile::uncalibrated(Side::Right);
    let profiles = Profiles { left: profile.clone(), right: profile.clone() };
    let things = places.iter().map(thing).collect();
    (profile, Tabletop::new(things, GraspRules::with(rules).unwrap(), profiles))
}

/// Tracker sample of a hand that is moved by `place`.
fn carried(profile: &Profile, place: &Vector3<f64>, by: &Isometry3<f64>) -> Isometry3<f64> {
    let world_from_source = profile.tracker().world_from_source;
    world_from_source.inverse() * Translation3::from(*place) * world_from_source * by
}

fn check(rules: &[&str], hands: &[(Side, Vector3<f64>)]) {
    let places: Vec<_> = hands.iter().map(|(_, place)| *place).collect();
    let (profile, mut tabletop) = table(&places, rules);
    let bell = Arc::new(Bell::default());
    let solvers =
        SolverLocation::Embedded(SolverResources::new(Some(1), MemoryBudget::default()).unwrap());
    let worker = |&(side, place): &(Side, Vector3<f64>)| Worker {
        side,
        place,
        link: solvers.link(&cube(), Arc::clone(&bell)).unwrap(),
    };
    let mut workers: Vec<Worker> = hands.iter().map(worker).collect();
    let shape = ShapeId::default();
    for (thing, worker) in workers.iter_mut().enumerate() {
        tabletop.take_frame(thing, shape, frame(&mut *worker.link, &bell));
    }
    let mut effects = HandEffects::default();
    let mut states = vec![GraspState::Approach; workers.len()];
    let (mut n_approaching, mut n_deforming) = (0, 0);
    // The hands take turns, like samples of their devices.
    let turns = (1..=2700_u32).flat_map(|step| (0..hands.len()).map(move |hand| (step, hand)));
    for (turn, (step, hand)) in turns.enumerate() {
        let (time, id) = (0.01 * f64::from(step), SampleId(turn as u64 + 1));
        let (glove, source_from_sensor) = sample_at(time);
        let (side, place) = (workers[hand].side, workers[hand].place);
        let source_from_sensor = carried(&profile, &place, &source_from_sensor);
        let mut are_asked = [false; 2];
        let taken = measure(|| {
            let pose = profile.hand_pose(&glove, &source_from_sensor);
            tabletop.take_hand(side, &pose, id, time, &mut effects);
            while let Some((thing, touch)) = effects.touches.pop() {
                are_asked[thing] = true;
                if let Some(done) = workers[thing].link.submit(touch) {
                    effects.reuse(done);
                }
            }
        });
        let mut n_shown = 0;
        for (thing, worker) in workers.iter_mut().enumerate() {
            let answer = are_asked[thing].then(|| frame(&mut *worker.link, &bell));
            let shown = measure(|| {
                if let Some(frame) = answer {
                    tabletop.take_frame(thing, shape, frame);
                }
            });
            n_shown += shown.count_total;
        }
        if let Some(event) = effects.events.last() {
            // A change of state has a reason in words, which needs memory.
            states[event.thing] = event.transition.to;
            continue;
        }
        // The first grasp is a warm-up.
        if step > 900 {
            let state = states[hand];
            let when = format!("{rules:?}, {side:?}, {}, sample {step}", state.name());
            assert_eq!(taken.count_total, 0, "{when}: {taken:?}");
            assert_eq!(n_shown, 0, "{when}");
            n_approaching += usize::from(state == GraspState::Approach);
            n_deforming += usize::from(state == GraspState::Deforming);
        }
    }
    let n_enough = 300 * hands.len();
    assert!(n_approaching > n_enough && n_deforming > n_enough, "{n_approaching}, {n_deforming}");
}

#[test]
fn a_sample_allocates_nothing_between_the_devices_and_the_solver() {
    let alone = [(Side::Right, Vector3::zeros())];
    check(&[], &alone);
    check(&["patch=disc", "palm=stop"], &alone);
}

#[test]
fn nor_do_two_hands_with_a_thing_each() {
    let beside = Vector3::new(-0.25, 0.0, 0.1);
    check(&[], &[(Side::Right, Vector3::zeros()), (Side::Left, beside)]);
}

/// The path to a server begins with the same mailbox, with or without a server.
#[test]
fn nor_does_a_touch_on_its_way_to_a_server() {
    let absent = "http://127.0.0.1:9".parse::<ServerUrl>().unwrap();
    let solvers = SolverLocation::Remote(absent);
    let mut link = solvers.link(&cube(), Arc::new(Bell::default())).unwrap();
    let (profile, mut tabletop) = table(&[Vector3::zeros()], &[]);
    let here =
        SolverLocation::Embedded(SolverResources::new(Some(1), MemoryBudget::default()).unwrap());
    let bell = Arc::new(Bell::default());
    let mut at_rest = here.link(&cube(), Arc::clone(&bell)).unwrap();
    tabletop.take_frame(0, ShapeId::default(), frame(&mut *at_rest, &bell));
    let (mut effects, mut n_counted) = (HandEffects::default(), 0);
    for step in 1..=400_u32 {
        let (glove, source_from_sensor) = sample_at(0.01 * f64::from(step));
        let pose = profile.hand_pose(&glove, &source_from_sensor);
        let (id, time) = (SampleId(step.into()), 0.01 * f64::from(step));
        tabletop.take_hand(Side::Right, &pose, id, time, &mut effects);
        while let Some((_, touch)) = effects.touches.pop() {
            let submitted = measure(|| {
                if let Some(done) = link.submit(touch) {
                    effects.reuse(done);
                }
            });
            if step > 10 {
                assert_eq!(submitted.count_total, 0, "sample {step}: {submitted:?}");
                n_counted += 1;
            }
        }
    }
    assert_eq!(n_counted, 390);
}
