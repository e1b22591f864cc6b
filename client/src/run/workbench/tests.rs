mod asks;
mod hand;

use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Instant;

use drivers::Hand as Side;
use engine::{Bell, Budget, Mailbox, Workshop};
use interaction::scene::{Level, Mark, MarkShape, StatusLine};
use nalgebra::Point3;

use super::*;
use crate::command_line::ProfilesFolder;
use crate::session::Request;
use crate::wiring::HandChoice;

/// Where a window's scenes come from.
type Scenes = Arc<Mailbox<NewScene>>;

/// A window's side of a session whose scenes come from a test.
fn bench() -> (Bench<'static>, Scenes) {
    // Nobody listens: what is asked for is not heard.
    let (bench, scenes, _) = listened_to(HandChoice::Mouse(Side::Right));
    (bench, scenes)
}

/// The same, with what it asks of the session, one thing at a time.
fn listened_to(choice: HandChoice) -> (Bench<'static>, Scenes, Receiver<Request>) {
    let scenes: Scenes = Arc::default();
    let (_, squeezes) = sync_channel(1);
    let (requests, heard) = sync_channel(1);
    let doors = Doors {
        bell: Arc::new(Bell::default()),
        steering: Arc::default(),
        headset: None,
        profiles: ProfilesFolder::default(),
    };
    let wires = Wires {
        channels: Channels {
            scenes: Arc::clone(&scenes),
            squeezes,
            requests,
            wishes: Wishes::default(),
        },
        solvers: Solvers::Embedded(Workshop::new(Some(1), Budget::default()).unwrap()),
        doors,
    };
    let hand = FirstHand { choice, driven: None, playback: None };
    let start = Start {
        settings: Settings::default(),
        trouble: None,
        rules: GraspRules::default(),
        hand,
        person: None,
        solver: SolverChoice::default(),
        recorder: None,
    };
    (Bench::new(wires, start), scenes, heard)
}

fn scene(words: &str, n_marks: usize) -> NewScene {
    let ball = MarkShape::Ball { centre: Point3::origin(), radius: 0.01 };
    let status = StatusLine { name: "glove", level: Level::Good, text: words.to_owned() };
    let scene = Scene {
        status: vec![status],
        marks: vec![Mark { shape: ball, colour: [1.0; 3] }; n_marks],
        ..Scene::default()
    };
    NewScene { scene: Arc::new(scene), made: Instant::now() }
}

/// One tick of the window: whether a scene was handed on to be drawn, and whether the panels are laid out anew.
fn tick(bench: &mut Bench<'_>) -> (bool, bool) {
    let is_uploaded = bench.scene(&Camera::default()).is_some();
    (is_uploaded, bench.has_news())
}

#[test]
fn an_idle_window_draws_nothing_and_a_change_of_words_uploads_nothing() {
    let (mut bench, scenes) = bench();
    scenes.put(scene("CyberGlove, 98 Hz", 0));
    assert_eq!(tick(&mut bench), (true, true), "the first scene");
    // A device at rest sends on and on, and its rate trembles.
    let mut n_ticks = [0; 2];
    for i in 0..2000 {
        scenes.put(scene(&format!("CyberGlove, {} Hz", 97 + i % 5), 0));
        let (is_uploaded, has_news) = tick(&mut bench);
        n_ticks[0] += usize::from(is_uploaded);
        n_ticks[1] += usize::from(has_news);
    }
    assert_eq!(n_ticks[0], 0, "uploads");
    // Now and then numbers are worth a look at the panels.
    assert!(n_ticks[1] <= 20, "{} pictures of 2000 idle ticks", n_ticks[1]);
    scenes.put(scene("lost: no such port", 0));
    assert_eq!(tick(&mut bench), (false, true), "words alone");
    assert!(bench.picture.shown.status.iter().any(|line| line.text.contains("lost")));
    scenes.put(scene("lost: no such port", 1));
    assert_eq!(tick(&mut bench), (true, false), "something to see");
    assert_eq!(tick(&mut bench), (false, false), "nothing at all");
    // Another view of the same scene is something to see, too.
    bench.kept.change(|settings| settings.views.wireframe = true);
    assert!(tick(&mut bench).0);
    assert_eq!(tick(&mut bench), (false, false));
}
