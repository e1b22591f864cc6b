//! A recording as a film: every moment of it at its time, as a folder of pictures or as an animated one.

mod animation;
mod moments;
mod out;
mod timeline;

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::{Context, ensure};

use self::moments::Moments;
use self::out::{Existing, Out};
use super::portrait::Painter;
use crate::bar::{Bar, Interrupted};
use crate::command_line::Film;
use crate::render::Panel;
use crate::scene::Scene;

/// How much of the work is done before the first picture is drawn, by experience.
const RUNNING: f64 = 0.2;

/// Films a recording. Nothing is written before all of it was run.
pub fn film(film: &Film, stop: &AtomicBool) -> anyhow::Result<()> {
    if let Some(to) = film.to {
        ensure!(to > film.from, "a film from {} s to {to} s has no length", film.from);
    }
    let existing = if film.replace { Existing::Replace } else { Existing::Keep };
    let out = Out::at(&film.out, existing)?;
    // Before the run rather than after it.
    let mut painter = Painter::new(&film.run.portrait)?;
    let mut progress = Progress { bar: Bar::new(), began: Instant::now() };
    let moments =
        Moments::of(film, stop, |share| progress.show(RUNNING * share, "running it again"))
            .with_context(|| format!("cannot film {}", film.recording.display()))?;
    ensure!(
        !moments.scenes.is_empty(),
        "there is nothing in {} from {} s on",
        film.recording.display(),
        film.from
    );
    painter.scale_to(moments.scenes.iter().map(|scene| &**scene));
    draw(film, &moments.scenes, painter, out, stop, &mut progress)?;
    drop(progress);
    let (n, seconds) = (moments.scenes.len(), moments.scenes.len() as f64 / f64::from(film.fps));
    let mut stdout = std::io::stdout();
    writeln!(stdout, "film      {}: {n} pictures, {seconds:.1} s", film.out.display())?;
    writeln!(stdout, "from      {}", moments.origin)?;
    Ok(())
}

fn draw(
    film: &Film,
    scenes: &[Arc<Scene>],
    mut painter: Painter,
    out: Out,
    stop: &AtomicBool,
    progress: &mut Progress,
) -> anyhow::Result<()> {
    let size = [film.run.portrait.size.width, film.run.portrait.size.height];
    let mut writing = out.begin(size, scenes.len() as u32, film.fps)?;
    for (i, scene) in scenes.iter().enumerate() {
        if stop.load(Ordering::Relaxed) {
            return Err(Interrupted.into());
        }
        writing.add(painter.picture(scene, Panel::Hidden)?)?;
        let share = (i + 1) as f64 / scenes.len() as f64;
        progress.show(RUNNING + (1.0 - RUNNING) * share, "drawing");
    }
    writing.finish()
}

struct Progress {
    bar: Bar,
    began: Instant,
}

impl Progress {
    fn show(&mut self, share: f64, title: &str) {
        let remaining = self.began.elapsed().mul_f64((1.0 - share).max(0.0) / share.max(0.01));
        self.bar.show(share, Some(remaining), title);
    }
}
