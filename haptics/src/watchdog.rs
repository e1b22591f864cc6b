//! Share of a force that is allowed by the age of what it was made from.

/// Age of a model up to which it has its whole force, in seconds.
pub const FRESH: f64 = 20e-3;

/// Age of a model from which on it has no force, in seconds.
pub const STALE: f64 = 60e-3;

/// Time in which the force of a loop that starts grows to all of it, in seconds.
pub const START: f64 = 0.5;

/// Longest time for which a position is extrapolated along its velocity, in seconds.
pub const EXTRAPOLATION: f64 = 10e-3;

/// Share of the force of a model of this age: all up to [`FRESH`], none from [`STALE`] on. An age
/// that is not a number allows none.
pub fn share_by_age(age: f64) -> f64 {
    let share = (STALE - age) / (STALE - FRESH);
    if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }
}

/// Growth of the force after a start.
#[derive(Debug, Clone, Copy, Default)]
pub struct StartRamp {
    running: f64,
}

impl StartRamp {
    /// Share of the force, `dt` seconds after the last one.
    pub fn share_after(&mut self, dt: f64) -> f64 {
        self.running = (self.running + dt).min(START);
        self.running / START
    }

    /// Starts again.
    pub fn restart(&mut self) {
        self.running = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_model_fades_linearly() {
        for (age, share) in [(0.0, 1.0), (0.02, 1.0), (0.03, 0.75), (0.04, 0.5), (0.06, 0.0)] {
            assert!((share_by_age(age) - share).abs() < 1e-12, "{age}");
        }
        assert_eq!(share_by_age(f64::NAN), 0.0);
        assert_eq!(share_by_age(f64::INFINITY), 0.0);
    }

    #[test]
    fn a_force_starts_over_half_a_second() {
        let mut ramp = StartRamp::default();
        let shares: Vec<f64> = (0..600).map(|_| ramp.share_after(1e-3)).collect();
        assert!((shares[249] - 0.5).abs() < 1e-9 && (shares[499] - 1.0).abs() < 1e-9);
        assert_eq!(shares[599], 1.0);
        ramp.restart();
        assert!((ramp.share_after(1e-3) - 2e-3).abs() < 1e-12);
    }
}
