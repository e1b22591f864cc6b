//! The way home of a released object.

use nalgebra::Isometry3;

/// Duration of the way home, in seconds.
const DURATION: f64 = 0.5;

/// A smooth path from the place of release to the home of the object.
#[derive(Debug)]
pub(super) struct ReturnHome {
    from: Isometry3<f64>,
    to: Isometry3<f64>,
    start: f64,
}

impl ReturnHome {
    pub(super) fn new(from: Isometry3<f64>, to: Isometry3<f64>, start: f64) -> Self {
        Self { from, to, start }
    }

    pub(super) fn pose(&self, time: f64) -> Isometry3<f64> {
        let part = ((time - self.start) / DURATION).clamp(0.0, 1.0);
        let eased = part * part * (3.0 - 2.0 * part);
        // At half a turn no rotation is the shortest; then any is good enough.
        self.from.try_lerp_slerp(&self.to, eased, 1e-9).unwrap_or(self.to)
    }

    pub(super) fn is_over(&self, time: f64) -> bool {
        time >= self.start + DURATION
    }
}
