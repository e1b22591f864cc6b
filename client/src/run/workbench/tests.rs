mod hand_source;
mod user_actions;

use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Instant;

use drivers::Side;
use engine::{Bell, Mailbox, MemoryBudget, SolverResources};
use interaction::scene::{Mark, MarkShape, StatusLevel, StatusLine};
use nalgebra::Point3;

use super::*;
use crate::command_line::ProfilesFolder;
use crate::session::Request;
use crate::wiring::HandChoice;

/// Mailbox of a window's scenes.
type Scenes = Arc<Mailbox<NewScene>>;

/// A window's side of a session whose scenes come from a test.
fn workbench() -> (Workbench<'static>, Scenes) {
    // The receiver of requests is dropped.
    let (workbench, scenes, _) = workbench_with_requests(HandChoice::Mouse(Side::Right));
    (workbench, scenes)
}

/// The same with the receiver of its requests, which holds one request at a time.
fn workbench_with_requests(choice: HandChoice) -> (Workbench<'static>, Scenes, Receiver<Request>) {
    let scenes: Scenes = Arc::default();
    let (_, squeezes) = sync_channel(1);
    let (requests, received) = sync_channel(1);
    let hand_context = HandSourceContext {
        bell: Arc::new(Bell::default()),
        steering: Arc::default(),
        headset: None,
        profiles: ProfilesFolder::default(),
    };
    let connection = SessionConnection {
        channels: SessionChannels {
            scenes: Arc::clone(&scenes),
            squeezes,
            requests,
            flags: HandThreadFlags::default(),
        },
        solvers: SolverLocation::Embedded(
            SolverResources::new(Some(1), MemoryBudget::default()).unwrap(),
        ),
        hand_context,
    };
    let hand = InitialHand { choice, driven: None, playback: None };
    let setup = WorkbenchSetup {
        settings: Settings::default(),
        trouble: None,
        rules: GraspRules::default(),
        hand,
        person: None,
        solver: SolverChoice::default(),
        recorder: None,
    };
    (Workbench::new(connection, setup), scenes, received)
}

fn scene(words: &str, n_marks: usize) -> NewScene {
    let ball = MarkShape::Ball { centre: Point3::origin(), radius: 0.01 };
    let status = StatusLine { name: "glove", level: StatusLevel::Good, text: words.to_owned() };
    let scene = Scene {
        status: vec![status],
        marks: vec![Mark { shape: ball, colour: [1.0; 3] }; n_marks],
        ..Scene::default()
    };
    NewScene { scene: Arc::new(scene), made: Instant::now() }
}

/// One tick of the window. Returns whether a scene was uploaded and whether the panels have
/// changed.
fn tick(workbench: &mut Workbench<'_>) -> (bool, bool) {
    let is_uploaded = workbench.scene(&Camera::default()).is_some();
    (is_uploaded, workbench.has_news())
}

#[test]
fn an_idle_window_draws_nothing_and_a_change_of_words_uploads_nothing() {
    let (mut workbench, scenes) = workbench();
    scenes.put(scene("CyberGlove, 98 Hz", 0));
    assert_eq!(tick(&mut workbench), (true, true), "the first scene");
    // A device at rest keeps sending, and its rate varies a little.
    let mut n_ticks = [0; 2];
    for i in 0..2000 {
        scenes.put(scene(&format!("CyberGlove, {} Hz", 97 + i % 5), 0));
        let (is_uploaded, has_news) = tick(&mut workbench);
        n_ticks[0] += usize::from(is_uploaded);
        n_ticks[1] += usize::from(has_news);
    }
    assert_eq!(n_ticks[0], 0, "uploads");
    // A change of numbers alone updates the panels only every few seconds.
    assert!(n_ticks[1] <= 20, "{} pictures of 2000 idle ticks", n_ticks[1]);
    scenes.put(scene("lost: no such port", 0));
    assert_eq!(tick(&mut workbench), (false, true), "words alone");
    assert!(workbench.scene_view.shown.status.iter().any(|line| line.text.contains("lost")));
    scenes.put(scene("lost: no such port", 1));
    assert_eq!(tick(&mut workbench), (true, false), "something to see");
    assert_eq!(tick(&mut workbench), (false, false), "nothing at all");
    // Another view of the same scene is drawn too.
    workbench.settings.change(|settings| settings.views.wireframe = true);
    assert!(tick(&mut workbench).0);
    assert_eq!(tick(&mut workbench), (false, false));
}
