//! Tests of pictures, pixel by pixel, against rays cast by hand.

#[path = "picture/board.rs"]
mod board;
#[path = "picture/colour.rs"]
mod colour;
#[path = "picture/eyes.rs"]
mod eyes;
#[path = "picture/golden.rs"]
mod golden;
#[path = "picture/rays.rs"]
mod rays;
#[path = "picture/surfaces.rs"]
mod surfaces;
#[path = "picture/things.rs"]
mod things;
#[path = "picture/uploads.rs"]
mod uploads;

use std::sync::Arc;

use client::render::{Camera, Offscreen, Picture, RenderError, StatusPanel};
use interaction::scene::{FingerContact, Scene, StatusLevel, StatusLine};
use nalgebra::{Isometry3, Point3};

use self::colour::{Hue, difference, hue_deg, is_red, n_pixels};
use self::rays::{Ray, pixels_with_rays, seen_at};
use self::things::{HALF, cube, dented, hand};

const WIDTH: u32 = 640;
const HEIGHT: u32 = 360;

#[test]
fn the_cube_is_seen_where_it_is() {
    let mut offscreen = Offscreen::new(WIDTH, HEIGHT).unwrap();
    // On the ground and lifted, coarse and fine: the last one has a new topology.
    for (n, height) in [(6, 0.0), (6, 0.08), (9, 0.02)] {
        let world_from_object = Isometry3::translation(0.01, f64::from(HALF) + height, -0.01);
        let scene = Scene { objects: vec![cube(n, world_from_object)], ..empty() };
        let picture = picture(&mut offscreen, &scene);
        let hit = |ray: &Ray| ray.hits_cube(&world_from_object);
        check_seen(&picture, Hue::Object, hit, 0.985);
        assert_eq!(n_pixels(&picture, Hue::Glove), 0);
    }
}

#[test]
fn each_of_two_things_is_seen_in_its_place_and_colour() {
    let mut offscreen = Offscreen::new(WIDTH, HEIGHT).unwrap();
    let [left, right] = [-0.06, 0.06].map(|x| Isometry3::translation(x, f64::from(HALF), 0.0));
    let mut objects = vec![cube(6, left), cube(6, right)];
    let both = picture(&mut offscreen, &Scene { objects: objects.clone(), ..empty() });
    check_seen(&both, Hue::Object, |ray| ray.hits_cube(&left) || ray.hits_cube(&right), 0.98);
    // The colour of the glove's cloth.
    let n_points = objects[1].frame.positions.len();
    objects[1].colours = Some(Arc::new(vec![[0.012, 0.150, 0.185]; n_points]));
    let coloured = picture(&mut offscreen, &Scene { objects, ..empty() });
    check_seen(&coloured, Hue::Object, |ray| ray.hits_cube(&left), 0.97);
    check_seen(&coloured, Hue::Glove, |ray| ray.hits_cube(&right), 0.95);
}

#[test]
fn the_glove_is_seen_where_it_is() {
    let mut offscreen = Offscreen::new(WIDTH, HEIGHT).unwrap();
    let hand = hand(FingerContact::Free);
    let picture = picture(&mut offscreen, &Scene { hands: vec![hand.clone()], ..empty() });
    // The cuff hides the wrist.
    check_seen(&picture, Hue::Glove, |ray| ray.hits_hand(&hand), 0.90);
    assert_eq!(n_pixels(&picture, Hue::Object), 0);
}

#[test]
fn an_empty_scene_has_neither() {
    let mut offscreen = Offscreen::new(WIDTH, HEIGHT).unwrap();
    let picture = picture(&mut offscreen, &empty());
    assert_eq!(n_pixels(&picture, Hue::Object), 0);
    assert_eq!(n_pixels(&picture, Hue::Glove), 0);
    // The background is there nevertheless: neither black nor white anywhere.
    assert!(picture.pixels().iter().all(|p| p[..3].iter().all(|&c| c > 30 && c < 240)));
}

#[test]
fn a_squeezed_cube_differs_where_it_was_squeezed() {
    let mut offscreen = Offscreen::new(WIDTH, HEIGHT).unwrap();
    let world_from_object = Isometry3::translation(0.0, f64::from(HALF), 0.0);
    let at_rest = cube(12, world_from_object);
    let mut pressed = at_rest.clone();
    pressed.frame = Arc::new(dented(&at_rest.frame));
    let before = picture(&mut offscreen, &Scene { objects: vec![at_rest], ..empty() });
    let after = picture(&mut offscreen, &Scene { objects: vec![pressed], ..empty() });

    let front = world_from_object * Point3::new(0.0, 0.0, f64::from(HALF));
    let mean_difference = |is_asked: fn(f64) -> bool| {
        let differences: Vec<f64> = pixels_with_rays()
            .filter(|(_, _, ray)| is_asked((ray.at_depth(front.z) - front).norm()))
            .map(|(x, y, _)| difference(before.at(x, y), after.at(x, y)))
            .collect();
        differences.iter().sum::<f64>() / differences.len() as f64
    };
    let in_dent = mean_difference(|away| away < 0.008);
    let outside = mean_difference(|away| away > 0.03);
    assert!(in_dent > 100.0, "the dent differs by {in_dent} only");
    assert!(outside < 0.05, "the rest differs by {outside}");
    // It turns from red to yellow.
    let [x, y] = seen_at(&front);
    assert!(hue_deg(before.at(x, y)) < 15.0);
    assert!((28.0..60.0).contains(&hue_deg(after.at(x, y))));
}

#[test]
fn fingertips_are_coloured_by_contact() {
    let mut offscreen = Offscreen::new(WIDTH, HEIGHT).unwrap();
    let mut at_thumb = |contact| {
        let hand = hand(contact);
        let [x, y] = seen_at(&hand.fingertips[0].centre);
        picture(&mut offscreen, &Scene { hands: vec![hand], ..empty() }).at(x, y)
    };
    let (free, touching) = (at_thumb(FingerContact::Free), at_thumb(FingerContact::Touching));
    let pressing = at_thumb(FingerContact::Pressing);
    assert_eq!(Hue::of(free), Some(Hue::Glove));
    assert!((25.0..50.0).contains(&hue_deg(touching)), "{touching:?}");
    assert!(pressing[..3].iter().all(|&c| c > 160), "{pressing:?} does not glow");
    assert!(difference(touching, pressing) > 60.0);
}

#[test]
fn a_bad_line_is_red_in_the_panel() {
    let mut offscreen = Offscreen::new(WIDTH, HEIGHT).unwrap();
    let mut red_in_panel = |level, panel| {
        let text = "no data for 2 s".to_owned();
        let status = vec![StatusLine { name: "tracker", level, text }];
        let scene = Scene { status, ..empty() };
        let picture = offscreen.picture(&scene, &Camera::default(), panel).unwrap();
        let in_panel = |x, y| x < WIDTH / 2 && y < 70;
        picture.places().filter(|&(x, y, pixel)| in_panel(x, y) && is_red(pixel)).count()
    };
    // A line is 26 pixels high and its words some 100 pixels long.
    assert!(red_in_panel(StatusLevel::Bad, StatusPanel::Shown) > 2500);
    assert_eq!(red_in_panel(StatusLevel::Good, StatusPanel::Shown), 0);
    assert_eq!(red_in_panel(StatusLevel::Waiting, StatusPanel::Shown), 0);
    assert_eq!(red_in_panel(StatusLevel::Bad, StatusPanel::Hidden), 0);
}

#[test]
fn a_picture_without_pixels_is_refused() {
    let refused = Offscreen::new(0, HEIGHT);
    assert!(matches!(refused, Err(RenderError::PictureSize { width: 0, .. })));
}

/// Compares the pixels of a hue with those whose rays hit: the intersection of both sets divided by
/// their union.
fn check_seen(picture: &Picture, hue: Hue, hits: impl Fn(&Ray) -> bool, expected: f64) {
    let (mut both, mut either) = (0, 0);
    for (x, y, ray) in pixels_with_rays() {
        let (is_seen, is_hit) = (Hue::of(picture.at(x, y)) == Some(hue), hits(&ray));
        both += u32::from(is_seen && is_hit);
        either += u32::from(is_seen || is_hit);
    }
    let agreement = f64::from(both) / f64::from(either.max(1));
    assert!(both > 2000, "{hue:?}: only {both} pixels");
    assert!(agreement > expected, "{hue:?}: {both} of {either} pixels agree");
}

fn picture(offscreen: &mut Offscreen, scene: &Scene) -> Picture {
    offscreen.picture(scene, &Camera::default(), StatusPanel::Hidden).expect("the device finishes")
}

fn empty() -> Scene {
    Scene::default()
}
