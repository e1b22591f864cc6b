//! Devices and servers that go away in the middle: said, survived, and never a panic.

use crate::program::{Program, Server, emulated_devices, ours, squeeze};

#[test]
fn an_unplugged_glove_is_reported_and_ends_a_run_without_a_person() {
    let folder = tempfile::tempdir().unwrap();
    let (glove, tracker) = emulated_devices();
    let palpate = Program::start(
        "palpate",
        squeeze(&glove, &tracker).arg("--headless").arg("--pictures").arg(folder.path()),
    );
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
fn an_unplugged_tracker_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let (glove, tracker) = emulated_devices();
    let palpate = Program::start(
        "palpate",
        squeeze(&glove, &tracker).arg("--headless").arg("--pictures").arg(folder.path()),
    );
    palpate.wait_for("approach -> touching");
    tracker.unplug();
    let (status, said) = palpate.wait();
    assert!(!status.success());
    assert!(said.contains("gave up: tracker lost"), "{said}");
}

#[test]
fn a_killed_server_is_reported_and_taken_up_again_when_it_returns() {
    let folder = tempfile::tempdir().unwrap();
    let (glove, tracker) = emulated_devices();
    let server = Server::start("127.0.0.1:0");
    let palpate = Program::start(
        "palpate",
        squeeze(&glove, &tracker)
            .args(["--headless", "--grasps", "2", "--server", &server.url])
            .arg("--pictures")
            .arg(folder.path()),
    );
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
    let folder = tempfile::tempdir().unwrap();
    let mut palpate = ours("palpate");
    palpate.args(["--headless", "--glove", "/dev/no-such-port", "--pictures"]).arg(folder.path());
    let (status, said) = Program::start("palpate", &mut palpate).wait();
    assert!(!status.success());
    assert!(said.contains("/dev/no-such-port") && said.contains("No such file"), "{said}");
}

#[test]
fn a_device_that_is_not_a_glove_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (_glove, tracker) = emulated_devices();
    let mut palpate = ours("palpate");
    palpate.args(["--headless", "--glove", tracker.path(), "--pictures"]).arg(folder.path());
    let (status, said) = Program::start("palpate", &mut palpate).wait();
    assert!(!status.success());
    assert!(said.contains("gave up: glove lost") && said.contains(tracker.path()), "{said}");
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (glove, tracker) = emulated_devices();
    let nowhere = Program::start(
        "palpate",
        squeeze(&glove, &tracker)
            .args(["--headless", "--server", "http://127.0.0.1:1", "--pictures"])
            .arg(folder.path()),
    );
    let (status, said) = nowhere.wait();
    assert!(!status.success());
    assert!(said.contains("http://127.0.0.1:1") && said.contains("refused"), "{said}");
}
