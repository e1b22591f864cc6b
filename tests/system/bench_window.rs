//! The benchmark in a window: plots that grow, a run that is stopped there, and a hand that rests
//! meanwhile.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::keys::{ESCAPE, RETURN};
use crate::program::{PATIENCE, Program, emulated_devices, ours, squeeze};
use crate::screen::{Picture, Screen};

/// Share of the screen with the colours of the first two lines of a plot.
fn lines(picture: &Picture) -> f64 {
    picture.share(|p| p == [108, 178, 238] || p == [240, 147, 90])
}

/// The green of what was saved, in letters.
fn is_saved(picture: &Picture) -> bool {
    picture.share(|[r, g, b]| g > r + 40 && g > b + 25 && g > 120) > 1e-4
}

/// Below the title, where a run has its bar and its words, stand lengths and bodies; the chosen
/// ones are filled.
fn offers_choices(picture: &Picture) -> bool {
    let rows = (74..84).flat_map(|y| &picture.pixels[y * 1280 + 10..y * 1280 + 560]);
    rows.filter(|pixel| **pixel == [64, 186, 196]).count() > 500
}

fn wait_until_there(file: &Path) {
    let deadline = Instant::now() + PATIENCE;
    while !file.exists() {
        assert!(Instant::now() < deadline, "{} was not written", file.display());
        std::thread::park_timeout(Duration::from_millis(30));
    }
}

fn results(folder: &Path) -> Value {
    serde_json::from_slice(&fs::read(folder.join("results.json")).unwrap()).unwrap()
}

#[test]
fn plots_grow_while_it_measures_and_the_report_is_written() {
    let (screen, folder) = (Screen::start(), tempfile::tempdir().unwrap());
    let mut palpate = ours("palpate");
    palpate.current_dir(folder.path());
    palpate.env("DISPLAY", &screen.name).env("XDG_RUNTIME_DIR", folder.path());
    palpate.args(["bench", "--window", "--nodes", "60,120", "--threads", "1,2"]);
    palpate.args(["--repetitions", "5", "--contacts", "6"]);
    let palpate = Program::start("palpate", &mut palpate);
    let window = screen.window("Palpate benchmark");
    screen.focus(window);
    screen.wait_to_see("lines in plots", |picture| lines(picture) > 1e-3);
    screen.wait_to_see("where it is saved", is_saved);
    wait_until_there(&folder.path().join("palpate-bench/results.json"));
    // What is saved on the way gives way to the whole.
    let deadline = Instant::now() + PATIENCE;
    while results(&folder.path().join("palpate-bench"))["complete"] != true {
        assert!(Instant::now() < deadline, "the run was never complete");
        std::thread::park_timeout(Duration::from_millis(30));
    }
    screen.press(ESCAPE);
    let (status, said) = palpate.wait();
    assert!(status.success() && said.contains("set-up"), "{said}");
    assert!(said.contains("the report is palpate-bench/report.html"), "{said}");
}

#[test]
fn the_hand_rests_while_the_workstation_is_measured() {
    let (screen, folder) = (Screen::start(), tempfile::tempdir().unwrap());
    let devices = emulated_devices();
    let mut command = squeeze(&devices.0, &devices.1);
    command.current_dir(folder.path());
    command.env("DISPLAY", &screen.name).env("XDG_RUNTIME_DIR", folder.path());
    let palpate = Program::start("palpate", &mut command);
    let window = screen.window("Palpate");
    screen.focus(window);
    let is_at_work = |picture: &Picture| picture.object() > 0.01 && picture.hand() > 0.01;
    screen.wait_to_see("hand and object", is_at_work);

    screen.press(u32::from(b'b'));
    screen.wait_to_see("the page instead", |picture| picture.object() < 1e-4);
    screen.press(RETURN);
    screen.wait_to_see("lines in plots", |picture| lines(picture) > 1e-3);
    // On a quick machine the page is there before the hand has touched anything.
    let n_grasps = || palpate.wait_for("squeeze a soft cube").matches(" -> ").count();
    let at_rest = n_grasps();
    // What is kept on the way comes after several grasps of a hand that does not rest.
    wait_until_there(&folder.path().join("palpate-bench/results.json"));
    assert_eq!(n_grasps(), at_rest, "the hand went on");
    // Stopped, it keeps what it has; the hand goes on as soon as it is over.
    screen.press(ESCAPE);
    // A run that was over by itself just then leaves nothing to stop, and its page is closed
    // already.
    let has_ended = |picture: &Picture| offers_choices(picture) || is_at_work(picture);
    if offers_choices(&screen.wait_to_see("the end of the run", has_ended)) {
        screen.press(ESCAPE);
    }
    screen.wait_to_see("hand and object again", is_at_work);
    palpate.wait_until(|said| said.matches(" -> ").count() > at_rest);
    assert!(results(&folder.path().join("palpate-bench"))["complete"].is_boolean());
    screen.press(ESCAPE);
    let (status, said) = palpate.wait();
    assert!(status.success() && said.contains("run       stopped"), "{said}");
}

#[test]
fn without_a_display_there_is_advice() {
    let mut palpate = ours("palpate");
    let (status, said) = Program::start("palpate", palpate.args(["bench", "--window"])).wait();
    assert!(
        !status.success() && said.contains("without --window it runs in the terminal"),
        "{said}"
    );
}
