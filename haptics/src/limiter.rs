//! Limits of a force and of its change.

use nalgebra::Vector3;

/// Limits of a device.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ForceLimits {
    /// Largest force, in newtons.
    pub force: f64,
    /// Largest change of the force, in newtons per second.
    pub slew: f64,
}

impl Default for ForceLimits {
    /// A force that no finger minds, which it reaches within 12.5 ms.
    fn default() -> Self {
        Self { force: 5.0, slew: 400.0 }
    }
}

impl ForceLimits {
    /// The smaller of both limits.
    pub fn within(self, other: Self) -> Self {
        Self { force: self.force.min(other.force), slew: self.slew.min(other.slew) }
    }
}

/// Keeps a force within its limits from period to period.
#[derive(Debug, Clone, Copy)]
pub struct ForceLimiter {
    limits: ForceLimits,
    last: Vector3<f64>,
}

impl ForceLimiter {
    /// Starts without force.
    pub fn new(limits: ForceLimits) -> Self {
        Self { limits, last: Vector3::zeros() }
    }

    /// Force of the last period.
    pub fn last(&self) -> Vector3<f64> {
        self.last
    }

    /// The allowed force that is nearest to the wanted one, `dt` seconds after the last.
    pub fn limit(&mut self, wanted: &Vector3<f64>, dt: f64) -> Vector3<f64> {
        let wanted = shortened(wanted, self.limits.force);
        self.last += shortened(&(wanted - self.last), self.limits.slew * dt);
        // The way between two allowed forces leaves the ball only by rounding.
        self.last = shortened(&self.last, self.limits.force);
        self.last
    }

    /// Lets go at once.
    pub fn release(&mut self) {
        self.last = Vector3::zeros();
    }
}

fn shortened(vector: &Vector3<f64>, most: f64) -> Vector3<f64> {
    let length = vector.norm();
    if length > most { vector * (most / length) } else { *vector }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_force_grows_at_the_slew_and_ends_at_the_limit() {
        let mut limiter = ForceLimiter::new(ForceLimits::default());
        let wanted = Vector3::new(30.0, 40.0, 0.0);
        for period in 1..=20 {
            let force = limiter.limit(&wanted, 1e-3);
            let expected = (0.4 * f64::from(period)).min(5.0);
            assert!((force.norm() - expected).abs() < 1e-12, "{period}: {force}");
            assert!(force.cross(&wanted).norm() < 1e-9);
        }
        assert!((limiter.limit(&-wanted, 1e-3).norm() - 4.6).abs() < 1e-12);
        limiter.release();
        assert_eq!(limiter.last(), Vector3::zeros());
    }

    #[test]
    fn the_stricter_limits_win() {
        let tendon = ForceLimits { force: 12.0, slew: 100.0 };
        let both = ForceLimits::default().within(tendon);
        assert_eq!(both, ForceLimits { force: 5.0, slew: 100.0 });
    }
}
