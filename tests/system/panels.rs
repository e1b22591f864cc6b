//! Panels of the window: source of the hand, time line of a recording, and settings that outlive
//! the window.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::keys::{CONTROL, END, ESCAPE, HOME, LEFT, RETURN, RIGHT};
use crate::person::{Person, is_dimmed};
use crate::program::{Program, Server, devices_that_hold_on, let_pass, ours};
use crate::screen::{Picture, Screen};

/// In the panel of sources.
const RIGHT_HAND: [i16; 2] = [1024, 111];
const FLAT: [i16; 2] = [1035, 182];
const GLOVE: [i16; 2] = [1020, 361];
const TRACKER: [i16; 2] = [1020, 397];
const USE_DEVICES: [i16; 2] = [958, 505];
const RECORDING: [i16; 2] = [940, 612];
/// In the panel of settings.
const LIGHT: [i16; 2] = [1005, 111];
const A_SERVER: [i16; 2] = [1072, 361];
const ADDRESS: [i16; 2] = [1150, 397];
const SOLVE_SO: [i16; 2] = [946, 433];
const RESET: [i16; 2] = [1120, 679];
const COMMA: u32 = 0x2c;

/// Background colour of a panel at the right.
fn is_panel(picture: &Picture) -> bool {
    [[21, 24, 29], [243, 245, 247]].contains(&picture.pixels[640 * 1280 + 1270])
}

/// Background colour of the time line at the bottom.
fn is_time_line(picture: &Picture) -> bool {
    picture.pixels[717 * 1280 + 5] == [21, 24, 29]
}

/// Colour of a chosen entry.
fn accent(picture: &Picture) -> f64 {
    picture.share(|colour| colour == [64, 186, 196])
}

fn press_letter(screen: &Screen, letter: u8) {
    screen.press(u32::from(letter));
}

fn opens_panel(screen: &Screen, letter: u8) {
    press_letter(screen, letter);
    screen.wait_to_see("the panel", is_panel);
}

/// Pixels around a position.
fn around([x, y]: [i16; 2], picture: &Picture) -> Picture {
    let [x, y] = [x, y].map(|at| usize::try_from(at).unwrap());
    let rows = (y - 10..y + 10).flat_map(|y| (x - 60..x + 60).map(move |x| (x, y)));
    Picture { pixels: rows.map(|(x, y)| picture.pixels[y * 1280 + x]).collect() }
}

/// Clicks on words to choose, and waits until they are chosen.
fn chooses(screen: &Screen, at: [i16; 2]) {
    screen.click(at);
    screen.wait_to_see("what is chosen", |picture| accent(&around(at, picture)) > 0.1);
}

/// Types into a field instead of what is there, each step as soon as the last one shows.
fn types_over(screen: &Screen, field: [i16; 2], text: &str) {
    screen.click(field);
    // The line that shows where letters go.
    let is_cursor = |[r, g, b]: [i32; 3]| b > 245 && (170..215).contains(&r) && g > r;
    screen.wait_to_see("the cursor", |picture| around(field, picture).share(is_cursor) > 0.0);
    screen.press_with(&[CONTROL], u32::from(b'a'));
    let before = around(field, &screen.picture()).pixels;
    screen.type_text(text);
    screen.wait_to_see("what was typed", |picture| around(field, picture).pixels != before);
}

#[test]
fn the_hand_comes_from_wherever_it_is_chosen_and_stays_if_that_cannot_be() {
    let (glove, tracker) = devices_that_hold_on();
    let person = Person::has_no_glove(|command, _| {
        command.args(["--threads", "1", "--cells", "3"]);
    });
    let (screen, palpate) = (&person.screen, &person.palpate);
    screen.wait_to_see("the hand's card", |picture| accent(picture) > 0.001);
    opens_panel(screen, b'i');
    // A port that is not there: the old hand stays.
    types_over(screen, GLOVE, "/dev/nothing");
    types_over(screen, TRACKER, tracker.path());
    screen.click(USE_DEVICES);
    let said = palpate.wait_for("The hand still comes from mouse and keys, right hand");
    assert!(said.contains("no glove: ") && !said.contains("panicked"), "{said}");
    // Devices on ports take over, and the same thing is squeezed by them.
    types_over(screen, GLOVE, glove.path());
    screen.click(USE_DEVICES);
    palpate.wait_for(&format!("the hand comes from the glove at {}", glove.path()));
    palpate.wait_for("attached -> deforming");
    // A script, and the mouse again: what was held is let go.
    screen.click(FLAT);
    palpate.wait_for("the hand comes from emulated devices, flat");
    palpate.wait_for("deforming -> releasing: the hand has another source now");
    screen.click(RIGHT_HAND);
    palpate.wait_for("the hand comes from mouse and keys, right hand");
    screen.press(ESCAPE);
    screen.wait_to_see("no panel", |picture| !is_panel(picture) && accent(picture) > 0.001);
    screen.press(ESCAPE);
    let (status, said) = person.palpate.wait();
    assert!(status.success(), "{said}");
    // Nothing that came from a source is forgotten in the end.
    let samples = said.lines().find(|line| line.starts_with("glove ")).unwrap();
    assert!(samples.contains("samples"), "{said}");
    let kept =
        fs::read_to_string(person.folder.path().join("config/palpate/settings.toml")).unwrap();
    assert!(kept.contains("from = \"mouse\""), "{kept}");
}

/// A recorded squeeze of emulated devices.
fn records(folder: &Path) {
    let mut command = ours("palpate");
    command.args(["squeeze", "--headless", "--frames", "400", "--cells", "3", "--record"]);
    command.arg(folder.join("run.palpate")).arg("--pictures").arg(folder.join("pictures"));
    let (status, said) = Program::start("palpate", &mut command).wait();
    assert!(status.success(), "{said}");
}

/// The last position in the recording that the program reported with these words, in seconds.
fn place(said: &str, words: &str) -> f64 {
    let line = said.lines().rfind(|line| line.contains(words)).unwrap_or_else(|| panic!("{said}"));
    let seconds = line.split(words).nth(1).unwrap().trim().trim_end_matches(" s");
    seconds.parse().unwrap_or_else(|e| panic!("{line}: {e}"))
}

#[test]
fn a_recording_is_played_paused_and_sought_through_on_its_time_line() {
    let person = Person::has_no_glove(|command, folder| {
        records(folder);
        fs::write(folder.join("letter.palpate"), "dear recording").unwrap();
        command.args(["--threads", "1", "--cells", "3"]);
    });
    let (screen, palpate) = (&person.screen, &person.palpate);
    let plays = |name: &str| {
        let before = screen.picture();
        screen.click(RECORDING);
        screen.wait_to_see("the files", |picture| is_dimmed(picture, &before));
        screen.type_text(name);
        screen.press(RETURN);
        before
    };
    opens_panel(screen, b'i');
    // What is no recording is said on the page, and the hand stays.
    let before = plays("letter.palpate");
    palpate.wait_for("The hand still comes from mouse and keys");
    screen.press(ESCAPE);
    screen.wait_to_see("the picture again", |picture| !is_dimmed(picture, &before));
    opens_panel(screen, b'i');
    plays("run.palpate");
    palpate.wait_for("the hand comes from the recording");
    screen.wait_to_see("the time line", is_time_line);
    palpate.wait_for("attached -> deforming");
    // A paused hand holds on, however long: it is not lost.
    press_letter(screen, b'p');
    let said = palpate.wait_for("the recording is paused at ");
    let paused = place(&said, "paused at ");
    assert!(!said.contains("the recording goes on at"), "{said}");
    // Devices that say nothing for two seconds lose their hand.
    let_pass(Duration::from_millis(2500));
    press_letter(screen, b'p');
    let said = palpate.wait_for("the recording goes on at ");
    assert_eq!(place(&said, "goes on at "), paused, "time stood still");
    assert!(!said.contains("the hand is lost"), "{said}");
    // To another place and back to where the thing was held: there it is held again, though time
    // stands still.
    press_letter(screen, b'p');
    palpate.wait_until(|said| said.matches("the recording is paused at ").count() == 2);
    let paused = place(&palpate.output(), "paused at ");
    let seeks = |key: u32, n_before: usize| {
        screen.press(key);
        palpate.wait_until(|said| said.matches("the recording is at ").count() == n_before + 1);
        let said = palpate.output();
        (place(&said, "the recording is at "), said)
    };
    let (back, _) = seeks(LEFT, 0);
    assert!((paused - 1.0 - back).abs() < 0.02, "{back} s from {paused} s");
    let (again, said) = seeks(RIGHT, 1);
    assert!((paused - again).abs() < 0.02, "{again} s again after {paused} s");
    let held = said.lines().rfind(|line| line.contains(" -> "));
    assert!(held.is_some_and(|line| line.contains("attached -> deforming")), "{said}");
    // To its beginning, and to its end.
    let (beginning, said) = seeks(HOME, 2);
    assert_eq!(beginning, 0.0);
    let free = said.lines().rfind(|line| line.contains(" -> "));
    assert!(free.is_some_and(|line| line.contains("deforming -> approach")), "{said}");
    let (end, said) = seeks(END, 3);
    assert!(end > paused && !said.contains("the hand is lost"), "{said}");
    // In the middle of the line, by mouse.
    screen.click([560, 690]);
    palpate.wait_until(|said| said.matches("the recording is at ").count() == 5);
    let said = palpate.wait_for("the recording is at ");
    let middle = place(&said, "the recording is at ");
    assert!((0.3 * end..0.7 * end).contains(&middle), "{middle} of {end} s");
    // Another source, and the line is gone.
    opens_panel(screen, b'i');
    screen.click(RIGHT_HAND);
    palpate.wait_until(|said| said.matches("the hand comes from mouse and keys").count() == 1);
    screen.wait_to_see("no time line", |picture| !is_time_line(picture));
    screen.press(ESCAPE);
    screen.wait_to_see("no panel", |picture| !is_panel(picture));
    screen.press(ESCAPE);
    let (status, said) = person.palpate.wait();
    assert!(status.success(), "{said}");
    let kept =
        fs::read_to_string(person.folder.path().join("config/palpate/settings.toml")).unwrap();
    assert!(kept.contains("run.palpate") && !kept.contains("letter.palpate"), "{kept}");
}

fn leaves(person: Person) -> String {
    person.screen.press(ESCAPE);
    let (status, said) = person.palpate.wait();
    assert!(status.success(), "{said}");
    said
}

#[test]
fn settings_outlive_the_window_and_broken_ones_are_set_aside() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("palpate/settings.toml");
    let at_home = |command: &mut Command, _: &Path| {
        command.args(["--cells", "3"]).env("XDG_CONFIG_HOME", home.path());
    };
    let kept = || fs::read_to_string(&file).unwrap();
    let settings = |screen: &Screen| {
        screen.press_with(&[CONTROL], COMMA);
        screen.wait_to_see("the settings", is_panel);
    };

    let person = Person::has_no_glove(at_home);
    let screen = &person.screen;
    press_letter(screen, b'w');
    press_letter(screen, b't');
    let dark = screen.picture().brightness();
    settings(screen);
    screen.click(LIGHT);
    screen.wait_to_see("a light window", |picture| picture.brightness() > 1.4 * dark);
    screen.press(ESCAPE);
    screen.wait_to_see("no panel", |picture| !is_panel(picture));
    leaves(person);
    for line in ["theme = \"light\"", "sphere_tree = true", "wireframe = true"] {
        assert!(kept().contains(line), "{}", kept());
    }
    // A hand of the command line is for once.
    assert!(!kept().contains("[hand]"), "{}", kept());

    // The next window is as the last one was; what it does not change stays.
    let before = kept();
    let person = Person::has_no_glove(at_home);
    person.screen.wait_to_see("a light window", |picture| picture.brightness() > 1.4 * dark);
    press_letter(&person.screen, b't');
    leaves(person);
    assert_eq!(kept(), before.replace("sphere_tree = true", "sphere_tree = false"));

    // Back to the beginning.
    let person = Person::has_no_glove(at_home);
    settings(&person.screen);
    let before = person.screen.picture();
    person.screen.click(RESET);
    person.screen.wait_to_see("a question", |picture| is_dimmed(picture, &before));
    press_letter(&person.screen, b'y');
    person.palpate.wait_for("all settings are reset");
    person.screen.wait_to_see("a dark window", |picture| picture.brightness() < 1.1 * dark);
    leaves(person);
    assert!(kept().contains("theme = \"system\"") && kept().contains("wireframe = false"));

    // A broken file costs nothing but its settings.
    fs::write(&file, "theme = [").unwrap();
    let person = Person::has_no_glove(at_home);
    let said = person.palpate.wait_for("cannot be used");
    assert!(said.contains("settings.broken.toml"), "{said}");
    leaves(person);
    assert_eq!(fs::read_to_string(file.with_extension("broken.toml")).unwrap(), "theme = [");
}

#[test]
fn another_solver_takes_over_and_one_that_is_not_there_changes_nothing() {
    let person = Person::sits_down(|command, _| {
        command.args(["--cells", "3"]);
    });
    let (screen, palpate) = (&person.screen, &person.palpate);
    screen.press_with(&[CONTROL], COMMA);
    screen.wait_to_see("the settings", is_panel);
    chooses(screen, A_SERVER);
    types_over(screen, ADDRESS, "http://127.0.0.1:1");
    screen.click(SOLVE_SO);
    palpate.wait_for("the solver stays as it was");
    let server = Server::start("127.0.0.1:0");
    types_over(screen, ADDRESS, &server.url);
    screen.click(SOLVE_SO);
    palpate.wait_for(&format!("solved by {} from now on", server.url));
    // The hand goes on, and the server is asked.
    server.program.wait_for("session opened");
    person.waits_for_another("attached -> deforming");
    screen.press(ESCAPE);
    screen.wait_to_see("no panel", |picture| !is_panel(picture));
    let said = leaves(person);
    assert!(said.contains("solver    ") && said.contains("127.0.0.1"), "{said}");
}
