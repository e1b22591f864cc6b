//! The way back of an object that was let go.

use nalgebra::Isometry3;

/// Seconds that it takes.
const DURATION: f64 = 0.5;

/// A smooth way from where the object was released to where it stands.
#[derive(Debug)]
pub(super) struct Settle {
    from: Isometry3<f64>,
    to: Isometry3<f64>,
    start: f64,
}

impl Settle {
    pub(super) fn new(from: Isometry3<f64>, to: Isometry3<f64>, start: f64) -> Self {
        Self { from, to, start }
    }

    pub(super) fn pose(&self, time: f64) -> Isometry3<f64> {
        let part = ((time - self.start) / DURATION).clamp(0.0, 1.0);
        let eased = part * part * (3.0 - 2.0 * part);
        // Half a turn away there is no shortest way; then it does not matter which.
        self.from.try_lerp_slerp(&self.to, eased, 1e-9).unwrap_or(self.to)
    }

    pub(super) fn is_over(&self, time: f64) -> bool {
        time >= self.start + DURATION
    }
}
