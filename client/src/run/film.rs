//! A recording as a film: every moment of it at its time, as a folder of pictures or as an animated one. Each picture is
//! drawn as soon as its moment has come, so that a long film needs no more memory than a short one.

mod animation;
mod moments;
mod out;
mod timeline;

use std::io::Write;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::{Context, ensure};

use self::moments::{Ways, each};
use self::out::{Existing, Out};
use super::portrait::{Most, Painter};
use crate::bar::Bar;
use crate::command_line::Film;
use crate::render::Panel;

/// How much of the work the look at how deep and how hard it was takes, by experience.
const LOOKING: f64 = 0.2;

/// Films a recording. A film takes its name only when it is whole.
pub fn film(film: &Film, stop: &AtomicBool) -> anyhow::Result<()> {
    if let Some(to) = film.to {
        ensure!(to > film.from, "a film from {} s to {to} s has no length", film.from);
    }
    let cannot = || format!("cannot film {}", film.recording.display());
    std::fs::File::open(&film.recording).with_context(cannot)?;
    let existing = if film.replace { Existing::Replace } else { Existing::Keep };
    let out = Out::at(&film.out, existing)?;
    // Before the run rather than after it.
    let mut painter = Painter::new(&film.run.portrait)?;
    let mut progress = Progress { bar: Bar::new(), began: Instant::now() };
    let mut done = 0.0;
    if painter.needs_scale() {
        let mut most = Most::default();
        let mut look = |scene: &_, _| {
            most.see(scene);
            Ok(())
        };
        let on_share = &mut |share| progress.show(LOOKING * share, "looking how deep it is");
        each(film, &mut Ways { stop, on_share, sink: &mut look }).with_context(cannot)?;
        painter.scale_to(&most);
        done = LOOKING;
    }
    let size = &film.run.portrait.size;
    let mut writing = out.begin([size.width, size.height], film.fps)?;
    let mut draw = |scene: &_, n_pictures: u64| {
        if n_pictures == 0 {
            return Ok(());
        }
        let picture = painter.picture(scene, Panel::Hidden)?;
        (0..n_pictures).try_for_each(|_| writing.add(&picture))
    };
    let on_share = &mut |share| progress.show(done + (1.0 - done) * share, "drawing");
    let origin = each(film, &mut Ways { stop, on_share, sink: &mut draw }).with_context(cannot)?;
    drop(progress);
    let n = writing.n_pictures();
    let from = film.from;
    ensure!(n > 0, "there is nothing in {} from {from} s on", film.recording.display());
    writing.finish()?;
    let (mut stdout, seconds) = (std::io::stdout(), f64::from(n) / f64::from(film.fps));
    writeln!(stdout, "film      {}: {n} pictures, {seconds:.1} s", film.out.display())?;
    writeln!(stdout, "from      {origin}")?;
    Ok(())
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
