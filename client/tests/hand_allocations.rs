//! How often a sample of a hand asks for memory on its way from glove and tracker to the solver. A test binary of its
//! own: it counts what is allocated.

#![allow(clippy::unwrap_used, reason = "a test that cannot build its input has failed")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use allocation_counter::measure;
use calibration::{GloveData, Profile, SensorMap};
use client::grasp::{GraspRules, GraspState};
use client::session::{HandNews, Profiles, ShapeId, Tabletop, ThingParts};
use drivers::{Hand as Side, Sensor, SensorCounts};
use emulators::Motion;
use engine::{Bell, Budget, SolverLink, Solvers, Workshop};
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};
use physics::material::IsotropicElastic;
use physics::{ObjectSpec, SampleId, SolidSpec, SurfaceFrame};

/// What glove and tracker say at a moment of the demonstration.
fn said(seconds: f64) -> (GloveData, Isometry3<f64>) {
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

/// The newest frame, when it has come.
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

fn check(rules: &[&str]) {
    let mesh = objects::generate::cube(0.06, 5).unwrap();
    let material = IsotropicElastic::new(1e4, 0.4).unwrap();
    let spec = Arc::new(ObjectSpec::Solid(SolidSpec::new(mesh, material, Vec::new()).unwrap()));
    let bell = Arc::new(Bell::default());
    let solvers = Solvers::Embedded(Workshop::new(Some(1), Budget::default()).unwrap());
    let mut link = solvers.link(&spec, Arc::clone(&bell)).unwrap();
    let home = Isometry3::translation(0.0, 0.03, 0.0);
    let thing = ThingParts { name: "cube".to_owned(), spec, home, colours: None };
    let profile = Profile::uncalibrated(Side::Right);
    let profiles = Profiles { left: profile.clone(), right: profile.clone() };
    let mut tabletop = Tabletop::new(vec![thing], GraspRules::with(rules).unwrap(), profiles);
    let shape = ShapeId::default();
    tabletop.take_frame(0, shape, frame(&mut *link, &bell));
    let (mut news, mut state) = (HandNews::default(), GraspState::Approach);
    let (mut n_approaching, mut n_deforming) = (0, 0);
    for sample in 1..=2700_u32 {
        let (time, id) = (0.01 * f64::from(sample), SampleId(sample.into()));
        let (glove, source_from_sensor) = said(time);
        let mut is_asked = false;
        let taken = measure(|| {
            let pose = profile.hand_pose(&glove, &source_from_sensor);
            tabletop.take_hand(Side::Right, &pose, id, time, &mut news);
            while let Some((_, touch)) = news.touches.pop() {
                is_asked = true;
                if let Some(done) = link.submit(touch) {
                    news.reuse(done);
                }
            }
        });
        let answer = is_asked.then(|| frame(&mut *link, &bell));
        let shown = measure(|| {
            if let Some(frame) = answer {
                tabletop.take_frame(0, shape, frame);
            }
        });
        if let Some(event) = news.events.last() {
            // A change of state is told in words, which need memory.
            state = event.transition.to;
            continue;
        }
        // The first grasp is for warming up.
        if sample > 900 {
            let when = format!("{rules:?}, {}, sample {sample}", state.name());
            assert_eq!(taken.count_total, 0, "{when}: {taken:?}");
            assert_eq!(shown.count_total, 0, "{when}: {shown:?}");
            n_approaching += usize::from(state == GraspState::Approach);
            n_deforming += usize::from(state == GraspState::Deforming);
        }
    }
    assert!(n_approaching > 300 && n_deforming > 300, "{n_approaching}, {n_deforming}");
}

#[test]
fn a_sample_allocates_nothing_between_the_devices_and_the_solver() {
    check(&[]);
    check(&["patch=disc", "palm=stop"]);
}
