//! A run without a window: it ends by itself, says what happened and leaves pictures.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::{Context, bail};
use drivers::recorder::Recorder;

use super::BROKEN_OFF;
use super::dresser::Dresser;
use super::pictures;
use super::portrait::{Painter, colours_in};
use crate::command_line::{PictureColours, Run};
use crate::session::{Ending, Limits};
use crate::settings::Views;
use crate::vr::Headset;
use crate::wiring::Workstation;

/// Runs until `limits` or `stop`, then prints the summary and writes the pictures that `options` ask for.
pub fn headless(
    workstation: Workstation,
    limits: &Limits,
    options: &Run,
    stop: &Arc<AtomicBool>,
) -> anyhow::Result<()> {
    let mut out = std::io::stdout();
    let folder = &options.pictures;
    // Before the run rather than after it: a typing error should not cost the run.
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {} for pictures", folder.display()))?;
    options.snapshot.iter().try_for_each(|file| pictures::check_place(file))?;
    let painter = options.snapshot.as_ref().map(|_| Painter::new(&options.portrait)).transpose()?;
    writeln!(out, "{}\n", workstation.description)?;
    let Workstation { mut session, recorder, headset, .. } = workstation;
    let shows_fields = options.portrait.colours == PictureColours::Field;
    session.show_fields(Arc::new(AtomicBool::new(shows_fields)));
    let (mut last, mut is_told) = (None, false);
    let mut dresser = headset.as_ref().map(|headset| Dresser::new(headset.link()));
    let ending = loop {
        if let Some(scene) = session.turn().context("cannot write the trace")? {
            if let Some(dresser) = &mut dresser {
                let colours = colours_in(&scene, options.portrait.colours);
                dresser.show(&scene, Instant::now(), &Views::with_colours(colours));
            }
            last = Some(scene);
        }
        if stop.load(Ordering::Relaxed) {
            break Ending::Stopped;
        }
        if !is_told && recorder.as_ref().is_some_and(|recorder| !recorder.is_writing()) {
            is_told = true;
            tracing::error!("{BROKEN_OFF}; the run goes on");
        }
        if let Some(ending) = session.ending(limits) {
            break ending;
        }
    };
    let (summary, moments) = session.finish(ending).context("cannot write the trace")?;
    let headset = headset.map(Headset::finish);
    // The devices are closed by now.
    let recorded = recorder.map(Recorder::finish).transpose().context("the recording is not whole");
    writeln!(out, "{summary}")?;
    headset.iter().try_for_each(|report| writeln!(out, "{report}"))?;
    if let (Some(file), Some(scene), Some(painter)) = (&options.snapshot, &last, painter) {
        // It was asked for by name: without it, the run has failed.
        pictures::snapshot(scene, painter, file)?;
        writeln!(out, "snapshot  {}", file.display())?;
    }
    let eyes = headset.and_then(|report| report.pictures);
    match pictures::write(&moments, eyes.as_ref(), folder, &options.portrait) {
        Ok(files) => {
            for file in files {
                writeln!(out, "picture   {}", file.display())?;
            }
        }
        // The run itself is done and told; a machine without graphics loses no more than the pictures.
        Err(e) => tracing::warn!("no pictures: {e:#}"),
    }
    recorded?;
    match summary.ending {
        Ending::Completed | Ending::Stopped | Ending::Replayed => match (&options.snapshot, last) {
            (Some(file), None) => bail!(
                "there is no picture {}: the run ended before there was anything to be seen",
                file.display()
            ),
            _ => Ok(()),
        },
        Ending::TimeUp => bail!(
            "after {} s the hand had not finished {} grasp(s)",
            limits.time.as_secs(),
            limits.grasps
        ),
        Ending::GaveUp(why) => bail!("gave up: {why}"),
    }
}
