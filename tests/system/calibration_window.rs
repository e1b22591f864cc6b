//! The window of `palpate calibrate`: a real window, real keys and clicks, and an emulated person
//! who makes the poses.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::keys::{ESCAPE, RETURN};
use crate::program::{PATIENCE, Program, ours, until_next_look};
use crate::screen::{Picture, Screen};

/// The leftmost of the three buttons on the result page.
const SAVE: [i16; 2] = [934, 687];

/// Calibrates the emulated person as x.
fn calibrate(profiles: &Path) -> Command {
    let mut command = ours("palpate");
    command.args(["calibrate", "--name", "x", "--plan", "quick", "--profiles"]).arg(profiles);
    command
}

fn shows_both_hands(picture: &Picture) -> bool {
    picture.model() > 0.02 && picture.hand() > 0.02
}

/// True if this number of the four steps is done: the bar over the picture is six rows high, and a
/// step's quarter of it turns green.
fn has_done(picture: &Picture, n_steps: u32) -> bool {
    let quarter = 6.0 * 1256.0 / 4.0 / (1280.0 * 720.0);
    picture.good() > 0.9 * quarter * f64::from(n_steps)
}

/// A page over which a question stands is darker than before.
fn is_dimmed(picture: &Picture, before: &Picture) -> bool {
    picture.brightness() < 0.8 * before.brightness()
}

#[test]
fn an_emulated_person_is_calibrated_in_the_window() {
    let screen = Screen::start();
    let runtime = tempfile::tempdir().unwrap();
    let profiles = runtime.path().join("profiles");
    let palpate = Program::start(
        "palpate",
        calibrate(&profiles).env("DISPLAY", &screen.name).env("XDG_RUNTIME_DIR", runtime.path()),
    );
    let window = screen.window("Palpate calibration");
    screen.focus(window);
    screen.wait_to_see("the hand to imitate beside the own one", shows_both_hands);
    let before = screen.wait_to_see("a step done", |p| has_done(p, 1) && shows_both_hands(p));

    // A wrong key loses nothing: the window asks, over a dimmed page, and goes on.
    screen.press(ESCAPE);
    screen.wait_to_see("the question", |picture| is_dimmed(picture, &before));
    screen.press(ESCAPE);
    screen.wait_to_see("the page again", |picture| !is_dimmed(picture, &before));

    // The chart is small print: a little of it has the colour of skin.
    screen.wait_to_see("the result", |p| has_done(p, 4) && p.model() < 0.005);
    assert!(!profiles.join("x.right.toml").exists(), "nothing is saved before it was asked for");
    screen.click(SAVE);
    palpate.wait_for("saved ");
    let deadline = Instant::now() + PATIENCE;
    while !profiles.join("x.right.toml").exists() {
        assert!(Instant::now() < deadline, "the profile is not there");
        until_next_look();
    }
    // The chart has gone, and the own hand is in the middle of a larger picture.
    screen.wait_to_see("where it is saved", |picture| picture.hand() > 0.03);
    screen.press(RETURN);
    let (status, said) = palpate.wait();
    assert!(status.success() && said.contains("x.right.toml"), "{said}");
}

#[test]
fn a_closed_window_saves_nothing() {
    let screen = Screen::start();
    let runtime = tempfile::tempdir().unwrap();
    let palpate = Program::start(
        "palpate",
        calibrate(runtime.path())
            .env("DISPLAY", &screen.name)
            .env("XDG_RUNTIME_DIR", runtime.path()),
    );
    let window = screen.window("Palpate calibration");
    let before = screen.wait_to_see("a step done", |p| has_done(p, 1) && shows_both_hands(p));
    screen.press_close_button(window);
    screen.wait_to_see("the question", |picture| is_dimmed(picture, &before));
    screen.focus(window);
    screen.press(RETURN);
    let (status, said) = palpate.wait();
    assert!(!status.success() && said.contains("nothing was saved"), "{said}");
}

#[test]
fn without_a_display_or_with_tui_the_terminal_serves() {
    let profiles = tempfile::tempdir().unwrap();
    let no_display = Program::start("palpate", calibrate(profiles.path()).env("DISPLAY", ":9999"));
    no_display.wait_for("no window (no display");
    no_display.wait_for("1/4  flat hand");
    no_display.kill();
    let by_wish =
        Program::start("palpate", calibrate(profiles.path()).arg("--tui").env("DISPLAY", ":9999"));
    by_wish.wait_for("1/4  flat hand");
    // Comes after what is said about windows.
    let said = by_wish.wait_for("an emulated");
    assert!(!said.contains("no window"), "{said}");
    by_wish.kill();
}
