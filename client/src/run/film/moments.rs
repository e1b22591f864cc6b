//! The moments of a film, one after the other: of a run that is run again, or of a recording that is played.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use drivers::replay::ReplayClock;
use interaction::scene::Scene;
use interaction::tabletop::Tabletop;

use super::timeline::{Timeline, TooLong};
use crate::bar::Interrupted;
use crate::command_line::{Film, PictureColours, Replay};
use crate::input::DecodedDevices;
use crate::session::{Audience, Ending, Limits, Tape, TapeError, run_again};
use crate::wiring::{self, HandFrom, Playback, Workstation};

/// Scenes that wait to be drawn while a recording is played.
const MOST_WAITING: usize = 256;

/// Where moments go, and who looks on.
pub(super) struct Ways<'a> {
    pub(super) stop: &'a AtomicBool,
    pub(super) on_share: &'a mut dyn FnMut(f64),
    /// Takes every scene, and how many pictures it is worth: perhaps none.
    pub(super) sink: &'a mut dyn FnMut(&Scene, u64) -> anyhow::Result<()>,
}

/// Hands over every moment that a film shows; says where they come from, in words.
pub(super) fn each(film: &Film, ways: &mut Ways<'_>) -> anyhow::Result<String> {
    let timeline = Timeline::new(film.fps, film.speed, film.from, film.to);
    match Tape::read(&film.recording) {
        Ok(tape) => again(film, &tape, timeline, ways),
        Err(TapeError::NoJournal) => played(film, timeline, ways),
        Err(error) => Err(error.into()),
    }
}

/// Runs a journal again.
fn again(
    film: &Film,
    tape: &Tape,
    mut timeline: Timeline,
    ways: &mut Ways<'_>,
) -> anyhow::Result<String> {
    let devices = DecodedDevices::open(&film.recording)?;
    // As on the time line of the window: without devices it begins with the hand.
    if !devices.is_empty() {
        timeline.begin_at(tape.first_hand.as_secs_f64());
    }
    let mut camera =
        Camera { timeline, time: 0.0, trouble: None, wants_fields: wants_fields(film), ways };
    let outcome = run_again(&tape.bytes, devices, &wiring::solvers(&film.run)?, &mut camera);
    if let Some(trouble) = camera.trouble {
        return Err(trouble);
    }
    if ways.stop.load(Ordering::Relaxed) {
        return Err(Interrupted::leaving_nothing().into());
    }
    let again = outcome?;
    let cut = if tape.is_cut { ", as far as it goes: it is cut" } else { "" };
    Ok(format!("{} frames, run again to the same bits{cut}", again.n_frames))
}

fn wants_fields(film: &Film) -> bool {
    film.run.portrait.colours == PictureColours::Field
}

/// Looks on while a run is run again.
struct Camera<'a, 'b> {
    timeline: Timeline,
    /// Of the last moment.
    time: f64,
    trouble: Option<anyhow::Error>,
    wants_fields: bool,
    ways: &'a mut Ways<'b>,
}

impl Camera<'_, '_> {
    fn take(&mut self, due: Result<u64, TooLong>, table: &mut Tabletop) {
        // Hands go on from how they were last seen: whoever looks at each moment sees the same with any number of
        // pictures in a second.
        let hands = table.hand_views(self.time);
        let objects = table.object_views(self.time);
        let scene = Scene { objects, hands, chosen: table.chosen(), ..Scene::default() };
        // One of which nothing is drawn counts for the scale: a slower film has the same one.
        let taken = match due {
            Ok(n_due) => (self.ways.sink)(&scene, n_due),
            Err(too_long) => Err(too_long.into()),
        };
        self.trouble = self.trouble.take().or(taken.err());
    }
}

impl Audience for Camera<'_, '_> {
    fn share(&mut self, share: f64) {
        (self.ways.on_share)(share);
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

    fn wants_fields(&self) -> bool {
        self.wants_fields
    }

    fn goes_on(&self) -> bool {
        self.trouble.is_none() && !self.ways.stop.load(Ordering::Relaxed)
    }
}

/// Plays what the devices said through the drivers, in as long a time as it took, or longer if drawing does.
fn played(film: &Film, timeline: Timeline, ways: &mut Ways<'_>) -> anyhow::Result<String> {
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
    workstation.session.show_fields(Arc::new(AtomicBool::new(wants_fields(film))));
    let Some(Playback { clock, length, .. }) = workstation.hand.playback.clone() else {
        bail!("a recording that is played has a length");
    };
    let is_over = AtomicBool::new(false);
    let stop = ways.stop;
    let goes_on = || !is_over.load(Ordering::Relaxed) && !stop.load(Ordering::Relaxed);
    std::thread::scope(|scope| {
        let (out, scenes) = sync_channel(MOST_WAITING);
        let player = Player { workstation, timeline, clock: clock.clone(), out };
        let hand = std::thread::Builder::new()
            .name("hand".to_owned())
            .spawn_scoped(scope, || player.play(goes_on))?;
        let mut drawn = Ok(());
        for (scene, n_due) in scenes {
            drawn = (ways.sink)(&scene, n_due);
            (ways.on_share)(clock.position().as_secs_f64() / length.as_secs_f64().max(1e-3));
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

/// Plays a recording for whoever draws it.
struct Player {
    workstation: Workstation,
    timeline: Timeline,
    clock: ReplayClock,
    out: SyncSender<(Arc<Scene>, u64)>,
}

impl Player {
    fn play(mut self, goes_on: impl Fn() -> bool) -> anyhow::Result<()> {
        let (mut shown, mut has_begun): (Arc<Scene>, bool) = (Arc::default(), false);
        while goes_on() {
            let scene = self.workstation.session.turn().context("cannot write the trace")?;
            if let Some(scene) = scene.filter(|scene| has_begun || !scene.hands.is_empty()) {
                if !std::mem::replace(&mut has_begun, true) {
                    self.timeline.begin_at(self.clock.position().as_secs_f64());
                }
                let n_due = self.timeline.until(self.clock.position().as_secs_f64())?;
                self.hand_over(&shown, n_due, &goes_on);
                shown = scene;
            }
            match self.workstation.session.ending(&Limits::none()) {
                Some(Ending::GaveUp(why)) => bail!("gave up: {why}"),
                Some(_) => break,
                None => {}
            }
        }
        let n_due = self.timeline.end()?;
        self.hand_over(&shown, n_due, &goes_on);
        Ok(())
    }

    /// The hand stands still while there is no room.
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
            self.workstation.session.stood_still(began.elapsed());
            self.clock.go_on();
        }
    }
}
