//! A run in a window: the hand loop on its own thread, the picture on this one.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use drivers::recorder::Recorder;
use engine::Mailbox;
use interaction::scene::Scene;

use super::dresser::Dresser;
use super::workbench::{Bench, Channels, NewScene, Squeeze, Start, Wires, Wishes};
use crate::session::{Ending, Session, Summary};
use crate::settings::Settings;
use crate::vr::Headset;
use crate::window::{self, Display, WindowReport};
use crate::wiring::{SolverChoice, Workstation};

/// What the person asks for faster than it can be done is not worth keeping.
const MOST_REQUESTS: usize = 64;

/// What the hand does while a slow screen shows one picture.
const MOST_SQUEEZES: usize = 512;

/// A hand that rests looks so often whether it should go on.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// What the person at the window has set.
pub struct Preset {
    pub settings: Settings,
    /// What is wrong with what was kept, if anything.
    pub trouble: Option<String>,
    /// Who solves at first.
    pub solver: SolverChoice,
}

/// Shows the session until the window is closed or `stop` is set, then prints the summary.
pub fn windowed(
    display: Display,
    workstation: Workstation,
    preset: Preset,
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
        doors,
    } = workstation;
    let (requests, requests_in) = sync_channel(MOST_REQUESTS);
    session.listen(requests_in);
    let (squeezes_in, squeezes) = sync_channel(MOST_SQUEEZES);
    let rules = session.rules().clone();
    let wishes = Wishes::default();
    session.show_fields(Arc::clone(&wishes.fields));
    let hand_rests = Arc::clone(&wishes.resting);
    let views = Arc::clone(&wishes.views);
    let mut dresser = headset.as_ref().map(|headset| Dresser::new(headset.link()));
    let hand = std::thread::Builder::new()
        .name("hand".to_owned())
        .spawn(move || {
            hand_loop(session, &session_stop, &hand_rests, |scene| {
                let made = Instant::now();
                if let Some(squeeze) = Squeeze::of(&scene, made) {
                    // A window that does not look misses some of the graph, nothing else.
                    let _ = squeezes_in.try_send(squeeze);
                }
                if let Some(dresser) = &mut dresser {
                    let views = views.lock().unwrap_or_else(PoisonError::into_inner).clone();
                    dresser.show(&scene, made, &views);
                }
                scenes_in.put(NewScene { scene, made });
            })
        })
        .context("cannot start the hand's thread")?;

    tracing::info!("{description}");
    let channels = Channels { scenes, squeezes, requests, wishes };
    let wires = Wires { channels, solvers, doors };
    let Preset { settings, trouble, solver } = preset;
    let start = Start {
        settings,
        trouble,
        rules,
        hand: first,
        person,
        solver,
        recorder: recorder.as_ref(),
    };
    let mut bench = Bench::new(wires, start);
    if let Some(headset) = &headset {
        bench.mirror(headset.link());
    }
    let shown = window::run(display, "Palpate", &mut bench, stop);
    // Whatever is being written is finished first.
    let recorded = bench.end_recording();
    bench.end_settings();
    drop(bench);
    stop.store(true, Ordering::Relaxed);
    let summary = hand.join().map_err(|_| anyhow!("the hand's thread panicked"))?;
    let headset = headset.map(Headset::finish);
    // The devices are closed by now.
    let whole = recorder.map(Recorder::finish).transpose().context("the recording is not whole");
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
    // However this loop ends, by an error or a panic, the window must not stay behind as if it lived.
    let _closes = StopOnDrop(stop);
    while !stop.load(Ordering::Relaxed) {
        if resting.load(Ordering::Relaxed) {
            session.rest();
            std::thread::park_timeout(BETWEEN_LOOKS);
        } else if let Some(scene) = session.turn()? {
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
