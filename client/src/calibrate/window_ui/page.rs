//! All that the calibration window shows at one moment, and what a person can ask for there.

use std::path::PathBuf;

use calibration::JointAngles;
use calibration::procedure::{Command, Mark};
use drivers::Side;
use interaction::scene::StatusLevel;

use super::outcome::FitOutcome;

/// One moment of the calibration window.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Page {
    pub(super) hand: Side,
    /// The person's hand as it is now; none before the glove has spoken.
    pub(super) live: Option<JointAngles>,
    pub(super) glove: GloveLine,
    /// All steps, in the order of the plan.
    pub(super) steps: Vec<StepRow>,
    /// What has just happened.
    pub(super) news: String,
    pub(super) body: Body,
}

/// What the person is busy with.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Body {
    /// The devices are being opened.
    Opening,
    Step(StepBody),
    /// These poses do not go with the others.
    Outliers(Vec<OutlierRow>),
    /// All steps were skipped.
    Empty,
    Result(Box<FitOutcome>),
    Saved {
        file: PathBuf,
        /// What uses the profile.
        command: String,
    },
}

/// One step of the plan.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct StepBody {
    /// Counted from one, of all in this round.
    pub(super) number: usize,
    pub(super) of: usize,
    pub(super) name: &'static str,
    pub(super) instruction: &'static str,
    pub(super) picture: JointAngles,
    /// How far it has come, from 0 to 1.
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
    /// Joints and by how much they were off, in words.
    pub(super) joints: Vec<String>,
}

/// How the glove is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GloveLine {
    pub(super) level: StatusLevel,
    pub(super) words: String,
    /// What the person can do about it.
    pub(super) advice: &'static str,
}

/// What the person asks of the flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FlowRequest {
    /// Something about the current step.
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
