//! `palpate calibrate`: guides a person through poses, fits the glove to the hand, keeps profiles.

mod files;
mod guide;
mod report;
mod screen;

use std::io::{IsTerminal, Write};
use std::sync::atomic::AtomicBool;

use anyhow::{Context, bail};
use calibration::{Plan, Procedure};

use crate::command_line::{Calibrate, CalibrateCommand, Measure, PlanChoice};
pub use files::{load, store};
use guide::{Ending, Guide};

/// Calibrates, or does what the command says.
pub fn run(options: &Calibrate, stop: &AtomicBool) -> anyhow::Result<()> {
    match &options.command {
        None => calibrate(&options.measure, stop),
        Some(CalibrateCommand::Check(measure)) => check(measure, stop),
        Some(CalibrateCommand::Show(show)) => files::show(show),
        Some(CalibrateCommand::Import(import)) => files::import(import),
        Some(CalibrateCommand::Export(export)) => files::export(export),
    }
}

fn calibrate(options: &Measure, stop: &AtomicBool) -> anyhow::Result<()> {
    // A typing error in the name should not cost two minutes.
    let store = store(&options.profiles)?;
    let plan = match options.plan {
        PlanChoice::Quick => Plan::quick(),
        PlanChoice::Full => Plan::full(),
    };
    let guide = measured(Guide::start(options, Procedure::new(plan))?, stop)?;
    let known = report::known_model(&store, options, &guide)?;
    let fit = guide.procedure.fit(&known);
    report::save(&store, options, &guide, &fit)
}

fn check(options: &Measure, stop: &AtomicBool) -> anyhow::Result<()> {
    let store = store(&options.profiles)?;
    let plan = match options.plan {
        PlanChoice::Quick => Plan::quick(),
        // Each joint once, and nothing that was not asked for in the calibration.
        PlanChoice::Full => Plan::of(&report::CHECKED),
    };
    let guide = measured(Guide::start(options, Procedure::new(plan))?, stop)?;
    report::check(&store, options, &guide)
}

/// Lets the person go through the steps, and through those that were done wrong once more.
fn measured(mut guide: Guide, stop: &AtomicBool) -> anyhow::Result<Guide> {
    for round in 0..2 {
        let ending = if std::io::stdout().is_terminal() {
            screen::show(&mut guide, stop)?
        } else {
            follow(&mut guide, stop)?
        };
        match ending {
            Ending::Finished => {}
            Ending::GivenUp => bail!("given up; nothing was saved"),
        }
        let outliers = guide.procedure.fit(&calibration::GloveModel::uncalibrated()).outliers;
        if round > 0 || outliers.is_empty() {
            break;
        }
        let names: Vec<&str> = outliers.iter().map(|o| o.pose.pose().name).collect();
        guide.news = format!("does not go with the others, once more: {}", names.join(", "));
        tracing::warn!("{}", guide.news);
        guide.procedure.retake(&outliers);
    }
    if guide.procedure.captures().is_empty() {
        bail!("no pose was taken; nothing was saved");
    }
    Ok(guide)
}

/// Without a terminal: says each step and waits for it to be taken.
fn follow(guide: &mut Guide, stop: &AtomicBool) -> anyhow::Result<Ending> {
    let mut out = std::io::stdout();
    let mut said = usize::MAX;
    loop {
        let view = guide.procedure.view();
        if view.step.is_some() && view.n_done != said {
            said = view.n_done;
            let (n, of) = (said + 1, view.n_steps);
            writeln!(out, "{n}/{of}  {}: {}", view.name, view.instruction)
                .context("cannot write to standard output")?;
        }
        if let Some(ending) = guide.turn(stop)? {
            return Ok(ending);
        }
    }
}
