//! The workstation's window in the hands of a person: the menu, kept shapes, files, and the way
//! out.

use std::fs;
use std::path::Path;

use objects::FileKind;
use objects::format::{BodyToWrite, ObjectToWrite, write};
use physics::TetMesh;

use crate::keys::{CONTROL, ESCAPE, F1, F9, F12, RETURN, SHIFT};
use crate::person::{Person, is_dimmed};
use crate::program::{Program, ours};
use crate::screen::Picture;

/// Nothing but ground is there, and a menu fits below.
const ON_THE_GROUND: [i16; 2] = [60, 260];

/// The button that puts a ball beside the others, in the panel of objects.
const BESIDE_SPHERE: [i16; 2] = [1238, 193];

/// Share of the menu's area that is as dark as a card.
fn menu_cover(picture: &Picture) -> f64 {
    let [left, top] = ON_THE_GROUND.map(|at| usize::try_from(at).unwrap());
    let rows = (top + 20..top + 400).flat_map(|y| (left + 20..left + 240).map(move |x| (x, y)));
    let pixels: Vec<[u8; 3]> = rows.map(|(x, y)| picture.pixels[y * 1280 + x]).collect();
    Picture { pixels }.share(|[r, g, b]| r.max(g).max(b) < 60)
}

fn mesh(path: &Path) -> TetMesh {
    objects::format::read(path, &fs::read(path).unwrap()).unwrap()
}

/// Largest distance between the same nodes of two meshes.
fn farthest(a: &TetMesh, b: &TetMesh) -> f64 {
    let pairs = a.rest_positions().iter().zip(b.rest_positions());
    pairs.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}

/// Runs the recording in a folder again, which compares every bit of every frame.
fn runs_again(folder: &Path, file: &str) -> String {
    let mut again = ours("palpate");
    again.args(["replay", "--exact", "--threads", "1"]).arg(folder.join(file));
    again.arg("--replace").arg("--pictures").arg(folder);
    let (status, said) = Program::start("palpate replay", &mut again).wait();
    assert!(status.success() && said.contains("all with the bits that were recorded"), "{said}");
    said
}

#[test]
fn a_right_click_opens_the_menu_and_escape_leaves() {
    let person = Person::sits_down(|_, _| {});
    let screen = &person.screen;
    assert!(menu_cover(&screen.picture()) < 0.05);
    screen.click_right(ON_THE_GROUND);
    screen.wait_to_see("the menu", |picture| menu_cover(picture) > 0.8);
    screen.press(ESCAPE);
    let before = screen.wait_to_see("no menu", |picture| menu_cover(picture) < 0.05);
    screen.press(F1);
    screen.wait_to_see("the keys", |picture| is_dimmed(picture, &before));
    screen.press(ESCAPE);
    screen.wait_to_see("the picture again", |picture| !is_dimmed(picture, &before));

    screen.press(F12);
    let picture = person.waits_for_file("palpate-0001.png");
    assert!(picture.starts_with(b"\x89PNG") && picture.ends_with(b"IEND\xaeB`\x82"));
    person.palpate.wait_for("palpate-0001.png");
    screen.press(ESCAPE);
    let (status, said) = person.palpate.wait();
    assert!(status.success() && said.contains("run       stopped"), "{said}");
}

#[test]
fn a_squeezed_shape_is_kept_saved_undone_and_run_again_to_the_same_bits() {
    let person = Person::sits_down(|command, folder| {
        command.arg("--record").arg(folder.join("run.palpate"));
        command.args(["--threads", "1", "--cells", "3"]);
    });
    let screen = &person.screen;
    let save_as = |name: &str| {
        let before = screen.picture();
        screen.press_with(&[CONTROL], u32::from(b's'));
        screen.wait_to_see("where to save it", |picture| is_dimmed(picture, &before));
        // The field has the name that the thing has; this is typed before it.
        screen.type_text(name);
        screen.press(RETURN);
        person.palpate.wait_for(&format!("saved {}", person.file(name).display()));
        screen.wait_to_see("the picture again", |picture| !is_dimmed(picture, &before));
        mesh(&person.file(name))
    };
    let original = save_as("original.obj3");

    person.keeps_a_shape();
    let kept = save_as("kept.obj3");
    let dent = farthest(&original, &kept);
    assert!((1e-4..0.02).contains(&dent), "{dent} m");

    screen.press_with(&[CONTROL], u32::from(b'z'));
    person.palpate.wait_for("shape: undone");
    assert_eq!(farthest(&original, &save_as("undone.obj3")), 0.0);
    screen.press_with(&[CONTROL, SHIFT], u32::from(b'z'));
    person.palpate.wait_for("shape: done again");
    assert_eq!(farthest(&kept, &save_as("redone.obj3")), 0.0);

    screen.press(ESCAPE);
    let (status, said) = person.palpate.wait();
    assert!(status.success(), "{said}");
    runs_again(person.folder.path(), "run.palpate");
}

#[test]
fn a_file_is_read_and_one_that_is_none_leaves_all_as_it_was() {
    let person = Person::sits_down(|command, folder| {
        command.arg("--record").arg(folder.join("run.palpate")).args(["--threads", "1"]);
        let small = objects::generate::cube(0.03, 2).unwrap();
        fs::write(folder.join("small.obj3"), objects::format::write_thesis(&small)).unwrap();
        fs::write(folder.join("stone.obj3"), "a stone").unwrap();
    });
    let screen = &person.screen;
    let large = screen.picture().object();
    let before = screen.picture();
    screen.press_with(&[CONTROL], u32::from(b'o'));
    screen.wait_to_see("the files", |picture| is_dimmed(picture, &before));
    screen.type_text("stone.obj3");
    screen.press(RETURN);
    // The page stays and says why, in red.
    let is_red = |[r, g, b]: [i32; 3]| r > 200 && (60..130).contains(&g) && (50..120).contains(&b);
    let reds = |picture: &Picture| picture.share(is_red);
    let quiet = reds(&before);
    screen.wait_to_see("why it cannot be read", |picture| {
        is_dimmed(picture, &before) && reds(picture) > 1e-4 && reds(picture) < quiet.max(0.01)
    });
    screen.press(ESCAPE);
    screen.wait_to_see("the cube still", |picture| {
        !is_dimmed(picture, &before) && picture.object() > 0.5 * large
    });

    screen.press_with(&[CONTROL], u32::from(b'o'));
    screen.wait_to_see("the files", |picture| is_dimmed(picture, &before));
    screen.type_text("small.obj3");
    screen.press(RETURN);
    screen.wait_to_see("a smaller thing", |picture| {
        !is_dimmed(picture, &before) && (0.001..0.5 * large).contains(&picture.object())
    });
    // Where nothing can be written, all stays as it is, and the page says why.
    screen.press_with(&[CONTROL], u32::from(b's'));
    screen.wait_to_see("where to save it", |picture| is_dimmed(picture, &before));
    screen.type_text("/proc/small.obj3");
    screen.press(RETURN);
    person.palpate.wait_for("/proc/small.obj3 cannot be written");
    screen.press(ESCAPE);
    screen.wait_to_see("the small thing still", |picture| !is_dimmed(picture, &before));
    screen.press(ESCAPE);
    let (status, said) = person.palpate.wait();
    assert!(status.success() && said.contains("small is on the table"), "{said}");
    let said = runs_again(person.folder.path(), "run.palpate");
    assert!(said.contains(", 1 orders"), "{said}");
}

/// Position of the first material of the panel: liver.
const FIRST_MATERIAL: [i16; 2] = [945, 104];

#[test]
fn a_surface_is_filled_made_of_other_matter_saved_and_run_again_to_the_same_bits() {
    let person = Person::sits_down(|command, folder| {
        command.arg("--record").arg(folder.join("run.palpate")).args(["--threads", "1"]);
        let ball = objects::generate::sphere(0.03, 600).unwrap();
        let object = ObjectToWrite {
            body: BodyToWrite::Solid(&ball),
            unit: objects::Unit::Metre,
            fields: &[],
        };
        fs::write(folder.join("ball.stl"), write(FileKind::Stl, &object).unwrap()).unwrap();
    });
    let screen = &person.screen;
    let before = screen.picture();
    screen.press_with(&[CONTROL], u32::from(b'o'));
    screen.wait_to_see("the files", |picture| is_dimmed(picture, &before));
    screen.type_text("ball.stl");
    screen.press(RETURN);
    let said = person.palpate.wait_for("shape: ball is on the table");
    assert!(said.contains("numbers taken as metres, as the file says"), "{said}");
    assert!(said.contains("- filled with"), "{said}");
    // What was found stands on a page.
    screen.wait_to_see("what was found", |picture| is_dimmed(picture, &before));
    screen.press(RETURN);
    screen.wait_to_see("the picture again", |picture| !is_dimmed(picture, &before));

    screen.press_with(&[CONTROL], u32::from(b'm'));
    let is_panel = |picture: &Picture| picture.pixels[700 * 1280 + 1200].iter().max() < Some(&60);
    screen.wait_to_see("the materials", is_panel);
    screen.click(FIRST_MATERIAL);
    screen.wait_to_see("liver marked", |picture| {
        let [r, g, b] = picture.pixels[usize::try_from(FIRST_MATERIAL[1]).unwrap() * 1280 + 916];
        g > 120 && b > 120 && r < 100
    });
    screen.press(RETURN);
    person.palpate.wait_for("shape: it is made of the other material now");
    screen.press(ESCAPE);
    screen.wait_to_see("no panel", |picture| !is_panel(picture));

    screen.press_with(&[CONTROL], u32::from(b's'));
    screen.wait_to_see("where to save it", |picture| is_dimmed(picture, &before));
    screen.type_text("ball.vtu");
    screen.press(RETURN);
    person.palpate.wait_for(&format!("saved {}", person.file("ball.vtu").display()));
    screen.wait_to_see("the picture again", |picture| !is_dimmed(picture, &before));
    assert!((1000..4000).contains(&mesh(&person.file("ball.vtu")).n_nodes()));
    screen.press(ESCAPE);
    let (status, said) = person.palpate.wait();
    assert!(status.success(), "{said}");
    let said = runs_again(person.folder.path(), "run.palpate");
    assert!(said.contains(", 2 orders"), "{said}");
}

#[test]
fn a_person_without_a_glove_takes_squeezes_and_keeps_a_shape_by_mouse_alone() {
    let person = Person::has_no_glove(|command, folder| {
        command.arg("--record").arg(folder.join("run.palpate"));
        command.args(["--threads", "1", "--cells", "3"]);
    });
    let (screen, palpate) = (&person.screen, &person.palpate);
    // The hand waits above the cube and comes down to it with the pointer; a click takes the cube.
    let cube = screen.picture().object_middle();
    screen.point([cube[0], cube[1] - 100]);
    screen.point(cube);
    let [x, y] = cube.map(|at| usize::try_from(at).unwrap());
    let around = |picture: &Picture| {
        let rows = (y - 120..y + 60).flat_map(|y| (x - 140..x + 160).map(move |x| (x, y)));
        Picture { pixels: rows.map(|(x, y)| picture.pixels[y * 1280 + x]).collect() }
    };
    screen.wait_to_see("the hand round the cube", |picture| around(picture).hand() > 0.1);
    screen.click(cube);
    palpate.wait_for("attached -> deforming: 5 fingertips hold on");
    // It is lifted by mouse, and pressed as long as the button is held: then it is yellow
    // somewhere.
    screen.point([cube[0], cube[1] - 60]);
    let yellow = |[r, g, b]: [i32; 3]| r > 180 && g > 130 && b < 110;
    let before = screen.picture().share(yellow);
    screen.hold_while(|| {
        screen.wait_to_see("the squeeze", |picture| picture.share(yellow) > before + 2e-4);
    });
    screen.press(u32::from(b'k'));
    palpate.wait_for("this is the rest shape now");
    screen.click(cube);
    palpate.wait_for("deforming -> releasing");
    screen.press_with(&[CONTROL], u32::from(b'z'));
    palpate.wait_for("shape: undone");
    screen.press(ESCAPE);
    let (status, said) = person.palpate.wait();
    assert!(status.success() && said.contains("mm at the deepest"), "{said}");
    runs_again(person.folder.path(), "run.palpate");
}

#[test]
fn a_thing_is_dragged_round_another_comes_beside_it_and_a_recording_begins_in_between() {
    let person = Person::has_no_glove(|command, _| {
        command.args(["--threads", "1", "--cells", "3"]);
    });
    let (screen, palpate) = (&person.screen, &person.palpate);
    // With the mouse for the view, a drag on the cube turns it, and the ground stays as it is.
    let accent = |picture: &Picture| picture.share(|colour| colour == [64, 186, 196]);
    let with_hand =
        accent(&screen.wait_to_see("the hand's card", |picture| accent(picture) > 0.001));
    screen.press(u32::from(b'd'));
    let before =
        screen.wait_to_see("whose the mouse is", |picture| accent(picture) < 0.8 * with_hand);
    let cube = before.object_middle();
    screen.point(cube);
    screen.hold_while(|| (1..=20).for_each(|i| screen.point([cube[0] + 7 * i, cube[1]])));
    screen.wait_to_see("the cube turned", |picture| {
        picture.n_changed(&before) > 2000 && picture.ground() == before.ground()
    });

    // Another thing comes beside it, by the panel.
    screen.press(u32::from(b'o'));
    screen.wait_to_see("the panel", |picture| picture.pixels[700 * 1280 + 1000] == [21, 24, 29]);
    let blue = |[r, _, b]: [i32; 3]| b > r + 60;
    let n_blue = screen.picture().share(blue);
    screen.click(BESIDE_SPHERE);
    screen.wait_to_see("a ball", |picture| picture.share(blue) > n_blue + 0.005);
    screen.press(ESCAPE);
    screen.wait_to_see("no panel", |picture| picture.pixels[700 * 1280 + 1000] != [21, 24, 29]);

    // From here on it is recorded, and runs again to the same bits though it began in the middle.
    screen.press(F9);
    palpate.wait_for("recording from");
    screen.press(u32::from(b'd'));
    screen.wait_to_see("whose the mouse is", |picture| accent(picture) > 0.9 * with_hand);
    let cube = screen.picture().object_middle();
    screen.point([cube[0], cube[1] - 80]);
    screen.point(cube);
    screen.click(cube);
    palpate.wait_for("attached -> deforming");
    screen.press(RETURN);
    palpate.wait_for("deforming -> releasing");
    screen.press(F9);
    palpate.wait_for("recorded ");
    screen.press(ESCAPE);
    let (status, said) = person.palpate.wait();
    assert!(status.success(), "{said}");
    runs_again(person.folder.path(), "palpate-0001.palpate");
}
