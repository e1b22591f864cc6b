//! The studio's own loop: devices, procedure and files, without a window.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use calibration::fit::{Fit, Outlier};
use calibration::procedure::{Command, Mark};
use calibration::{GloveModel, Procedure, Store};
use drivers::Hand;
use interaction::scene::Level;

use super::outcome::{self, Outcome};
use super::page::{Ask, Body, GloveLine, OutlierRow, Page, StepBody, StepRow};
use crate::calibrate::guide::{Ending, Guide};
use crate::calibrate::rounds::{Rounds, Wrong};
use crate::calibrate::{report, screen};
use crate::command_line::{Besides, Measure};
use crate::input::DeviceState;

/// The file of the profile, once it is saved.
pub(super) type Kept = Mutex<Option<report::Kept>>;

/// A calibration under way, from the first step to the file.
pub(super) struct Flow<'a> {
    guide: Guide,
    store: &'a Store,
    options: &'a Measure,
    besides: &'a Besides,
    kept: &'a Kept,
    rounds: Rounds,
    stage: Stage,
    /// By what the live hand is made, and of which state of the steps that is.
    model: GloveModel,
    model_of: Vec<Mark>,
    /// Why there is no hand, in the guide's words.
    trouble: Option<String>,
    next_page: Instant,
    last: Page,
}

enum Stage {
    Steps,
    Outliers(Wrong),
    Empty,
    Result { fit: Box<Fit>, outcome: Box<Outcome> },
    Saved(PathBuf),
}

/// From one page to the next: more often no window shows them.
const TICK: Duration = Duration::from_millis(16);

impl<'a> Flow<'a> {
    pub(super) fn new(
        guide: Guide,
        store: &'a Store,
        (options, besides): (&'a Measure, &'a Besides),
        kept: &'a Kept,
    ) -> Self {
        Self {
            guide,
            store,
            options,
            besides,
            kept,
            rounds: Rounds::default(),
            stage: Stage::Steps,
            model: GloveModel::uncalibrated(),
            model_of: Vec::new(),
            trouble: None,
            next_page: Instant::now(),
            last: Page::default(),
        }
    }

    /// Waits a little for a sample and takes it. A glove that is not there is waited for.
    pub(super) fn turn(&mut self, stop: &AtomicBool) {
        match self.guide.turn(stop) {
            Ok(ending) => {
                self.trouble = None;
                self.round_over(ending);
            }
            Err(error) => self.trouble = Some(format!("{error:#}")),
        }
    }

    /// Does what the person asks for, if it makes sense now.
    pub(super) fn hear(&mut self, ask: Ask) {
        match (ask, &self.stage) {
            (Ask::Step(command), Stage::Steps) => {
                let ending = self.guide.command(command);
                self.round_over(ending);
            }
            (Ask::Step(Command::Back), Stage::Empty) => {
                self.stage = Stage::Steps;
                self.guide.command(Command::Back);
            }
            (Ask::RepeatOutliers, Stage::Outliers(wrong)) => {
                wrong.retake(&mut self.guide.procedure);
                self.begin_again("once more, please");
            }
            (Ask::LeaveOut, Stage::Outliers(_)) => self.judge(),
            (Ask::RetakeWorst, Stage::Result { fit, .. }) => {
                let worst = outcome::worst(fit, &self.guide.procedure.captures());
                self.guide.procedure.retake(&worst);
                self.begin_again("once more, please");
            }
            (Ask::Save, Stage::Result { .. }) => self.save(),
            // Asked of a page that is gone by now.
            (
                Ask::Step(_) | Ask::RepeatOutliers | Ask::LeaveOut | Ask::RetakeWorst | Ask::Save,
                _,
            ) => {}
        }
    }

    /// The page as it is now, if it has changed; not more often than anybody can see.
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
        self.stage = Stage::Steps;
    }

    /// After the last step: the same decisions as in the terminal, but the person is asked.
    fn round_over(&mut self, ending: Option<Ending>) {
        match ending {
            Some(Ending::Finished) => {}
            Some(Ending::GivenUp) | None => return,
        }
        self.guide.news.clear();
        if self.guide.procedure.captures().is_empty() {
            self.stage = Stage::Empty;
            return;
        }
        let wrong = self.rounds.wrong(&self.guide.procedure);
        if wrong.is_empty() {
            self.judge();
        } else if wrong.outliers.is_empty() {
            wrong.retake(&mut self.guide.procedure);
            self.begin_again(&wrong.in_words());
        } else {
            self.stage = Stage::Outliers(wrong);
        }
    }

    /// Fits the glove and shows how well.
    fn judge(&mut self) {
        let captures = self.guide.procedure.captures();
        let known = report::known_model(self.store, self.options, &self.guide);
        let (Ok(known), Ok((hand, mask))) = (known, report::glove(&self.guide)) else {
            // Captures come from a glove that has spoken.
            self.stage = Stage::Empty;
            return;
        };
        let fit = self.guide.procedure.fit(&known);
        let last = report::earlier(self.store, &self.options.name, hand);
        let last = last.as_ref().map(|saved| saved.profile.glove());
        let outcome = Outcome::new(&fit, &captures, mask, last, report::DRIFT_DEG);
        self.model = fit.model;
        self.model_of = self.guide.procedure.marks();
        self.stage = Stage::Result { fit: Box::new(fit), outcome: Box::new(outcome) };
    }

    fn save(&mut self) {
        let Stage::Result { fit, outcome } = &mut self.stage else { return };
        match report::save(self.store, self.options, self.besides, &self.guide, fit) {
            Ok(saved) => {
                let file = saved.path.clone();
                if let Some(why) = &saved.missing {
                    self.guide.news = format!("saved without the tracker's transforms: {why}");
                }
                let kept = &mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner);
                *kept = Some(saved);
                self.stage = Stage::Saved(file);
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
            hand: hand.map_or(Hand::Right, |(hand, _)| hand),
            steps: self.steps(&marks),
            news: self.guide.news.clone(),
            body: self.body(&glove),
            glove: glove_line(&glove, self.trouble.as_deref()),
        }
    }

    fn body(&self, glove: &DeviceState) -> Body {
        match &self.stage {
            Stage::Steps => Body::Step(step(&self.guide.procedure, glove)),
            Stage::Outliers(wrong) => {
                Body::Outliers(wrong.outliers.iter().map(outlier_row).collect())
            }
            Stage::Empty => Body::Empty,
            Stage::Result { outcome, .. } => Body::Result(outcome.clone()),
            Stage::Saved(file) => {
                Body::Saved { file: file.clone(), command: command(self.options) }
            }
        }
    }

    fn steps(&self, marks: &[Mark]) -> Vec<StepRow> {
        let procedure = &self.guide.procedure;
        let outliers: Vec<usize> = match &self.stage {
            Stage::Outliers(wrong) => {
                wrong.outliers.iter().filter_map(|outlier| procedure.step_of(outlier)).collect()
            }
            Stage::Result { fit, .. } => {
                fit.outliers.iter().filter_map(|outlier| procedure.step_of(outlier)).collect()
            }
            Stage::Steps | Stage::Empty | Stage::Saved(_) => Vec::new(),
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
fn command(options: &Measure) -> String {
    let folder = options.profiles.folder.as_ref();
    let folder = folder.map_or_else(String::new, |f| format!(" --profiles {}", f.display()));
    format!("palpate squeeze --profile {}{folder}", options.name)
}

fn step(procedure: &Procedure, glove: &DeviceState) -> StepBody {
    let view = procedure.view();
    let (share, words) = screen::in_words(&view.state, glove);
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
    const PLUG_IN: &str = "Switch it on and plug it in: it is tried again by itself. If it is on \
                           another port, `palpate devices` says which, and `--glove PORT` names it.";
    let line = |level, words: &str, advice| GloveLine { level, words: words.to_owned(), advice };
    match state {
        DeviceState::Missing(why) => line(Level::Bad, &format!("no glove: {why}"), PLUG_IN),
        DeviceState::Lost(why) => line(Level::Bad, &format!("the glove is lost: {why}"), PLUG_IN),
        DeviceState::Silent => line(
            Level::Bad,
            "the glove is silent",
            "Look whether it is switched on and its cable sits well.",
        ),
        DeviceState::Faulty(why) => line(Level::Bad, why, "It goes on as soon as that is mended."),
        DeviceState::Opening | DeviceState::Live(_) | DeviceState::Late | DeviceState::Ended
            if trouble.is_some() =>
        {
            line(Level::Bad, trouble.unwrap_or_default(), "")
        }
        DeviceState::Opening => line(Level::Waiting, "opening the glove", ""),
        DeviceState::Live(what) => line(Level::Good, what, ""),
        DeviceState::Late => line(Level::Waiting, "the glove is late", ""),
        DeviceState::Ended => line(Level::Waiting, "the recording has ended", ""),
    }
}
