//! Stiffness that a sampled and delayed loop may show without ringing.
//!
//! A force that is held over a period `T`, and made from a position that is `t_d` old, lags behind
//! the position by `T/2 + t_d`. A spring with a lag gives energy; the damping `b` of the device and
//! the finger takes it away as long as `b > K (T/2 + t_d) + |B|`, where `B` is rendered damping.

/// Damping and times of a loop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CouplingRule {
    /// Physical damping of the device with the finger, in N s/m.
    pub damping: f64,
    /// Damping that the loop renders, in N s/m.
    pub rendered_damping: f64,
    /// Time for which a force is held, in seconds.
    pub period: f64,
    /// Age of the position when its force begins to act, in seconds.
    pub delay: f64,
}

impl CouplingRule {
    /// Damping of a finger in a device whose damping is not known, in N s/m.
    pub const FINGER_DAMPING: f64 = 0.5;

    /// Share of the largest stiffness that a loop uses.
    pub const SHARE: f64 = 0.8;

    /// Largest stiffness at which the loop gives no energy, in N/m.
    pub fn largest_stiffness(&self) -> f64 {
        let left = (self.damping - self.rendered_damping.abs()).max(0.0);
        left / (0.5 * self.period + self.delay)
    }

    /// Stiffness of the virtual coupling, in N/m.
    pub fn stiffness(&self) -> f64 {
        Self::SHARE * self.largest_stiffness()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_position_makes_a_soft_coupling() {
        let rule = |period, delay| CouplingRule {
            damping: CouplingRule::FINGER_DAMPING,
            rendered_damping: 0.0,
            period,
            delay,
        };
        assert!((rule(1e-3, 0.0).stiffness() - 800.0).abs() < 1e-9);
        // A glove with 100 records a second, one record late.
        assert!((rule(10e-3, 10e-3).stiffness() - 26.67).abs() < 0.01);
        // Rendered damping is paid for by physical damping, whatever its sign.
        let damped = CouplingRule { rendered_damping: -0.25, ..rule(1e-3, 0.0) };
        assert!((damped.stiffness() - 400.0).abs() < 1e-9);
        assert_eq!(CouplingRule { damping: 0.1, ..damped }.stiffness(), 0.0);
    }
}
