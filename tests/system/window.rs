//! The real window on a virtual display: seen, and closed as a person would.

use crate::program::{Program, Server, emulated_devices, ours, squeeze};
use crate::screen::Screen;

#[test]
fn the_window_shows_hand_and_object_and_a_loss_and_closes_cleanly() {
    let screen = Screen::start();
    let runtime = tempfile::tempdir().unwrap();
    let (glove, tracker) = emulated_devices();
    let server = Server::start("127.0.0.1:0");
    let palpate = Program::start(
        "palpate",
        squeeze(&glove, &tracker)
            .args(["--server", &server.url])
            .env("DISPLAY", &screen.name)
            .env("XDG_RUNTIME_DIR", runtime.path()),
    );
    let window = screen.window("Palpate");
    let first = screen
        .wait_to_see("hand and object", |picture| picture.object() > 0.01 && picture.hand() > 0.01);
    // A few pixels of the object's darkest side may have the same red.
    assert!(first.alarm() < 1e-4);
    screen.wait_to_see("the hand move", |picture| {
        let moved = picture.pixels.iter().zip(&first.pixels).filter(|(a, b)| a != b).count();
        moved > 10_000
    });

    server.program.kill();
    palpate.wait_for("solver lost");
    let one_loss = screen.wait_to_see("the server's loss", |picture| picture.alarm() > 0.005);
    glove.unplug();
    palpate.wait_for("glove lost");
    let both = screen.wait_to_see("the glove's loss as well", |picture| {
        picture.alarm() > 1.5 * one_loss.alarm()
    });
    assert!(both.object() > 0.01 && both.hand() > 0.01, "the last good scene stays on the screen");

    screen.press_close_button(window);
    let (status, said) = palpate.wait();
    assert!(status.success(), "{said}");
    assert!(said.contains("glove lost") && said.contains("run       stopped"), "{said}");
    let drawn = said.lines().find_map(|line| line.strip_prefix("pictures  ")).unwrap();
    let n: u64 = drawn.split(' ').next().unwrap().parse().unwrap();
    assert!(n > 5, "{said}");
}

#[test]
fn without_an_adapter_or_a_display_there_is_advice() {
    let screen = Screen::start();
    let folder = tempfile::tempdir().unwrap();
    let start = |display: &str| {
        let mut command = ours("palpate");
        command.args(["squeeze", "--frames", "3", "--cells", "2"]).current_dir(folder.path());
        command.env("DISPLAY", display).env("XDG_RUNTIME_DIR", folder.path());
        command
    };
    // Drivers are found by this; there is none where it points to.
    let nowhere = folder.path().join("none.json");
    let mut command = start(&screen.name);
    command.env("VK_ICD_FILENAMES", &nowhere).env("VK_DRIVER_FILES", &nowhere);
    let (status, said) = Program::start("palpate", &mut command).wait();
    assert!(!status.success(), "{said}");
    assert!(said.contains("the window cannot be shown") && said.contains("xtask setup"), "{said}");
    // A display without a server: the run goes on without a window, with a warning.
    let mut command = start(":9999");
    command.arg("--pictures").arg(folder.path());
    let (status, said) = Program::start("palpate", &mut command).wait();
    assert!(status.success() && said.contains("running without a window"), "{said}");
}
