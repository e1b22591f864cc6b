//! The menu in the headset, worked by a controller.

use std::time::{Duration, Instant};

use nalgebra::{Point3, UnitQuaternion, Vector3};

use super::Wearer;
use super::monado::{Feed, View};
use crate::program::{PATIENCE, Program};

/// Distances of the board ahead of the eyes and below them, in metres.
const AHEAD: f64 = 0.5;
const BELOW: f64 = 0.08;
/// From the middle of the board down to its edge, and how far the ray goes up from there from click
/// to click: less than a row of the menu is high, so that the first click into it meets the last
/// row.
const EDGE: f64 = 0.22;
const STEP: f64 = 0.008;
/// The runtime's frames are 50 ms apart.
const A_WHILE: Duration = Duration::from_millis(400);

/// The board as it stands before the gaze.
struct Board {
    middle: Point3<f64>,
    up: Vector3<f64>,
    /// Towards the eyes.
    out: Vector3<f64>,
}

impl Board {
    fn before(eyes: &Point3<f64>) -> Self {
        let middle = eyes + Vector3::new(0.0, -BELOW, -AHEAD);
        let turn = UnitQuaternion::face_towards(&(eyes - middle), &Vector3::y());
        Self { middle, up: turn * Vector3::y(), out: turn * Vector3::z() }
    }
}

/// The middle of the table, which is where hands are told from, as the program puts it.
fn table(eyes: &Point3<f64>) -> Point3<f64> {
    eyes + Vector3::new(0.0, -0.34, -0.42)
}

/// Holds a controller that points at this distance below the middle of the board.
fn pointing(below_middle: f64) -> View {
    let view = View::default();
    let eyes = Point3::from(view.head.map(f64::from));
    let board = Board::before(&eyes);
    let target = board.middle - board.up * below_middle;
    let hand = eyes + Vector3::new(0.1, -0.25, -0.1);
    // A controller points along its -z.
    let q = UnitQuaternion::face_towards(&(hand - target), &Vector3::y());
    let place = (hand - table(&eyes)).map(|metres| metres as f32);
    let wrist = (place.into(), [q.i, q.j, q.k, q.w].map(|part| part as f32));
    View { curl: Some(0.0), wrist, holds_controller: true, ..view }
}

/// True if the last report of the program says that the menu is open.
fn is_menu_open(palpate: &Program) -> bool {
    let said = palpate.output();
    said.rfind("the menu is open") > said.rfind("the menu is closed")
}

fn is_over(palpate: &Program) -> bool {
    palpate.output().contains("run       stopped")
}

/// Feeds the runtime the same input for a while.
fn hold(feed: &Feed, view: &View) {
    let end = Instant::now() + A_WHILE;
    while Instant::now() < end {
        feed.send(&view.packet());
        std::thread::park_timeout(Duration::from_millis(20));
    }
}

#[test]
fn a_wearer_ends_the_program_from_the_menu_by_a_ray() {
    let Some(wearer) = Wearer::begins(&pointing(EDGE), &["--vr"]) else { return };
    let Wearer { monado: _monado, screen: _screen, feed, palpate, .. } = wearer;
    let deadline = Instant::now() + PATIENCE;
    // On a busy machine a press may be too short to be seen: the ray then sweeps the menu once
    // more.
    for step in (0..20).cycle() {
        assert!(Instant::now() < deadline, "{}", palpate.output());
        let view = pointing(EDGE - STEP * f64::from(step));
        // A click beside the menu closes it.
        while !is_over(&palpate) && !is_menu_open(&palpate) {
            assert!(Instant::now() < deadline, "{}", palpate.output());
            hold(&feed, &View { presses_menu: true, ..view });
            hold(&feed, &view);
        }
        if is_over(&palpate) {
            break;
        }
        hold(&feed, &view);
        hold(&feed, &View { curl: Some(1.0), ..view });
        hold(&feed, &view);
    }
    let (status, said) = palpate.wait();
    assert!(said.contains("the menu is open in the headset"), "{said}");
    assert!(status.success() && said.contains("run       stopped"), "{said}");
}

#[test]
fn an_open_palm_before_the_eyes_opens_the_menu_and_a_fist_does_not() {
    // Fingers up, the inner side towards the eyes: out of the back of a hand is y, along its
    // fingers -z.
    let q = UnitQuaternion::face_towards(&-Vector3::y(), &-Vector3::z());
    let wrist = ([0.1, 0.25, 0.05], [q.i, q.j, q.k, q.w].map(|part: f64| part as f32));
    let fist = View { curl: Some(0.9), wrist, ..View::default() };
    let Some(wearer) = Wearer::begins(&fist, &["--hand", "openxr"]) else { return };
    let Wearer { monado: _monado, screen, feed, palpate, window } = wearer;
    hold(&feed, &fist);
    hold(&feed, &fist);
    assert!(!palpate.output().contains("the menu is open"), "{}", palpate.output());
    let palm = View { curl: Some(0.0), ..fist };
    for _ in 0..20 {
        if palpate.output().contains("the menu is open") {
            break;
        }
        hold(&feed, &palm);
    }
    palpate.wait_for("the menu is open in the headset");
    screen.press_close_button(window);
    let (status, said) = palpate.wait();
    assert!(status.success(), "{said}");
}

/// A bare right hand that points ahead, with the tip of its index at this distance from the board,
/// below its middle.
fn poking(below_middle: f64, before_board: f64) -> View {
    /// From the wrist of Monado's open hand to the middle of its index' tip.
    const TIP: Vector3<f64> = Vector3::new(-0.038, -0.003, -0.17);
    let view = View::default();
    let eyes = Point3::from(view.head.map(f64::from));
    let board = Board::before(&eyes);
    let tip = board.middle - board.up * below_middle + board.out * before_board;
    let place = (tip - TIP - table(&eyes)).map(|metres| metres as f32);
    View { curl: Some(0.0), wrist: (place.into(), [0.0, 0.0, 0.0, 1.0]), ..view }
}

#[test]
fn a_wearer_ends_the_program_from_the_menu_by_poking_it() {
    /// In front of the board, and through it.
    const BEFORE: f64 = 0.08;
    const THROUGH: f64 = -0.015;
    // On the floor the table is out of the finger's way.
    let arguments = ["--hand", "openxr", "--standing"];
    let Some(wearer) = Wearer::begins(&poking(EDGE, BEFORE), &arguments) else { return };
    let Wearer { monado: _monado, screen, feed, palpate, window } = wearer;
    screen.focus(window);
    let deadline = Instant::now() + PATIENCE;
    for step in (0..20).cycle() {
        assert!(Instant::now() < deadline, "{}", palpate.output());
        if is_over(&palpate) {
            break;
        }
        let below = EDGE - STEP * f64::from(step);
        // A poke beside the menu closes it.
        if !is_menu_open(&palpate) {
            screen.press(u32::from(b'x'));
            palpate.wait_until(|said| {
                said.rfind("the menu is open") > said.rfind("the menu is closed")
            });
        }
        for before_board in [BEFORE, THROUGH, BEFORE] {
            hold(&feed, &poking(below, before_board));
        }
    }
    let (status, said) = palpate.wait();
    assert!(status.success() && said.contains("run       stopped"), "{said}");
}
