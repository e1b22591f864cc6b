//! `palpate calibrate`: guides a person through poses, fits the glove to the hand, keeps profiles.

mod files;
mod guide;
mod report;
mod rounds;
mod screen;
mod stage;
mod studio;

use std::sync::atomic::AtomicBool;

use anyhow::{bail, ensure};
use calibration::store::Edition;
use calibration::{HandSize, Plan, Procedure};

use crate::command_line::{
    Besides, Calibrate, CalibrateCommand, Measure, PlanChoice, TrackerSteps,
};
use crate::profiles::store;
use guide::{Ending, Guide};
use rounds::Rounds;
use stage::Stage;

/// Calibrates, or does what the command says.
pub fn run(options: &Calibrate, stop: &AtomicBool) -> anyhow::Result<()> {
    match &options.command {
        None => calibrate(&options.measure, &options.besides, stop),
        Some(CalibrateCommand::Check(measure)) => check(measure, stop),
        Some(CalibrateCommand::Show(show)) => files::show(show),
        Some(CalibrateCommand::Import(import)) => files::import(import),
        Some(CalibrateCommand::Export(export)) => files::export(export),
    }
}

fn calibrate(options: &Measure, besides: &Besides, stop: &AtomicBool) -> anyhow::Result<()> {
    // A typing error in a name or a number should not cost two minutes.
    let store = store(&options.profiles)?;
    store.check_name(&options.name)?;
    store.make_folder()?;
    HandSize::default().measured(besides.hand_length_mm, besides.hand_breadth_mm)?;
    let plan = match options.plan {
        PlanChoice::Quick => Plan::quick(),
        PlanChoice::Full => Plan::full(),
    };
    let plan = match (besides.tracker_steps, options.plan) {
        (TrackerSteps::Yes, _) | (TrackerSteps::Auto, PlanChoice::Full) => plan.with_tracker(),
        (TrackerSteps::No, _) | (TrackerSteps::Auto, PlanChoice::Quick) => plan,
    };
    let stage = Stage::choose(options);
    let guide = Guide::start(options, Procedure::new(plan))?;
    if let Stage::Window(display) = stage {
        return studio::show(display, guide, &store, (options, besides), stop);
    }
    let guide = measured(guide, &stage, stop)?;
    let known = report::known_model(&store, options, &guide)?;
    let fit = guide.procedure.fit(&known);
    report::save(&store, options, besides, &guide, &fit)?.whole()?;
    Ok(())
}

fn check(options: &Measure, stop: &AtomicBool) -> anyhow::Result<()> {
    let store = store(&options.profiles)?;
    store.check_name(&options.name)?;
    let all = store.list()?;
    let hands = all.iter().filter(|(person, _)| *person == options.name);
    let loaded: Vec<_> =
        hands.map(|(person, hand)| store.load(person, *hand, Edition::Newest)).collect();
    ensure!(!loaded.is_empty(), "there is no profile of {} to check", options.name);
    // One hand's file may be broken. If all are, the person learns it before holding any pose.
    if loaded.iter().all(Result::is_err) {
        loaded.into_iter().collect::<Result<Vec<_>, _>>()?;
    }
    let plan = match options.plan {
        PlanChoice::Quick => Plan::quick(),
        // Each joint once, and nothing that was not asked for in the calibration.
        PlanChoice::Full => Plan::of(&report::CHECKED),
    };
    let guide = Guide::start(options, Procedure::new(plan))?;
    let guide = measured(guide, &Stage::without_window(), stop)?;
    report::check(&store, options, &guide)
}

/// Lets the person go through the steps, and through those that were done wrong once more.
fn measured(mut guide: Guide, stage: &Stage, stop: &AtomicBool) -> anyhow::Result<Guide> {
    let mut rounds = Rounds::default();
    loop {
        match stage.show(&mut guide, stop)? {
            Ending::Finished => {}
            Ending::GivenUp => bail!("given up; nothing was saved"),
        }
        let wrong = rounds.wrong(&guide.procedure);
        if wrong.is_empty() {
            break;
        }
        wrong.retake(&mut guide.procedure);
        guide.news = wrong.in_words();
        tracing::warn!("{}", guide.news);
    }
    if guide.procedure.captures().is_empty() {
        bail!("no pose was taken; nothing was saved");
    }
    Ok(guide)
}
