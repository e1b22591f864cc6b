//! A calibration procedure: samples and commands go in, the view for the user comes out.
//!
//! The procedure has no clock and no device. Samples carry their own time; the caller feeds samples
//! and draws the [`View`]. A pose is captured automatically when the hand has left the pose before,
//! has moved the joints that the new pose moves, and holds still for a second. Commands accept,
//! skip, retake and go back.

mod pivot_capture;
mod plan;
mod stillness;
#[cfg(test)]
mod tests;

use nalgebra::Isometry3;

use crate::capture::{Capture, Sample};
use crate::fit::{self, Fit, Outlier};
use crate::glove_model::GloveModel;
use crate::joints::JointAngles;
use crate::tracker::pivot::PivotError;
use crate::tracker::placement::Aside;
use crate::tracker::{self, Pivot, PlacementError, Placements, Spot, TrackerTransforms};

use pivot_capture::PivotCapture;
pub use plan::{Place, Plan, Step, Target};
pub use stillness::Stillness;
use stillness::{Arrival, Window};

/// A calibration in progress.
#[derive(Debug, Clone)]
pub struct Procedure {
    plan: Plan,
    /// Steps of the current round, in order.
    order: Vec<usize>,
    /// Index into `order`; its length once all steps are done.
    at: usize,
    taken: Vec<Option<Taken>>,
    window: Window,
    arrival: Arrival,
    /// Pose of the tracker when the step began.
    began_at: Option<Isometry3<f64>>,
    has_travelled: bool,
    turning: PivotCapture,
}

/// Commands of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// Capture the pose now, if the hand is still.
    Accept,
    /// Delete the newest capture and repeat its step.
    Retake,
    /// Continue without this step.
    Skip,
    /// Go back one step; its capture is kept until there is a new one.
    Back,
}

/// Result of a sample or a command.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Event {
    /// A step is done; the number is its index in the plan.
    Captured(usize),
    /// The last step is done.
    Finished,
    /// `Accept` came too early: the hand moves, or there are no data.
    NotStill,
}

/// Status of a step in the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    Ahead,
    /// The current step, for the first time or again.
    Now,
    Taken,
    /// Passed without a capture.
    Skipped,
}

/// Everything that the user interface shows.
#[derive(Debug, Clone, PartialEq)]
pub struct View<'a> {
    /// The current step; `None` when all are done.
    pub step: Option<&'a Step>,
    pub name: &'static str,
    pub instruction: &'static str,
    /// A hand in the pose to make.
    pub picture: JointAngles,
    pub state: State,
    /// Number of steps done or skipped in this round.
    pub n_done: usize,
    pub n_steps: usize,
}

/// Status of the current step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum State {
    /// There are no samples of the glove, or too few.
    Waiting,
    /// The hand is still in the previous pose.
    Leaving,
    /// The hand moves, or holds still but not long enough.
    Settling(Stillness),
    /// The hand holds still, but the joints that this pose moves have hardly moved.
    NotThere(Stillness),
    /// The step needs a tracker, but the sample has no tracker pose.
    NoTracker,
    /// The hand turns about the spot; `missing` says what the motion lacks.
    Turning {
        share: f64,
        missing: Option<PivotError>,
    },
    /// The hand has to go to another place; `got` is its distance from the previous one, in metres.
    Travelling {
        got: f64,
    },
    Done,
}

#[derive(Debug, Clone)]
enum Taken {
    Pose(Capture),
    Place(Isometry3<f64>),
    Pivot(Pivot),
}

/// Error of finding the tracker's transforms.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum TrackerError {
    #[error("the hand was not turned about the spot")]
    NoPivot,
    #[error("the hand was not laid flat on the desk, pointing ahead")]
    NoPlace,
    #[error(transparent)]
    Placement(#[from] PlacementError),
}

/// Smallest distance between two places of the hand, in metres.
const MIN_SLIDE: f64 = 0.08;
/// Largest motion of a hand that lies on the desk, in metres. It is smaller than for a hand in the
/// air, because the place has to be known to a millimetre.
const MAX_WAY_ON_DESK: f64 = 0.0015;
/// Smallest distance from the start of a step to the spot, in metres.
const MIN_TRAVEL: f64 = 0.03;

impl Procedure {
    pub fn new(plan: Plan) -> Self {
        let n_steps = plan.steps.len();
        Self {
            plan,
            order: (0..n_steps).collect(),
            at: 0,
            taken: vec![None; n_steps],
            window: Window::new(),
            arrival: Arrival::default(),
            began_at: None,
            has_travelled: false,
            turning: PivotCapture::default(),
        }
    }

    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Adds a sample; returns an event if it completed a step.
    pub fn feed(&mut self, sample: &Sample) -> Option<Event> {
        self.window.push(sample);
        let step = *self.order.get(self.at)?;
        match self.plan.steps[step] {
            Step::Turn => {
                let pivot = self.turning.push(sample)?;
                Some(self.take(step, Taken::Pivot(pivot)))
            }
            Step::Hold(_) | Step::Place(_) => {
                if self.arrival.watch(sample) {
                    self.window.clear();
                }
                self.watch_travel(sample);
                let is_ready = self.window.is_still() && matches!(self.state(), State::Settling(_));
                if is_ready { self.capture(step) } else { None }
            }
        }
    }

    pub fn command(&mut self, command: Command) -> Option<Event> {
        match command {
            Command::Accept => {
                let step = *self.order.get(self.at)?;
                let taken = if self.window.is_still() { self.capture(step) } else { None };
                Some(taken.unwrap_or(Event::NotStill))
            }
            Command::Retake => {
                self.at = self.at.saturating_sub(1);
                if let Some(step) = self.order.get(self.at) {
                    self.taken[*step] = None;
                }
                self.begin_step();
                None
            }
            Command::Skip => {
                self.at = (self.at + 1).min(self.order.len());
                self.begin_step();
                (self.at == self.order.len()).then_some(Event::Finished)
            }
            Command::Back => {
                self.at = self.at.saturating_sub(1);
                self.begin_step();
                None
            }
        }
    }

    pub fn view(&self) -> View<'_> {
        let step = self.order.get(self.at).map(|step| &self.plan.steps[*step]);
        let (name, instruction) = step.map_or(("done", "That was all."), Step::text);
        View {
            step,
            name,
            instruction,
            picture: step.map_or_else(JointAngles::default, Step::picture),
            state: self.state(),
            n_done: self.at,
            n_steps: self.order.len(),
        }
    }

    /// Status of each step, in the order of the plan.
    pub fn marks(&self) -> Vec<Mark> {
        let now = self.order.get(self.at);
        let ahead = self.order.get(self.at..).unwrap_or_default();
        let mark = |(step, taken): (usize, &Option<Taken>)| match taken {
            _ if now == Some(&step) => Mark::Now,
            Some(_) => Mark::Taken,
            None if ahead.contains(&step) => Mark::Ahead,
            None => Mark::Skipped,
        };
        self.taken.iter().enumerate().map(mark).collect()
    }

    /// All captured poses, in the order of the plan.
    pub fn captures(&self) -> Vec<Capture> {
        let poses = self.taken.iter().filter_map(|taken| match taken {
            Some(Taken::Pose(capture)) => Some(capture.clone()),
            _ => None,
        });
        poses.collect()
    }

    /// Fits a glove to the captures.
    pub fn fit(&self, known: &GloveModel) -> Fit {
        fit::fit(known, &self.captures())
    }

    /// Repeats only the poses that were done wrong.
    pub fn retake(&mut self, outliers: &[Outlier]) {
        self.order = outliers.iter().filter_map(|outlier| self.step_of(outlier)).collect();
        self.at = 0;
        self.begin_step();
    }

    /// Index in the plan of the step whose capture is an outlier.
    pub fn step_of(&self, outlier: &Outlier) -> Option<usize> {
        let is_pose = |step: &usize| matches!(self.taken[*step], Some(Taken::Pose(_)));
        (0..self.plan.steps.len()).filter(is_pose).nth(outlier.capture)
    }

    /// Repeats the tracker's steps, after all other remaining steps.
    pub fn retake_tracker(&mut self) {
        self.order.drain(..self.at);
        self.at = 0;
        let steps = self.plan.steps.iter().enumerate();
        let again = steps.filter(|(_, step)| step.needs_tracker()).map(|(place, _)| place);
        self.order.extend(again);
        self.begin_step();
    }

    /// The tracker's transforms, if the plan contains its steps.
    pub fn tracker(&self, spot: &Spot) -> Result<TrackerTransforms, TrackerError> {
        let start = self.place(Place::Start).ok_or(TrackerError::NoPlace)?;
        let placements = match (self.place(Place::Ahead), self.place(Place::Right)) {
            (Some(ahead), Some(right)) => {
                Placements::Slid { start, ahead, aside: Aside::Right(right) }
            }
            _ => Placements::Levelled { start },
        };
        let pivot = self.pivot().ok_or(TrackerError::NoPivot)?;
        Ok(tracker::solve(pivot, &placements.turns()?, spot))
    }

    /// The pivot of the turning motion, if it has been captured.
    pub fn pivot(&self) -> Option<&Pivot> {
        self.taken.iter().find_map(|taken| match taken {
            Some(Taken::Pivot(pivot)) => Some(pivot),
            Some(Taken::Pose(_) | Taken::Place(_)) | None => None,
        })
    }

    fn state(&self) -> State {
        let Some(step) = self.order.get(self.at) else { return State::Done };
        let newest = self.window.newest();
        match (&self.plan.steps[*step], newest) {
            (_, None) => State::Waiting,
            (Step::Turn, Some(newest)) if newest.source_from_sensor.is_none() => State::NoTracker,
            (Step::Turn, Some(_)) => {
                State::Turning { share: self.turning.share(), missing: self.turning.missing() }
            }
            (Step::Hold(target), Some(_)) => match self.window.stillness() {
                None => State::Waiting,
                Some(_) if !self.arrival.has_left() => State::Leaving,
                Some(stillness) if !stillness.is_still() => State::Settling(stillness),
                Some(stillness) if !self.arrival.is_there(target, &self.window) => {
                    State::NotThere(stillness)
                }
                Some(stillness) => State::Settling(stillness),
            },
            (Step::Place(place), Some(newest)) => match newest.source_from_sensor {
                None => State::NoTracker,
                Some(pose) => match self.travelled(*place, &pose) {
                    Err(got) => State::Travelling { got },
                    Ok(()) => self.window.stillness().map_or(State::Waiting, State::Settling),
                },
            },
        }
    }

    /// Ok if the hand has moved to a new place; otherwise its distance from the old one.
    fn travelled(&self, place: Place, now: &Isometry3<f64>) -> Result<(), f64> {
        let way = |from: &Isometry3<f64>| (now.translation.vector - from.translation.vector).norm();
        match place {
            // At the first step of a round, the hand may be on the spot already.
            Place::Start if self.has_travelled || self.at == 0 => Ok(()),
            Place::Start => Err(self.began_at.as_ref().map_or(0.0, way)),
            Place::Ahead | Place::Right => match self.place(Place::Start).as_ref().map(way) {
                Some(got) if got < MIN_SLIDE => Err(got),
                _ => Ok(()),
            },
        }
    }

    fn watch_travel(&mut self, sample: &Sample) {
        let Some(now) = sample.source_from_sensor else { return };
        let from = self.began_at.get_or_insert(now);
        let way = (now.translation.vector - from.translation.vector).norm();
        self.has_travelled |= way > MIN_TRAVEL;
    }

    fn place(&self, place: Place) -> Option<Isometry3<f64>> {
        self.plan.steps.iter().zip(&self.taken).find_map(|(step, taken)| match (step, taken) {
            (Step::Place(p), Some(Taken::Place(pose))) if *p == place => Some(*pose),
            _ => None,
        })
    }

    /// Captures the content of the window; returns `None` if it lacks what the step needs.
    fn capture(&mut self, step: usize) -> Option<Event> {
        let taken = match &self.plan.steps[step] {
            Step::Turn => return None,
            Step::Hold(target) => {
                let capture = Capture::of(target.pose, target.asked, self.window.samples());
                self.arrival.captured(target, &capture);
                Taken::Pose(capture)
            }
            Step::Place(_) if self.window.way() > MAX_WAY_ON_DESK => return None,
            Step::Place(_) => Taken::Place(self.window.mean_pose()?),
        };
        Some(self.take(step, taken))
    }

    fn take(&mut self, step: usize, taken: Taken) -> Event {
        self.taken[step] = Some(taken);
        self.at += 1;
        self.begin_step();
        if self.at == self.order.len() { Event::Finished } else { Event::Captured(step) }
    }

    fn begin_step(&mut self) {
        self.window.clear();
        self.began_at = None;
        self.has_travelled = false;
        self.turning = PivotCapture::default();
    }
}
