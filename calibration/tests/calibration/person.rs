//! An emulated person who follows the procedure with human accuracy.

use calibration::capture::{Capture, Sample};
use calibration::joints::{JointAngles, PerSensor};
use calibration::procedure::{Event, Step};
use calibration::{Command, Plan, PoseId, Procedure};
use drivers::Sensor;

use crate::glove::Glove;
use crate::random::Random;

pub(crate) struct Person {
    pub(crate) glove: Glove,
    pub(crate) random: Random,
    /// Error of each joint in each hold, standard deviation in degrees.
    pub(crate) spread_deg: f64,
    /// A pose that is mistaken for another one, the first time it comes.
    pub(crate) mistake: Option<(PoseId, PoseId)>,
    seconds: f64,
    hand: PerSensor<f64>,
}

const HZ: f64 = 100.0;
/// Time in which the hand moves from pose to pose.
const MOVE_SECONDS: f64 = 0.6;

impl Person {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            glove: Glove::new(seed),
            random: Random::new(seed),
            spread_deg: 2.0,
            mistake: None,
            seconds: 0.0,
            hand: [0.0; Sensor::ALL.len()],
        }
    }

    /// Does all steps of the procedure; returns the time taken, in seconds.
    pub(crate) fn follow(&mut self, procedure: &mut Procedure) -> f64 {
        let began = self.seconds;
        while let Some(step) = procedure.view().step {
            let Step::Hold(target) = step else { panic!("no tracker here") };
            let pose = match self.mistake {
                Some((asked, done)) if asked == target.pose => {
                    self.mistake = None;
                    done
                }
                _ => target.pose,
            };
            let picture = pose.pose().angles();
            let event = self.hold(&picture, procedure);
            assert!(matches!(event, Event::Captured(_) | Event::Finished));
        }
        self.seconds - began
    }

    /// Captures every pose of a plan from `n_samples` samples, without the motion between poses.
    pub(crate) fn captures(&mut self, plan: &Plan, n_samples: usize) -> Vec<Capture> {
        let mut captures = Vec::new();
        for step in &plan.steps {
            let Step::Hold(target) = step else { panic!("no tracker here") };
            let hand = hand_of(&self.about(&target.picture));
            let samples: Vec<_> = (0..n_samples)
                .map(|_| Sample {
                    counts: self.glove.counts(&hand, &mut self.random),
                    source_from_sensor: None,
                    seconds: 0.0,
                })
                .collect();
            captures.push(Capture::of(target.pose, target.asked, samples.iter()));
        }
        captures
    }

    /// Angles of a pose as this person holds it.
    fn about(&mut self, picture: &JointAngles) -> PerSensor<f64> {
        Sensor::ALL.map(|sensor| {
            let off = self.spread_deg.to_radians() * self.random.normal();
            picture.measured_by(sensor).unwrap_or(0.0) + off
        })
    }

    /// Moves to a pose, with errors, and holds it until it is captured.
    fn hold(&mut self, picture: &JointAngles, procedure: &mut Procedure) -> Event {
        let from = self.hand;
        let to = self.about(picture);
        for n in 1..1000 {
            let share = (f64::from(n) / (MOVE_SECONDS * HZ)).min(1.0);
            self.hand = std::array::from_fn(|bit| from[bit] + share * (to[bit] - from[bit]));
            let counts = self.glove.counts(&hand_of(&self.hand), &mut self.random);
            self.seconds += 1.0 / HZ;
            let sample = Sample { counts, source_from_sensor: None, seconds: self.seconds };
            if let Some(event) = procedure.feed(&sample) {
                assert_eq!(share, 1.0, "captured while the hand moved");
                return event;
            }
            // If the procedure does not recognise the pose, this person accepts it by command.
            if n == 500 {
                let event = procedure.command(Command::Accept).unwrap();
                assert_ne!(event, Event::NotStill, "{:?}", procedure.view());
                return event;
            }
        }
        panic!("never captured: {:?}", procedure.view());
    }
}

/// The hand on which the sensors would measure these angles.
fn hand_of(angles: &PerSensor<f64>) -> JointAngles {
    use Sensor::*;
    let at = |sensor: Sensor| angles[sensor.bit()];
    let mut hand = JointAngles::default();
    hand.thumb.roll = at(ThumbRoll);
    hand.thumb.abduction = at(ThumbIndexAbduction);
    hand.thumb.mpj = at(ThumbMpj);
    hand.thumb.ij = at(ThumbIj);
    for (place, finger) in hand.fingers.iter_mut().enumerate() {
        let first = IndexMpj.bit() + 4 * place;
        (finger.mpj, finger.pij, finger.dij) =
            (angles[first], angles[first + 1], angles[first + 2]);
    }
    hand.fingers[0].abduction = at(MiddleIndexAbduction);
    hand.fingers[2].abduction = at(RingMiddleAbduction);
    hand.fingers[3].abduction = at(RingMiddleAbduction) + at(PinkieRingAbduction);
    hand.palm_arch = at(PalmArch);
    hand.wrist_pitch = at(WristPitch);
    hand.wrist_yaw = at(WristYaw);
    hand
}
