//! `palpate simulate`: an object under scripted contact, without a hand.

mod examples;
mod pictures;
mod rows;
mod run;
mod scenario;
mod scenario_file;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use anyhow::{Context, bail, ensure};

use crate::atomic_write::{ExistingFile, replace_file};
use crate::command_line::SimulateOptions;
use crate::progress_bar::{Interrupted, run_with_bar};
use pictures::Painter;
use run::Simulation;
use scenario::Scenario;

/// Runs a scenario, or prints an example. `stop` ends it; the rows until then are written.
pub fn simulate(options: &SimulateOptions, stop: &AtomicBool) -> anyhow::Result<()> {
    if let Some(example) = options.example {
        let text = examples::example(example);
        return std::io::stdout()
            .write_all(text.as_bytes())
            .context("cannot write to standard output");
    }
    let Some(path) = &options.scenario else {
        bail!("expected a scenario, or --example indent, pinch, slide or roll");
    };
    options.out.as_deref().map_or(Ok(()), |out| may_write(out, path, options))?;
    may_draw(options)?;
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let cannot = || format!("cannot use {}", path.display());
    let mut scenario = Scenario::parse(&text).with_context(cannot)?;
    scenario.object.resolve_beside(path);
    let mut simulation = Simulation::new(scenario, &options.materials).with_context(cannot)?;
    let mut rows = rows::HEADER.to_owned();
    let ended = run(&mut simulation, options, stop, &mut rows);
    let n_rows = rows.lines().count() - 1;
    if n_rows == 0 {
        return ended;
    }
    match &options.out {
        None => std::io::stdout()
            .write_all(rows.as_bytes())
            .context("cannot write to standard output")?,
        Some(out) => {
            replace_file(out, rows.as_bytes())
                .with_context(|| format!("cannot write {}", out.display()))?;
            tracing::info!("wrote {}: {n_rows} rows", out.display());
        }
    }
    ended
}

/// Refuses a place for the result before the work instead of after it.
fn may_write(out: &Path, scenario: &Path, options: &SimulateOptions) -> anyhow::Result<()> {
    let is_there = out.exists();
    ensure!(
        !is_there || out.canonicalize().ok() != scenario.canonicalize().ok(),
        "the result would overwrite the scenario {}",
        scenario.display()
    );
    ExistingFile::from(options.existing).check(out)
}

/// Refuses to replace pictures before the work, unless `--replace` is given.
fn may_draw(options: &SimulateOptions) -> anyhow::Result<()> {
    let existing = ExistingFile::from(options.existing);
    if let Some(picture) = &options.picture {
        existing.check(picture)?;
    }
    let Some(folder) = options.pictures.as_deref().filter(|folder| folder.exists()) else {
        return Ok(());
    };
    let cannot = || format!("cannot look into {}", folder.display());
    for entry in fs::read_dir(folder).with_context(cannot)? {
        let path = entry.with_context(cannot)?.path();
        let is_numbered = path.file_stem().is_some_and(|stem| {
            stem.len() == 5 && stem.as_encoded_bytes().iter().all(u8::is_ascii_digit)
        });
        if is_numbered && path.extension().is_some_and(|ending| ending == "png") {
            existing.check(&path)?;
        }
    }
    Ok(())
}

/// Runs all steps, draws the pictures, and fills the table.
fn run(
    simulation: &mut Simulation,
    options: &SimulateOptions,
    stop: &AtomicBool,
    text: &mut String,
) -> anyhow::Result<()> {
    let wants_pictures = options.picture.is_some() || options.pictures.is_some();
    let size = [options.size.width, options.size.height];
    let mut painter = wants_pictures.then(|| Painter::new(&simulation.solid, size)).transpose()?;
    let (n_steps, row_every) = (simulation.scenario.n_steps, simulation.scenario.row_every);
    let simulated_step = simulation.scenario.step;
    let kinds = simulation.scenario.shapes.iter().map(|shape| *shape.shape()).collect::<Vec<_>>();
    let picture_steps = ((options.picture_every / simulated_step).round() as u64).max(1);
    let done = AtomicU64::new(0);
    let share = || done.load(Ordering::Relaxed) as f64 / n_steps as f64;
    let (mut n_pictures, mut n_unfinished) = (0_u64, 0_u64);
    run_with_bar("simulating", share, || {
        simulation.run(|step, moment, solid| {
            done.store(step, Ordering::Relaxed);
            n_unfinished += u64::from(!moment.solve.has_converged);
            if step % row_every == 0 || step == n_steps {
                rows::append(text, moment);
            }
            if stop.load(Ordering::Relaxed) {
                let now = step as f64 * simulated_step;
                return Err(
                    Interrupted::leaving(format!("the rows until {now:.3} s are written")).into()
                );
            }
            let Some(painter) = &mut painter else { return Ok(()) };
            let series = options.pictures.as_ref().filter(|_| step % picture_steps == 0);
            n_pictures += u64::from(series.is_some());
            let numbered =
                series.map(|folder: &PathBuf| folder.join(format!("{n_pictures:05}.png")));
            let last = options.picture.clone().filter(|_| step == n_steps);
            for path in numbered.into_iter().chain(last) {
                let poses = moment.shapes.iter().map(|(_, pose, _)| *pose);
                painter.draw(solid, kinds.iter().zip(poses), &path)?;
            }
            Ok(())
        })
    })??;
    if n_unfinished > 0 {
        tracing::warn!(
            "in {n_unfinished} of {n_steps} steps the contact solver stopped at the limit of sweeps; \
             the column residual says how far it was"
        );
    }
    if n_pictures > 0
        && let Some(folder) = &options.pictures
    {
        tracing::info!("wrote {n_pictures} pictures into {}", folder.display());
    }
    if let Some(picture) = &options.picture {
        tracing::info!("wrote {}", picture.display());
    }
    Ok(())
}
