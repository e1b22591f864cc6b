//! A run in a window: the hand loop on its own thread, the picture on this one.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, anyhow};
use drivers::recorder::Recorder;
use engine::Mailbox;

use crate::render::Camera;
use crate::scene::Scene;
use crate::session::{Ending, Session, Summary};
use crate::ui::{help_line, keys, status_panel};
use crate::window::{self, Display, Going, Show};
use crate::wiring::Workstation;

/// Shows the session until the window is closed or `stop` is set, then prints the summary.
pub fn windowed(
    display: Display,
    workstation: Workstation,
    stop: &Arc<AtomicBool>,
) -> anyhow::Result<()> {
    let scenes = Arc::new(Mailbox::default());
    let scenes_in = Arc::clone(&scenes);
    let session_stop = Arc::clone(stop);
    let Workstation { session, description, recorder, emulators: _emulators } = workstation;
    let hand = std::thread::Builder::new()
        .name("hand".to_owned())
        .spawn(move || hand_loop(session, &session_stop, |scene| scenes_in.put(scene)))
        .context("cannot start the hand's thread")?;

    tracing::info!("{description}");
    let mut bench = Bench { scenes, scene: Arc::default() };
    let shown = window::run(display, "Palpate", &mut bench, stop);
    stop.store(true, Ordering::Relaxed);
    let summary = hand.join().map_err(|_| anyhow!("the hand's thread panicked"))?;
    // The devices are closed by now.
    recorder.map(Recorder::finish).transpose().context("the recording is not whole")?;
    match shown {
        Ok(report) => {
            let summary = summary.context("cannot write the trace")?;
            writeln!(std::io::stdout(), "{summary}\npictures  {} drawn", report.frames_drawn)?;
            Ok(())
        }
        Err(e) => Err(e).context(
            "the window cannot be shown; `--headless` runs without one, and if no Vulkan driver is \
             installed, `cargo xtask setup` brings a software one",
        ),
    }
}

/// The window of a session: the newest scene, and how well each part of the workstation is.
struct Bench {
    scenes: Arc<Mailbox<Arc<Scene>>>,
    scene: Arc<Scene>,
}

impl Show for Bench {
    fn scene(&mut self, _: &Camera) -> Option<Arc<Scene>> {
        self.scene = self.scenes.take()?;
        Some(Arc::clone(&self.scene))
    }

    fn panels(&mut self, ui: &mut egui::Ui) -> Going {
        status_panel(ui, &self.scene.status);
        help_line(ui);
        if keys::pressed(ui, egui::Key::Escape) { Going::Over } else { Going::On }
    }
}

fn hand_loop(
    mut session: Session,
    stop: &AtomicBool,
    mut publish: impl FnMut(Arc<Scene>),
) -> std::io::Result<Summary> {
    // However this loop ends, by an error or a panic, the window must not stay behind as if it lived.
    let _closes = StopOnDrop(stop);
    while !stop.load(Ordering::Relaxed) {
        if let Some(scene) = session.turn()? {
            publish(scene);
        }
    }
    session.finish(Ending::Stopped).map(|(summary, _)| summary)
}

struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
