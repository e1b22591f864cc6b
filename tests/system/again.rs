//! Grasp, deform, release, and again from another side with the new shape ([Ma98], figures 4.24 to 4.29); then the
//! whole run once more from its recording, to the same bits.

use std::path::Path;

use nalgebra::Vector3;

use crate::program::{Program, Server, ours};
use crate::run_trace::RunTrace;

#[test]
fn a_strawberry_is_squeezed_from_two_sides_and_keeps_its_shape() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let (recording, trace_file, pictures) =
        (file("run.palpate"), file("trace.jsonl"), file("pictures"));
    let palpate = Program::start(
        "palpate",
        ours("palpate")
            .args(["squeeze", "strawberry", "--nodes", "400", "--headless", "--grasps", "2"])
            .args(["--rule", "release=keeps", "--rule", "patch=disc"])
            .arg("--record")
            .arg(&recording)
            .arg("--trace")
            .arg(&trace_file)
            .arg("--pictures")
            .arg(&pictures),
    );
    let (status, said) = palpate.wait();
    assert!(status.success(), "{said}");
    assert!(said.contains("2 taken, 2 let go"), "{said}");
    let trace = RunTrace::read(&trace_file);
    it_was_deformed_twice_and_stayed_so(&trace);
    let names = ["approach", "grasp", "squeeze", "release"];
    let shots: Vec<_> = (0..8)
        .map(|i| {
            let file = pictures.join(format!("{}-{}.png", i + 1, names[i % 4]));
            image::open(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display())).into_rgb8()
        })
        .collect();
    // The second hand comes from another side.
    let differing = shots[2].pixels().zip(shots[6].pixels()).filter(|(a, b)| a != b).count();
    assert!(differing > 50_000, "only {differing} pixels differ");

    let server = Server::start("127.0.0.1:0");
    for arguments in [&["--threads", "1"][..], &["--threads", "3"], &["--server", &server.url]] {
        again(&recording, &file("again"), arguments);
    }
}

/// The deformed shape after a squeeze stays when the hand has let go, and the next squeeze begins from there.
fn it_was_deformed_twice_and_stayed_so(trace: &RunTrace) {
    let deformations = trace.states.iter().filter(|state| *state == "deforming").count();
    assert!(deformations >= 2, "{:?}", trace.states);
    let rest = trace.frames.first().unwrap();
    let last = trace.frames.last().unwrap();
    let farthest = rest.farthest_from(last);
    assert!(farthest > 0.003, "after two squeezes it is only {farthest} m off its first shape");
    // The tips of the two grasps are on different sides of it, as it sees them itself.
    let mut sides: Vec<Vector3<f64>> = Vec::new();
    let mut before = String::new();
    let mut samples: Vec<_> = trace.samples.values().collect();
    samples.sort_by_key(|sample| sample.sample);
    for sample in samples {
        if sample.state == "deforming" && before != "deforming" {
            let middle: Vector3<f64> = sample.tips[1..4].iter().map(|tip| tip.0).sum();
            sides.push(middle / 3.0);
        }
        before.clone_from(&sample.state);
    }
    let flat = |v: &Vector3<f64>| Vector3::new(v.x, 0.0, v.z);
    let angle = flat(&sides[0]).angle(&flat(sides.last().unwrap()));
    assert!(angle > 0.8, "both times from the same side: {angle} rad");
}

fn again(recording: &Path, pictures: &Path, arguments: &[&str]) {
    let palpate = Program::start(
        "palpate",
        ours("palpate")
            .arg("replay")
            .arg(recording)
            .arg("--exact")
            .arg("--pictures")
            .arg(pictures)
            .args(arguments),
    );
    let (status, said) = palpate.wait();
    assert!(status.success(), "{arguments:?}: {said}");
    assert!(said.contains("all with the bits that were recorded"), "{arguments:?}: {said}");
}

#[test]
fn a_recording_without_a_journal_is_not_run_again() {
    let folder = tempfile::tempdir().unwrap();
    let recording = folder.path().join("devices.palpate");
    let record = Program::start(
        "palpate",
        ours("palpate").arg("record").arg(&recording).args(["--seconds", "1"]),
    );
    record.wait();
    let replay =
        Program::start("palpate", ours("palpate").arg("replay").arg(&recording).arg("--exact"));
    let (status, said) = replay.wait();
    assert!(!status.success());
    assert!(said.contains("palpate squeeze --record"), "{said}");
}
