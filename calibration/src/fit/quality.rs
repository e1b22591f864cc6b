//! Expected errors of fitted sensors, and findings for the user.

use drivers::Sensor;

use super::regression::Solution;
use super::sensor::{GainSource, SensorFit};
use crate::capture::Capture;
use crate::glove_model::GloveModel;
use crate::joints::PerSensor;
use crate::sensor_map::is_sideways;
use crate::statistics::chi_square_quantile;

/// Expected error of a sensor on a new pose, root mean square in radians: the requested angle minus
/// the measured angle. It contains the person's inaccuracy and that of the fit.
///
/// The captures are left out one at a time: without itself, a capture's residual is `e / (1 - h)`,
/// with `h` its leverage. Its square is on average `sigma^2 / (1 - h)`, while that of a new pose in
/// the same place is `sigma^2 (1 + h)`, so the squares are weighted by `(1 - h)(1 + h)` before the
/// mean is taken. For normal errors that mean is chi-square with `f` degrees of freedom: the
/// captures less the `p` terms. The estimated quantity is not fixed either: the error of this very
/// fit is `sigma^2 (1 + chi-square_p / n)`. Both variances together are those of a chi-square with
/// `1 / (1 / f + p / (n + p)^2)` degrees of freedom, which gives an interval that holds the true
/// value in 95 % of all calibrations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorInterval {
    pub low: f64,
    pub estimate: f64,
    pub high: f64,
}

/// A remark about a sensor for the user.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum Finding {
    #[error(
        "{}: no pose bends this joint, so the gain is unchanged and only the offset is new",
        .0.name()
    )]
    Unobserved(Sensor),
    #[error(
        "{}: the poses imply a gain outside the range of a working sensor; it was limited to \
         {gain_deg:.2} degrees per count",
        .sensor.name()
    )]
    GainClamped { sensor: Sensor, gain_deg: f64 },
    #[error(
        "{}: the poses imply a sensor of the opposite sign; refused, the gain is unchanged",
        .0.name()
    )]
    SignRefused(Sensor),
    #[error(
        "{}: at the end of its scale in {n_captures} poses, which were not used for it",
        .sensor.name()
    )]
    Saturated { sensor: Sensor, n_captures: usize },
    #[error(
        "{}: {counts_per_degree:.2} counts per degree, expected at least {MIN_COUNTS_PER_DEGREE}",
        .sensor.name()
    )]
    LowResolution { sensor: Sensor, counts_per_degree: f64 },
    #[error(
        "{}: residual of {got_deg:.1} degrees, expected below {limit_deg}",
        .sensor.name()
    )]
    PoorFit { sensor: Sensor, got_deg: f64, limit_deg: f64 },
}

const CONFIDENCE: f64 = 0.95;
/// Fewest degrees of freedom for an interval; with fewer it would be meaningless.
const MIN_FREEDOM: f64 = 1.0;
const MIN_COUNTS_PER_DEGREE: f64 = 0.4;
/// Largest residual of a good fit of a flexion, in degrees.
const MAX_FLEXION_DEG: f64 = 5.0;
/// Largest residual of a good fit of a sideways motion, in degrees.
const MAX_SIDEWAYS_DEG: f64 = 7.0;

impl ErrorInterval {
    pub(super) fn of(solution: &Solution) -> Option<Self> {
        let freedom = solution.freedom;
        if freedom < MIN_FREEDOM {
            return None;
        }
        let new_pose = |residual: f64, h: f64| {
            let left_out = residual / (1.0 - h);
            left_out.powi(2) * (1.0 - h) * (1.0 + h)
        };
        let rows = &solution.rows;
        let square: f64 = rows.iter().map(|row| new_pose(row.residual, row.leverage)).sum();
        let estimate = (square / rows.len() as f64).sqrt();
        let n = rows.len() as f64;
        let n_terms = n - freedom;
        let spare = 1.0 / (1.0 / freedom + n_terms / (n + n_terms).powi(2));
        let end = |p: f64| estimate * (spare / chi_square_quantile(p, spare)).sqrt();
        let tail = 0.5 * (1.0 - CONFIDENCE);
        Some(Self { low: end(1.0 - tail), estimate, high: end(tail) })
    }
}

pub(super) fn findings(
    model: &GloveModel,
    fits: &PerSensor<Option<SensorFit>>,
    captures: &[Capture],
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (sensor, fit) in Sensor::ALL.into_iter().zip(fits) {
        let n_captures = captures.iter().filter(|capture| capture.is_saturated(sensor)).count();
        if n_captures > 0 {
            findings.push(Finding::Saturated { sensor, n_captures });
        }
        let Some(fit) = fit else { continue };
        let gain_deg = model.sensor(sensor).map.gain.to_degrees();
        match fit.gain {
            GainSource::Fitted => {}
            GainSource::Unobserved => findings.push(Finding::Unobserved(sensor)),
            GainSource::Clamped => findings.push(Finding::GainClamped { sensor, gain_deg }),
            GainSource::SignRefused => findings.push(Finding::SignRefused(sensor)),
        }
        let counts_per_degree = 1.0 / gain_deg.abs();
        if counts_per_degree < MIN_COUNTS_PER_DEGREE {
            findings.push(Finding::LowResolution { sensor, counts_per_degree });
        }
        let got_deg = fit.residual.to_degrees();
        let limit_deg = if is_sideways(sensor) { MAX_SIDEWAYS_DEG } else { MAX_FLEXION_DEG };
        if got_deg > limit_deg {
            findings.push(Finding::PoorFit { sensor, got_deg, limit_deg });
        }
    }
    findings
}
