//! The scene in a headset: the real program against a real OpenXR runtime, Monado.
//!
//! `cargo xtask setup --headset` makes the runtime; without it these tests say that they were not
//! run.

mod align;
mod controllers;
mod eyes;
mod menu;
mod monado;
mod refusals;
mod same_squeeze;

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use drivers::Side;
use monado::{Feed, Monado, View};
use x11rb::protocol::xproto::Window;

use crate::program::{Program, SMALL_PICTURES, ours};
use crate::screen::{Picture, Screen};

/// Lines of `palpate devices` about the headset.
fn check_devices(command: &mut Command, expected: &[&str]) {
    let (status, said) = Program::start("palpate", command.args(["devices", "--headset"])).wait();
    assert!(status.success(), "{said}");
    for words in expected {
        assert!(said.contains(words), "{words:?} is not in\n{said}");
    }
}

#[test]
fn a_missing_loader_and_a_missing_runtime_have_different_messages() {
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
fn devices_lists_what_the_runtime_offers() {
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
            .args(["squeeze", "--vr", "--headless"])
            .args(SMALL_PICTURES)
            .arg("--pictures")
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
    let [left, right] = ["left-eye.png", "right-eye.png"].map(|name| folder.path().join(name));
    eyes::check(&left, &right, &view, 1.0);
}

#[test]
fn standing_shows_a_workbench_on_the_floor_at_the_wanted_scale() {
    let Some(monado) = Monado::without_service() else { return };
    let monado = monado.with_hands();
    let feed = monado.feed();
    // Small enough that the bench, one metre above the floor, is in the picture.
    let view = View { head: [0.1, 1.25, -0.2], ..View::default() };
    feed.send(&view.packet());
    let folder = tempfile::tempdir().unwrap();
    let mut palpate = monado.palpate();
    palpate.args(["squeeze", "--vr", "--standing", "--world-scale", "2", "--headless"]);
    palpate.args(SMALL_PICTURES);
    let (status, said) =
        Program::start("palpate", palpate.arg("--pictures").arg(folder.path())).wait();
    assert!(status.success(), "{said}");
    let [left, right] = ["left-eye.png", "right-eye.png"].map(|name| folder.path().join(name));
    eyes::check(&left, &right, &view, 2.0);
    eyes::check_height(&left, &view, 0.25 - 2.0 * 0.03, 2.0);
}

/// A wearer who follows `view`, second by second, until `during` is over, however it ends.
fn perform(monado: &Monado, view: impl Fn(f32) -> View + Send, during: impl FnOnce()) {
    /// More often than any headset looks.
    const BETWEEN: Duration = Duration::from_millis(10);
    struct Over<'a>(&'a AtomicBool);
    impl Drop for Over<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let (feed, is_over) = (monado.feed(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let is_over = &is_over;
        let _over = Over(is_over);
        let performer = std::thread::Builder::new().name("performer".to_owned());
        performer
            .spawn_scoped(scope, move || {
                let start = Instant::now();
                while !is_over.load(Ordering::Relaxed) {
                    feed.send(&view(start.elapsed().as_secs_f32()).packet());
                    std::thread::park_timeout(BETWEEN);
                }
            })
            .unwrap();
        during();
    });
}

/// A headset and the workstation's window that show the same scene.
struct Wearer {
    monado: Monado,
    screen: Screen,
    feed: Feed,
    palpate: Program,
    window: Window,
}

impl Wearer {
    /// Returns a wearer who follows `view`; `None` without a runtime.
    fn begins(view: &View, arguments: &[&str]) -> Option<Self> {
        let monado = Monado::without_service()?.with_hands();
        let (screen, feed) = (Screen::start(), monado.feed());
        feed.send(&view.packet());
        let mut palpate = monado.palpate();
        palpate.arg("squeeze").args(arguments).env("DISPLAY", &screen.name);
        let palpate = Program::start("palpate", &mut palpate);
        let window = screen.window("Palpate");
        palpate.wait_for("shows the scene");
        Some(Self { monado, screen, feed, palpate, window })
    }
}

/// A bare hand that closes slowly, holds on and opens, again and again, takes the object and lets
/// it go.
fn check_bare_hand(at_the_cube: View) {
    let Some(monado) = Monado::without_service() else { return };
    let monado = monado.with_hands();
    let folder = tempfile::tempdir().unwrap();
    let view = |seconds: f32| {
        let seconds = seconds % 10.0;
        let closing = ((seconds - 2.0) * 0.2).clamp(0.0, 0.8);
        View { curl: Some(if seconds < 8.0 { closing } else { 0.0 }), ..at_the_cube }
    };
    perform(&monado, view, || {
        let mut palpate = monado.palpate();
        palpate.args(["squeeze", "--hand", "openxr", "--headless", "--seconds", "100"]);
        palpate.args(SMALL_PICTURES);
        let palpate = palpate.arg("--pictures").arg(folder.path());
        palpate.arg("--record").arg(folder.path().join("run.palpate"));
        let (status, said) = Program::start("palpate", palpate).wait();
        assert!(status.success(), "{said}");
        assert!(said.contains("-> attached: index, middle and ring touch"), "{said}");
        assert!(said.contains("1 taken, 1 let go"), "{said}");
        assert!(said.contains(&format!("the {} hand is ", at_the_cube.side.name())), "{said}");
    });
    // Played again, it is a hand of the same size, which only the headset has measured.
    let mut replay = ours("palpate");
    replay
        .args(["replay", "--headless"])
        .args(SMALL_PICTURES)
        .arg(folder.path().join("run.palpate"));
    let replay = replay.arg("--replace").arg("--pictures").arg(folder.path());
    let (status, said) = Program::start("palpate replay", replay).wait();
    assert!(status.success() && said.contains("1 taken, 1 let go"), "{said}");
}

#[test]
fn a_bare_hand_that_the_headset_sees_takes_the_object() {
    check_bare_hand(View::default());
}

#[test]
fn a_bare_left_hand_takes_the_object_as_the_right_one_does() {
    let right = View::default();
    let ([x, y, z], [i, j, k, w]) = right.wrist;
    // As in a mirror that stands between the hands.
    let wrist = ([-x, y, z], [i, -j, -k, w]);
    check_bare_hand(View { side: Side::Left, wrist, ..right });
}

#[test]
fn the_table_comes_along_when_the_room_is_recentred() {
    let Some(wearer) = Wearer::begins(&View::default(), &["--vr"]) else { return };
    let Wearer { monado, screen, feed, palpate, window } = wearer;
    screen.wait_to_see("what the wearer sees", |picture| coral(picture) > 0.001);
    feed.send(&View { is_turned: true, ..View::default() }.packet());
    screen.wait_to_see("nothing of the object", |picture| coral(picture) < 1e-5);
    // The room begins anew where the wearer looks now, without a word to us but the runtime's.
    monado.recentre();
    screen.wait_to_see("the table before the wearer", |picture| coral(picture) > 0.001);
    screen.press_close_button(window);
    let (status, said) = palpate.wait();
    assert!(status.success() && !said.contains("headset lost"), "{said}");
}

#[test]
fn a_frame_allocates_nothing_but_what_its_pictures_take() {
    let Some(monado) = Monado::without_service() else { return };
    let monado = monado.with_hands();
    // A hand in sight, since that is more to do.
    perform(
        &monado,
        |_| View { curl: Some(0.1), ..View::default() },
        || {
            let mut counts = monado.program("examples/frame_allocations");
            let (status, said) = Program::start("frame_allocations", &mut counts).wait();
            assert!(status.success(), "{said}");
            let count = |name: &str| -> f64 {
                let line = said.lines().find(|line| line.starts_with(name)).unwrap();
                line.split_whitespace().nth(1).unwrap().parse().unwrap()
            };
            let (of_loop, of_pictures) = (count("loop"), count("wgpu"));
            assert!(count("frames") > 20.0 && of_pictures > 0.0, "{said}");
            assert!(of_loop < of_pictures + 0.5, "{said}");
        },
    );
}

/// Share of the screen with the cube's colour, which does not occur on the panels.
fn coral(picture: &Picture) -> f64 {
    picture.share(|[r, g, b]| r > 175 && r > g + 90 && r > b + 90)
}

#[test]
fn the_window_shows_what_the_wearer_sees_and_lives_on_when_the_runtime_is_killed() {
    let Some(wearer) = Wearer::begins(&View::default(), &["--vr"]) else { return };
    let Wearer { monado, screen, feed, palpate, window } = wearer;
    screen.wait_to_see("what the wearer sees", |picture| coral(picture) > 0.001);
    // The wearer turns round, and wants the table there.
    feed.send(&View { is_turned: true, ..View::default() }.packet());
    screen.wait_to_see("nothing of the object", |picture| coral(picture) < 1e-5);
    screen.focus(window);
    screen.press(u32::from(b'v'));
    let before =
        screen.wait_to_see("the table before the wearer", |picture| coral(picture) > 0.001);
    screen.press(u32::from(b'l'));
    screen.wait_to_see("larger things", |picture| coral(picture) > 1.2 * coral(&before));
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

#[test]
fn a_hanging_runtime_is_reported_and_does_not_block_the_end() {
    let Some(wearer) = Wearer::begins(&View::default(), &["--vr"]) else { return };
    let Wearer { monado, screen, feed: _feed, palpate, window } = wearer;
    monado.hang();
    palpate.wait_for("headset lost: the OpenXR runtime hangs");
    screen.wait_to_see("the loss", |picture| picture.alarm() > 0.001);
    screen.press_close_button(window);
    let (status, said) = palpate.wait();
    assert!(status.success(), "{said}");
    assert!(
        said.contains("hangs and is left behind") && said.contains("run       stopped"),
        "{said}"
    );
    check_devices(&mut monado.palpate(), &["headset  the OpenXR runtime hangs", "start it again"]);
}
