//! The scene in a headset: the real program against a real OpenXR runtime, Monado.
//!
//! `cargo xtask setup --headset` makes the runtime; without it these tests say that they were not run.

mod eyes;
mod monado;

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use monado::{Monado, View};

use crate::program::{Program, ours};
use crate::screen::{Picture, Screen};

/// What `palpate devices` says about the headset.
fn check_devices(command: &mut Command, expected: &[&str]) {
    let (status, said) = Program::start("palpate", command.args(["devices", "--headset"])).wait();
    assert!(status.success(), "{said}");
    for words in expected {
        assert!(said.contains(words), "{words:?} is not in\n{said}");
    }
}

#[test]
fn a_missing_loader_and_a_missing_runtime_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    // It is found first, and is no library.
    std::fs::write(folder.path().join("libopenxr_loader.so.1"), "").unwrap();
    check_devices(
        ours("palpate").env("LD_LIBRARY_PATH", folder.path()),
        &["headset  the OpenXR loader cannot be loaded; install it with `cargo xtask setup`"],
    );
    check_devices(
        ours("palpate").env("XR_RUNTIME_JSON", folder.path().join("no-such-runtime.json")),
        &["headset  no OpenXR runtime is active; install the headset's"],
    );
}

#[test]
fn devices_say_what_the_runtime_offers() {
    let Some(monado) = Monado::without_service() else { return };
    check_devices(
        &mut monado.palpate(),
        &["headset  the OpenXR runtime does not answer", "start its service"],
    );
    let blind = monado.with_simulated_headset();
    check_devices(
        &mut blind.palpate(),
        &["headset  Monado", "320 x 240 pixels for each eye", "sees no hands", "use a glove"],
    );
}

#[test]
fn both_eyes_see_the_object_where_its_distance_demands() {
    let Some(monado) = Monado::without_service() else { return };
    let monado = monado.with_hands();
    let feed = monado.feed();
    let view = View::default();
    feed.send(&view.packet());
    let folder = tempfile::tempdir().unwrap();
    let (status, said) = Program::start(
        "palpate",
        monado
            .palpate()
            .args(["squeeze", "--vr", "--headless", "--pictures"])
            .arg(folder.path())
            .env("RUST_LOG", "info,client=debug"),
    )
    .wait();
    assert!(status.success(), "{said}");
    // From idle to focused, and back when the run is over.
    let states = ["IDLE", "READY", "SYNCHRONIZED", "VISIBLE", "FOCUSED"];
    let back = ["VISIBLE", "SYNCHRONIZED", "STOPPING", "IDLE", "EXITING"];
    let mut rest = said.as_str();
    for state in states.iter().chain(&back) {
        let at = rest.find(&format!("state={state}"));
        rest = &rest[at.unwrap_or_else(|| panic!("no {state} in\n{said}"))..];
    }
    assert!(said.contains("pictures for each eye"), "{said}");
    eyes::check(&folder.path().join("left-eye.png"), &folder.path().join("right-eye.png"), &view);
}

/// However a test ends, whoever waits for its end must not wait for ever.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_bare_hand_that_the_headset_sees_takes_the_object() {
    let Some(monado) = Monado::without_service() else { return };
    let monado = monado.with_hands();
    let feed = monado.feed();
    let is_over = AtomicBool::new(false);
    let folder = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        // A person who closes the hand slowly, holds on, and opens it, again and again.
        let is_over = &is_over;
        let _over = Over(is_over);
        let performer = std::thread::Builder::new().name("performer".to_owned());
        performer
            .spawn_scoped(scope, move || {
                let start = Instant::now();
                while !is_over.load(Ordering::Relaxed) {
                    let seconds = start.elapsed().as_secs_f32() % 10.0;
                    let curl = ((seconds - 2.0) * 0.2).clamp(0.0, 0.8)
                        * f32::from(u8::from(seconds < 8.0));
                    feed.send(&View { curl: Some(curl), ..View::default() }.packet());
                    std::thread::park_timeout(Duration::from_millis(30));
                }
            })
            .unwrap();
        let (status, said) = Program::start(
            "palpate",
            monado
                .palpate()
                .args([
                    "squeeze",
                    "--hand",
                    "openxr",
                    "--headless",
                    "--seconds",
                    "100",
                    "--pictures",
                ])
                .arg(folder.path()),
        )
        .wait();
        assert!(status.success(), "{said}");
        assert!(said.contains("-> attached: index, middle and ring touch"), "{said}");
        assert!(said.contains("1 taken, 1 let go"), "{said}");
    });
}

/// How much of the screen is of the cube's colour, which nothing on the panels has.
fn coral(picture: &Picture) -> f64 {
    picture.share(|[r, g, b]| r > 175 && r > g + 90 && r > b + 90)
}

#[test]
fn the_window_shows_what_the_wearer_sees_and_lives_on_when_the_runtime_is_killed() {
    let Some(monado) = Monado::without_service() else { return };
    let monado = monado.with_hands();
    let screen = Screen::start();
    let feed = monado.feed();
    feed.send(&View::default().packet());
    let palpate = Program::start(
        "palpate",
        monado.palpate().args(["squeeze", "--vr"]).env("DISPLAY", &screen.name),
    );
    let window = screen.window("Palpate");
    palpate.wait_for("shows the scene");
    screen.wait_to_see("what the wearer sees", |picture| coral(picture) > 0.001);
    // The wearer turns round, and wants the table there.
    feed.send(&View { is_turned: true, ..View::default() }.packet());
    screen.wait_to_see("nothing of the object", |picture| coral(picture) < 1e-5);
    screen.focus(window);
    screen.press(u32::from(b'v'));
    screen.wait_to_see("the table before the wearer", |picture| coral(picture) > 0.001);
    drop(feed);
    let monado = monado.killed();
    palpate.wait_for("headset lost: the OpenXR runtime broke off");
    let lost = screen.wait_to_see("the loss", |picture| picture.alarm() > 0.001);
    assert!(coral(&lost) > 0.001, "the scene stays on the screen");
    let _monado = monado.with_hands();
    palpate.wait_for("headset is back");
    screen.press_close_button(window);
    let (status, said) = palpate.wait();
    assert!(status.success(), "{said}");
    assert!(said.contains("headset lost") && said.contains("run       stopped"), "{said}");
}
