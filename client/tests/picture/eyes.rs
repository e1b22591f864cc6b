//! Tests of one scene, drawn for several eyes.

use client::render::{Backdrop, Camera, Lens, Offscreen, Picture, Viewpoint};
use interaction::scene::Scene;
use nalgebra::{Isometry3, Point3, Vector3};

use crate::colour::{Hue, difference};
use crate::things::cube;
use crate::{HEIGHT, WIDTH, empty};

/// Distance between the eyes of a person, in metres.
const BETWEEN: f64 = 0.064;

/// Position of a face, in metres.
pub(crate) const FACE: [f64; 3] = [0.0, 0.25, 0.4];

/// An eye beside the middle of a face, 45 cm from the things.
pub(crate) fn eye(right: f64) -> Viewpoint {
    let face = Point3::from(FACE);
    let world_from_face = Isometry3::face_towards(
        &face,
        &(face + (face - Point3::new(0.0, 0.04, 0.0))),
        &Vector3::y(),
    );
    let world_from_eye = world_from_face * Isometry3::translation(right, 0.0, 0.0);
    // Eyes of a headset see farther outward than towards the nose.
    let (outward, inward) = (0.42, 0.34);
    let (left, right) = if right < 0.0 { (-outward, inward) } else { (-inward, outward) };
    let lens = Lens { left, right, up: 0.22, down: -0.22, near: 0.02, far: 10.0 };
    Viewpoint::of_eye(&world_from_eye, &lens)
}

pub(crate) fn scene() -> Scene {
    Scene { objects: vec![cube(6, Isometry3::translation(0.0, 0.03, 0.0))], ..empty() }
}

#[test]
fn two_eyes_look_at_one_moment() {
    let mut offscreen = Offscreen::new(WIDTH, HEIGHT).unwrap();
    let [left, right] = [-0.5 * BETWEEN, 0.5 * BETWEEN].map(eye);
    let seen_left = offscreen.picture_from(&scene(), &left).unwrap();
    let before = offscreen.uploads();
    let seen_right = offscreen.look_again(&right).unwrap();
    assert_eq!(offscreen.uploads(), before, "the second eye costs no upload and no shadow");
    assert_eq!((before.shapes, before.shadows), (1, 1));

    // Where the middle of the cube must be, by the eyes' own matrices, and where it is seen.
    let middle = Point3::new(0.0, 0.03, 0.0_f32);
    for (viewpoint, seen) in [(left, &seen_left), (right, &seen_right)] {
        let clip = viewpoint.clip_from_world.transform_point(&middle);
        let expected = f64::from(clip.x + 1.0) / 2.0 * f64::from(WIDTH);
        let across = mean_across(seen);
        assert!((across - expected).abs() < 6.0, "seen at {across}, expected at {expected}");
    }
    let shift = mean_across(&seen_left) - mean_across(&seen_right);
    assert!(shift.abs() > 10.0, "both eyes see the same");
}

/// The second eye therefore costs less than the first, which draws the same and also prepares
/// everything. `cargo xtask bench rendering` measures the difference.
#[test]
fn the_second_eye_is_drawn_with_what_the_first_prepared() {
    let mut offscreen = Offscreen::new(WIDTH, HEIGHT).unwrap();
    let [left, right] = [-0.5 * BETWEEN, 0.5 * BETWEEN].map(eye);
    for n_cells in [6, 7] {
        let before = offscreen.uploads();
        let cube = cube(n_cells, Isometry3::translation(0.0, 0.03, 0.0));
        offscreen.picture_from(&Scene { objects: vec![cube], ..empty() }, &left).unwrap();
        let first = offscreen.uploads();
        assert_eq!((first.shapes, first.shadows), (before.shapes + 1, before.shadows + 1));
        assert!(first.bytes > before.bytes);
        offscreen.look_again(&right).unwrap();
        assert_eq!(offscreen.uploads(), first);
    }
}

#[test]
fn a_camera_is_an_eye_like_any_other() {
    let mut offscreen = Offscreen::new(WIDTH, HEIGHT).unwrap();
    let camera = Camera::default();
    let aspect = f64::from(WIDTH) / f64::from(HEIGHT);
    let by_camera = offscreen.picture_from(&scene(), &camera.viewpoint(aspect)).unwrap();
    let view_from_world = camera.view_from_world();
    let world_from_view = view_from_world.try_inverse().expect("a view is not flat");
    let rotation = nalgebra::Rotation3::from_matrix_unchecked(
        world_from_view.fixed_view::<3, 3>(0, 0).into_owned(),
    );
    let at = world_from_view.fixed_view::<3, 1>(0, 3).into_owned();
    let pose =
        Isometry3::from_parts(at.into(), nalgebra::UnitQuaternion::from_rotation_matrix(&rotation));
    let up = 16.0_f64.to_radians();
    let across = (up.tan() * aspect).atan();
    let lens = Lens { left: -across, right: across, up, down: -up, near: 0.01, far: 10.0 };
    // Except for the background: eyes see a horizon there.
    let by_eye = Viewpoint { backdrop: Backdrop::Picture, ..Viewpoint::of_eye(&pose, &lens) };
    let by_eye = offscreen.picture_from(&scene(), &by_eye).unwrap();
    let pairs = by_camera.pixels().iter().zip(by_eye.pixels());
    let differing = pairs.filter(|(a, b)| difference(**a, **b) > 12.0).count();
    assert!(differing < 60, "{differing} pixels differ");
}

/// Difference in brightness between bottom and top, and between right and left, of a picture of the
/// ground alone, for an eye with this turn.
fn slopes(offscreen: &mut Offscreen, turn: Vector3<f64>) -> [f64; 2] {
    let pose = Isometry3::new(Vector3::new(0.0, 1.5, 3.0), turn);
    let lens = Lens { left: -0.5, right: 0.5, up: 0.5, down: -0.5, near: 0.02, far: 10.0 };
    let seen = offscreen.picture_from(&empty(), &Viewpoint::of_eye(&pose, &lens));
    let seen = seen.expect("it can be drawn");
    let bright = |x: u32, y: u32| -> f64 { seen.at(x, y)[..3].iter().map(|c| f64::from(*c)).sum() };
    let (right, bottom) = (WIDTH - 1, HEIGHT - 1);
    [
        bright(WIDTH / 2, bottom) - bright(WIDTH / 2, 0),
        bright(right, HEIGHT / 2) - bright(0, HEIGHT / 2),
    ]
}

#[test]
fn the_horizon_stays_level_when_the_head_is_not() {
    let mut offscreen = Offscreen::new(WIDTH, HEIGHT).unwrap();
    // Looking away from the things, level, and with the head on the right shoulder.
    let away = Vector3::y() * std::f64::consts::PI;
    let [down, across] = slopes(&mut offscreen, away);
    assert!(down > 20.0 && across.abs() < 5.0, "{down} {across}");
    let rolled = Isometry3::new(Vector3::zeros(), away)
        * Isometry3::new(Vector3::zeros(), -Vector3::z() * std::f64::consts::FRAC_PI_2);
    let [down, across] = slopes(&mut offscreen, rolled.rotation.scaled_axis());
    assert!(down.abs() < 5.0 && across.abs() > 20.0, "{down} {across}");
}

/// Mean position of the cube, in pixels from the left.
fn mean_across(picture: &Picture) -> f64 {
    let seen: Vec<f64> = picture
        .places()
        .filter(|(_, _, pixel)| Hue::of(*pixel) == Some(Hue::Object))
        .map(|(x, ..)| f64::from(x))
        .collect();
    assert!(seen.len() > 1000, "only {} pixels", seen.len());
    seen.iter().sum::<f64>() / seen.len() as f64
}
