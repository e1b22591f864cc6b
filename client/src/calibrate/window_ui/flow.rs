//! The loop of a calibration: devices, procedure and files, without a window.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use calibration::fit::{Fit, Outlier};
use calibration::procedure::{Command, Mark};
use calibration::{GloveModel, Procedure, ProfileStore};
use drivers::Side;
use interaction::scene::StatusLevel;

use super::outcome::{self, FitOutcome};
use super::page::{Body, FlowRequest, GloveLine, OutlierRow, Page, StepBody, StepRow};
use crate::calibrate::guide::{Guide, RoundEnding};
use crate::calibrate::retakes::{Retakes, WrongSteps};
use crate::calibrate::{report, terminal_ui};
use crate::command_line::{CalibrationExtras, MeasureOptions};
use crate::input::DeviceState;

/// Path of the profile after it is saved.
pub(super) type SavedSlot = Mutex<Option<report::SavedCalibration>>;

/// A running calibration, from the first step to the saved file.
pub(super) struct CalibrationFlow<'a> {
    guide: Guide,
    store: &'a ProfileStore,
    options: &'a MeasureOptions,
    extras: &'a CalibrationExtras,
    saved_slot: &'a SavedSlot,
    retakes: Retakes,
    state: FlowState,
    /// Model of the live hand, and the state of the steps that it belongs to.
    model: GloveModel,
    model_of: Vec<Mark>,
    /// Reason why there is no hand, in the guide's words.
    trouble: Option<String>,
    next_page: Instant,
    last: Page,
}

enum FlowState {
    Steps,
    Outliers(WrongSteps),
    Empty,
    Result { fit: Box<Fit>, outcome: Box<FitOutcome> },
    Saved(PathBuf),
}

/// Least time between two pages: no window shows them more often.
const TICK: Duration = Duration::from_millis(16);

impl<'a> CalibrationFlow<'a> {
    pub(super) fn new(
        guide: Guide,
        store: &'a ProfileStore,
        (options, extras): (&'a MeasureOptions, &'a CalibrationExtras),
        saved_slot: &'a SavedSlot,
    ) -> Self {
        Self {
            guide,
            store,
            options,
            extras,
            saved_slot,
            retakes: Retakes::default(),
            state: FlowState::Steps,
            model: GloveModel::uncalibrated(),
            model_of: Vec::new(),
            trouble: None,
            next_page: Instant::now(),
            last: Page::default(),
        }
    }

    /// Waits briefly for a sample and processes it. Waits for a missing glove.
    pub(super) fn turn(&mut self, stop: &AtomicBool) {
        match self.guide.turn(stop) {
            Ok(ending) => {
                self.trouble = None;
                self.round_over(ending);
            }
            Err(error) => self.trouble = Some(format!("{error:#}")),
        }
    }

    /// Runs a request of the person if it is valid on the current page.
    pub(super) fn apply(&mut self, request: FlowRequest) {
        match (request, &self.state) {
            (FlowRequest::Step(command), FlowState::Steps) => {
                let ending = self.guide.command(command);
                self.round_over(ending);
            }
            (FlowRequest::Step(Command::Back), FlowState::Empty) => {
                self.state = FlowState::Steps;
                self.guide.command(Command::Back);
            }
            (FlowRequest::RepeatOutliers, FlowState::Outliers(wrong)) => {
                wrong.retake(&mut self.guide.procedure);
                self.begin_again("once more, please");
            }
            (FlowRequest::LeaveOut, FlowState::Outliers(_)) => self.fit_glove(),
            (FlowRequest::RetakeWorst, FlowState::Result { fit, .. }) => {
                let worst = outcome::worst(fit, &self.guide.procedure.captures());
                self.guide.procedure.retake(&worst);
                self.begin_again("once more, please");
            }
            (FlowRequest::Save, FlowState::Result { .. }) => self.save(),
            // The request belongs to an earlier page.
            (
                FlowRequest::Step(_)
                | FlowRequest::RepeatOutliers
                | FlowRequest::LeaveOut
                | FlowRequest::RetakeWorst
                | FlowRequest::Save,
                _,
            ) => {}
        }
    }

    /// Returns the current page if it has changed, at most once per page interval.
    pub(super) fn news(&mut self) -> Option<Page> {
        let now = Instant::now();
        if now < self.next_page {
            return None;
        }
        self.next_page = now + TICK;
        let page = self.page();
        if page == self.last {
            return None;
        }
        self.last.clone_from(&page);
        Some(page)
    }

    fn begin_again(&mut self, news: &str) {
        self.guide.news = news.to_owned();
        self.state = FlowState::Steps;
    }

    /// Decides what follows the last step, as in the terminal, but asks the person.
    fn round_over(&mut self, ending: Option<RoundEnding>) {
        match ending {
            Some(RoundEnding::Finished) => {}
            Some(RoundEnding::GivenUp) | None => return,
        }
        self.guide.news.clear();
        if self.guide.procedure.captures().is_empty() {
            self.state = FlowState::Empty;
            return;
        }
        let wrong = self.retakes.wrong(&self.guide.procedure);
        if wrong.is_empty() {
            self.fit_glove();
        } else if wrong.outliers.is_empty() {
            wrong.retake(&mut self.guide.procedure);
            self.begin_again(&wrong.in_words());
        } else {
            self.state = FlowState::Outliers(wrong);
        }
    }

    /// Fits the glove and shows the quality of the fit.
    fn fit_glove(&mut self) {
        let captures = self.guide.procedure.captures();
        let known = report::known_model(self.store, self.options, &self.guide);
        let (Ok(known), Ok((hand, mask))) = (known, report::glove(&self.guide)) else {
            // There are captures, so the glove has sent samples.
            self.state = FlowState::Empty;
            return;
        };
        let fit = self.guide.procedure.fit(&known);
        let last = report::earlier(self.store, &self.options.name, hand);
        let without_tracker = report::without_tracker(&self.guide, last.as_ref());
        let last = last.as_ref().map(|saved| saved.profile.glove());
        let mut outcome = FitOutcome::new(&fit, &captures, mask, last, report::DRIFT_DEG);
        outcome.notes.extend(without_tracker);
        self.model = fit.model;
        self.model_of = self.guide.procedure.marks();
        self.state = FlowState::Result { fit: Box::new(fit), outcome: Box::new(outcome) };
    }

    fn save(&mut self) {
        let FlowState::Result { fit, outcome } = &mut self.state else { return };
        match report::save(self.store, self.options, self.extras, &self.guide, fit) {
            Ok(saved) => {
                let file = saved.path.clone();
                if let Some(why) = &saved.missing {
                    self.guide.news = format!("saved without the tracker's transforms: {why}");
                }
                let saved_slot =
                    &mut *self.saved_slot.lock().unwrap_or_else(PoisonError::into_inner);
                *saved_slot = Some(saved);
                self.state = FlowState::Saved(file);
            }
            Err(error) => outcome.trouble = Some(format!("not saved: {error:#}")),
        }
    }

    fn page(&mut self) -> Page {
        let marks = self.guide.procedure.marks();
        // A fit takes a while, and only captures change it.
        if self.model_of != marks {
            self.model = self.guide.procedure.fit(&GloveModel::uncalibrated()).model;
            self.model_of.clone_from(&marks);
        }
        let hand = self.guide.hand();
        let glove = self.guide.glove_state();
        Page {
            live: hand.map(|(_, counts)| self.model.joint_angles(counts)),
            hand: hand.map_or(Side::Right, |(hand, _)| hand),
            steps: self.steps(&marks),
            news: self.guide.news.clone(),
            body: self.body(&glove),
            glove: glove_line(&glove, self.trouble.as_deref()),
        }
    }

    fn body(&self, glove: &DeviceState) -> Body {
        match &self.state {
            FlowState::Steps => Body::Step(step(&self.guide.procedure, glove)),
            FlowState::Outliers(wrong) => {
                Body::Outliers(wrong.outliers.iter().map(outlier_row).collect())
            }
            FlowState::Empty => Body::Empty,
            FlowState::Result { outcome, .. } => Body::Result(outcome.clone()),
            FlowState::Saved(file) => {
                Body::Saved { file: file.clone(), command: command(self.options) }
            }
        }
    }

    fn steps(&self, marks: &[Mark]) -> Vec<StepRow> {
        let procedure = &self.guide.procedure;
        let outliers: Vec<usize> = match &self.state {
            FlowState::Outliers(wrong) => {
                wrong.outliers.iter().filter_map(|outlier| procedure.step_of(outlier)).collect()
            }
            FlowState::Result { fit, .. } => {
                fit.outliers.iter().filter_map(|outlier| procedure.step_of(outlier)).collect()
            }
            FlowState::Steps | FlowState::Empty | FlowState::Saved(_) => Vec::new(),
        };
        let rows = procedure.plan().steps.iter().zip(marks).enumerate();
        rows.map(|(i, (step, mark))| StepRow {
            name: step.text().0,
            mark: *mark,
            is_outlier: outliers.contains(&i),
        })
        .collect()
    }
}

/// The command that squeezes with the profile.
fn command(options: &MeasureOptions) -> String {
    let folder = options.profiles.folder.as_ref();
    let folder = folder.map_or_else(String::new, |f| format!(" --profiles {}", f.display()));
    format!("palpate squeeze --profile {}{folder}", options.name)
}

fn step(procedure: &Procedure, glove: &DeviceState) -> StepBody {
    let view = procedure.view();
    let (share, words) = terminal_ui::in_words(&view.state, glove);
    StepBody {
        number: (view.n_done + 1).min(view.n_steps),
        of: view.n_steps,
        name: view.name,
        instruction: view.instruction,
        picture: view.picture,
        share,
        words,
    }
}

fn outlier_row(outlier: &Outlier) -> OutlierRow {
    let joints = outlier.joints.iter().map(|(sensor, off)| {
        let degrees = off.to_degrees();
        let way = if degrees > 0.0 { "more" } else { "less" };
        format!("{} {:.0}° {way} than asked", sensor.name(), degrees.abs())
    });
    OutlierRow { name: outlier.pose.pose().name, joints: joints.collect() }
}

fn glove_line(state: &DeviceState, trouble: Option<&str>) -> GloveLine {
    const PLUG_IN: &str = "Switch it on and plug it in: the program tries again by itself. If it is on \
                           another port, `palpate devices` says which, and `--glove PORT` names it.";
    let line = |level, words: &str, advice| GloveLine { level, words: words.to_owned(), advice };
    match state {
        DeviceState::Missing(why) => line(StatusLevel::Bad, &format!("no glove: {why}"), PLUG_IN),
        DeviceState::Lost(why) => {
            line(StatusLevel::Bad, &format!("the glove is lost: {why}"), PLUG_IN)
        }
        DeviceState::Silent => line(
            StatusLevel::Bad,
            "the glove is silent",
            "Check that it is switched on and its cable is plugged in.",
        ),
        DeviceState::Garbled => line(
            StatusLevel::Bad,
            "the glove sends only damaged data",
            "Check line speed, cable and adapter.",
        ),
        DeviceState::Faulty(why) => {
            line(StatusLevel::Bad, why, "The calibration continues as soon as this is solved.")
        }
        DeviceState::Opening
        | DeviceState::Live(_)
        | DeviceState::Doubtful(_)
        | DeviceState::Late
        | DeviceState::Ended
            if trouble.is_some() =>
        {
            line(StatusLevel::Bad, trouble.unwrap_or_default(), "")
        }
        DeviceState::Opening => line(StatusLevel::Waiting, "opening the glove", ""),
        DeviceState::Live(what) => line(StatusLevel::Good, what, ""),
        DeviceState::Doubtful(why) => line(StatusLevel::Waiting, why, ""),
        DeviceState::Late => line(StatusLevel::Waiting, "the glove is late", ""),
        DeviceState::Ended => line(StatusLevel::Waiting, "the recording has ended", ""),
    }
}
