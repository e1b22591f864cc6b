//! The motion of the emulated hand: keyframes with smooth transitions, repeated without end, or the
//! keyframes that a [`Puppet`] gives.

pub mod grasp;
mod mirror;
mod named;
mod pose;
mod puppet;
mod text;

use std::borrow::Cow;

pub use named::UnknownMotion;
pub use puppet::Puppet;
pub use text::{ScriptError, ScriptProblem};

/// Number of slots of [`HandState::angles_deg`]: one per bit of the glove's sensor mask.
pub const N_ANGLES: usize = 24;

/// The hand at one moment, in the devices' own units and frames.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HandState {
    /// Joint angles by mask bit, flexion positive; slots 7 and 23 have no sensor.
    pub angles_deg: [f64; N_ANGLES],
    /// Position of the receiver in the transmitter's frame: x forward, y right, z down.
    pub receiver_position_cm: [f64; 3],
    /// Attitude of the receiver: rotates receiver vectors into the transmitter's frame; scalar
    /// first, length 1.
    pub receiver_quaternion: [f64; 4],
}

impl HandState {
    /// A flat hand with its receiver at the transmitter's origin, not rotated.
    pub const FLAT: Self = Self {
        angles_deg: [0.0; N_ANGLES],
        receiver_position_cm: [0.0; 3],
        receiver_quaternion: [1.0, 0.0, 0.0, 0.0],
    };

    /// The state at `part` of the way from `self` (0) to `other` (1).
    fn towards(&self, other: &Self, part: f64) -> Self {
        let mix = |from: f64, to: f64| from + (to - from) * part;
        let mut between = *self;
        for (angle, to) in between.angles_deg.iter_mut().zip(other.angles_deg) {
            *angle = mix(*angle, to);
        }
        for (place, to) in between.receiver_position_cm.iter_mut().zip(other.receiver_position_cm) {
            *place = mix(*place, to);
        }
        between.receiver_quaternion =
            turned_towards(self.receiver_quaternion, other.receiver_quaternion, part);
        between
    }
}

/// The hand at one time of the script.
#[derive(Debug, Clone, PartialEq)]
pub struct Keyframe {
    pub seconds: f64,
    pub state: HandState,
    /// Name of the state, for readers of the script.
    pub name: Cow<'static, str>,
}

/// Reason why a list of keyframes is not a motion.
#[derive(Debug, Clone, thiserror::Error, PartialEq)]
pub enum MotionError {
    #[error("a motion needs a keyframe")]
    Empty,
    #[error("the period must be positive and finite, got {0} s")]
    Period(f64),
    #[error("keyframe {name} at {seconds} s is out of order or outside the period")]
    Order { name: String, seconds: f64 },
    #[error("keyframe {name} holds a number that is not finite, or a quaternion not of length 1")]
    State { name: String },
}

/// A periodic motion, or the motion of a puppet. Between keyframes the hand starts and stops
/// smoothly.
#[derive(Debug, Clone, PartialEq)]
pub struct Motion {
    keyframes: Vec<Keyframe>,
    period: f64,
    /// The puppet that leads the hand; if there is one, the keyframes are not used.
    puppet: Option<Puppet>,
}

impl Motion {
    /// A motion through keyframes in order of time, all in `0..period`; after the last one comes
    /// the first.
    pub fn new(keyframes: Vec<Keyframe>, period: f64) -> Result<Self, MotionError> {
        if keyframes.is_empty() {
            return Err(MotionError::Empty);
        }
        if !(period.is_finite() && period > 0.0) {
            return Err(MotionError::Period(period));
        }
        let mut earliest = 0.0;
        for Keyframe { seconds, state, name } in &keyframes {
            if !(earliest..period).contains(seconds) {
                return Err(MotionError::Order { name: name.to_string(), seconds: *seconds });
            }
            earliest = seconds.next_up();
            let numbers = state.angles_deg.iter().chain(&state.receiver_position_cm);
            let length = state.receiver_quaternion.iter().map(|part| part * part).sum::<f64>();
            if !numbers.copied().all(f64::is_finite) || !(0.99..=1.01).contains(&length) {
                return Err(MotionError::State { name: name.to_string() });
            }
        }
        Ok(Self { keyframes, period, puppet: None })
    }

    /// A hand that does not move.
    pub fn held(state: HandState) -> Self {
        let keyframe = Keyframe { seconds: 0.0, state, name: "held".into() };
        Self { keyframes: vec![keyframe], period: 1.0, puppet: None }
    }

    /// Period after which the motion repeats, in seconds.
    pub fn period(&self) -> f64 {
        self.period
    }

    pub fn keyframes(&self) -> &[Keyframe] {
        &self.keyframes
    }

    /// The hand at a time of the script, which may be any finite number.
    pub fn state_at(&self, seconds: f64) -> HandState {
        if let Some(puppet) = &self.puppet {
            return puppet.state_at(seconds);
        }
        let seconds = seconds.rem_euclid(self.period);
        let n_passed = self.keyframes.partition_point(|keyframe| keyframe.seconds <= seconds);
        let n_keyframes = self.keyframes.len();
        let from = &self.keyframes[(n_passed + n_keyframes - 1) % n_keyframes];
        let to = &self.keyframes[n_passed % n_keyframes];
        // At the end of the period one of the two belongs to the neighbouring repetition.
        let since = (seconds - from.seconds).rem_euclid(self.period);
        let between = match (to.seconds - from.seconds).rem_euclid(self.period) {
            0.0 => self.period,
            between => between,
        };
        let part = (since / between).clamp(0.0, 1.0);
        from.state.towards(&to.state, gently(part))
    }
}

/// Smooth step from 0 to 1, with zero speed at both ends.
fn gently(part: f64) -> f64 {
    part * part * (3.0 - 2.0 * part)
}

/// Interpolates between two attitudes on the short way, and normalises the result.
fn turned_towards(from: [f64; 4], to: [f64; 4], part: f64) -> [f64; 4] {
    let dot: f64 = from.iter().zip(to).map(|(a, b)| a * b).sum();
    // q and -q are the same attitude; choose the one that is nearer to `from`.
    let sign = if dot < 0.0 { -1.0 } else { 1.0 };
    let mut mixed = from;
    for (number, to) in mixed.iter_mut().zip(to) {
        *number += (sign * to - *number) * part;
    }
    let length = mixed.iter().map(|number| number * number).sum::<f64>().sqrt();
    // On the short way the length is at least 0.7, so this does not divide by zero.
    mixed.map(|number| number / length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: f64, x_cm: f64) -> Keyframe {
        let state = HandState { receiver_position_cm: [x_cm, 0.0, 0.0], ..HandState::FLAT };
        Keyframe { seconds, state, name: "test".into() }
    }

    #[test]
    fn a_motion_passes_through_its_keyframes_and_repeats() {
        let motion = Motion::new(vec![at(1.0, 10.0), at(3.0, 20.0)], 4.0).unwrap();
        for (seconds, x_cm) in [
            (1.0, 10.0),
            (2.0, 15.0),
            (3.0, 20.0),
            (4.0, 15.0),
            (0.0, 15.0),
            (-3.0, 10.0),
            (7.0, 20.0),
        ] {
            let state = motion.state_at(seconds);
            assert!((state.receiver_position_cm[0] - x_cm).abs() < 1e-12, "at {seconds}");
        }
    }

    #[test]
    fn a_turn_takes_the_short_way_and_keeps_its_length() {
        let half = [std::f64::consts::FRAC_1_SQRT_2, 0.0, 0.0, std::f64::consts::FRAC_1_SQRT_2];
        let minus_half = half.map(|number| -number);
        let middle = turned_towards([1.0, 0.0, 0.0, 0.0], minus_half, 0.5);
        let eighth = std::f64::consts::FRAC_PI_8;
        assert!((middle[0] - eighth.cos()).abs() < 1e-12);
        assert!((middle[3] - eighth.sin()).abs() < 1e-12);
    }

    #[test]
    fn disordered_keyframes_are_refused() {
        let motion = Motion::new(vec![at(2.0, 0.0), at(1.0, 0.0)], 4.0);
        assert_eq!(motion, Err(MotionError::Order { name: "test".to_owned(), seconds: 1.0 }));
        assert_eq!(Motion::new(Vec::new(), 4.0), Err(MotionError::Empty));
    }
}
