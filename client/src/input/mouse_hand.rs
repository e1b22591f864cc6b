//! Mouse hand: a hand without a glove that moves smoothly to where mouse and keys steer it, and
//! closes on things that it touches.

use std::sync::Arc;
use std::time::{Duration, Instant};

use calibration::HandPose;
use drivers::Side;
use engine::Mailbox;
use interaction::posture::{FULLY_CLOSED, Posture, grasping_wrist, grip_in_wrist};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

/// Target of the mouse hand, as set by the person.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Steering {
    pub side: Side,
    /// Middle of the grip, in the world.
    pub grip: Point3<f64>,
    /// Turn of the hand about the middle of the grip, from the direction in which it reaches for
    /// things.
    pub turn: UnitQuaternion<f64>,
    pub fingers: FingerCommand,
}

/// Commands to the fingers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FingerCommand {
    /// Each finger goes to its target, from 0, open, to 1, closed; thumb first.
    Go([f64; 5]),
    /// Each finger closes until it touches something.
    Take,
    /// All fingers go on closing, slowly where they touch.
    Squeeze,
    /// All fingers open slowly.
    Ease,
    /// All fingers open.
    Open,
    /// All fingers stay.
    Stay,
}

/// A mouse hand on its way to its target.
#[derive(Debug)]
pub struct MouseHand {
    steering: Arc<Mailbox<Steering>>,
    wanted: Steering,
    posture: Posture,
    grip: Point3<f64>,
    turn: UnitQuaternion<f64>,
    closed: [f64; 5],
    /// Time of the last pose.
    last: Option<Instant>,
    /// Time of the last change.
    stirred: Option<Instant>,
}

/// Period of poses while the hand moves, the same as a glove's.
const PERIOD: Duration = Duration::from_millis(10);
/// Period of poses after the hand has been still for a while.
const IDLE_PERIOD: Duration = Duration::from_millis(200);
/// Time until a still hand uses the long period: meanwhile things settle and touches end.
const IDLE_AFTER: Duration = Duration::from_secs(2);
/// Seconds in which the distance to the target falls by two thirds.
const SMOOTHING: f64 = 0.055;
/// Highest speed of the hand, in metres per second: things fly out of a faster hand.
const FASTEST: f64 = 0.9;
/// Longest time step, in seconds; longer gaps are cut to it.
const LONGEST_STEP: f64 = 0.05;
/// Speed of fingers that take a thing, in ways from open to closed per second.
const TAKE_RATE: f64 = 0.5;
/// Speed of fingers that squeeze or ease, in the same unit.
const SQUEEZE_RATE: f64 = 0.07;
/// Speed of fingers that open, in the same unit.
const OPEN_RATE: f64 = 0.9;
/// Smallest change that counts, in metres, radians or ways from open to closed.
const STILL: f64 = 1e-5;

impl MouseHand {
    /// Creates an open hand at `start` that takes new targets from `steering`.
    pub fn new(steering: Arc<Mailbox<Steering>>, start: Steering) -> Self {
        Self {
            steering,
            wanted: start,
            posture: Posture::grasping(),
            grip: start.grip,
            turn: start.turn,
            closed: [0.0; 5],
            last: None,
            stirred: None,
        }
    }

    pub fn side(&self) -> Side {
        self.wanted.side
    }

    /// Closing of each finger, from 0 to 1.
    pub fn closed(&self) -> [f64; 5] {
        self.closed
    }

    /// Time until the next pose.
    pub fn patience(&self, now: Instant) -> Duration {
        let Some(last) = self.last else { return Duration::ZERO };
        (last + self.period(now)).saturating_duration_since(now)
    }

    /// The next pose, if it is due. `touching` is true for fingers that touch something.
    pub fn next(&mut self, now: Instant, touching: &[bool; 5]) -> Option<(Side, HandPose)> {
        if let Some(wanted) = self.steering.take()
            && wanted != self.wanted
        {
            self.wanted = wanted;
            self.stirred = Some(now);
        }
        let since = self.last.map(|last| now.saturating_duration_since(last));
        if since.is_some_and(|since| since < self.period(now)) {
            return None;
        }
        self.last = Some(now);
        let step = since.map_or(0.0, |since| since.as_secs_f64().min(LONGEST_STEP));
        if self.go_on(step, touching) || self.stirred.is_none() {
            self.stirred = Some(now);
        }
        Some((self.wanted.side, self.pose()))
    }

    /// Place of the wrist of a hand of `side`. Mouse and keys move only this hand's wrist; a glove
    /// bends its fingers.
    pub fn wrist(&mut self, side: Side, now: Instant) -> Isometry3<f64> {
        self.next(now, &[false; 5]);
        self.world_from_wrist(side)
    }

    fn period(&self, now: Instant) -> Duration {
        let is_idle = |then: Instant| now.saturating_duration_since(then) > IDLE_AFTER;
        if self.stirred.is_some_and(is_idle) { IDLE_PERIOD } else { PERIOD }
    }

    /// Moves for this time, in seconds. Returns true if that changed anything.
    fn go_on(&mut self, seconds: f64, touching: &[bool; 5]) -> bool {
        let before = (self.grip, self.turn, self.closed);
        let part = 1.0 - (-seconds / SMOOTHING).exp();
        let way = (self.wanted.grip - self.grip) * part;
        self.grip += way.cap_magnitude(FASTEST * seconds);
        self.turn = self.turn.try_slerp(&self.wanted.turn, part, 1e-9).unwrap_or(self.wanted.turn);
        for (i, closed) in self.closed.iter_mut().enumerate() {
            *closed = match self.wanted.fingers {
                FingerCommand::Go(places) => *closed + (places[i] - *closed) * part,
                FingerCommand::Take if touching[i] => *closed,
                FingerCommand::Take => *closed + TAKE_RATE * seconds,
                FingerCommand::Squeeze if touching[i] => *closed + SQUEEZE_RATE * seconds,
                FingerCommand::Squeeze => *closed + TAKE_RATE * seconds,
                FingerCommand::Ease => *closed - SQUEEZE_RATE * seconds,
                FingerCommand::Open => *closed - OPEN_RATE * seconds,
                FingerCommand::Stay => *closed,
            }
            .clamp(0.0, 1.0);
        }
        let bend = before.2.iter().zip(&self.closed).map(|(a, b)| (a - b).abs());
        (before.0 - self.grip).norm() > STILL
            || before.1.angle_to(&self.turn) > STILL
            || bend.fold(0.0, f64::max) > STILL
    }

    fn pose(&self) -> HandPose {
        HandPose {
            angles: self.posture.natural_angles(&self.closed.map(|closed| closed * FULLY_CLOSED)),
            world_from_wrist: self.world_from_wrist(self.wanted.side),
        }
    }

    fn world_from_wrist(&self, side: Side) -> Isometry3<f64> {
        let turn = self.turn * grasping_wrist(side).rotation;
        Translation3::from(self.grip.coords)
            * Isometry3::from_parts(Translation3::identity(), turn)
            * Translation3::from(-grip_in_wrist(side).coords)
    }
}

impl Steering {
    /// An open hand above a thing with this middle.
    pub fn above(side: Side, middle: &Point3<f64>) -> Self {
        const ABOVE: f64 = 0.085;
        let grip = middle + Vector3::y() * ABOVE;
        Self { side, grip, turn: UnitQuaternion::identity(), fingers: FingerCommand::Open }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hand at the origin, with its mailbox and its target.
    fn hand() -> (MouseHand, Arc<Mailbox<Steering>>, Steering) {
        let steering = Arc::new(Mailbox::default());
        let start = Steering::above(Side::Right, &Point3::origin());
        (MouseHand::new(Arc::clone(&steering), start), steering, start)
    }

    /// All poses of this time, in seconds.
    fn run(
        hand: &mut MouseHand,
        from: Instant,
        seconds: f64,
        touching: [bool; 5],
    ) -> Vec<HandPose> {
        let n = (seconds * 1000.0) as u64;
        let at = |ms: u64| from + Duration::from_millis(ms);
        (0..n).filter_map(|ms| hand.next(at(ms), &touching)).map(|(_, pose)| pose).collect()
    }

    #[test]
    fn it_glides_to_where_it_is_wanted_and_does_not_jump() {
        let (mut hand, steering, start) = hand();
        let now = Instant::now();
        steering.put(Steering { grip: start.grip + Vector3::new(0.2, 0.0, 0.0), ..start });
        let poses = run(&mut hand, now, 1.0, [false; 5]);
        assert!((98..=101).contains(&poses.len()), "{} poses", poses.len());
        let places: Vec<f64> = poses.iter().map(|p| p.world_from_wrist.translation.x).collect();
        let step = places.windows(2).map(|pair| pair[1] - pair[0]);
        assert!(step.clone().all(|way| (0.0..=FASTEST * 0.0101).contains(&way)), "{places:?}");
        assert!((step.sum::<f64>() - 0.2).abs() < 1e-4);
    }

    #[test]
    fn a_hand_that_takes_stops_where_it_touches_and_presses_on_when_asked() {
        let (mut hand, steering, start) = hand();
        let now = Instant::now();
        steering.put(Steering { fingers: FingerCommand::Take, ..start });
        run(&mut hand, now, 0.5, [false, true, true, true, true]);
        let [thumb, index, ..] = hand.closed();
        assert!(thumb > 0.2 && index == 0.0, "{:?}", hand.closed());
        steering.put(Steering { fingers: FingerCommand::Squeeze, ..start });
        run(&mut hand, now + Duration::from_secs(1), 0.5, [true; 5]);
        let pressed = hand.closed();
        assert!(pressed[0] - thumb > 0.02 && pressed[0] - thumb < 0.06, "{pressed:?}");
        steering.put(Steering { fingers: FingerCommand::Open, ..start });
        run(&mut hand, now + Duration::from_secs(2), 1.2, [true; 5]);
        assert_eq!(hand.closed(), [0.0; 5]);
    }

    #[test]
    fn a_resting_hand_sends_few_samples_until_it_is_moved() {
        let (mut hand, steering, start) = hand();
        let now = Instant::now();
        run(&mut hand, now, 3.0, [false; 5]);
        let later = now + Duration::from_secs(3);
        let n_idle = run(&mut hand, later, 1.0, [false; 5]).len();
        assert!((4..=6).contains(&n_idle), "{n_idle} poses in a second");
        let awake = later + Duration::from_secs(1);
        steering.put(Steering { grip: start.grip + Vector3::new(0.0, 0.1, 0.0), ..start });
        assert!(run(&mut hand, awake, 0.5, [false; 5]).len() > 45);
    }
}
