//! From captured poses to a glove's gains, offsets and cross terms, and how far to trust them.
//!
//! Nobody holds a pose to the degree: the joint is where it was asked to be plus the person's error, and the
//! count shows where it is. So counts are regressed on the angles asked for, and the result is turned
//! round; angles on counts would make every gain too small, by the share that the person's error has in
//! the spread of the angles. Each sensor is solved by itself, robustly and with a weak pull
//! towards what was known before; the flexions first, since the abductions need the knuckles' angles.

mod drift;
mod outliers;
mod quality;
mod regression;
mod sensor;
#[cfg(test)]
mod tests;

use drivers::Sensor;

use crate::capture::Capture;
use crate::glove_model::GloveModel;
use crate::joints::PerSensor;
use crate::sensor_map::is_sideways;

pub use drift::drift;
pub use outliers::Outlier;
pub use quality::{ErrorInterval, Finding};
pub use sensor::{GainSource, SensorFit};

/// What a set of captures says about a glove.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    pub model: GloveModel,
    /// What is known about each sensor that the captures say anything about.
    pub sensors: PerSensor<Option<SensorFit>>,
    /// Captures that were left out because the person held another pose than asked for; worst first.
    pub outliers: Vec<Outlier>,
    /// What the person should hear of.
    pub findings: Vec<Finding>,
}

/// Fits a glove to captures, beginning from `known`: the defaults, or an earlier profile's model, whose
/// gains also say which way round each sensor works.
pub fn fit(known: &GloveModel, captures: &[Capture]) -> Fit {
    let mut used: Vec<usize> = (0..captures.len()).collect();
    let mut outliers = Vec::new();
    let most = outliers::at_most(captures.len());
    let mut round = Round::new(known, captures, &used);
    while outliers.len() < most {
        let Some(outlier) = outliers::worst(&round, captures, &used) else { break };
        used.retain(|capture| *capture != outlier.capture);
        outliers.push(outlier);
        round = Round::new(known, captures, &used);
    }
    let sensors = round.solved.map(|solved| solved.map(|solved| solved.fit));
    Fit {
        findings: quality::findings(&round.model, &sensors, captures),
        model: round.model,
        sensors,
        outliers,
    }
}

/// All sensors solved over the captures in use.
struct Round {
    model: GloveModel,
    solved: PerSensor<Option<sensor::Solved>>,
}

impl Round {
    fn new(known: &GloveModel, captures: &[Capture], used: &[usize]) -> Self {
        let mut model = *known;
        let mut solved: PerSensor<Option<sensor::Solved>> = Sensor::ALL.map(|_| None);
        let (sideways, flexions): (Vec<_>, Vec<_>) =
            Sensor::ALL.into_iter().partition(|sensor| is_sideways(*sensor));
        for sensor in flexions.into_iter().chain(sideways) {
            if let Some((fitted, outcome)) = sensor::solve(sensor, known, &model, captures, used) {
                *model.sensor_mut(sensor) = fitted;
                solved[sensor.bit()] = Some(outcome);
            }
        }
        Self { model, solved }
    }
}
