//! Poses that the person did not hold as asked.
//!
//! For one joint of one capture, `t = e / (s sqrt(1 - h))` is its studentised residual, with `s` the robust
//! scale of that joint. Over the `m` joints of a capture the squares add up to about a chi-square variable
//! with `m` degrees of freedom, if the pose was held as well as the others. A capture is named only if
//! that sum is out of the question and some joint is off by an angle that a person can see.

use drivers::Sensor;

use super::Round;
use super::sensor::{GainSource, Solved};
use crate::capture::Capture;
use crate::poses::PoseId;
use crate::statistics::chi_square_quantile;

/// A capture that does not go with the others.
#[derive(Debug, Clone, PartialEq)]
pub struct Outlier {
    /// Its place among the captures.
    pub capture: usize,
    pub pose: PoseId,
    /// The joints that were most off, and by how much the glove saw more than was asked for, in radians;
    /// worst first.
    pub joints: Vec<(Sensor, f64)>,
}

/// Chance of calling a well-held capture of a plan an outlier, shared among its captures.
const RISK: f64 = 0.01;
/// Scales are estimated from few captures, which makes the sum's tail heavier than chi-square's.
const HEAVY_TAIL: f64 = 1.6;
/// What a person can see, in radians: 10 degrees.
const VISIBLE: f64 = 0.175;
/// A joint with fewer spare captures cannot tell which of them is wrong.
const MIN_FREEDOM: f64 = 4.0;
/// How many joints are named.
const N_NAMED: usize = 4;

/// A person who does more than a fifth of the poses wrong needs another explanation, not a fit.
pub(super) fn at_most(n_captures: usize) -> usize {
    n_captures / 5
}

/// The capture that is farthest beyond what chance allows.
pub(super) fn worst(round: &Round, captures: &[Capture], used: &[usize]) -> Option<Outlier> {
    let judged = used.iter().filter_map(|capture| {
        let (excess, joints) = judge(round, *capture, used.len())?;
        Some((excess, Outlier { capture: *capture, pose: captures[*capture].pose, joints }))
    });
    judged.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, outlier)| outlier)
}

/// A sensor whose gain was refused finds fault with every pose.
fn can_judge(solved: &Solved) -> bool {
    solved.fit.gain == GainSource::Fitted && solved.freedom >= MIN_FREEDOM
}

/// How many times the sum exceeds its limit, and the joints that are to blame.
fn judge(round: &Round, capture: usize, n_captures: usize) -> Option<(f64, Vec<(Sensor, f64)>)> {
    let mut sum = 0.0;
    let mut joints = Vec::new();
    for (sensor, solved) in Sensor::ALL.into_iter().zip(&round.solved) {
        let Some(solved) = solved.as_ref().filter(|solved| can_judge(solved)) else { continue };
        let Some(row) = solved.rows.iter().find(|row| row.capture == capture) else { continue };
        let t = row.residual / (solved.scale * (1.0 - row.leverage).sqrt());
        sum += t * t;
        // The glove's angle without this capture, minus the angle asked for.
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
