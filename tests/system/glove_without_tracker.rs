//! A glove without a tracker: the mouse places the hand, the glove bends it; it is recorded,
//! replayed and calibrated.

use std::path::Path;
use std::time::Instant;

use calibration::profile_store::Edition;
use calibration::{GloveModel, PoseId, ProfileStore, TrackerTransforms};
use drivers::{Sensor, Side};
use emulators::{
    Emulator, GloveEmulator, GloveOptions, HandState, Keyframe, Motion, Puppet, ScriptClock,
};

use crate::program::{Program, SMALL_PICTURES, ours};
use crate::run_trace::RunTrace;

fn glove(motion: Motion) -> Emulator {
    let clock = ScriptClock::since(Instant::now());
    GloveEmulator::start(GloveOptions::default(), motion, clock).unwrap()
}

/// Runs `palpate` in a folder to its end; returns whether it succeeded, and its output.
fn palpate(folder: &Path, arguments: &[&str]) -> (bool, String) {
    let mut palpate = ours("palpate");
    let (status, said) =
        Program::start("palpate", palpate.current_dir(folder).args(arguments)).wait();
    (status.success(), said)
}

#[test]
fn a_glove_alone_bends_a_hand_that_is_recorded_and_replayed_to_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let glove = glove(Motion::grasp_and_squeeze());
    // Without a window the hand stays above the cube, and takes nothing.
    let squeeze = ["squeeze", "--headless", "--glove", glove.path(), "--seconds", "4"];
    let kept = ["--record", "run.palpate", "--trace", "run.jsonl", "--pictures", "pictures"];
    let (_, said) = palpate(folder.path(), &[&squeeze[..], &kept, &SMALL_PICTURES].concat());
    assert!(said.contains("moved by mouse and keys, squeezes"), "{said}");
    assert!(said.contains("WARN without a window, no mouse moves the gloved hand"), "{said}");
    let trace = RunTrace::read(&folder.path().join("run.jsonl"));
    assert!(trace.samples.len() > 100, "{} samples: {said}", trace.samples.len());

    let (is_same, said) =
        palpate(folder.path(), &["replay", "run.palpate", "--exact", "--threads", "1"]);
    assert!(is_same && said.contains("from the devices' bytes, to the same bits"), "{said}");
    let (is_there, said) = palpate(folder.path(), &["replay", "run.palpate", "--summary"]);
    assert!(is_there && said.contains("cyberglove") && !said.contains("fastrak"), "{said}");
}

#[test]
fn a_glove_alone_is_recorded_and_its_recording_can_be_played() {
    let folder = tempfile::tempdir().unwrap();
    let glove = glove(Motion::grasp_and_squeeze());
    let record = ["record", "fingers.palpate", "--glove", glove.path(), "--seconds", "2"];
    let (is_whole, said) = palpate(folder.path(), &record);
    assert!(is_whole && said.contains("verdict   good"), "{said}");
    assert!(said.contains("glove: ") && !said.contains("tracker"), "{said}");
    let play =
        ["replay", "fingers.palpate", "--headless", "--speed", "4", "--trace", "again.jsonl"];
    let pictures = [&["--pictures", "pictures"][..], &SMALL_PICTURES].concat();
    let (is_played, said) = palpate(folder.path(), &[&play[..], &pictures].concat());
    assert!(is_played && said.contains("run       replayed"), "{said}");
    assert!(said.contains("moved by mouse and keys"), "{said}");
    let trace = RunTrace::read(&folder.path().join("again.jsonl"));
    assert!(trace.samples.len() > 50, "{} samples: {said}", trace.samples.len());
}

/// The person copies each pose that the program asks for.
#[test]
fn a_glove_alone_is_calibrated_and_the_report_says_what_stays() {
    let folder = tempfile::tempdir().unwrap();
    // In no pose at all before the first.
    let hand = Puppet::new(HandState { angles_deg: [25.0; 24], ..HandState::FLAT });
    let glove = glove(hand.motion());
    let mut calibrate = ours("palpate");
    calibrate.args(["calibrate", "--tui", "--plan", "quick", "--name", "anna"]);
    calibrate.args(["--glove", glove.path(), "--profiles"]).arg(folder.path());
    let palpate = Program::start("palpate", &mut calibrate);
    let poses = [PoseId::Flat, PoseId::ClosedFist, PoseId::Flat, PoseId::ClosedFist];
    for (step, pose) in (1..).zip(poses) {
        palpate.wait_for(&format!("{step}/4  "));
        let angles = pose.pose().angles();
        let angle = |sensor: Sensor| angles.measured_by(sensor).unwrap_or(0.0).to_degrees();
        let state = HandState { angles_deg: Sensor::ALL.map(angle), ..HandState::FLAT };
        hand.lead([Keyframe { seconds: 0.4, state, name: "".into() }]);
    }
    let (status, said) = palpate.wait();
    assert!(status.success(), "{said}");
    assert!(said.contains("without a tracker, the glove's sensors were calibrated"), "{said}");
    assert!(said.contains("stay at their defaults"), "{said}");
    let store = ProfileStore::new(folder.path());
    let profile = store.load("anna", Side::Right, Edition::Newest).unwrap().profile;
    assert_eq!(*profile.tracker(), TrackerTransforms::default());
    assert_ne!(*profile.glove(), GloveModel::uncalibrated());
}

#[test]
fn what_needs_a_tracker_says_how_to_go_on_without() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, expected) in [
        (&["squeeze", "--tracker", "/dev/b"][..], "--tracker needs a --glove"),
        (
            &["squeeze", "--glove", "/dev/a", "--second-glove", "/dev/c"],
            "--second-glove needs a --tracker: without one, only one hand can be moved",
        ),
        (
            &["calibrate", "--glove", "/dev/a", "--tracker-steps", "yes"],
            "--tracker-steps yes needs a --tracker",
        ),
        (
            &["squeeze", "--glove", "/dev/a", "--tracker", "/dev/b", "--hand-position", "mouse"],
            "cannot be used with",
        ),
    ] {
        let arguments = [arguments, &["--headless"][..]].concat();
        let arguments: Vec<&str> = match arguments[0] {
            "calibrate" => arguments[..arguments.len() - 1].to_vec(),
            _ => arguments,
        };
        let (is_done, said) = palpate(folder.path(), &arguments);
        assert!(!is_done && said.contains(expected), "{arguments:?}: {said}");
    }
}
