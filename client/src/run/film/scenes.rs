//! Supplies the moments of a film in order, from an exact replay of a journal or from a played
//! recording.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use drivers::replay::ReplayClock;
use interaction::scene::Scene;
use interaction::tabletop::Tabletop;

use super::schedule::{FilmTooLong, PictureSchedule};
use crate::command_line::{FilmOptions, PictureColours, ReplayOptions};
use crate::input::DecodedDevices;
use crate::progress_bar::Interrupted;
use crate::session::{
    Ending, JournalReadError, RecordedJournal, ReplayObserver, RunLimits, replay_exactly,
};
use crate::wiring::{self, Playback, Workstation, WorkstationOptions};

/// Capacity of the queue of scenes to draw while a recording is played.
const MOST_WAITING: usize = 256;

/// Callbacks of a film: cancellation, progress, and the sink for scenes.
pub(super) struct FilmCallbacks<'a> {
    pub(super) stop: &'a AtomicBool,
    pub(super) on_share: &'a mut dyn FnMut(f64),
    /// Takes every scene with the number of its pictures, which may be 0.
    pub(super) sink: &'a mut dyn FnMut(&Scene, u64) -> anyhow::Result<()>,
}

/// Passes every moment of the film to the sink. Returns a description of the moments' origin.
pub(super) fn each_scene(
    film: &FilmOptions,
    callbacks: &mut FilmCallbacks<'_>,
) -> anyhow::Result<String> {
    let schedule = PictureSchedule::new(film.fps, film.speed, film.from, film.to);
    match RecordedJournal::read(&film.recording) {
        Ok(journal) => from_journal(film, &journal, schedule, callbacks),
        Err(JournalReadError::NoJournal) => from_playback(film, schedule, callbacks),
        Err(error) => Err(error.into()),
    }
}

/// Supplies the moments from an exact replay of the journal.
fn from_journal(
    film: &FilmOptions,
    journal: &RecordedJournal,
    mut schedule: PictureSchedule,
    callbacks: &mut FilmCallbacks<'_>,
) -> anyhow::Result<String> {
    let devices = DecodedDevices::open(&film.recording)?;
    // As on the window's time line: a recording without devices begins with its hand.
    if !devices.is_empty() {
        schedule.begin_at(journal.first_hand.as_secs_f64());
    }
    let mut filmer = ReplayFilmer {
        schedule,
        time: 0.0,
        trouble: None,
        wants_fields: wants_fields(film),
        callbacks,
    };
    let outcome =
        replay_exactly(&journal.bytes, devices, &wiring::solvers(&film.run)?, &mut filmer);
    if let Some(trouble) = filmer.trouble {
        return Err(trouble);
    }
    if callbacks.stop.load(Ordering::Relaxed) {
        return Err(Interrupted::leaving_nothing().into());
    }
    let again = outcome?;
    let cut = if journal.is_cut { "; the recording is incomplete" } else { "" };
    Ok(format!("{} frames, run again to the same bits{cut}", again.n_frames))
}

fn wants_fields(film: &FilmOptions) -> bool {
    film.run.picture_options.colours == PictureColours::Field
}

/// Observer of an exact replay that passes scenes to the film.
struct ReplayFilmer<'a, 'b> {
    schedule: PictureSchedule,
    /// Time of the last moment, in seconds.
    time: f64,
    trouble: Option<anyhow::Error>,
    wants_fields: bool,
    callbacks: &'a mut FilmCallbacks<'b>,
}

impl ReplayFilmer<'_, '_> {
    fn take(&mut self, due: Result<u64, FilmTooLong>, table: &mut Tabletop) {
        // Hands are extrapolated from their last samples. The views are requested at every moment,
        // so that the film's hands do not depend on its number of pictures per second.
        let hands = table.hand_views(self.time);
        let objects = table.object_views(self.time);
        let scene = Scene { objects, hands, selected: table.selected_thing(), ..Scene::default() };
        // Scenes without pictures count for the scale too, so that a slower film has the same
        // scale.
        let taken = match due {
            Ok(n_due) => (self.callbacks.sink)(&scene, n_due),
            Err(too_long) => Err(too_long.into()),
        };
        self.trouble = self.trouble.take().or(taken.err());
    }
}

impl ReplayObserver for ReplayFilmer<'_, '_> {
    fn share(&mut self, share: f64) {
        (self.callbacks.on_share)(share);
    }

    fn moment(&mut self, time: f64, table: &mut Tabletop) {
        self.time = time;
        let due = self.schedule.until(time);
        self.take(due, table);
    }

    fn end(&mut self, table: &mut Tabletop) {
        let due = self.schedule.end();
        self.take(due, table);
    }

    fn wants_fields(&self) -> bool {
        self.wants_fields
    }

    fn goes_on(&self) -> bool {
        self.trouble.is_none() && !self.callbacks.stop.load(Ordering::Relaxed)
    }
}

/// Plays the devices' bytes through the drivers, in real time, or slower if drawing takes longer.
fn from_playback(
    film: &FilmOptions,
    schedule: PictureSchedule,
    callbacks: &mut FilmCallbacks<'_>,
) -> anyhow::Result<String> {
    let replay = ReplayOptions {
        file: film.recording.clone(),
        objects: film.objects.clone(),
        speed: 1.0,
        exact: false,
        summary: false,
        events: false,
        run: film.run.clone(),
    };
    let mut workstation = wiring::workstation(WorkstationOptions::Replay(&replay))?;
    workstation.session.show_fields(Arc::new(AtomicBool::new(wants_fields(film))));
    let Some(Playback { clock, length, .. }) = workstation.hand.playback.clone() else {
        bail!("the length of the recording is unknown");
    };
    let is_over = AtomicBool::new(false);
    let stop = callbacks.stop;
    let goes_on = || !is_over.load(Ordering::Relaxed) && !stop.load(Ordering::Relaxed);
    std::thread::scope(|scope| {
        let (out, scenes) = sync_channel(MOST_WAITING);
        let player = RecordingPlayer { workstation, schedule, clock: clock.clone(), out };
        let hand = std::thread::Builder::new()
            .name("hand".to_owned())
            .spawn_scoped(scope, || player.play(goes_on))?;
        let mut drawn = Ok(());
        for (scene, n_due) in scenes {
            drawn = (callbacks.sink)(&scene, n_due);
            (callbacks.on_share)(clock.position().as_secs_f64() / length.as_secs_f64().max(1e-3));
            if drawn.is_err() {
                is_over.store(true, Ordering::Relaxed);
                break;
            }
        }
        let played = hand.join().map_err(|_| anyhow!("the hand's thread panicked"))?;
        drawn.and(played)
    })?;
    if stop.load(Ordering::Relaxed) {
        return Err(Interrupted::leaving_nothing().into());
    }
    Ok("the devices' bytes, played through the drivers".to_owned())
}

/// Plays a recording and sends its scenes to the thread that draws them.
struct RecordingPlayer {
    workstation: Workstation,
    schedule: PictureSchedule,
    clock: ReplayClock,
    out: SyncSender<(Arc<Scene>, u64)>,
}

impl RecordingPlayer {
    fn play(mut self, goes_on: impl Fn() -> bool) -> anyhow::Result<()> {
        let (mut shown, mut has_begun): (Arc<Scene>, bool) = (Arc::default(), false);
        while goes_on() {
            let scene = self.workstation.session.turn().context("cannot write the trace")?;
            if let Some(scene) = scene.filter(|scene| has_begun || !scene.hands.is_empty()) {
                if !std::mem::replace(&mut has_begun, true) {
                    self.schedule.begin_at(self.clock.position().as_secs_f64());
                }
                let n_due = self.schedule.until(self.clock.position().as_secs_f64())?;
                self.hand_over(&shown, n_due, &goes_on);
                shown = scene;
            }
            match self.workstation.session.ending(&RunLimits::none()) {
                Some(Ending::GaveUp(why)) => bail!("gave up: {why}"),
                Some(_) => break,
                None => {}
            }
        }
        let n_due = self.schedule.end()?;
        self.hand_over(&shown, n_due, &goes_on);
        Ok(())
    }

    /// Sends a scene. Pauses the recording while the queue is full.
    fn hand_over(&mut self, scene: &Arc<Scene>, n_due: u64, goes_on: &impl Fn() -> bool) {
        const BETWEEN_LOOKS: Duration = Duration::from_millis(5);
        let began = Instant::now();
        let mut waiting = (Arc::clone(scene), n_due);
        let mut has_waited = false;
        while let Err(TrySendError::Full(back)) = self.out.try_send(waiting) {
            if !goes_on() {
                break;
            }
            self.clock.pause();
            (waiting, has_waited) = (back, true);
            std::thread::sleep(BETWEEN_LOOKS);
        }
        if has_waited {
            self.workstation.session.skip_pause(began.elapsed());
            self.clock.go_on();
        }
    }
}
