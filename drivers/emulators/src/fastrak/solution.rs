//! Computes the solution of a station from the position of its receiver.

use super::TrackerOptions;
use super::rotation::{self, Quaternion};
use super::settings::{Station, StylusMode};
use crate::motion::HandState;
use crate::random::Random;

/// Position and attitude of one station, before they are encoded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Solution {
    pub(super) position_cm: [f64; 3],
    /// Movement since the last record of this station.
    pub(super) moved_cm: [f64; 3],
    pub(super) quaternion: Quaternion,
    /// The error character; `None` without an error.
    pub(super) error: Option<u8>,
    pub(super) is_stylus_down: bool,
}

/// State of a station besides its settings; it is lost with the power.
#[derive(Debug, Clone, Copy)]
pub(super) struct Receiver {
    /// Position in the frame of the wrist's receiver; `None` for a station without receiver.
    pub(super) offset_cm: Option<[f64; 3]>,
    pub(super) is_connected: bool,
    /// Boresight rotation, applied to the receiver's own axes.
    pub(super) boresight: Quaternion,
    /// 1 if the true position is reported, -1 if the opposite one is; kept while the unit follows
    /// the receiver.
    pub(super) side: f64,
    pub(super) last_position_cm: Option<[f64; 3]>,
    pub(super) is_stylus_down: bool,
}

/// Distance below which the transmitter's field is too strong.
const TOO_CLOSE_CM: f64 = 3.0;
/// Distance from which on the transmitter's field is too weak.
const TOO_FAR_CM: f64 = 305.0;
/// Tolerance of angle limits, for angles of exactly 180 degrees with a rounding error.
const ANGLE_SLACK_DEG: f64 = 1e-6;

impl Receiver {
    pub(super) fn new(offset_cm: Option<[f64; 3]>) -> Self {
        Self {
            offset_cm,
            is_connected: offset_cm.is_some(),
            boresight: rotation::IDENTITY,
            side: 1.0,
            last_position_cm: None,
            is_stylus_down: false,
        }
    }

    /// Position and attitude before the settings are applied, and the signal's error. `metal_cm` is
    /// the uncompensated shift by metal at 1 m.
    fn sense(&mut self, hand: &HandState, station: &Station, metal_cm: f64) -> Sensed {
        let Some(offset_cm) = self.offset_cm.filter(|_| self.is_connected) else {
            return Sensed {
                position_cm: [0.0; 3],
                quaternion: rotation::IDENTITY,
                error: Some(b'l'),
            };
        };
        let quaternion = hand.receiver_quaternion;
        let true_cm =
            rotation::plus(hand.receiver_position_cm, rotation::turn(quaternion, offset_cm));
        let distance_cm = rotation::length(true_cm);
        let error = match distance_cm {
            ..TOO_CLOSE_CM => Some(b'j'),
            TOO_FAR_CM.. => Some(b'k'),
            _ => None,
        };
        let shift_cm = metal_cm * (distance_cm / 100.0).powi(3);
        let sensed_cm = rotation::plus(true_cm, [0.0, 0.0, shift_cm]);
        // The field is the same at opposite points: the zenith selects one of them.
        let height = rotation::dot(sensed_cm, station.hemisphere);
        if station.hemisphere != [0.0; 3] {
            self.side = if height < 0.0 { -1.0 } else { 1.0 };
        }
        Sensed { position_cm: sensed_cm.map(|place| place * self.side), quaternion, error }
    }

    pub(super) fn solve(&mut self, hand: &HandState, station: &Station, metal_cm: f64) -> Solution {
        let Sensed { position_cm, quaternion, mut error } = self.sense(hand, station, metal_cm);
        let tip_cm = rotation::plus(position_cm, rotation::turn(quaternion, station.tip_offset_cm));
        let unmount = rotation::inverse(rotation::from_euler_deg(station.mounting_deg));
        let [origin_cm, ..] = station.alignment_cm;
        // The settings refuse points on a line, so the frame always exists.
        let frame = rotation::from_points(station.alignment_cm).unwrap_or(rotation::IDENTITY);
        let unframe = rotation::inverse(frame);
        let mounted_cm = rotation::turn(unmount, tip_cm);
        let position_cm = rotation::turn(unframe, rotation::minus(mounted_cm, origin_cm));
        let quaternion = rotation::multiply(unframe, rotation::multiply(unmount, quaternion));
        let quaternion = rotation::multiply(quaternion, self.boresight);
        if error.is_none() {
            let angles = rotation::euler_deg(quaternion);
            if is_outside(position_cm, station.position_limits_cm, 0.0) {
                error = Some(b'x');
            } else if is_outside(angles, station.angle_limits_deg, ANGLE_SLACK_DEG) {
                error = Some(b'y');
            }
        }
        let last_cm = self.last_position_cm.unwrap_or(position_cm);
        let is_stylus_down = self.is_stylus_down && station.stylus == StylusMode::Mouse;
        let moved_cm = rotation::minus(position_cm, last_cm);
        Solution { position_cm, moved_cm, quaternion, error, is_stylus_down }
    }

    /// Sets the boresight, so that the present attitude is reported as the reference angles.
    pub(super) fn set_boresight(&mut self, hand: &HandState, station: &Station) {
        self.boresight = rotation::IDENTITY;
        let now = self.solve(hand, station, 0.0).quaternion;
        let reference = rotation::from_euler_deg(station.reference_deg);
        self.boresight = rotation::multiply(rotation::inverse(now), reference);
    }
}

/// The hand with the tracker's noise in one of its solutions.
pub(super) fn unsteady(hand: HandState, options: &TrackerOptions, n_solution: u64) -> HandState {
    if options.noise_cm == 0.0 && options.noise_deg == 0.0 {
        return hand;
    }
    let mut noise = Random::of(options.seed, n_solution);
    let turn = rotation::from_euler_deg([(); 3].map(|()| options.noise_deg * noise.normal()));
    HandState {
        receiver_position_cm: hand
            .receiver_position_cm
            .map(|place| place + options.noise_cm * noise.normal()),
        receiver_quaternion: rotation::multiply(hand.receiver_quaternion, turn),
        ..hand
    }
}

struct Sensed {
    position_cm: [f64; 3],
    quaternion: Quaternion,
    error: Option<u8>,
}

fn is_outside(numbers: [f64; 3], [most, least]: [[f64; 3]; 2], slack: f64) -> bool {
    (0..3).any(|axis| numbers[axis] > most[axis] + slack || numbers[axis] < least[axis] - slack)
}
