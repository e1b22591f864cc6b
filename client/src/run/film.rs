//! Makes a film of a recording: a folder of pictures or an animated picture. Each picture is drawn
//! as soon as its moment has come, so that the memory does not grow with the length of the film.

mod animation;
mod output;
mod scenes;
mod schedule;

use std::io::Write;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::{Context, ensure};

use self::output::FilmOutput;
use self::scenes::{FilmCallbacks, each_scene};
use super::picture_painter::{PicturePainter, ScaleMaxima};
use crate::command_line::FilmOptions;
use crate::progress_bar::ProgressBar;
use crate::render::StatusPanel;

/// Estimated share of the work for finding the largest values, for the colour scale.
const LOOKING: f64 = 0.2;

/// Makes a film of a recording. The file or folder gets its name only when the film is complete.
pub fn film(film: &FilmOptions, stop: &AtomicBool) -> anyhow::Result<()> {
    if let Some(to) = film.to {
        ensure!(to > film.from, "a film from {} s to {to} s has no length", film.from);
    }
    let cannot = || format!("cannot film {}", film.recording.display());
    std::fs::File::open(&film.recording).with_context(cannot)?;
    let out = FilmOutput::at(&film.out, film.run.existing.into())?;
    // Created before the run, so that a missing graphics driver is reported at once.
    let mut painter = PicturePainter::new(&film.run.picture_options)?;
    let mut progress = Progress { bar: ProgressBar::new(), began: Instant::now() };
    let mut done = 0.0;
    if painter.needs_scale() {
        let mut most = ScaleMaxima::default();
        let mut look = |scene: &_, _| {
            most.see(scene);
            Ok(())
        };
        let on_share = &mut |share| progress.show(LOOKING * share, "finding the colour scale");
        each_scene(film, &mut FilmCallbacks { stop, on_share, sink: &mut look })
            .with_context(cannot)?;
        painter.scale_to(&most);
        done = LOOKING;
    }
    let size = &film.run.picture_options.size;
    let mut writer = out.begin([size.width, size.height], film.fps)?;
    let mut draw = |scene: &_, n_pictures: u64| {
        if n_pictures == 0 {
            return Ok(());
        }
        let picture = painter.picture(scene, StatusPanel::Hidden)?;
        (0..n_pictures).try_for_each(|_| writer.add(&picture))
    };
    let on_share = &mut |share| progress.show(done + (1.0 - done) * share, "drawing");
    let origin = each_scene(film, &mut FilmCallbacks { stop, on_share, sink: &mut draw })
        .with_context(cannot)?;
    drop(progress);
    let n = writer.n_pictures();
    let from = film.from;
    ensure!(n > 0, "there is nothing in {} from {from} s on", film.recording.display());
    writer.finish()?;
    let (mut stdout, seconds) = (std::io::stdout(), f64::from(n) / f64::from(film.fps));
    writeln!(stdout, "film      {}: {n} pictures, {seconds:.1} s", film.out.display())?;
    writeln!(stdout, "from      {origin}")?;
    Ok(())
}

struct Progress {
    bar: ProgressBar,
    began: Instant,
}

impl Progress {
    fn show(&mut self, share: f64, title: &str) {
        let remaining = self.began.elapsed().mul_f64((1.0 - share).max(0.0) / share.max(0.01));
        self.bar.show(share, Some(remaining), title);
    }
}
