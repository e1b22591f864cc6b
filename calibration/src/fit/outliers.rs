//! Captures of poses that the person did not hold as requested.
//!
//! For one joint of one capture, `t = e / (s sqrt(1 - h))` is its studentised residual, with `s`
//! the robust scale of that joint. If the pose was held as well as the others, the sum of squares
//! over the `m` joints of a capture is about a chi-square variable with `m` degrees of freedom. A
//! capture is an outlier only if this sum is practically impossible and at least one joint is off
//! by a visible angle.

use drivers::Sensor;

use super::Round;
use super::sensor::{GainSource, Solved};
use crate::capture::Capture;
use crate::poses::PoseId;
use crate::statistics::chi_square_quantile;

/// A capture that is inconsistent with the others.
#[derive(Debug, Clone, PartialEq)]
pub struct Outlier {
    /// Index among the captures.
    pub capture: usize,
    pub pose: PoseId,
    /// Joints with the largest errors, worst first, each with the measured angle minus the
    /// requested one, in radians.
    pub joints: Vec<(Sensor, f64)>,
}

/// Probability of calling a well-held capture of a plan an outlier, shared among its captures.
const RISK: f64 = 0.01;
/// Factor on the limit: scales are estimated from few captures, so the sum has a heavier tail than
/// chi-square.
const HEAVY_TAIL: f64 = 1.6;
/// Smallest error that a person can see, in radians: 10 degrees.
const VISIBLE: f64 = 0.175;
/// Smallest number of degrees of freedom with which a joint can show which capture is wrong.
const MIN_FREEDOM: f64 = 4.0;
/// Largest number of joints in `Outlier::joints`.
const N_NAMED: usize = 4;

/// Largest number of outliers, a fifth of the captures: with more wrong poses, a fit makes no
/// sense.
pub(super) fn at_most(n_captures: usize) -> usize {
    n_captures / 5
}

/// The capture that exceeds the limit most.
pub(super) fn worst(round: &Round, captures: &[Capture], used: &[usize]) -> Option<Outlier> {
    let judged = used.iter().filter_map(|capture| {
        let (excess, joints) = judge(round, *capture, used.len())?;
        Some((excess, Outlier { capture: *capture, pose: captures[*capture].pose, joints }))
    });
    judged.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, outlier)| outlier)
}

/// True if a sensor can judge captures. One whose gain was refused would reject every pose.
fn can_judge(solved: &Solved) -> bool {
    solved.fit.gain == GainSource::Fitted && solved.freedom >= MIN_FREEDOM
}

/// Sum divided by its limit, and the joints with the largest errors.
fn judge(round: &Round, capture: usize, n_captures: usize) -> Option<(f64, Vec<(Sensor, f64)>)> {
    let mut sum = 0.0;
    let mut joints = Vec::new();
    for (sensor, solved) in Sensor::ALL.into_iter().zip(&round.solved) {
        let Some(solved) = solved.as_ref().filter(|solved| can_judge(solved)) else { continue };
        let Some(row) = solved.rows.iter().find(|row| row.capture == capture) else { continue };
        let t = row.residual / (solved.scale * (1.0 - row.leverage).sqrt());
        sum += t * t;
        // The glove's angle without this capture, minus the requested angle.
        joints.push((sensor, row.residual / (1.0 - row.leverage)));
    }
    let limit = HEAVY_TAIL
        * chi_square_quantile(1.0 - RISK / n_captures as f64, joints.len().max(1) as f64);
    joints.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    let is_visible = joints.first().is_some_and(|(_, angle)| angle.abs() > VISIBLE);
    joints.retain(|(_, angle)| angle.abs() > 0.5 * VISIBLE);
    joints.truncate(N_NAMED);
    (sum > limit && is_visible).then_some((sum / limit, joints))
}
