//! `palpate calibrate`: guides a person through poses, fits the glove's model to the hand, and
//! saves the profile.

mod frontend;
mod guide;
mod profile_commands;
mod report;
mod retakes;
mod terminal_ui;
mod window_ui;

use std::sync::atomic::AtomicBool;

use anyhow::{bail, ensure};
use calibration::profile_store::Edition;
use calibration::{HandSize, Plan, Procedure};

use crate::command_line::{
    CalibrateCommand, CalibrateOptions, CalibrationExtras, DeviceSource, MeasureOptions,
    PlanChoice, TrackerSteps,
};
use crate::profiles::store;
use frontend::Frontend;
use guide::{Guide, RoundEnding};
use retakes::Retakes;

/// Runs a calibration or the given command.
pub fn run(options: &CalibrateOptions, stop: &AtomicBool) -> anyhow::Result<()> {
    match &options.command {
        None => calibrate(&options.measure, &options.extras, stop),
        Some(CalibrateCommand::Check(measure)) => check(measure, stop),
        Some(CalibrateCommand::Show(show)) => profile_commands::show(show),
        Some(CalibrateCommand::Import(import)) => profile_commands::import(import),
        Some(CalibrateCommand::Export(export)) => profile_commands::export(export),
    }
}

fn calibrate(
    options: &MeasureOptions,
    extras: &CalibrationExtras,
    stop: &AtomicBool,
) -> anyhow::Result<()> {
    // Checked first: a typing error in a name or a number should not cost two minutes.
    let store = store(&options.profiles)?;
    store.check_name(&options.name)?;
    store.make_folder()?;
    HandSize::default().measured(extras.hand_length_mm, extras.hand_breadth_mm)?;
    let plan = match options.plan {
        PlanChoice::Quick => Plan::quick(),
        PlanChoice::Full => Plan::full(),
    };
    let has_tracker = options.devices.tracker.is_some()
        || !matches!(options.devices.glove, Some(DeviceSource::Port(_)));
    let plan = match (extras.tracker_steps, options.plan) {
        (TrackerSteps::Yes, _) if !has_tracker => bail!(
            "--tracker-steps yes needs a --tracker: a port, or `emulated`; without one the glove \
             alone can be calibrated"
        ),
        // The glove's sensors need no tracker; the report says what stays as it was.
        (TrackerSteps::Auto, _) if !has_tracker => plan,
        (TrackerSteps::Yes, _) | (TrackerSteps::Auto, PlanChoice::Full) => plan.with_tracker(),
        (TrackerSteps::No, _) | (TrackerSteps::Auto, PlanChoice::Quick) => plan,
    };
    let frontend = Frontend::choose(options);
    let guide = Guide::start(options, Procedure::new(plan))?;
    if let Frontend::Window(display) = frontend {
        return window_ui::show(display, guide, &store, (options, extras), stop);
    }
    let guide = measured(guide, &frontend, stop)?;
    let known = report::known_model(&store, options, &guide)?;
    let fit = guide.procedure.fit(&known);
    report::save(&store, options, extras, &guide, &fit)?.whole()?;
    Ok(())
}

fn check(options: &MeasureOptions, stop: &AtomicBool) -> anyhow::Result<()> {
    let store = store(&options.profiles)?;
    store.check_name(&options.name)?;
    let all = store.list()?;
    let hands = all.iter().filter(|(person, _)| *person == options.name);
    let loaded: Vec<_> =
        hands.map(|(person, hand)| store.load(person, *hand, Edition::Newest)).collect();
    ensure!(!loaded.is_empty(), "there is no profile of {} to check", options.name);
    // The file of one hand may be damaged. If all are, report it before the first pose.
    if loaded.iter().all(Result::is_err) {
        loaded.into_iter().collect::<Result<Vec<_>, _>>()?;
    }
    let plan = match options.plan {
        PlanChoice::Quick => Plan::quick(),
        // Each joint once, limited to the sensors of the calibration.
        PlanChoice::Full => Plan::of(&report::CHECKED),
    };
    let guide = Guide::start(options, Procedure::new(plan))?;
    let guide = measured(guide, &Frontend::without_window(), stop)?;
    report::check(&store, options, &guide)
}

/// Guides the person through all steps, then once more through the wrong ones.
fn measured(mut guide: Guide, frontend: &Frontend, stop: &AtomicBool) -> anyhow::Result<Guide> {
    let mut retakes = Retakes::default();
    loop {
        match frontend.show(&mut guide, stop)? {
            RoundEnding::Finished => {}
            RoundEnding::GivenUp => bail!("given up; nothing was saved"),
        }
        let wrong = retakes.wrong(&guide.procedure);
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
