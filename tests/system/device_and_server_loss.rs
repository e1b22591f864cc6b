//! Devices and servers that go away in the middle: said, survived, and never a panic.

use std::process::Command;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::program::{PATIENCE, Program, SMALL_PICTURES, Server, emulated_devices, ours, squeeze};

/// Starts a run without a window. Its pictures go to the folder, which lives as long as the run.
fn headless(mut palpate: Command, options: &[&str]) -> (Program, TempDir) {
    let pictures = tempfile::tempdir().unwrap();
    palpate
        .arg("--headless")
        .args(SMALL_PICTURES)
        .args(options)
        .arg("--pictures")
        .arg(pictures.path());
    (Program::start("palpate", &mut palpate), pictures)
}

#[test]
fn an_unplugged_glove_is_reported_and_ends_a_run_without_a_person() {
    let (glove, tracker) = emulated_devices();
    let (palpate, _pictures) = headless(squeeze(&glove, &tracker), &[]);
    palpate.wait_for("attached -> deforming");
    glove.unplug();
    palpate.wait_for("glove lost");
    let (status, said) = palpate.wait();
    assert!(!status.success());
    // The summary is there all the same, with what happened and what was seen until then.
    for expected in ["run       gave up", "1 taken, 0 let go", "s  glove lost:", "2-grasp.png"] {
        assert!(said.contains(expected), "{expected:?} is missing in:\n{said}");
    }
}

#[test]
fn a_glove_that_stalls_lets_go_and_takes_again_when_it_is_back() {
    let folder = tempfile::tempdir().unwrap();
    let recording = folder.path().join("run.palpate");
    let [glove, tracker] = ["glove", "tracker"].map(|device| {
        let emulate = Program::start("palpate", ours("palpate").args(["emulate", device]));
        let path = emulate.wait_for_line(|line| line.starts_with('/'));
        (emulate, path)
    });
    let mut squeeze = ours("palpate");
    squeeze.args(["squeeze", "--glove", &glove.1, "--tracker", &tracker.1]);
    squeeze.args(["--rule", "lost-hand-s=2"]).arg("--record").arg(&recording);
    // More than one: two emulators of their own are not always in step when the first begins.
    let (palpate, _pictures) = headless(squeeze, &["--grasps", "2"]);
    palpate.wait_for("attached -> deforming");
    // The line stays open, and nothing comes.
    glove.0.signal("STOP");
    let lost =
        "deforming -> releasing: the hand is lost: its glove has sent no usable data for 2 s";
    palpate.wait_for(lost);
    palpate.wait_for("releasing -> approach: no hand is there");
    glove.0.signal("CONT");
    let (status, said) = palpate.wait();
    assert!(status.success(), "{said}");
    assert!(said.matches("touching -> attached").count() >= 2, "{said}");
    // A thing that was dropped with its hand was not let go by it.
    assert!(said.contains(" 3 taken, 2 let go"), "{said}");

    let exact = ["--exact", "--threads", "1", "--pictures"];
    let mut replay = ours("palpate");
    replay.arg("replay").arg(&recording).args(exact).arg(folder.path());
    let (status, said) = Program::start("palpate", &mut replay).wait();
    assert!(status.success() && said.contains("from the devices' bytes"), "{said}");
}

#[test]
fn an_unplugged_tracker_is_reported() {
    let (glove, tracker) = emulated_devices();
    let (palpate, _pictures) = headless(squeeze(&glove, &tracker), &[]);
    palpate.wait_for("approach -> touching");
    tracker.unplug();
    let (status, said) = palpate.wait();
    assert!(!status.success());
    assert!(said.contains("gave up: tracker lost"), "{said}");
}

#[test]
fn a_killed_server_is_reported_and_taken_up_again_when_it_returns() {
    let (glove, tracker) = emulated_devices();
    let server = Server::start("127.0.0.1:0");
    let options = ["--grasps", "2", "--server", &server.url];
    let (palpate, _pictures) = headless(squeeze(&glove, &tracker), &options);
    palpate.wait_for("attached -> deforming");
    let address = server.address().to_owned();
    server.program.kill();
    palpate.wait_for("solver lost");
    let _server = Server::start(&address);
    palpate.wait_for("solver is back");
    let (status, said) = palpate.wait();
    assert!(status.success(), "{said}");
    assert!(said.contains("2 taken, 2 let go"), "{said}");
}

#[test]
fn a_port_that_is_not_there_is_named() {
    let (palpate, _pictures) =
        headless(ours("palpate"), &["--glove", "/dev/no-such-port", "--tracker", "emulated"]);
    let (status, said) = palpate.wait();
    assert!(!status.success());
    assert!(said.contains("/dev/no-such-port") && said.contains("No such file"), "{said}");
}

#[test]
fn a_device_that_is_not_a_glove_is_named() {
    let (_glove, tracker) = emulated_devices();
    let (palpate, _pictures) =
        headless(ours("palpate"), &["--glove", tracker.path(), "--tracker", "emulated"]);
    let (status, said) = palpate.wait();
    assert!(!status.success());
    assert!(said.contains("gave up: glove not found") && said.contains(tracker.path()), "{said}");
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let (glove, tracker) = emulated_devices();
    let nowhere = ["--server", "http://127.0.0.1:1"];
    let (palpate, _pictures) = headless(squeeze(&glove, &tracker), &nowhere);
    let (status, said) = palpate.wait();
    assert!(!status.success());
    assert!(said.contains("http://127.0.0.1:1") && said.contains("refused"), "{said}");
}

#[test]
fn a_lost_glove_ends_a_calibration_without_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let (glove, tracker) = emulated_devices();
    let palpate = Program::start(
        "palpate",
        ours("palpate")
            .args(["calibrate", "--tui", "--plan", "quick", "--name", "ann"])
            .args(["--glove", glove.path(), "--tracker", tracker.path()])
            .arg("--profiles")
            .arg(folder.path()),
    );
    palpate.wait_for("CyberGlove, 22 sensors");
    let since = Instant::now();
    while glove.report().n_sent() < 100 && since.elapsed() < PATIENCE {
        std::thread::park_timeout(Duration::from_millis(10));
    }
    drop(glove);
    let (status, said) = palpate.wait();
    assert!(!status.success(), "{said}");
    assert!(said.contains("the glove has sent nothing for 5 s; nothing was saved"), "{said}");
}
