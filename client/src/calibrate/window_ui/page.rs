//! Contents of the calibration window at one moment, and the person's possible requests.

use std::path::PathBuf;

use calibration::JointAngles;
use calibration::procedure::{Command, Mark};
use drivers::Side;
use interaction::scene::StatusLevel;

use super::outcome::FitOutcome;

/// Contents of the calibration window at one moment.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Page {
    pub(super) hand: Side,
    /// The person's live hand; none before the glove's first sample.
    pub(super) live: Option<JointAngles>,
    pub(super) glove: GloveLine,
    /// All steps, in the order of the plan.
    pub(super) steps: Vec<StepRow>,
    /// Newest message.
    pub(super) news: String,
    pub(super) body: Body,
}

/// Stage of the calibration.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Body {
    /// The devices are being opened.
    Opening,
    Step(StepBody),
    /// These poses contradict the others.
    Outliers(Vec<OutlierRow>),
    /// All steps were skipped.
    Empty,
    Result(Box<FitOutcome>),
    Saved {
        file: PathBuf,
        /// Command that uses the profile.
        command: String,
    },
}

/// One step of the plan.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct StepBody {
    /// Number of the step in this round, counted from 1.
    pub(super) number: usize,
    pub(super) of: usize,
    pub(super) name: &'static str,
    pub(super) instruction: &'static str,
    pub(super) picture: JointAngles,
    /// Progress from 0 to 1.
    pub(super) share: f64,
    /// What is missing.
    pub(super) words: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StepRow {
    pub(super) name: &'static str,
    pub(super) mark: Mark,
    pub(super) is_outlier: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct OutlierRow {
    pub(super) name: &'static str,
    /// Joints with their errors, in words.
    pub(super) joints: Vec<String>,
}

/// State of the glove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GloveLine {
    pub(super) level: StatusLevel,
    pub(super) words: String,
    /// Advice to the person.
    pub(super) advice: &'static str,
}

/// Request of the person to the flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FlowRequest {
    /// Command about the current step.
    Step(Command),
    /// Go through the outliers once more.
    RepeatOutliers,
    /// Fit without them.
    LeaveOut,
    /// Go through the poses that fit worst once more.
    RetakeWorst,
    Save,
}

impl Page {
    pub(super) fn n_taken(&self) -> usize {
        self.steps.iter().filter(|step| step.mark == Mark::Taken).count()
    }
}

impl Default for Page {
    fn default() -> Self {
        Self {
            hand: Side::Right,
            live: None,
            glove: GloveLine {
                level: StatusLevel::Waiting,
                words: "opening the glove".to_owned(),
                advice: "",
            },
            steps: Vec::new(),
            news: String::new(),
            body: Body::Opening,
        }
    }
}
