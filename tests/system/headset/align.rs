//! Alignment of tracker and headset by a gloved hand that holds a controller.

use std::path::Path;
use std::time::{Duration, Instant};

use calibration::profile_store::Edition;
use calibration::{About, Device, Profile, ProfileStore, SavedProfile};
use drivers::{Sensor, SensorMask, Side};
use emulators::{
    GloveEmulator, GloveOptions, HandState, Keyframe, Puppet, ScriptClock, TrackerEmulator,
    TrackerOptions,
};
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

use super::monado::{Monado, View};
use crate::program::{Program, SMALL_PICTURES};
use crate::screen::Screen;

/// Where the transmitter stands in the headset's room, and how the controller sits on the receiver.
/// The program does not know these poses.
fn truth() -> [Isometry3<f64>; 2] {
    let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.9, -1.1, 0.8));
    // So that the hand is before the eyes, which look along -z.
    let place = Vector3::new(0.12, 1.4, -0.85) - turn * tracked(0).translation.vector;
    [
        Isometry3::from_parts(place.into(), turn),
        Isometry3::new(Vector3::new(0.03, -0.02, 0.07), Vector3::new(-0.6, 0.2, 1.1)),
    ]
}

/// Where the tracker sees the receiver at one of several places.
fn tracked(place: usize) -> Isometry3<f64> {
    let angle = place as f64 * 0.9;
    let turn = Vector3::new(angle.sin(), (1.7 * angle).cos(), 0.5 * (2.3 * angle).sin()) * 0.6;
    let aside = Vector3::new(turn.y, turn.z, turn.x) * 0.15;
    Isometry3::new(Vector3::new(0.3, 0.0, -0.2) + aside, turn)
}

fn state(source_from_sensor: &Isometry3<f64>) -> HandState {
    let q = source_from_sensor.rotation;
    HandState {
        receiver_position_cm: (source_from_sensor.translation.vector * 100.0).into(),
        receiver_quaternion: [q.w, q.i, q.j, q.k],
        ..HandState::FLAT
    }
}

/// The controller where the headset sees it at that place.
fn seen(place: usize) -> View {
    let [room_from_source, sensor_from_grip] = truth();
    let room_from_grip = room_from_source * tracked(place) * sensor_from_grip;
    let view = View::default();
    // Views are relative to the middle of the table of a seated wearer.
    let table = Vector3::from(view.head.map(f64::from)) + Vector3::new(0.0, -0.34, -0.42);
    let at = (room_from_grip.translation.vector - table).map(|metres| metres as f32);
    let q = room_from_grip.rotation;
    let turn = [q.i, q.j, q.k, q.w].map(|part| part as f32);
    View { curl: Some(0.0), wrist: (at.into(), turn), holds_controller: true, ..view }
}

fn save_wearers_profile(store: &ProfileStore) {
    let device = Device { kind: "emulated".into(), mask: SensorMask::GLOVE_22, firmware: None };
    let about = About { person: "wearer".into(), date: "today".into(), device };
    let profile = Profile::uncalibrated(Side::Right);
    store.make_folder().unwrap();
    store.save(&SavedProfile { about, profile, quality: [None; Sensor::ALL.len()] }).unwrap();
}

#[test]
fn a_gloved_hand_that_both_see_aligns_tracker_and_headset() {
    let Some(monado) = Monado::without_service() else { return };
    let monado = monado.with_hands();
    let screen = Screen::start();
    let folder = tempfile::tempdir().unwrap();
    let store = ProfileStore::new(folder.path());
    save_wearers_profile(&store);
    let feed = monado.feed();
    feed.send(&seen(0).packet());
    let puppet = Puppet::new(state(&tracked(0)));
    let clock = ScriptClock::since(Instant::now());
    let glove = GloveEmulator::start(GloveOptions::default(), puppet.motion(), clock).unwrap();
    let tracker =
        TrackerEmulator::start(TrackerOptions::default(), puppet.motion(), clock).unwrap();
    let mut palpate = monado.palpate();
    palpate.args(["squeeze", "--vr", "--standing", "--glove", glove.path()]);
    palpate.args(["--tracker", tracker.path(), "--profile", "wearer", "--profiles"]);
    let palpate =
        Program::start("palpate", palpate.arg(folder.path()).env("DISPLAY", &screen.name));
    let window = screen.window("Palpate");
    palpate.wait_for("shows the scene");
    screen.focus(window);
    screen.press(u32::from(b'a'));
    // A wearer who holds the hand still in several places until the alignment is done.
    let deadline = Instant::now() + crate::program::PATIENCE;
    for place in 0.. {
        if palpate.output().contains("tracker and headset are") {
            break;
        }
        assert!(Instant::now() < deadline, "it takes too long:\n{}", palpate.output());
        let to = Keyframe { seconds: 0.2, state: state(&tracked(place)), name: "place".into() };
        puppet.lead([to]);
        let end = Instant::now() + Duration::from_millis(1300);
        while Instant::now() < end {
            feed.send(&seen(place).packet());
            std::thread::park_timeout(Duration::from_millis(20));
        }
    }
    palpate.wait_for("tracker and headset are aligned, to");
    palpate.wait_for("saved in");
    screen.press_close_button(window);
    let (status, said) = palpate.wait();
    assert!(status.success(), "{said}");

    let kept = store.load("wearer", Side::Right, Edition::Newest).unwrap();
    let found = kept.profile.stage_from_source().expect("it is kept in the profile");
    let [expected, _] = truth();
    let apart = (found.translation.vector - expected.translation.vector).norm();
    let turned = found.rotation.angle_to(&expected.rotation);
    assert!(apart < 0.003 && turned < 0.01, "{apart} m and {turned} rad from {expected}");

    // Another day: the gloved hand is seen where the real one is.
    puppet.lead([Keyframe { seconds: 0.0, state: state(&tracked(0)), name: "place".into() }]);
    feed.send(&View::default().packet());
    let mut palpate = monado.palpate();
    palpate.args(["squeeze", "--vr", "--standing", "--headless", "--seconds", "600", "--glove"]);
    palpate.args([glove.path(), "--tracker", tracker.path(), "--profile", "wearer", "--profiles"]);
    palpate.arg(folder.path()).args(SMALL_PICTURES).arg("--pictures").arg(folder.path());
    let trace = folder.path().join("trace");
    let palpate = Program::start("palpate", palpate.arg("--trace").arg(&trace));
    palpate.wait_for("shows the scene");
    palpate.wait_for("the table stands where the tracker says");
    wait_for_hand(&trace);
    palpate.signal("INT");
    let (_, said) = palpate.wait();
    assert!(said.contains("left-eye.png"), "{said}");
    check_glove(&folder.path().join("left-eye.png"));
}

/// Until the gloved hand is on the table.
fn wait_for_hand(trace: &Path) {
    let deadline = Instant::now() + crate::program::PATIENCE;
    while !std::fs::read_to_string(trace).is_ok_and(|lines| lines.contains("world_from_wrist")) {
        assert!(Instant::now() < deadline, "no hand in {}", trace.display());
        std::thread::park_timeout(Duration::from_millis(20));
    }
}

/// What is of the glove's colour in the left eye's picture lies round where the middle of the hand
/// is.
fn check_glove(picture: &Path) {
    let picture = tests::png_frames::picture(picture);
    let is_glove = |pixel: [u8; 4]| {
        let [red, green, blue, _] = pixel.map(i16::from);
        green > red + 25 && blue > red + 25
    };
    let pixels = picture.places().filter(|(_, pixel)| is_glove(*pixel));
    let places: Vec<[f64; 2]> = pixels.map(|(at, _)| at.map(|x| f64::from(x) + 0.5)).collect();
    assert!(places.len() > 50, "{} pixels of the glove", places.len());
    let n = places.len() as f64;
    let found = [0, 1].map(|axis| places.iter().map(|place| place[axis]).sum::<f64>() / n);

    let [room_from_source, _] = truth();
    let wrist = room_from_source
        * tracked(0)
        * Profile::uncalibrated(Side::Right).tracker().sensor_from_wrist;
    // Half way along a flat hand.
    let middle = wrist * Point3::new(0.0, 0.0, -0.09);
    let view = View::default();
    let eye = Point3::from(view.head.map(f64::from)) - Vector3::x() * (view.between_eyes / 2.0);
    let from_eye = middle - eye;
    let [width, height] = picture.size.map(f64::from);
    let tan = view.half_angle.tan();
    let expected = [
        width / 2.0 * (1.0 + from_eye.x / -from_eye.z / tan),
        height / 2.0 * (1.0 - from_eye.y / -from_eye.z / tan),
    ];
    let apart = (found[0] - expected[0]).hypot(found[1] - expected[1]);
    // A hand is 40 pixels long there.
    assert!(apart < 20.0, "the glove is seen at {found:?}, expected at {expected:?}");
}
