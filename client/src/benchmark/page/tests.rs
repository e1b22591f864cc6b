use std::fs;
use std::sync::atomic::AtomicBool;

use benchmark::plan::MachineSpeed;
use benchmark::results::read_json;
use benchmark::{Plan, Request};
use egui::{Color32, Theme};
use interaction::scene::Scene;

use super::*;
use crate::render::{Camera, Offscreen, Picture};
use crate::ui::Look;

/// A small run, by the real solver.
fn measured() -> Results {
    let request = Request {
        nodes: Some(vec![60, 120]),
        threads: Some(vec![1, 2]),
        contacts: 6,
        repetitions: Some(3),
        ..Request::default()
    };
    let speed = MachineSpeed { ours: 1e-3, thesis: 1e-3, gradients: 1e-3 };
    let plan = Plan::new(&request, 2, &speed).unwrap();
    benchmark::run(&plan, &AtomicBool::new(false), &mut |_, _| {}).unwrap()
}

fn picture(page: &mut BenchmarkPage, look: Look) -> Picture {
    let size = [1280, 720].map(|side: u32| side * look.pixels_per_point as u32);
    let mut offscreen = Offscreen::new(size[0], size[1]).unwrap();
    let panels = |ui: &mut Ui| {
        page.page(ui);
    };
    offscreen.picture_with_panels(&Scene::default(), &Camera::default(), look, panels).unwrap()
}

fn count(picture: &Picture, colour: Color32) -> usize {
    picture.pixels().iter().filter(|pixel| pixel[..3] == colour.to_array()[..3]).count()
}

#[test]
fn plots_are_painted_in_light_and_dark_and_at_twice_the_size() {
    let mut page = BenchmarkPage::new(BenchOptions::default(), OtherWork::Hand);
    page.end(Ok(measured()));
    for theme in [Theme::Dark, Theme::Light] {
        for pixels_per_point in [1.0, 2.0] {
            let look = Look { theme, pixels_per_point };
            let picture = picture(&mut page, look);
            let palette = style::of(theme);
            // Lines are two points wide and cross half of the picture; a mark has fifty points.
            for colour in &palette.series[..4] {
                let n = count(&picture, *colour);
                assert!(n > 300 * pixels_per_point as usize, "{look:?}, {colour:?}: {n}");
            }
            assert!(count(&picture, palette.good) > 20, "{look:?}: where it is saved");
            // The page covers the whole scene.
            let [right, bottom] = picture.size().map(|side| side - 1);
            for (x, y) in [(0, 0), (right, 0), (0, bottom), (right, bottom)] {
                let [r, g, b, _] = picture.at(x, y);
                assert_eq!(Color32::from_rgb(r, g, b), palette.ground, "{look:?} at {x}, {y}");
            }
        }
    }
}

/// The first points come soon; all of them would take too long for a test.
fn endless(folder: &Path) -> BenchOptions {
    BenchOptions {
        nodes: vec![60, 3000],
        threads: vec![1],
        repetitions: Some(100),
        out: folder.to_owned(),
        ..BenchOptions::default()
    }
}

#[test]
fn a_page_that_goes_away_leaves_what_was_measured() {
    let folder = tempfile::tempdir().unwrap();
    let mut page = BenchmarkPage::new(endless(folder.path()), OtherWork::None);
    page.start();
    let deadline = Instant::now() + Duration::from_secs(120);
    while page.moment.as_ref().is_none_or(|moment| moment.results.points.is_empty()) {
        assert!(page.is_running() && Instant::now() < deadline, "no point was measured");
        page.take_news();
        std::thread::yield_now();
    }
    let found = page.finish().expect("what there is");
    assert!(!page.is_running() && page.failure().is_none());
    let kept = read_json(&fs::read(folder.path().join("results.json")).unwrap()).unwrap();
    assert_eq!(kept.completeness, Completeness::Partial);
    assert_eq!(kept.points.len(), found.points.len());
    assert!(fs::read_to_string(folder.path().join("report.html")).unwrap().contains("Partial."));
}

#[test]
fn the_page_shows_why_nothing_was_measured() {
    let folder = tempfile::tempdir().unwrap();
    let absent = folder.path().join("absent.msh");
    let options = BenchOptions { objects: vec![absent], ..endless(folder.path()) };
    let mut page = BenchmarkPage::new(options, OtherWork::None);
    page.start();
    let deadline = Instant::now() + Duration::from_secs(60);
    while page.is_running() {
        assert!(Instant::now() < deadline, "it neither ends nor fails");
        page.take_news();
        std::thread::yield_now();
    }
    assert!(page.failure().unwrap().contains("cannot read"), "{:?}", page.failure());
    assert!(page.finish().is_none());
}
