//! `palpate calibrate`: guides a person through poses, fits the glove to the hand, keeps profiles.

mod files;
mod guide;
mod report;
mod rounds;
mod screen;
mod studio;

use std::io::{IsTerminal, Write};
use std::sync::atomic::AtomicBool;

use anyhow::{Context, bail};
use calibration::{Plan, Procedure};

use crate::command_line::{Calibrate, CalibrateCommand, Measure, PlanChoice};
pub use files::{load, store};
use guide::{Ending, Guide};
use rounds::Rounds;

use crate::window::Display;

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
    let stage = Stage::choose(options);
    let guide = Guide::start(options, Procedure::new(plan))?;
    if let Stage::Window(display) = stage {
        return studio::show(display, guide, &store, options, stop);
    }
    let guide = measured(guide, stop)?;
    let known = report::known_model(&store, options, &guide)?;
    let fit = guide.procedure.fit(&known);
    report::save(&store, options, &guide, &fit)?;
    Ok(())
}

/// Where a person is guided.
enum Stage {
    Window(Display),
    /// On the terminal: with pictures, or line by line if there is only a stream.
    Text,
}

impl Stage {
    /// A window if there can be one and the terminal was not asked for.
    fn choose(options: &Measure) -> Self {
        if options.tui {
            return Self::Text;
        }
        let display = match Display::is_named() {
            true => Display::connect().map_err(|error| error.to_string()),
            false => Err("no display is named".to_owned()),
        };
        display.map_or_else(
            |why| {
                // Nothing can be done if standard error is gone as well.
                let _ = writeln!(std::io::stderr(), "no window ({why}); using the terminal");
                Self::Text
            },
            Self::Window,
        )
    }
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
    let mut rounds = Rounds::default();
    loop {
        let ending = if std::io::stdout().is_terminal() {
            screen::show(&mut guide, stop)?
        } else {
            follow(&mut guide, stop)?
        };
        match ending {
            Ending::Finished => {}
            Ending::GivenUp => bail!("given up; nothing was saved"),
        }
        let outliers = rounds.outliers(&guide.procedure);
        if outliers.is_empty() {
            break;
        }
        guide.news = rounds::in_words(&outliers);
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
