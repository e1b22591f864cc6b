//! The scenes of a film, one for each picture: of a run that is run again, or of a recording that is played.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::{Context, bail};

use super::timeline::{Timeline, TooLong};
use crate::bar::Interrupted;
use crate::command_line::{Film, PictureColours, Replay};
use crate::input::DecodedDevices;
use crate::scene::Scene;
use crate::session::{Audience, Ending, Limits, Tabletop, Tape, TapeError, run_again};
use crate::wiring::{self, HandFrom};

/// What a film shows.
pub(super) struct Moments {
    /// One for each picture; those of moments at which nothing changed are shared.
    pub(super) scenes: Vec<Arc<Scene>>,
    /// Where they come from, in words.
    pub(super) origin: String,
}

impl Moments {
    pub(super) fn of(
        film: &Film,
        stop: &AtomicBool,
        on_share: impl FnMut(f64),
    ) -> anyhow::Result<Self> {
        let timeline = Timeline::new(film.fps, film.speed, film.from, film.to);
        match Tape::read(&film.recording) {
            Ok(tape) => again(film, &tape, timeline, stop, on_share),
            Err(TapeError::NoJournal) => played(film, timeline, stop),
            Err(error) => Err(error.into()),
        }
    }
}

/// Runs a journal again.
fn again(
    film: &Film,
    tape: &Tape,
    timeline: Timeline,
    stop: &AtomicBool,
    on_share: impl FnMut(f64),
) -> anyhow::Result<Moments> {
    let mut camera = Camera {
        timeline,
        time: 0.0,
        scenes: Vec::new(),
        trouble: None,
        wants_stresses: wants_stresses(film),
        on_share,
        stop,
    };
    let devices = DecodedDevices::open(&film.recording)?;
    let outcome = run_again(&tape.bytes, devices, &wiring::solvers(&film.run)?, &mut camera);
    if let Some(too_long) = camera.trouble {
        return Err(too_long.into());
    }
    if stop.load(Ordering::Relaxed) {
        return Err(Interrupted.into());
    }
    let again = outcome?;
    let cut = if tape.is_cut { ", as far as it goes: it is cut" } else { "" };
    let origin = format!("{} frames, run again to the same bits{cut}", again.n_frames);
    Ok(Moments { scenes: camera.scenes, origin })
}

fn wants_stresses(film: &Film) -> bool {
    film.run.portrait.colours == PictureColours::Stress
}

/// Looks on while a run is run again.
struct Camera<'a, F> {
    timeline: Timeline,
    /// Of the last moment.
    time: f64,
    scenes: Vec<Arc<Scene>>,
    trouble: Option<TooLong>,
    wants_stresses: bool,
    on_share: F,
    stop: &'a AtomicBool,
}

impl<F: FnMut(f64)> Camera<'_, F> {
    fn take(&mut self, due: Result<u64, TooLong>, table: &mut Tabletop) {
        match due {
            Ok(0) => {}
            Ok(n_due) => {
                let scene = Arc::new(Scene {
                    objects: table.object_views(self.time),
                    hands: table.hand_views(),
                    chosen: table.chosen(),
                    ..Scene::default()
                });
                self.scenes.extend((0..n_due).map(|_| Arc::clone(&scene)));
            }
            Err(too_long) => self.trouble = Some(too_long),
        }
    }
}

impl<F: FnMut(f64)> Audience for Camera<'_, F> {
    fn share(&mut self, share: f64) {
        (self.on_share)(share);
    }

    fn moment(&mut self, time: f64, table: &mut Tabletop) {
        self.time = time;
        let due = self.timeline.until(time);
        self.take(due, table);
    }

    fn end(&mut self, table: &mut Tabletop) {
        let due = self.timeline.end();
        self.take(due, table);
    }

    fn wants_stresses(&self) -> bool {
        self.wants_stresses
    }

    fn goes_on(&self) -> bool {
        self.trouble.is_none() && !self.stop.load(Ordering::Relaxed)
    }
}

/// Plays what the devices said through the drivers, in as long a time as it took.
fn played(film: &Film, mut timeline: Timeline, stop: &AtomicBool) -> anyhow::Result<Moments> {
    let replay = Replay {
        file: film.recording.clone(),
        objects: film.objects.clone(),
        speed: 1.0,
        exact: false,
        summary: false,
        events: false,
        run: film.run.clone(),
    };
    let mut workstation = wiring::workstation(HandFrom::Recording(&replay))?;
    let session = &mut workstation.session;
    session.show_stresses(Arc::new(AtomicBool::new(wants_stresses(film))));
    let mut scenes = Vec::new();
    let (mut shown, mut began): (Arc<Scene>, Option<Instant>) = (Arc::default(), None);
    loop {
        let scene = session.turn().context("cannot write the trace")?;
        if let Some(scene) = scene.filter(|scene| began.is_some() || !scene.hands.is_empty()) {
            let now = began.get_or_insert_with(Instant::now).elapsed().as_secs_f64();
            let n_due = timeline.until(now)?;
            scenes.extend((0..n_due).map(|_| Arc::clone(&shown)));
            shown = scene;
        }
        if stop.load(Ordering::Relaxed) {
            return Err(Interrupted.into());
        }
        match session.ending(&Limits::none()) {
            Some(Ending::GaveUp(why)) => bail!("gave up: {why}"),
            Some(_) => break,
            None => {}
        }
    }
    let n_due = timeline.end()?;
    scenes.extend((0..n_due).map(|_| Arc::clone(&shown)));
    Ok(Moments { scenes, origin: "the devices' bytes, played through the drivers".to_owned() })
}
