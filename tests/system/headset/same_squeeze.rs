//! A squeeze by a hand that the headset sees, and the same squeeze by a glove: the thing must not
//! know the difference.
//!
//! The runtime's hand closes round the cube. The angles that the program made of its joints, and
//! where its wrist was, are then put on an emulated person who wears an emulated glove and
//! receiver, and come back over two serial lines. The cube's shape is the same, except for these
//! losses:
//!
//! - a glove counts: each joint is off by up to half a count, and a fingertip by the sum of that
//!   over its joints, each times how far the tip is from it at most;
//! - displacements count from where a fingertip was when it began to deform, and the headset looks
//!   twenty times in a second, the glove a hundred times: that beginning is off by up to what the
//!   fingertip does from one look of each to the next.
//!
//! Both are computed from what was traced; together they bound how far any node may be from where
//! it is in the other run, since no node of an elastic body moves farther than those that are held.

use std::path::Path;
use std::time::Instant;

use calibration::{
    About, Device, GloveModel, HandSize, Profile, ProfileStore, SavedProfile, SensorMap,
    TrackerTransforms,
};
use drivers::{Sensor, SensorMask, Side};
use emulators::{
    GloveEmulator, GloveOptions, HandState, Keyframe, Puppet, Response, ScriptClock,
    TrackerEmulator, TrackerOptions,
};
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion};

use super::monado::{Monado, View};
use super::perform;
use crate::program::{Program, SMALL_PICTURES, squeeze};
use crate::run_trace::{Hand, RunTrace, Size};

/// A wrist from which all five fingers of Monado's hand reach the cube at about the same curl.
const ALL_ROUND: ([f32; 3], [f32; 4]) =
    ([0.0344, 0.1017, -0.0691], [-0.6380, 0.3931, -0.0566, 0.6597]);

/// Closing of the fingers at a moment of the performance, in seconds: soon near the cube, slowly
/// into it, open.
fn curl(seconds: f32) -> f32 {
    const FAST: f32 = 0.4;
    const SLOW: f32 = 0.02;
    const NEAR: f32 = 0.4;
    const MOST: f32 = 0.52;
    let (near, deep) = (NEAR / FAST, NEAR / FAST + (MOST - NEAR) / SLOW);
    match seconds - 2.0 {
        before if before < 0.0 => 0.0,
        fast if fast < near => fast * FAST,
        slow if slow < deep + 1.0 => (NEAR + (slow - near) * SLOW).min(MOST),
        opening => (MOST - (opening - deep - 1.0) * FAST).max(0.0),
    }
}

/// Lets the headset's hand squeeze the cube.
fn by_sight(monado: &Monado, trace: &Path) -> RunTrace {
    let view = |seconds| View { curl: Some(curl(seconds)), wrist: ALL_ROUND, ..View::default() };
    perform(monado, view, || {
        let mut palpate = monado.palpate();
        palpate.args(["squeeze", "--vr", "--hand", "openxr", "--headless", "--seconds", "100"]);
        palpate.args(SMALL_PICTURES);
        palpate.arg("--pictures").arg(trace.with_extension("pictures"));
        let (status, said) = Program::start("palpate", palpate.arg("--trace").arg(trace)).wait();
        assert!(status.success(), "{said}");
    });
    RunTrace::read(trace)
}

/// A glove whose counts are as fine as the motion allows, and the profile of a hand of this size in
/// it.
fn glove(hands: &[Hand], size: &Size) -> (GloveOptions, Profile) {
    /// No profile may be of a finer glove.
    const FINEST: f64 = 0.3;
    let mut options = GloveOptions::default();
    let mut model = GloveModel::uncalibrated();
    for sensor in Sensor::ALL {
        let angles = || hands.iter().map(|hand| hand.angles[sensor.bit()].to_degrees());
        let (least, most) =
            (angles().fold(f64::INFINITY, f64::min), angles().fold(f64::NEG_INFINITY, f64::max));
        let degrees_per_count = ((most - least) / 200.0).max(FINEST);
        let zero_count = (128.0 - (least + most) / 2.0 / degrees_per_count).round();
        options.responses[sensor.bit()] = Response { degrees_per_count, zero_count };
        model.sensor_mut(sensor).map =
            SensorMap { gain: degrees_per_count.to_radians(), offset: zero_count };
    }
    let Size { length, breadth, segments, radii } = *size;
    let profile = Profile::uncalibrated(Side::Right).with_glove(model).with_size(HandSize {
        length,
        breadth,
        segments,
        radii,
    });
    (options, profile)
}

/// The emulated person's hand where the seen one was.
fn keyframe(hand: &Hand, tracker: &TrackerTransforms) -> Keyframe {
    /// Until the devices send and the cube is there.
    const BEFORE: f64 = 3.0;
    let [x, y, z, i, j, k, w] = hand.world_from_wrist;
    let turn = UnitQuaternion::from_quaternion(Quaternion::new(w, i, j, k));
    let world_from_wrist = Isometry3::from_parts(Translation3::new(x, y, z), turn);
    let source_from_sensor = tracker.world_from_source.inverse()
        * world_from_wrist
        * tracker.sensor_from_wrist.inverse();
    let q = source_from_sensor.rotation;
    let state = HandState {
        angles_deg: hand.angles.map(f64::to_degrees),
        receiver_position_cm: (source_from_sensor.translation.vector * 100.0).into(),
        receiver_quaternion: [q.w, q.i, q.j, q.k],
    };
    Keyframe { seconds: BEFORE + hand.time, state, name: "seen".into() }
}

/// Lets a gloved hand do what the seen one did.
fn by_glove(options: GloveOptions, profile: &Profile, hands: &[Hand], trace: &Path) -> RunTrace {
    let device = Device { kind: "emulated".into(), mask: SensorMask::GLOVE_22, firmware: None };
    let about = About { person: "wearer".into(), date: "today".into(), device };
    let quality = [None; Sensor::ALL.len()];
    let profiles = trace.with_extension("profiles");
    let store = ProfileStore::new(&profiles);
    store.make_folder().unwrap();
    store.save(&SavedProfile { about, profile: profile.clone(), quality }).unwrap();

    let way: Vec<Keyframe> = hands.iter().map(|hand| keyframe(hand, profile.tracker())).collect();
    let puppet = Puppet::new(way[0].state);
    puppet.lead(way);
    let clock = ScriptClock::since(Instant::now());
    let glove = GloveEmulator::start(options, puppet.motion(), clock).unwrap();
    let tracker =
        TrackerEmulator::start(TrackerOptions::default(), puppet.motion(), clock).unwrap();
    let mut palpate = squeeze(&glove, &tracker);
    palpate.args(["--headless", "--seconds", "100"]).args(SMALL_PICTURES);
    palpate.args(["--profile", "wearer", "--profiles"]);
    palpate.arg(&profiles).arg("--pictures").arg(trace.with_extension("pictures"));
    let (status, said) = Program::start("palpate", palpate.arg("--trace").arg(trace)).wait();
    assert!(status.success(), "{said}");
    RunTrace::read(trace)
}

/// How far a held node may be from where it is in the other run, in metres.
fn tolerance([seen, gloved]: [&RunTrace; 2], options: &GloveOptions, profile: &Profile) -> f64 {
    let size = profile.size();
    let rounding = |sensor: Sensor| options.responses[sensor.bit()].degrees_per_count / 2.0;
    // Of the middle finger, the longest one; how far the tip is from a joint.
    let [proximal, middle, distal] = size.segments[2].map(|length| length.unwrap());
    let joints = [
        (Sensor::MiddleMpj, proximal + middle + distal),
        (Sensor::RingMiddleAbduction, proximal + middle + distal),
        (Sensor::MiddlePij, middle + distal),
        (Sensor::MiddleDij, distal),
    ];
    let off = joints.into_iter().map(|(sensor, reach)| rounding(sensor).to_radians() * reach);
    // Twice: now, and when it began.
    let by_counts = 2.0 * off.sum::<f64>();
    by_counts + by_looks(seen) + by_looks(gloved)
}

/// How far a fingertip goes from the last look before the thing is deformed to the first after it.
fn by_looks(trace: &RunTrace) -> f64 {
    let mut samples: Vec<_> = trace.samples.values().collect();
    samples.sort_by_key(|sample| sample.sample);
    let beginning = samples.iter().position(|sample| sample.state == "deforming").unwrap();
    let steps = samples[beginning - 1].tips.iter().zip(&samples[beginning].tips);
    steps.map(|(before, after)| (after.0 - before.0).norm()).fold(0.0, f64::max)
}

/// Runs that cannot be compared are repeated up to this number of times. A fingertip holds the node
/// that is nearest when it touches: between two nodes it may take one by sight and the other by
/// glove. On a busy machine both devices are read late, and a finger may be missing or the
/// tolerance larger than the squeeze.
const TRIES: usize = 5;

#[test]
fn a_seen_hand_squeezes_as_the_same_hand_in_a_glove_does() {
    let Some(monado) = Monado::without_service() else { return };
    let monado = monado.with_hands();
    let held = |trace: &RunTrace| {
        let known = &trace.samples[&trace.deepest().sample].known;
        known.iter().map(|known| known.node).collect::<Vec<_>>()
    };
    let mut reasons = Vec::new();
    for _ in 0..TRIES {
        let folder = tempfile::tempdir().unwrap();
        let seen = by_sight(&monado, &folder.path().join("seen.jsonl"));
        let size = seen.sizes.last().expect("the headset says how large the hand is");
        let (options, profile) = glove(&seen.hands, size);
        let gloved = by_glove(options, &profile, &seen.hands, &folder.path().join("gloved.jsonl"));
        let tolerance = tolerance([&seen, &gloved], &options, &profile);
        let nodes = [held(&seen), held(&gloved)];
        if nodes[0].len() != 5 || nodes[0] != nodes[1] {
            reasons.push(format!("other nodes are held: {nodes:?}"));
        } else if depth(&seen) <= 2.5 * tolerance {
            // What is compared must be large beside what may be lost.
            reasons.push(format!("{} m deep, tolerance {tolerance} m", depth(&seen)));
        } else {
            return check(&seen, &gloved, tolerance);
        }
    }
    panic!("no two runs can be compared: {reasons:#?}");
}

/// The largest displacement of a held node, in metres.
fn depth(trace: &RunTrace) -> f64 {
    let known = &trace.samples[&trace.deepest().sample].known;
    known.iter().map(|known| known.vector.0.norm()).fold(0.0, f64::max)
}

fn check(seen: &RunTrace, gloved: &RunTrace, tolerance: f64) {
    let [by_sight, by_glove] = [seen, gloved].map(depth);
    assert!((by_sight - by_glove).abs() < tolerance, "{by_sight} m and {by_glove} m deep");
    let apart = seen.deepest().farthest_from(gloved.deepest());
    assert!(apart < tolerance, "{apart} m apart, expected less than {tolerance} m");
}
