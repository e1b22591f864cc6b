//! A run in a window: the hand loop has its own thread, the window has the main thread.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use drivers::recorder::Recorder;
use engine::Mailbox;
use interaction::scene::Scene;

use super::headset_scenes::HeadsetScenes;
use super::workbench::{
    HandThreadFlags, NewScene, SessionChannels, SessionConnection, SqueezeMoment, Workbench,
    WorkbenchSetup,
};
use crate::session::{Ending, Session, Summary};
use crate::settings::Settings;
use crate::vr::Headset;
use crate::window::{self, Display, WindowReport};
use crate::wiring::{SolverChoice, Workstation};

/// Capacity of the queue of requests. The window refuses requests while the queue is full.
const MOST_REQUESTS: usize = 64;

/// Capacity of the queue of squeeze moments: enough for one picture of a slow screen.
const MOST_SQUEEZES: usize = 512;

/// Time between two checks of a resting hand loop for the end of its rest.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// The user's settings for a window.
pub struct WindowSetup {
    pub settings: Settings,
    /// Message about an unusable settings file.
    pub trouble: Option<String>,
    /// The first solver.
    pub solver: SolverChoice,
}

/// Shows the session until the window is closed or `stop` is set, then prints the summary.
pub fn windowed(
    display: Display,
    workstation: Workstation,
    setup: WindowSetup,
    stop: &Arc<AtomicBool>,
) -> anyhow::Result<()> {
    let scenes = Arc::new(Mailbox::default());
    let scenes_in = Arc::clone(&scenes);
    let session_stop = Arc::clone(stop);
    let Workstation {
        mut session,
        solvers,
        description,
        recorder,
        headset,
        hand: first,
        person,
        hand_context,
    } = workstation;
    let (requests, requests_in) = sync_channel(MOST_REQUESTS);
    session.listen(requests_in);
    let (squeezes_in, squeezes) = sync_channel(MOST_SQUEEZES);
    let rules = session.rules().clone();
    let flags = HandThreadFlags::default();
    session.show_fields(Arc::clone(&flags.wants_fields));
    let hand_rests = Arc::clone(&flags.is_resting);
    let views = Arc::clone(&flags.views);
    let mut headset_scenes = headset.as_ref().map(|headset| HeadsetScenes::new(headset.link()));
    let hand = std::thread::Builder::new()
        .name("hand".to_owned())
        .spawn(move || {
            hand_loop(session, &session_stop, &hand_rests, |scene| {
                let made = Instant::now();
                if let Some(squeeze) = SqueezeMoment::of(&scene, made) {
                    // If the window is slow, only points of its graph are lost.
                    let _ = squeezes_in.try_send(squeeze);
                }
                if let Some(headset_scenes) = &mut headset_scenes {
                    let views = views.lock().unwrap_or_else(PoisonError::into_inner).clone();
                    headset_scenes.show(&scene, made, &views);
                }
                scenes_in.put(NewScene { scene, made });
            })
        })
        .context("cannot start the hand's thread")?;
    let hand = HandThread { stop, thread: Some(hand) };

    tracing::info!("{description}");
    let channels = SessionChannels { scenes, squeezes, requests, flags };
    let connection = SessionConnection { channels, solvers, hand_context };
    let WindowSetup { settings, trouble, solver } = setup;
    let workbench_setup = WorkbenchSetup {
        settings,
        trouble,
        rules,
        hand: first,
        person,
        solver,
        recorder: recorder.as_ref(),
    };
    let mut workbench = Workbench::new(connection, workbench_setup);
    if let Some(headset) = &headset {
        workbench.mirror(headset.link());
    }
    let shown = window::run(display, "Palpate", &mut workbench, stop);
    // Files that are being written are finished first.
    let recorded = workbench.end_recording();
    workbench.flush_settings();
    drop(workbench);
    let summary = hand.join()?;
    let headset = headset.map(Headset::finish);
    // The devices are closed by now.
    let whole = recorder.map(Recorder::finish).transpose().context("the recording is incomplete");
    match shown {
        Ok(report) => {
            let summary = summary.context("cannot write the trace")?;
            let WindowReport { frames_drawn, scenes_uploaded } = report;
            let pictures = format!("{frames_drawn} drawn, of {scenes_uploaded} scenes");
            writeln!(std::io::stdout(), "{summary}\npictures  {pictures}")?;
            headset.iter().try_for_each(|report| writeln!(std::io::stdout(), "{report}"))?;
            whole.map(drop).and(recorded)
        }
        Err(e) => Err(e).context(
            "the window cannot be shown; `--headless` runs without one, and if no Vulkan driver is \
             installed, `cargo xtask setup` brings a software one",
        ),
    }
}

fn hand_loop(
    mut session: Session,
    stop: &AtomicBool,
    resting: &AtomicBool,
    mut publish: impl FnMut(Arc<Scene>),
) -> std::io::Result<Summary> {
    // The window closes when this loop ends, also by an error or a panic.
    let _closes = StopOnDrop(stop);
    while !stop.load(Ordering::Relaxed) {
        if resting.load(Ordering::Relaxed) {
            session.stop_haptics();
            std::thread::park_timeout(BETWEEN_LOOKS);
        } else if let Some(scene) = session.turn()? {
            publish(scene);
        }
    }
    session.finish(Ending::Stopped).map(|(summary, _)| summary)
}

/// The hand's thread. It is joined also when the window panics: its end puts the devices back.
struct HandThread<'a> {
    stop: &'a AtomicBool,
    thread: Option<JoinHandle<std::io::Result<Summary>>>,
}

impl HandThread<'_> {
    fn join(mut self) -> anyhow::Result<std::io::Result<Summary>> {
        self.stop.store(true, Ordering::Relaxed);
        let thread = self.thread.take().expect("a thread is joined once");
        thread.join().map_err(|_| anyhow!("the hand's thread panicked"))
    }
}

impl Drop for HandThread<'_> {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been reported by the thread.
            let _ = thread.join();
        }
    }
}

struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
