//! Outputs for gloves and controllers of one hand, which hold fingers or vibrate, period by period.

use std::time::{Duration, Instant};

use nalgebra::{Point3, Vector3};

use crate::finger_loop::Position;
use crate::linear_contact::LinearContact;
use crate::servo_stop::{FingerWay, ServoStop};
use crate::vibration::{Felt, Vibration};
use crate::watchdog::share_by_age;

/// What one hand feels, and where it is, in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HandFelt {
    /// Fingers, thumb first.
    pub fingers: [FingerFelt; 5],
    /// Arrival of the sample from which places and curls were made.
    pub sampled: Instant,
}

/// What one finger feels, and how it moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FingerFelt {
    /// Place of the fingertip.
    pub tip: Point3<f64>,
    /// Velocity of the fingertip.
    pub velocity: Vector3<f64>,
    /// Curl: 0 open, 1 closed.
    pub curl: f64,
    /// Way of the fingertip for a whole unit of curl.
    pub way: Vector3<f64>,
    /// Newest model.
    pub model: LinearContact,
    /// Arrival of the newest frame of the thing that the model is of; `None` without a model.
    pub framed: Option<Instant>,
    /// Slip speed of the skin, in m/s.
    pub slip_speed: f64,
    /// Share of full strength by the nodes that the finger holds: these have no model.
    pub held: f64,
}

impl FingerFelt {
    /// Finger that feels nothing.
    pub const NONE: Self = Self {
        tip: Point3::new(0.0, 0.0, 0.0),
        velocity: Vector3::new(0.0, 0.0, 0.0),
        curl: 0.0,
        way: Vector3::new(0.0, 0.0, 0.0),
        model: LinearContact::NONE,
        framed: None,
        slip_speed: 0.0,
        held: 0.0,
    };
}

impl HandFelt {
    /// Age of a hand's sample from which on the hand counts as lost.
    pub const OLDEST: Duration = Duration::from_millis(250);

    /// Place of a fingertip, with the age of its sample.
    pub fn position(&self, finger: usize, now: Instant) -> Position {
        let FingerFelt { tip, velocity, .. } = self.fingers[finger];
        Position { velocity, age: seconds(now, self.sampled), ..Position::at(tip) }
    }

    /// Age of a finger's model in seconds; infinite without one.
    pub fn model_age(&self, finger: usize, now: Instant) -> f64 {
        self.fingers[finger].framed.map_or(f64::INFINITY, |framed| seconds(now, framed))
    }

    /// True if the hand's sample is too old for any force.
    pub fn is_lost(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.sampled) > Self::OLDEST
    }
}

fn seconds(now: Instant, then: Instant) -> f64 {
    now.saturating_duration_since(then).as_secs_f64()
}

/// Outputs of one hand, thumb first, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct HandOutput {
    /// How far each finger is held back: the share of its way that is closed to it.
    pub hold: [f32; 5],
    /// Strength of vibration at each finger.
    pub vibration: [f32; 5],
}

impl HandOutput {
    /// True if nothing is held and nothing vibrates.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// Loop of one hand.
#[derive(Debug, Clone, Default)]
pub struct HandLoop {
    stops: [ServoStop; 5],
    vibrations: [Vibration; 5],
}

impl HandLoop {
    /// Outputs `dt` seconds after the last ones. Without a hand, or with one that is lost, there
    /// are none, at once.
    pub fn step(&mut self, felt: Option<&HandFelt>, now: Instant, dt: f64) -> HandOutput {
        let Some(felt) = felt.filter(|felt| !felt.is_lost(now)) else {
            self.release();
            return HandOutput::default();
        };
        let mut output = HandOutput::default();
        for (i, finger) in felt.fingers.iter().enumerate() {
            let allowed = share_by_age(felt.model_age(i, now));
            let place = felt.position(i, now).now();
            let way = FingerWay { curl: finger.curl, place, way: finger.way };
            let stop = self.stops[i].step(&finger.model, &way, allowed, dt);
            let is_contact = finger.model.is_contact() && allowed > 0.0;
            let approach = -finger.velocity.dot(&finger.model.normal);
            let (force, slip_speed) = (finger.model.force.norm(), finger.slip_speed);
            let felt = Felt { is_contact, force, slip_speed, approach };
            let hum = self.vibrations[i].step(&felt, dt) * allowed;
            let held = if finger.held.is_nan() { 0.0 } else { finger.held.clamp(0.0, 1.0) };
            output.hold[i] = stop.max(held) as f32;
            output.vibration[i] = hum.max(held) as f32;
        }
        output
    }

    /// Frees all fingers at once.
    pub fn release(&mut self) {
        self.stops.iter_mut().for_each(ServoStop::release);
        self.vibrations.iter_mut().for_each(Vibration::release);
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Matrix3;

    use super::*;

    fn felt(now: Instant) -> HandFelt {
        let model = LinearContact {
            place: Point3::origin(),
            force: Vector3::new(0.0, 0.4, 0.0),
            normal: Vector3::y(),
            friction: 0.6,
            stiffness: Matrix3::identity() * 500.0,
        };
        let mut fingers = [FingerFelt::NONE; 5];
        let way = Vector3::new(0.0, -0.08, 0.0);
        let framed = Some(now);
        fingers[1] =
            FingerFelt { curl: 0.5, way, model, framed, slip_speed: 0.05, ..FingerFelt::NONE };
        fingers[3] = FingerFelt { held: 0.7, ..FingerFelt::NONE };
        HandFelt { fingers, sampled: now }
    }

    #[test]
    fn a_finger_that_presses_is_stopped_and_one_that_holds_nodes_is_held_as_before() {
        let (mut hand, now) = (HandLoop::default(), Instant::now());
        let mut output = HandOutput::default();
        for _ in 0..600 {
            output = hand.step(Some(&felt(now)), now, 1e-3);
        }
        assert!((output.hold[1] - 0.485).abs() < 1e-6, "{output:?}");
        assert!((output.vibration[1] - 0.2).abs() < 1e-6, "slip at 0.4 N: {output:?}");
        assert_eq!((output.hold[3], output.vibration[3], output.hold[0]), (0.7, 0.7, 0.0));
        // Models that are too old hold no finger; nodes are held as long as the hand is there.
        let later = now + Duration::from_millis(100);
        let old = hand.step(Some(&felt(now)), later, 1e-3);
        assert_eq!((old.hold[1], old.vibration[1], old.hold[3]), (0.0, 0.0, 0.7));
        assert!(hand.step(Some(&felt(now)), now + Duration::from_millis(260), 1e-3).is_none());
        assert!(hand.step(None, now, 1e-3).is_none());
    }

    #[test]
    fn a_thing_that_stalls_frees_its_finger_while_frames_of_another_arrive() {
        let (mut hand, start) = (HandLoop::default(), Instant::now());
        let mut output = HandOutput::default();
        for i in 0..600 {
            let now = start + Duration::from_millis(i);
            let mut felt = felt(now);
            felt.fingers[2] = felt.fingers[1];
            // The thing of the index finger sends no frame in the last 100 ms.
            felt.fingers[1].framed = Some(now.min(start + Duration::from_millis(500)));
            output = hand.step(Some(&felt), now, 1e-3);
        }
        assert_eq!((output.hold[1], output.vibration[1]), (0.0, 0.0));
        assert!((output.hold[2] - 0.485).abs() < 1e-6, "{output:?}");
    }
}
