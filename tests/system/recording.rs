//! `palpate record` says whether a recording can be used, while it is made and afterwards.

use std::path::Path;
use std::process::Command;

use drivers::recording::{EventKind, RecordingReader};
use emulators::{
    DeviceEvent, Emulator, FaultPlan, GloveEmulator, GloveOptions, LineOptions, Motion,
    ScriptClock, TrackerEmulator, TrackerOptions,
};
use std::time::Instant;

use crate::program::{Program, emulated_devices, ours, until, until_next_look};

const OFF: DeviceEvent = DeviceEvent::PulledOff { station: 1 };

fn record(glove: &Emulator, tracker: &Emulator, file: &Path) -> Command {
    let mut command = ours("palpate");
    command.args(["record", "--glove", glove.path(), "--tracker", tracker.path()]).arg(file);
    command
}

/// Waits until both devices have sent this many more records.
fn let_send(glove: &Emulator, tracker: &Emulator, n_more: u64) {
    let sent = || [glove, tracker].map(|device| device.report().n_sent());
    let before = sent();
    until("records are sent", || {
        sent().iter().zip(before).all(|(now, before)| *now >= before + n_more)
    });
}

/// The verdict of a summary, which is its first line.
fn verdict(said: &str) -> String {
    let line = said.lines().find_map(|line| line.strip_prefix("verdict   "));
    line.unwrap_or_else(|| panic!("no verdict in:\n{said}")).to_owned()
}

fn summary(file: &Path) -> String {
    let mut replay = ours("palpate");
    let (status, said) =
        Program::start("palpate", replay.arg("replay").arg(file).arg("--summary")).wait();
    assert!(status.success(), "{said}");
    said
}

#[test]
fn a_recording_of_unplugged_devices_is_called_useless_at_once_and_later() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.palpate");
    let (glove, tracker) = emulated_devices();
    let palpate = Program::start("palpate", &mut record(&glove, &tracker, &file));
    let_send(&glove, &tracker, 40);
    glove.happen(OFF);
    tracker.happen(OFF);
    palpate.wait_for("WARN glove gives nothing usable (the glove is not plugged into");
    palpate.wait_for("WARN tracker gives nothing usable");
    // Unplugged for three times as long as they were there; their units go on sending.
    let n_sent = glove.report().n_sent().max(tracker.report().n_sent());
    let_send(&glove, &tracker, 3 * n_sent);
    palpate.signal("INT");
    let (status, said) = palpate.wait();
    assert!(!status.success(), "{said}");
    assert!(verdict(&said).starts_with("cannot be used: the glove gave nothing usable"), "{said}");
    assert!(said.contains("error: the recording cannot be used"), "{said}");
    let later = summary(&file);
    assert_eq!(verdict(&later), verdict(&said));
    for expected in ["glove: ", "tracker: ", "1 gap, ", "not plugged into its interface unit"] {
        assert!(later.contains(expected), "{expected:?} is missing in:\n{later}");
    }
}

#[test]
fn damaged_records_are_counted_and_make_gaps_in_the_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.palpate");
    let faults = FaultPlan::new(5, vec!["drop:0.2".parse().unwrap()]).unwrap();
    let line = LineOptions { faults, ..LineOptions::default() };
    let clock = ScriptClock::since(Instant::now());
    let motion = Motion::grasp_and_squeeze;
    let glove = GloveEmulator::start_on(&line, GloveOptions::default(), motion(), clock).unwrap();
    let tracker = TrackerEmulator::start(TrackerOptions::default(), motion(), clock).unwrap();
    let palpate = Program::start("palpate", &mut record(&glove, &tracker, &file));
    let warned = palpate.wait_for_line(|line| line.contains("of its records are damaged"));
    assert!(warned.contains("glove"), "{warned}");
    palpate.signal("INT");
    let (status, said) = palpate.wait();
    assert!(status.success(), "{said}");
    let verdict = verdict(&said);
    assert!(verdict.starts_with("usable with gaps: "), "{verdict}");
    assert!(verdict.contains("the glove lost ") && verdict.contains("to damage"), "{verdict}");
    assert!(said.contains("records lost to damage, "), "{said}");
}

#[test]
fn a_device_that_was_never_there_is_in_the_recording_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.palpate");
    let (glove, _tracker) = emulated_devices();
    let mut command = ours("palpate");
    command.args(["record", "--glove", glove.path(), "--tracker", "/dev/no-such-port"]).arg(&file);
    let palpate = Program::start("palpate", &mut command);
    palpate.wait_for("WARN tracker not found");
    until("the glove speaks", || {
        until_next_look();
        glove.report().n_sent() > 20
    });
    palpate.signal("INT");
    let (status, said) = palpate.wait();
    assert!(!status.success() && said.contains("no sample came from the tracker"), "{said}");
    let later = summary(&file);
    let want = "cannot be used: the tracker gave no usable sample: it was not connected";
    assert_eq!(verdict(&later), want);
    let events = RecordingReader::open(&file).unwrap().map(Result::unwrap);
    let mut reasons = events.filter_map(|event| match event.what {
        EventKind::Lost { reason, .. } => Some(reason),
        _ => None,
    });
    assert!(reasons.any(|reason| reason.contains("cannot open /dev/no-such-port")));
}

/// Devices of a hand at the edge of the tracker's reach.
fn devices_far_away() -> (Emulator, Emulator) {
    let clock = ScriptClock::since(Instant::now());
    let mut state = Motion::grasp_and_squeeze().state_at(0.0);
    state.receiver_position_cm = [400.0, 0.0, -20.0];
    let motion = Motion::held(state);
    (
        GloveEmulator::start(GloveOptions::default(), motion.clone(), clock).unwrap(),
        TrackerEmulator::start(TrackerOptions::default(), motion, clock).unwrap(),
    )
}

#[test]
fn doubtful_poses_are_reported_once_and_counted() {
    let (glove, tracker) = devices_far_away();
    let folder = tempfile::tempdir().unwrap();
    let mut squeeze = crate::program::squeeze(&glove, &tracker);
    squeeze.args(["--headless", "--seconds", "3", "--pictures"]).arg(folder.path());
    let trace = folder.path().join("trace.jsonl");
    squeeze.args(crate::program::SMALL_PICTURES).arg("--trace").arg(&trace);
    let (_, said) = Program::start("palpate", &mut squeeze).wait();
    let doubt = "tracker: its poses are doubtful: signal too low: too far from the transmitter";
    let n_logged = said.lines().filter(|line| line.contains("WARN") && line.contains(doubt));
    assert_eq!(n_logged.count(), 1, "{said}");
    assert!(said.contains(&format!("s  {doubt}")), "it is in the summary: {said}");
    assert!(said.contains(" of them doubtful"), "{said}");
    let trace = std::fs::read_to_string(trace).unwrap();
    assert!(trace.contains("\"kind\":\"event\"") && trace.contains(doubt));
}

#[test]
fn a_tracker_without_a_usable_pose_is_listed_as_faulty() {
    let (_glove, tracker) = emulated_devices();
    tracker.happen(OFF);
    let (_, said) =
        Program::start("palpate", ours("palpate").args(["devices", tracker.path()])).wait();
    let fault = "FAULTY: station 1 gives no usable pose: no signal: receiver unplugged";
    assert!(said.contains(fault), "{said}");
    let (_glove, far) = devices_far_away();
    let (_, said) = Program::start("palpate", ours("palpate").args(["devices", far.path()])).wait();
    assert!(said.contains("station 1 gives doubtful poses: signal too low"), "{said}");
}

#[test]
fn a_loss_and_a_return_are_in_the_trace() {
    let (mut glove, tracker) = emulated_devices();
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("trace.jsonl");
    let mut squeeze = crate::program::squeeze(&glove, &tracker);
    squeeze.args(["--headless", "--grasps", "9", "--pictures"]).arg(folder.path());
    squeeze.args(crate::program::SMALL_PICTURES).arg("--trace").arg(&trace);
    let palpate = Program::start("palpate", &mut squeeze);
    palpate.wait_for("approach -> touching");
    glove.unplug();
    palpate.wait_for("glove lost");
    glove.plug_in(emulators::PlugName::Same).unwrap();
    palpate.wait_for("glove is back");
    palpate.signal("INT");
    let (status, said) = palpate.wait();
    assert!(status.success(), "{said}");
    let text = std::fs::read_to_string(trace).unwrap();
    let events: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter(|line| line["kind"] == "event")
        .collect();
    let text = |i: usize| events[i]["text"].as_str().unwrap();
    assert!(text(0).starts_with("glove lost: ") && text(1) == "glove is back", "{events:?}");
    assert!(events.iter().all(|event| event["part"] == "glove"), "{events:?}");
}
