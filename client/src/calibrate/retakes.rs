//! Steps to repeat after the last one.

use calibration::fit::Outlier;
use calibration::procedure::TrackerError;
use calibration::tracker::Spot;
use calibration::{GloveModel, Procedure};

/// Counts the rounds of steps. There are at most two: a pose that is wrong twice is accepted.
#[derive(Debug, Default)]
pub(super) struct Retakes {
    has_repeated: bool,
}

/// Steps with wrong poses.
#[derive(Debug, Default)]
pub(super) struct WrongSteps {
    /// Poses that contradict the others.
    pub(super) outliers: Vec<Outlier>,
    /// Reason why the tracker's steps are unusable.
    pub(super) tracker: Option<String>,
}

impl Retakes {
    /// Returns the wrong steps; none after the second round.
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

    /// Adds these steps to the procedure again.
    pub(super) fn retake(&self, procedure: &mut Procedure) {
        if !self.outliers.is_empty() {
            procedure.retake(&self.outliers);
        }
        if self.tracker.is_some() {
            procedure.retake_tracker();
        }
    }

    /// Message for the person.
    pub(super) fn in_words(&self) -> String {
        let poses = self.outliers.iter().map(|outlier| outlier.pose.pose().name.to_owned());
        let tracker = self.tracker.iter().map(|why| format!("the tracker's steps ({why})"));
        let wrong: Vec<String> = poses.chain(tracker).collect();
        format!("does not match the other poses; once more: {}", wrong.join(", "))
    }
}
