//! A run without a window: ends by itself, prints a summary and writes pictures.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::{Context, bail};
use drivers::recorder::Recorder;

use super::BROKEN_OFF;
use super::headset_scenes::HeadsetScenes;
use super::outputs::picture_folder;
use super::picture_painter::{PicturePainter, colours_in};
use super::pictures;
use crate::command_line::{PictureColours, RunOptions};
use crate::session::{Ending, RunLimits};
use crate::settings::ViewOptions;
use crate::vr::Headset;
use crate::wiring::Workstation;

/// Runs until `limits` or `stop`, then prints the summary and writes the pictures that `options`
/// name. `check_pictures` has checked their places.
pub fn headless(
    workstation: Workstation,
    limits: &RunLimits,
    options: &RunOptions,
    stop: &Arc<AtomicBool>,
) -> anyhow::Result<()> {
    let mut out = std::io::stdout();
    let folder = picture_folder(options);
    let painter = options
        .snapshot
        .as_ref()
        .map(|_| PicturePainter::new(&options.picture_options))
        .transpose()?;
    writeln!(out, "{}\n", workstation.description)?;
    let Workstation { mut session, recorder, headset, .. } = workstation;
    let shows_fields = options.picture_options.colours == PictureColours::Field;
    session.show_fields(Arc::new(AtomicBool::new(shows_fields)));
    let (mut last, mut is_reported) = (None, false);
    let mut headset_scenes = headset.as_ref().map(|headset| HeadsetScenes::new(headset.link()));
    let ending = loop {
        if let Some(scene) = session.turn().context("cannot write the trace")? {
            if let Some(headset_scenes) = &mut headset_scenes {
                let colours = colours_in(&scene, options.picture_options.colours);
                headset_scenes.show(&scene, Instant::now(), &ViewOptions::with_colours(colours));
            }
            last = Some(scene);
        }
        if stop.load(Ordering::Relaxed) {
            break Ending::Stopped;
        }
        if !is_reported && recorder.as_ref().is_some_and(|recorder| !recorder.is_writing()) {
            is_reported = true;
            tracing::error!("{BROKEN_OFF}; the run goes on");
        }
        if let Some(ending) = session.ending(limits) {
            break ending;
        }
    };
    let (summary, moments) = session.finish(ending).context("cannot write the trace")?;
    let headset = headset.map(Headset::finish);
    // The devices are closed by now.
    let recorded =
        recorder.map(Recorder::finish).transpose().context("the recording is incomplete");
    writeln!(out, "{summary}")?;
    headset.iter().try_for_each(|report| writeln!(out, "{report}"))?;
    if let (Some(file), Some(scene), Some(painter)) = (&options.snapshot, &last, painter) {
        // The user asked for this picture: without it, the run has failed.
        pictures::snapshot(scene, painter, file)?;
        writeln!(out, "snapshot  {}", file.display())?;
    }
    let eyes = headset.and_then(|report| report.pictures);
    match pictures::write(&moments, eyes.as_ref(), folder, &options.picture_options) {
        Ok(files) => {
            for file in files {
                writeln!(out, "picture   {}", file.display())?;
            }
        }
        // The run is done and its summary printed. A machine without graphics loses only the
        // pictures.
        Err(e) => tracing::warn!("no pictures: {e:#}"),
    }
    recorded?;
    match summary.ending {
        Ending::Completed | Ending::Stopped | Ending::Replayed => match (&options.snapshot, last) {
            (Some(file), None) => bail!(
                "there is no picture {}: the run ended before its first scene",
                file.display()
            ),
            _ => Ok(()),
        },
        Ending::TimeUp => bail!(
            "the hand did not finish {} {} within {} s",
            limits.grasps,
            if limits.grasps == 1 { "grasp" } else { "grasps" },
            limits.time.as_secs()
        ),
        Ending::GaveUp(why) => bail!("gave up: {why}"),
    }
}
