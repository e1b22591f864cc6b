//! Fits gains, offsets and cross terms of a glove to captured poses, with estimates of their
//! errors.
//!
//! No person holds a pose exactly: the true angle of a joint is the requested angle plus the
//! person's error, and the count shows the true angle. So counts are regressed on the requested
//! angles, and the result is inverted. Angles regressed on counts would make every gain too small,
//! by the share of the person's error in the spread of the angles. Each sensor is solved
//! separately, robustly and with a weak pull towards the known values; flexions come first, because
//! abductions need the knuckles' angles.

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

/// Result of fitting a glove to captures.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    pub model: GloveModel,
    /// Quality of each sensor that the captures show.
    pub sensors: PerSensor<Option<SensorFit>>,
    /// Captures that were left out because the person held a different pose; worst first.
    pub outliers: Vec<Outlier>,
    /// Findings for the user.
    pub findings: Vec<Finding>,
}

/// Fits a glove to captures. `known` is the starting point: the defaults, or the model of an
/// earlier profile, whose gains also define each sensor's sign.
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

/// Solutions of all sensors over the captures in use.
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
