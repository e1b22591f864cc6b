//! After the last step: what the person is asked for once more.

use calibration::fit::Outlier;
use calibration::procedure::TrackerError;
use calibration::tracker::Spot;
use calibration::{GloveModel, Procedure};

/// Rounds of steps, of which there are two at most: who does a pose wrong twice means it.
#[derive(Debug, Default)]
pub(super) struct Retakes {
    has_repeated: bool,
}

/// What was done wrong.
#[derive(Debug, Default)]
pub(super) struct WrongSteps {
    /// The poses that do not go with the others.
    pub(super) outliers: Vec<Outlier>,
    /// Why the tracker's steps say nothing.
    pub(super) tracker: Option<String>,
}

impl Retakes {
    /// What was done wrong; nothing after the second round.
    pub(super) fn wrong(&mut self, procedure: &Procedure) -> WrongSteps {
        if std::mem::replace(&mut self.has_repeated, true) {
            return WrongSteps::default();
        }
        let tracker = match procedure.tracker(&Spot::default()) {
            Err(TrackerError::Placement(error)) => Some(error.to_string()),
            Ok(_) | Err(_) => None,
        };
        WrongSteps { outliers: procedure.fit(&GloveModel::uncalibrated()).outliers, tracker }
    }
}

impl WrongSteps {
    pub(super) fn is_empty(&self) -> bool {
        self.outliers.is_empty() && self.tracker.is_none()
    }

    /// Asks for all of it once more.
    pub(super) fn retake(&self, procedure: &mut Procedure) {
        if !self.outliers.is_empty() {
            procedure.retake(&self.outliers);
        }
        if self.tracker.is_some() {
            procedure.retake_tracker();
        }
    }

    /// What the person is told.
    pub(super) fn in_words(&self) -> String {
        let poses = self.outliers.iter().map(|outlier| outlier.pose.pose().name.to_owned());
        let tracker = self.tracker.iter().map(|why| format!("the tracker's steps ({why})"));
        let wrong: Vec<String> = poses.chain(tracker).collect();
        format!("does not go with the others, once more: {}", wrong.join(", "))
    }
}
