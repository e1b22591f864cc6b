//! Grasp, deform, release, and again from another side with the new shape (\[Ma98\], figures 4.24
//! to 4.29); then the whole run once more from its recording, to the same bits.

use std::path::Path;
use std::time::Instant;

use drivers::recording::{Event, EventKind, Existing, RecordingReader, RecordingWriter};
use nalgebra::Vector3;

use crate::program::{Program, SMALL_PICTURES, Server, ours};
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
            .args(["--rule", "release=keeps", "--rule", "patch=disc", "--size", "640x360"])
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
            tests::png_frames::picture(&file)
        })
        .collect();
    // The second hand comes from another side.
    let differing = shots[2].n_differing(&shots[6]);
    assert!(differing > 640 * 360 / 18, "only {differing} pixels differ");

    let server = Server::start("127.0.0.1:0");
    for arguments in [&["--threads", "1"][..], &["--threads", "3"], &["--server", &server.url]] {
        again(&recording, &file("again"), arguments);
    }
    another_byte_or_a_gap_is_refused(&recording, &file("doctored.palpate"));
    what_was_recorded_is_squeezed(&recording, &file("played"), "a soft strawberry of");
}

/// The recording once more, with what `doctor` makes of each event.
fn copy(recording: &Path, to: &Path, mut doctor: impl FnMut(EventKind) -> Vec<EventKind>) {
    let reader = RecordingReader::open(recording).unwrap();
    let (header, began) = (reader.header().clone(), Instant::now());
    let mut writer = RecordingWriter::create(to, &header, began, Existing::Replace).unwrap();
    let events = reader.map(Result::unwrap);
    let doctored = events.flat_map(|Event { at, what }| {
        doctor(what).into_iter().map(move |what| (began + at, what)).collect::<Vec<_>>()
    });
    for (at, what) in doctored {
        match what {
            EventKind::Opened { device, kind, name, settings } => {
                writer.opened(at, device, &kind, &name, &settings).unwrap();
            }
            EventKind::Received { device, bytes } => writer.received(at, device, &bytes).unwrap(),
            EventKind::Sent { device, bytes } => writer.sent(at, device, &bytes).unwrap(),
            EventKind::Lost { device, reason } => writer.lost(at, device, &reason).unwrap(),
            EventKind::Mark { text } => writer.mark(at, &text).unwrap(),
            EventKind::Ended => return writer.finish(at).unwrap(),
        }
    }
}

fn another_byte_or_a_gap_is_refused(recording: &Path, doctored: &Path) {
    let refused = |expected: &str| {
        let mut replay = ours("palpate");
        let replay = replay
            .arg("replay")
            .arg(doctored)
            .args(["--exact", "--threads", "1"])
            .args(SMALL_PICTURES);
        let (status, said) = Program::start("palpate", replay).wait();
        assert!(!status.success() && said.contains(expected), "{expected:?} is not in:\n{said}");
    };
    // One bit of the counts of some records, in the middle of the run. A record is a letter, the
    // counts and a NUL.
    let (mut place, mut n_records) = (0, 0);
    copy(recording, doctored, |mut what| {
        let EventKind::Received { device, bytes } = &mut what else { return vec![what] };
        for byte in bytes.iter_mut().filter(|_| device.number() == 0) {
            place = if *byte == 0 { 0 } else { place + 1 };
            n_records += usize::from(*byte == 0);
            // The sixth count: the index finger's middle joint.
            if place == 7 && (600..640).contains(&n_records) && *byte > 1 {
                *byte ^= 1;
            }
        }
        vec![what]
    });
    assert!(n_records > 640, "only {n_records} records");
    refused("the devices' bytes give another index PIJ");
    // Events that never reached the disk: the recorder says where.
    copy(recording, doctored, |what| match what {
        EventKind::Sent { .. } => {
            let text = "17 events are missing here: the disk was too slow".to_owned();
            vec![EventKind::Mark { text }]
        }
        what => vec![what],
    });
    refused("17 events are missing at 0.");
    // The glove is said to have been woken in the middle of a record, which is swallowed by that:
    // from there on each hand has the record after its own.
    let (mut opened, mut n_received) = (None, 0);
    copy(recording, doctored, |what| {
        if let EventKind::Opened { device, .. } = &what
            && device.number() == 0
        {
            opened = Some(what.clone());
        }
        let EventKind::Received { device, bytes } = &what else { return vec![what] };
        n_received += usize::from(device.number() == 0 && bytes.len() > 2);
        match (&opened, n_received) {
            (Some(opened), 300) if device.number() == 0 => {
                let received =
                    |bytes: &[u8]| EventKind::Received { device: *device, bytes: bytes.to_vec() };
                let (before, after) = bytes.split_at(bytes.len() / 2);
                let reason = "it fell silent; its stream is started again".to_owned();
                let lost = EventKind::Lost { device: *device, reason };
                n_received += 1;
                vec![received(before), lost, opened.clone(), received(after)]
            }
            _ => vec![what],
        }
    });
    assert!(n_received > 300, "only {n_received} pieces");
    refused("the devices' bytes give another");
}

/// A glove that loses its power for a moment forgets its settings and falls silent; it is woken,
/// and the hand goes on.
#[test]
fn a_run_whose_glove_was_woken_is_run_again_to_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let recording = folder.path().join("run.palpate");
    let emulate = |arguments: &[&str]| {
        let emulator = Program::start("palpate", ours("palpate").arg("emulate").args(arguments));
        let path = emulator.wait_for_line(|line| line.starts_with('/'));
        (emulator, path)
    };
    let glove = emulate(&["glove", "--fault", "restart@every4s"]);
    let tracker = emulate(&["tracker"]);
    let mut squeeze = ours("palpate");
    // From one grasp to the next the devices' script goes round once, which takes longer than from
    // fault to fault.
    squeeze.args(["squeeze", "--headless", "--grasps", "2", "--rule", "lost-hand-s=20"]);
    squeeze.args(SMALL_PICTURES);
    squeeze.args(["--glove", &glove.1, "--tracker", &tracker.1, "--record"]).arg(&recording);
    squeeze.arg("--pictures").arg(folder.path().join("pictures"));
    let (status, said) = Program::start("palpate", &mut squeeze).wait();
    assert!(status.success(), "{said}");
    let events: Vec<EventKind> =
        RecordingReader::open(&recording).unwrap().map(|event| event.unwrap().what).collect();
    let woken = |what: &EventKind| matches!(what, EventKind::Lost { reason, .. } if reason.contains("silent"));
    let woken = events.iter().position(woken).expect("the glove is woken in this run");
    let is_glove =
        |what: &EventKind| matches!(what, EventKind::Opened { kind, .. } if kind == "cyberglove");
    assert!(events[woken..].iter().any(is_glove), "it came back");
    again(&recording, &folder.path().join("again"), &["--threads", "1"]);
}

/// Played as it was, it squeezes what was recorded, by the rules that were in force.
fn what_was_recorded_is_squeezed(recording: &Path, pictures: &Path, what: &str) {
    let mut replay = ours("palpate");
    replay.arg("replay").arg(recording).args(["--headless", "--speed", "8"]);
    replay.args(SMALL_PICTURES).args(["--replace", "--pictures"]);
    let (status, said) = Program::start("palpate", replay.arg(pictures)).wait();
    assert!(status.success() && said.contains(what), "{said}");
}

/// The deformed shape after a squeeze stays when the hand has let go, and the next squeeze begins
/// from there.
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
            .args(["--exact", "--replace"])
            .args(SMALL_PICTURES)
            .arg("--pictures")
            .arg(pictures)
            .args(arguments),
    );
    let (status, said) = palpate.wait();
    assert!(status.success(), "{arguments:?}: {said}");
    assert!(said.contains("all with the bits that were recorded"), "{arguments:?}: {said}");
    assert!(said.contains("from the devices' bytes, to the same bits"), "{arguments:?}: {said}");
}

/// Frames are the same bits on the same kind of processor: there is a recording for each kind.
#[cfg(target_arch = "x86_64")]
#[test]
fn a_recording_of_an_earlier_version_is_run_again_to_the_same_bits() {
    let kind = match std::arch::is_x86_feature_detected!("avx512f") {
        true => "avx512",
        false => "avx2",
    };
    let recordings = Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings");
    let recording = recordings.join(format!("journal-2-{kind}.palpate"));
    let folder = tempfile::tempdir().unwrap();
    again(&recording, &folder.path().join("again"), &["--threads", "2"]);
    // The recording of the other kind is at least played.
    let other = if kind == "avx2" { "avx512" } else { "avx2" };
    let recording = recordings.join(format!("journal-2-{other}.palpate"));
    what_was_recorded_is_squeezed(&recording, &folder.path().join("played"), "a soft cube of");
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
