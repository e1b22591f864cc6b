//! Strength of a vibration: a tap at the first touch, and a hum while the skin slides.

/// Vibration of one finger, from period to period.
#[derive(Debug, Clone, Copy)]
pub struct Vibration {
    /// Time since the contact began, in seconds; infinite before the first one.
    since: f64,
    /// Strength at the beginning of the contact.
    tap: f64,
    was_contact: bool,
}

/// What a finger feels.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Felt {
    /// True if the finger touches something.
    pub is_contact: bool,
    /// Force on the finger, in newtons.
    pub force: f64,
    /// Slip speed of the skin, in m/s.
    pub slip_speed: f64,
    /// Speed of the fingertip towards the matter, in m/s.
    pub approach: f64,
}

impl Default for Vibration {
    fn default() -> Self {
        Self { since: f64::INFINITY, tap: 0.0, was_contact: false }
    }
}

impl Vibration {
    /// Time in which the tap of a first touch dies away, in seconds.
    pub const TAP: f64 = 50e-3;

    /// Strength of the gentlest tap.
    const LEAST_TAP: f64 = 0.3;

    /// Speed of approach that makes the strongest tap, in m/s.
    const FULL_APPROACH: f64 = 0.2;

    /// Slip speed that makes the strongest hum, in m/s.
    const FULL_SLIP: f64 = 0.1;

    /// Force from which on the hum depends on the slip alone, in newtons.
    const FULL_FORCE: f64 = 1.0;

    /// Strength after `dt` seconds, from 0 to 1.
    pub fn step(&mut self, felt: &Felt, dt: f64) -> f64 {
        self.since += dt;
        if felt.is_contact && !self.was_contact {
            self.since = 0.0;
            let hard = (felt.approach / Self::FULL_APPROACH).clamp(0.0, 1.0);
            // An approach that is no number makes the gentlest tap.
            let hard = if hard.is_nan() { 0.0 } else { hard };
            self.tap = Self::LEAST_TAP + (1.0 - Self::LEAST_TAP) * hard;
        }
        self.was_contact = felt.is_contact;
        if !felt.is_contact {
            return 0.0;
        }
        let left = (1.0 - self.since / Self::TAP).max(0.0);
        // A minimum or maximum with a number that is none would be the other number.
        let are_numbers =
            [felt.slip_speed, felt.force, felt.approach].iter().all(|x| x.is_finite());
        if !are_numbers {
            return 0.0;
        }
        let slip = (felt.slip_speed / Self::FULL_SLIP).clamp(0.0, 1.0);
        let hum = slip * (felt.force / Self::FULL_FORCE).clamp(0.0, 1.0);
        (self.tap * left).max(hum)
    }

    /// Ends the vibration at once; the next contact begins with a tap.
    pub fn release(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: f64 = 1e-3;

    #[test]
    fn a_touch_is_a_tap_that_dies_away_and_slip_hums() {
        let mut vibration = Vibration::default();
        assert_eq!(vibration.step(&Felt::default(), T), 0.0);
        let touching = Felt { is_contact: true, force: 2.0, approach: 0.2, slip_speed: 0.0 };
        assert_eq!(vibration.step(&touching, T), 1.0);
        let shares: Vec<f64> = (1..=60).map(|_| vibration.step(&touching, T)).collect();
        assert!((shares[24] - 0.5).abs() < 1e-9 && shares[59] == 0.0);
        let sliding = Felt { slip_speed: 0.04, ..touching };
        assert!((vibration.step(&sliding, T) - 0.4).abs() < 1e-9);
        assert!((vibration.step(&Felt { force: 0.5, ..sliding }, T) - 0.2).abs() < 1e-9);
        assert_eq!(vibration.step(&Felt { is_contact: false, ..sliding }, T), 0.0);
        // A slow touch is gentle.
        assert!((vibration.step(&Felt { approach: 0.0, ..touching }, T) - 0.3).abs() < 1e-9);
        for _ in 0..60 {
            vibration.step(&touching, T);
        }
        for nothing in [
            Felt { slip_speed: f64::NAN, ..touching },
            Felt { slip_speed: f64::INFINITY, ..touching },
            Felt { force: f64::NAN, ..sliding },
            Felt { approach: f64::NAN, ..sliding },
        ] {
            assert_eq!(vibration.step(&nothing, T), 0.0, "{nothing:?}");
            assert_eq!(Vibration::default().step(&nothing, T), 0.0, "{nothing:?}");
        }
        // The loop goes on with the next numbers.
        assert!((vibration.step(&sliding, T) - 0.4).abs() < 1e-9);
    }
}
