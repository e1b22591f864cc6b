//! After the last step: which poses the person is asked for once more.

use calibration::fit::Outlier;
use calibration::{GloveModel, Procedure};

/// Rounds of steps, of which there are two at most: who does a pose wrong twice means it.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    has_repeated: bool,
}

impl Rounds {
    /// The poses that do not go with the others; none after the second round.
    pub(super) fn outliers(&mut self, procedure: &Procedure) -> Vec<Outlier> {
        if std::mem::replace(&mut self.has_repeated, true) {
            return Vec::new();
        }
        procedure.fit(&GloveModel::uncalibrated()).outliers
    }
}

/// What the person is told.
pub(super) fn in_words(outliers: &[Outlier]) -> String {
    let names: Vec<&str> = outliers.iter().map(|outlier| outlier.pose.pose().name).collect();
    format!("does not go with the others, once more: {}", names.join(", "))
}
