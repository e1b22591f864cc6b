//! Two gloves and one tracker with a receiver for each hand, through the real program.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use emulators::{
    Emulator, GloveEmulator, GloveOptions, HandState, LineOptions, Motion, ScriptClock,
    TrackerEmulator, TrackerOptions,
};

use crate::program::{Program, SMALL_PICTURES, ours};
use crate::run_trace::RunTrace;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

fn glove(side: Side, motion: Motion, clock: ScriptClock) -> Emulator {
    let options = GloveOptions { is_right_hand: side == Side::Right, ..GloveOptions::default() };
    GloveEmulator::start(options, motion, clock).unwrap()
}

fn tracker(n_stations: usize, motions: [Motion; 2], clock: ScriptClock) -> Emulator {
    let receivers_cm = std::array::from_fn(|station| (station < n_stations).then_some([0.0; 3]));
    let options = TrackerOptions { receivers_cm, ..TrackerOptions::default() };
    TrackerEmulator::start_on_both_hands(&LineOptions::default(), options, motions, clock).unwrap()
}

/// `palpate squeeze` with two gloves on one tracker.
fn squeeze(gloves: &[Emulator; 2], tracker: &Emulator) -> Command {
    let [first, second] = gloves.each_ref().map(Emulator::path);
    let mut command = ours("palpate");
    command.args(["squeeze", "--glove", first, "--second-glove", second]);
    command.args(["--tracker", tracker.path()]);
    command
}

/// Runs it without a window; returns whether it succeeded, and its output.
fn headless(command: &mut Command, folder: &Path) -> (bool, String) {
    command.args(["--headless", "--replace"]).args(SMALL_PICTURES);
    command.arg("--pictures").arg(folder.join("pictures"));
    let (status, said) = Program::start("palpate", command).wait();
    (status.success(), said)
}

/// Least and most of one coordinate of a hand's wrist.
fn range(trace: &RunTrace, hand: &str, axis: usize) -> [f64; 2] {
    let places = trace.hands.iter().filter(|line| line.hand == hand);
    let places: Vec<f64> = places.map(|line| line.world_from_wrist[axis]).collect();
    assert!(places.len() > 100, "only {} poses of the {hand} hand", places.len());
    [
        places.iter().copied().fold(f64::MAX, f64::min),
        places.iter().copied().fold(f64::MIN, f64::max),
    ]
}

/// The hands that squeezed something.
fn squeezing(trace: &RunTrace) -> Vec<&str> {
    let deforming = trace.samples.values().filter(|sample| sample.state == "deforming");
    let mut hands: Vec<&str> = deforming.map(|sample| sample.hand.as_str()).collect();
    hands.sort_unstable();
    hands.dedup();
    hands
}

/// The demonstration by both hands: the right one at the cube, the left one beside it.
fn both_hands_moved_and_the_right_one_squeezed(trace: &RunTrace) {
    let ([right_least, right_most], [left_least, left_most]) =
        (range(trace, "right", 0), range(trace, "left", 0));
    // The script comes from 14 cm at the right of the cube to 3 cm; the mirror stands 12.5 cm to
    // the left.
    assert!(0.02 < right_least && right_most < 0.2, "{right_least} to {right_most} m");
    assert!(-0.45 < left_least && left_most < -0.27, "{left_least} to {left_most} m");
    for hand in ["left", "right"] {
        let [lowest, highest] = range(trace, hand, 1);
        assert!(highest - lowest > 0.08, "{hand} between {lowest} and {highest} m");
    }
    assert_eq!(squeezing(trace), ["right"]);
}

#[test]
fn both_emulated_hands_perform_and_can_be_played_again() {
    let folder = tempfile::tempdir().unwrap();
    let [trace, again, recording] =
        ["trace.jsonl", "again.jsonl", "run.palpate"].map(|name| folder.path().join(name));
    let mut squeeze = ours("palpate");
    squeeze.args(["squeeze", "--second-glove", "emulated"]);
    squeeze.arg("--trace").arg(&trace).arg("--record").arg(&recording);
    let (is_done, said) = headless(&mut squeeze, folder.path());
    assert!(is_done && said.contains("1 taken, 1 let go"), "{said}");
    both_hands_moved_and_the_right_one_squeezed(&RunTrace::read(&trace));

    let mut summary = ours("palpate");
    let (_, said) =
        Program::start("palpate", summary.arg("replay").arg(&recording).arg("--summary")).wait();
    assert_eq!(said.matches("cyberglove").count(), 2, "{said}");
    assert_eq!(said.matches("fastrak").count(), 1, "{said}");

    let mut replay = ours("palpate");
    replay.arg("replay").arg(&recording).args(["--speed", "2"]).arg("--trace").arg(&again);
    let (is_done, said) = headless(&mut replay, folder.path());
    assert!(is_done && said.contains("run       replayed"), "{said}");
    both_hands_moved_and_the_right_one_squeezed(&RunTrace::read(&again));

    let mut exact = ours("palpate");
    let exact = exact.arg("replay").arg(&recording).args(["--exact", "--threads", "1"]);
    let (status, said) = Program::start("palpate", exact).wait();
    assert!(status.success(), "{said}");
}

#[test]
fn a_left_hand_on_the_second_station_takes_the_cube() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("trace.jsonl");
    let clock = ScriptClock::since(Instant::now());
    // The right hand keeps still, half a metre to the right of the cube, and the left one does what
    // a right one does in a mirror through the cube.
    let aside = HandState { receiver_position_cm: [30.0, 50.0, -20.0], ..HandState::FLAT };
    let motions = [Motion::held(aside), Motion::grasp_and_squeeze().mirrored(0.0)];
    let gloves = [
        glove(Side::Right, motions[0].clone(), clock),
        glove(Side::Left, motions[1].clone(), clock),
    ];
    let tracker = tracker(2, motions, clock);
    let mut squeeze = squeeze(&gloves, &tracker);
    let (is_done, said) = headless(squeeze.arg("--trace").arg(&trace), folder.path());
    assert!(is_done && said.contains("1 taken, 1 let go"), "{said}");
    let trace = RunTrace::read(&trace);
    assert_eq!(squeezing(&trace), ["left"]);
    let [least, most] = range(&trace, "right", 0);
    assert!((least - 0.5).abs() < 0.01 && (most - 0.5).abs() < 0.01, "{least} to {most} m");
}

/// Returns the message for two gloves on these hands and a tracker with `n_stations` stations.
fn check(sides: [Side; 2], n_stations: usize, want: &str) {
    let folder = tempfile::tempdir().unwrap();
    let clock = ScriptClock::since(Instant::now());
    let still =
        || Motion::held(HandState { receiver_position_cm: [30.0, 50.0, -20.0], ..HandState::FLAT });
    let gloves = sides.map(|side| glove(side, still(), clock));
    let tracker = tracker(n_stations, [still(), still()], clock);
    let (is_done, said) = headless(&mut squeeze(&gloves, &tracker), folder.path());
    assert!(!is_done && said.contains(want), "{want:?} is missing in:\n{said}");
}

#[test]
fn two_right_gloves_are_named() {
    check([Side::Right, Side::Right], 2, "glove 2 lost: it is a right glove, as the first one is");
}

#[test]
fn a_tracker_with_one_station_leaves_the_second_hand_missing() {
    check([Side::Right, Side::Left], 1, "tracker 2 not found: only one station is on");
}

#[test]
fn two_gloves_on_one_port_are_refused() {
    let mut palpate = ours("palpate");
    palpate.args(["squeeze", "--headless", "--glove", "/dev/a", "--second-glove", "/dev/a"]);
    let (status, said) = Program::start("palpate", palpate.args(["--tracker", "/dev/b"])).wait();
    assert!(!status.success());
    assert!(said.contains("glove and second glove cannot both be at /dev/a"), "{said}");
}
