//! Comparison of pictures with golden pictures, which a person has checked.
//!
//! The golden pictures were made with the software renderer. `PALPATE_GOLDEN=remake cargo test -p
//! client --test picture golden` makes them again; golden/README.md lists why each was made last.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::sync::Arc;

use client::render::{Camera, Offscreen, Picture, Surroundings};
use interaction::scene::{Colouring, FingerContact, Mark, MarkShape, Scene};
use nalgebra::{Isometry3, Point3};
use physics::FieldValues;

use crate::colour::{Hue, difference};
use crate::empty;
use crate::things::{cube, dented, hand, page, thread};

const SIZE: [u32; 2] = [320, 180];
/// Difference at which a pixel counts as another one, in steps of all channels together. Renderers
/// round differently, especially along edges.
const OTHER: f64 = 30.0;
/// Largest share of pixels that may be other ones.
const MOST_OTHERS: f64 = 0.004;
/// Largest mean difference of all pixels, in the same steps.
const MOST_MEAN: f64 = 1.5;

fn pressed_cube() -> interaction::scene::ObjectView {
    let mut cube = cube(12, Isometry3::translation(0.0, 0.03, 0.0));
    let mut frame = dented(&cube.frame);
    // Stresses in place of a solver's: largest in the dent.
    let stress = |(x, rest): (&[f32; 3], &[f32; 3])| 60_000.0 * (rest[2] - x[2]).abs();
    let rest = &frame.topology.rest_positions;
    let stresses = frame.positions.iter().zip(rest).map(stress).collect();
    frame.fields = vec![FieldValues::from_zero(stresses, 1.0)];
    cube.frame = Arc::new(frame);
    cube
}

fn held() -> Scene {
    let hands = vec![hand(FingerContact::Touching)];
    Scene { objects: vec![pressed_cube()], hands, ..empty() }
}

fn coloured(colouring: Colouring) -> Scene {
    Scene { objects: vec![pressed_cube()], colouring, ..empty() }
}

fn arrows() -> Scene {
    let at = Point3::new(0.0, 0.03, 0.032);
    let arrow =
        MarkShape::Arrow { from: at, to: at + nalgebra::Vector3::z() * 0.03, radius: 0.0014 };
    let marks = vec![Mark { shape: arrow, colour: [1.0, 0.55, 0.06] }];
    let stress = Colouring::Field { name: "von Mises stress".into(), low: 0.0, high: 500.0 };
    Scene { marks, ..coloured(stress) }
}

/// All scenes, by name.
fn scenes() -> [(&'static str, Scene, Surroundings); 6] {
    use Surroundings::{Dark, Light};
    let sheets = Scene { objects: vec![page(), thread()], ..empty() };
    [
        ("held-dark", held(), Dark),
        ("held-light", held(), Light),
        ("displacement", coloured(Colouring::Displacement { full: 0.01 }), Dark),
        ("strain", coloured(Colouring::Strain { full: 0.2 }), Light),
        ("stress-and-force", arrows(), Dark),
        ("page-and-thread", sheets, Light),
    ]
}

fn drawn(scene: &Scene, surroundings: Surroundings) -> Picture {
    let mut offscreen = Offscreen::new(SIZE[0], SIZE[1]).expect("a graphics adapter");
    offscreen.surround(surroundings);
    let camera =
        Camera { distance: 0.36, target: Point3::new(0.01, 0.06, 0.0), ..Camera::default() };
    let aspect = f64::from(SIZE[0]) / f64::from(SIZE[1]);
    offscreen.picture_from(scene, &camera.viewpoint(aspect)).expect("the device finishes")
}

fn golden_file(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/picture/golden");
    folder.join(format!("{name}.png"))
}

fn golden(name: &str) -> Picture {
    let file = golden_file(name);
    let opened = BufReader::new(File::open(&file).expect("the golden picture exists"));
    Picture::read_png(opened).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

/// The complaint about a picture, if there is one.
fn complaint(picture: &Picture, golden: &Picture) -> Option<String> {
    assert_eq!(picture.size(), golden.size());
    let pairs = picture.pixels().iter().zip(golden.pixels());
    let apart: Vec<f64> = pairs.map(|(a, b)| difference(*a, *b)).collect();
    let others = apart.iter().filter(|&&d| d > OTHER).count() as f64 / apart.len() as f64;
    let mean = apart.iter().sum::<f64>() / apart.len() as f64;
    let is_good = others <= MOST_OTHERS && mean <= MOST_MEAN;
    (!is_good).then(|| {
        format!(
            "{:.2} % of the pixels are other ones, the mean difference is {mean:.2}",
            100.0 * others
        )
    })
}

#[test]
fn pictures_look_as_they_did_when_they_were_found_good() {
    let is_remade = std::env::var_os("PALPATE_GOLDEN").is_some_and(|value| value == "remake");
    let mut complaints = Vec::new();
    for (name, scene, surroundings) in scenes() {
        let picture = drawn(&scene, surroundings);
        if is_remade {
            picture.write_png(File::create(golden_file(name)).unwrap()).unwrap();
            continue;
        }
        let golden = golden(name);
        if let Some(complaint) = complaint(&picture, &golden) {
            let seen = show(name, &picture, &golden);
            complaints.push(format!("{name}: {complaint}; see {}", seen.display()));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// Writes golden picture, picture and their difference side by side.
fn show(name: &str, picture: &Picture, golden: &Picture) -> PathBuf {
    let [width, height] = SIZE;
    let beside = Picture::from_fn([3 * width, height], |x, y| match x / width {
        0 => golden.at(x, y),
        1 => picture.at(x - width, y),
        _ => {
            let (a, b) = (golden.at(x - 2 * width, y), picture.at(x - 2 * width, y));
            let apart = |i: usize| a[i].abs_diff(b[i]).saturating_mul(4);
            [apart(0), apart(1), apart(2), 255]
        }
    });
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("golden-{name}.png"));
    let to = File::create(&file).expect("the target folder can be written to");
    beside.write_png(to).expect("the disk has room");
    file
}

#[test]
fn each_has_a_note_on_why_it_was_made() {
    let notes = golden_file("x").with_file_name("README.md");
    let notes = std::fs::read_to_string(notes).unwrap();
    for (name, ..) in scenes() {
        let line = notes.lines().find(|line| line.starts_with(&format!("| {name} |")));
        let why = line.and_then(|line| line.split('|').nth(3)).unwrap_or_default();
        assert!(why.trim().len() >= 10, "{name} has no note");
    }
}

#[test]
fn a_missing_hand_shadow_or_ground_would_be_noticed() {
    let golden = golden("held-dark");
    let check = |what: &str, picture: &Picture| {
        assert!(complaint(picture, &golden).is_some(), "a change is not noticed: {what}");
    };
    check("the hand", &drawn(&Scene { hands: Vec::new(), ..held() }, Surroundings::Dark));
    check("the thing", &drawn(&Scene { objects: Vec::new(), ..held() }, Surroundings::Dark));
    check("a hand that does not touch", &{
        let hands = vec![hand(FingerContact::Free)];
        drawn(&Scene { hands, ..held() }, Surroundings::Dark)
    });
    check("the dark", &drawn(&held(), Surroundings::Light));
    // Where neither hand nor thing is seen, the shadow is what an empty scene lacks.
    let nothing = drawn(&empty(), Surroundings::Dark);
    let mut shadowless = golden.clone();
    for (x, y, pixel) in golden.places() {
        if Hue::of(pixel).is_none() && y > SIZE[1] / 2 {
            shadowless.set(x, y, nothing.at(x, y));
        }
    }
    check("the shadow", &shadowless);
}
