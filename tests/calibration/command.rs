//! `palpate calibrate`, and `palpate squeeze` with its profiles, through the real program.

use std::path::Path;

use calibration::profile_store::Edition;
use calibration::{
    About, Device, GloveModel, HandSize, Profile, ProfileStore, SavedProfile, TrackerTransforms,
};
use drivers::{Sensor, SensorMask, Side};
use tempfile::TempDir;

use crate::program::{Program, ours};

/// Runs `palpate` with profiles in this folder; returns whether it succeeded, and its output.
fn palpate(profiles: &Path, arguments: &[&str]) -> (bool, String) {
    let mut command = ours("palpate");
    command.args(arguments).arg("--profiles").arg(profiles);
    let (status, said) = Program::start("palpate", &mut command).wait();
    (status.success(), said)
}

fn squeeze(folder: &TempDir, name: &str, seconds: &str) -> (bool, String) {
    let pictures = folder.path().join("pictures");
    let pictures = pictures.to_str().unwrap();
    let arguments = ["squeeze", "--headless", "--profile", name, "--pictures", pictures];
    palpate(folder.path(), &[&arguments[..], &["--replace", "--seconds", seconds]].concat())
}

/// An old profile of a right hand.
fn saved(folder: &TempDir, name: &str, mask: SensorMask, profile: Profile) {
    let device = Device { kind: "CyberGlove".into(), mask, firmware: None };
    let about = About { person: name.into(), date: "1998-05-01".into(), device };
    let saved = SavedProfile { about, profile, quality: [None; Sensor::ALL.len()] };
    ProfileStore::new(folder.path()).save(&saved).unwrap();
}

#[test]
fn a_calibration_finds_everything_keeps_what_was_measured_and_squeezes() {
    let folder = tempfile::tempdir().unwrap();
    let mut size = HandSize::default();
    size.segments[3][1] = Some(0.0302);
    let before = Profile::uncalibrated(Side::Right).with_size(size);
    saved(&folder, "demo", SensorMask::GLOVE_22, before);
    let quick = ["calibrate", "--name", "demo", "--plan", "quick", "--tracker-steps", "yes"];
    let measured = ["--hand-length-mm", "186", "--hand-breadth-mm", "84"];
    let (is_well, said) = palpate(folder.path(), &[&quick[..], &measured[..]].concat());
    assert!(is_well, "{said}");
    for expected in ["8/8  slid to the right", "186 mm long, 84 mm broad; measured: ring 2 30.2 mm"]
    {
        assert!(said.contains(expected), "{expected:?} is missing in:\n{said}");
    }
    let store = ProfileStore::new(folder.path());
    let load = |edition| store.load("demo", Side::Right, edition).unwrap();
    assert_eq!(load(Edition::Previous).about.date, "1998-05-01");
    let profile = load(Edition::Newest).profile;
    assert_eq!(profile.size().segments, size.segments);
    // The emulated transmitter stands where one usually does.
    let (found, usual) = (profile.tracker(), TrackerTransforms::default());
    let way =
        found.world_from_source.translation.vector - usual.world_from_source.translation.vector;
    assert!(way.norm() < 1e-3 && *found != usual, "{way}");
    let (is_well, said) = palpate(folder.path(), &["calibrate", "show", "demo"]);
    assert!(is_well && said.contains("ring 2 30.2 mm"), "{said}");
    // On a busy machine a finger may come too late to hold the cube with the others.
    let squeezes = (0..3).map(|_| {
        let (is_well, said) = squeeze(&folder, "demo", "60");
        assert!(is_well && said.contains("grasps    1 taken, 1 let go"), "{said}");
        said
    });
    let has_deformed = |said: &String| !said.contains("solves    0 squeezed");
    assert!(squeezes.into_iter().any(|said| has_deformed(&said)), "no squeeze deforms the cube");
}

#[test]
fn a_profile_that_does_not_fit_the_glove_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let plain = || Profile::uncalibrated(Side::Right);
    saved(&folder, "anna", SensorMask::GLOVE_18, plain());
    let mut glove = GloveModel::uncalibrated();
    // With this offset, a straight finger seems to be bent through the back of the hand.
    glove.sensor_mut(Sensor::IndexMpj).map.offset = -50.0;
    saved(&folder, "bob", SensorMask::GLOVE_22, plain().with_glove(glove));
    saved(&folder, "carl", SensorMask::GLOVE_22, plain());
    let check = |name: &str, want: &str| {
        let (is_well, said) = squeeze(&folder, name, "60");
        assert!(!is_well && said.contains(want), "{said}");
    };
    check(
        "anna",
        "gave up: the profile of anna does not fit: the profile is of a glove with 18 sensors, this one has 22; the first that differs is the index DIJ",
    );
    check("bob", "gave up: the profile of bob does not fit: the index MPJ would be at 2");
    check("dora", "there is no profile of dora; `palpate calibrate --name dora` makes one");
    std::fs::write(folder.path().join("carl.right.toml"), "format = 1\nperson = \"ca").unwrap();
    check("carl", "cannot use the profile of carl");
}

#[test]
fn a_run_uses_the_transforms_of_the_profile() {
    let folder = tempfile::tempdir().unwrap();
    let mut tracker = TrackerTransforms::default();
    tracker.world_from_source.translation.vector.x += 0.5;
    let elsewhere = Profile::uncalibrated(Side::Right).with_tracker(tracker);
    saved(&folder, "far", SensorMask::GLOVE_22, elsewhere);
    let (is_well, said) = squeeze(&folder, "far", "8");
    // Half a metre beside the cube nothing can be taken; at its usual place the hand needs four
    // seconds.
    assert!(!is_well && said.contains("grasps    0 taken"), "{said}");
}

#[test]
fn invalid_options_are_refused_before_the_first_pose() {
    let folder = tempfile::tempdir().unwrap();
    let check = |arguments: &[&str], want: &str| {
        let (is_well, said) = palpate(folder.path(), &[&["calibrate"], arguments].concat());
        assert!(!is_well && said.contains(want) && !said.contains("flat hand"), "{said}");
    };
    check(&["--hand-length-mm", "19"], "19 mm long, expected 80 to 300 mm");
    check(&["--hand-length-mm", "85", "--hand-breadth-mm", "140"], "30 to 65 % of the length");
    check(&["--name", "a/b"], "\"a/b\" as a name");
}
