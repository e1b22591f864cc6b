//! A window that never waits: not for a solver that hangs, not for devices that fall silent.

use std::process::Command;

use crate::keys::{ESCAPE, F1};
use crate::program::{Program, Server, emulated_devices, ours, squeeze};
use crate::screen::{Picture, Screen};

fn on_screen(screen: &Screen, command: &mut Command, folder: &tempfile::TempDir) -> Program {
    command.env("DISPLAY", &screen.name).env("XDG_RUNTIME_DIR", folder.path());
    command.current_dir(folder.path());
    let palpate = Program::start("palpate", command);
    screen.focus(screen.window("Palpate"));
    palpate
}

/// Opens and closes the page of keys: true while the window reacts and draws.
fn answers(screen: &Screen) {
    let is_dimmed =
        |picture: &Picture, before: &Picture| picture.brightness() < 0.8 * before.brightness();
    let before = screen.picture();
    screen.press(F1);
    screen.wait_to_see("the keys", |picture| is_dimmed(picture, &before));
    screen.press(ESCAPE);
    screen.wait_to_see("the picture again", |picture| !is_dimmed(picture, &before));
}

/// The picture changes by itself.
fn moves(screen: &Screen) {
    let before = screen.picture();
    let differs = |picture: &Picture| {
        let pairs = picture.pixels.iter().zip(&before.pixels);
        pairs.filter(|(a, b)| a != b).count() > 2000
    };
    screen.wait_to_see("a hand that goes on", differs);
}

#[test]
fn a_solver_that_hangs_holds_up_neither_hand_nor_window() {
    let server = Server::start("127.0.0.1:0");
    // The server hangs before it gets the object.
    server.program.signal("STOP");
    let screen = Screen::start();
    let folder = tempfile::tempdir().unwrap();
    let devices = emulated_devices();
    let mut command = squeeze(&devices.0, &devices.1);
    let palpate = on_screen(&screen, command.args(["--server", &server.url]), &folder);
    screen.wait_to_see("the hand alone", |p| p.hand() > 0.01 && p.object() < 0.003);
    moves(&screen);
    answers(&screen);
    // It comes to itself, and hangs again in the middle of a squeeze: the last good shape stays.
    server.program.signal("CONT");
    palpate.wait_for("attached -> deforming");
    server.program.signal("STOP");
    moves(&screen);
    answers(&screen);
    assert!(screen.picture().object() > 0.003, "the object is gone");
    screen.press(ESCAPE);
    let (status, said) = palpate.wait();
    assert!(status.success() && said.contains("run       stopped"), "{said}");
    server.program.signal("CONT");
}

#[test]
fn silent_devices_leave_a_window_that_answers() {
    let emulate = |device| {
        let device = Program::start("palpate emulate", ours("palpate").args(["emulate", device]));
        let path = device.wait_for_line(|line| line.starts_with('/'));
        (device, path)
    };
    let ((glove, glove_path), (tracker, tracker_path)) = (emulate("glove"), emulate("tracker"));
    let screen = Screen::start();
    let folder = tempfile::tempdir().unwrap();
    let mut command = ours("palpate");
    command.args(["squeeze", "--glove", &glove_path, "--tracker", &tracker_path]);
    let _palpate = on_screen(&screen, &mut command, &folder);
    screen.wait_to_see("hand and object", |p| p.hand() > 0.01 && p.object() > 0.005);
    [&glove, &tracker].iter().for_each(|device| device.signal("STOP"));
    screen.wait_to_see("that they are lost", |p| p.alarm() > 0.002);
    answers(&screen);
    [&glove, &tracker].iter().for_each(|device| device.signal("CONT"));
    screen.wait_to_see("that they are back", |p| p.alarm() < 0.0005);
    moves(&screen);
}
