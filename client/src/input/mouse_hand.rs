//! A hand without a glove: it goes where mouse and keys want it, smoothly, and closes on what it finds.

use std::sync::Arc;
use std::time::{Duration, Instant};

use calibration::HandPose;
use drivers::Side;
use engine::Mailbox;
use interaction::posture::{FULLY_CLOSED, Posture, grasping_wrist, grip_in_wrist};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

/// What the person wants of the hand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Steering {
    pub side: Side,
    /// Where the middle of the grip should be, in the world.
    pub grip: Point3<f64>,
    /// How the hand is turned about it, from the way in which it reaches for things.
    pub turn: UnitQuaternion<f64>,
    pub fingers: FingerCommand,
}

/// What the fingers should do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FingerCommand {
    /// Each goes to its place, from 0, open, to 1, closed; thumb first.
    Go([f64; 5]),
    /// Each closes until it touches something.
    Take,
    /// All go on closing, slowly where they touch.
    Squeeze,
    /// All open a little, as slowly.
    Ease,
    /// All open.
    Open,
    Stay,
}

/// A hand on its way to where the person wants it.
#[derive(Debug)]
pub struct MouseHand {
    steering: Arc<Mailbox<Steering>>,
    wanted: Steering,
    posture: Posture,
    grip: Point3<f64>,
    turn: UnitQuaternion<f64>,
    closed: [f64; 5],
    /// When the last pose was given.
    last: Option<Instant>,
    /// When something last changed.
    stirred: Option<Instant>,
}

/// Between two poses of a hand that moves, as a glove would send them.
const PERIOD: Duration = Duration::from_millis(10);
/// Between two poses of one that has been still for a while.
const IDLE_PERIOD: Duration = Duration::from_millis(200);
/// Things settle and touches end meanwhile.
const IDLE_AFTER: Duration = Duration::from_secs(2);
/// The way to the place that is wanted gets shorter by two thirds in so many seconds ...
const SMOOTHING: f64 = 0.055;
/// ... but no hand is faster than this, in metres a second: things fly out of one that is.
const FASTEST: f64 = 0.9;
/// A longer pause, in seconds, is no step.
const LONGEST_STEP: f64 = 0.05;
/// Parts of the whole way from open to closed, in a second.
const TAKE_RATE: f64 = 0.5;
const SQUEEZE_RATE: f64 = 0.07;
const OPEN_RATE: f64 = 0.9;
/// Below this nothing has changed, in metres, radians or parts of the way.
const STILL: f64 = 1e-5;

impl MouseHand {
    /// A hand that is where `start` wants it, open, and hears what comes through `steering`.
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

    /// How far each finger is closed, from 0 to 1.
    pub fn closed(&self) -> [f64; 5] {
        self.closed
    }

    /// How long somebody who waits for poses may sleep.
    pub fn patience(&self, now: Instant) -> Duration {
        let Some(last) = self.last else { return Duration::ZERO };
        (last + self.period(now)).saturating_duration_since(now)
    }

    /// The next pose, if it is time for one. `touching` says which fingers touch something.
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

    fn period(&self, now: Instant) -> Duration {
        let is_idle = |then: Instant| now.saturating_duration_since(then) > IDLE_AFTER;
        if self.stirred.is_some_and(is_idle) { IDLE_PERIOD } else { PERIOD }
    }

    /// Moves for so many seconds; says whether that changed anything.
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
        let side = self.wanted.side;
        let turn = self.turn * grasping_wrist(side).rotation;
        HandPose {
            angles: self.posture.natural_angles(&self.closed.map(|closed| closed * FULLY_CLOSED)),
            world_from_wrist: Translation3::from(self.grip.coords)
                * Isometry3::from_parts(Translation3::identity(), turn)
                * Translation3::from(-grip_in_wrist(side).coords),
        }
    }
}

impl Steering {
    /// An open hand above a thing with this middle and so high above the table.
    pub fn above(side: Side, middle: &Point3<f64>) -> Self {
        const ABOVE: f64 = 0.085;
        let grip = middle + Vector3::y() * ABOVE;
        Self { side, grip, turn: UnitQuaternion::identity(), fingers: FingerCommand::Open }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hand at the origin, and where to say what it should do.
    fn hand() -> (MouseHand, Arc<Mailbox<Steering>>, Steering) {
        let steering = Arc::new(Mailbox::default());
        let start = Steering::above(Side::Right, &Point3::origin());
        (MouseHand::new(Arc::clone(&steering), start), steering, start)
    }

    /// All poses of so many seconds.
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
    fn a_hand_that_rests_says_little_until_it_is_wanted_elsewhere() {
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
