//! The tracker's transforms, from a hand that follows the procedure over two real lines.

use std::time::{Duration, Instant};

use calibration::procedure::{Place, Step};
use calibration::tracker::Spot;
use calibration::{Plan, Procedure, Sample, TrackerTransforms};
use drivers::{Fastrak, TrackerSample};
use emulators::{Emulator, HandState, Keyframe, LineOptions, Puppet, ScriptClock, TrackerEmulator};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use crate::random::Random;
use crate::wearer::{DEADLINE, RATE, Wearer, at_once};

const N_PEOPLE: u64 = 20;
/// A tracker's pose that is older does not belong to a glove's sample: a tenth of a second of the
/// script.
const OLDEST_POSE: Duration = Duration::from_millis((100.0 / RATE) as u64);

struct Desk {
    truth: TrackerTransforms,
    wearer: Wearer,
    hand: Puppet,
    tracker: Fastrak,
    newest: Option<TrackerSample>,
    _emulator: Emulator,
}

impl Desk {
    /// A transmitter in any pose, and a receiver that is tied on in any pose.
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let usual = TrackerTransforms::default();
        let mut about = |usual: Isometry3<f64>, metres: f64, radians: f64| {
            let turn = UnitQuaternion::from_scaled_axis(vector(&mut random) * radians);
            Translation3::from(vector(&mut random) * metres) * usual * turn
        };
        let truth = TrackerTransforms {
            // Not farther off, so that the hand stays on the side of the transmitter that it can
            // tell.
            world_from_source: about(usual.world_from_source, 0.03, 0.15),
            sensor_from_wrist: about(usual.sensor_from_wrist, 0.01, 0.2),
        };
        let clock = ScriptClock::since(Instant::now()).hurried(RATE);
        let hand = Puppet::new(receiver(&truth, &Isometry3::translation(0.0, 0.1, 0.0)));
        let options = emulators::TrackerOptions::default().lifelike(seed);
        let line = LineOptions { baud: None, ..LineOptions::default() };
        let emulator = TrackerEmulator::start_on(&line, options, hand.motion(), clock).unwrap();
        let mut tracker =
            Fastrak::open(emulator.path(), &drivers::polhemus::TrackerOptions::default())
                .unwrap_or_else(|error| panic!("{error}"));
        tracker.start_stream().unwrap();
        let wearer = Wearer::in_glove(seed, hand.clone(), clock);
        Self { truth, wearer, hand, tracker, newest: None, _emulator: emulator }
    }

    fn follow(&mut self, procedure: &mut Procedure) {
        while let Some(step) = procedure.view().step.cloned() {
            self.hand.lead(self.way(&step));
            let deadline = Instant::now() + DEADLINE;
            while procedure.feed(&self.sample()).is_none() {
                assert!(Instant::now() < deadline, "{:?}", procedure.view());
                // When more turns are needed, the person goes on turning.
                if step == Step::Turn && self.hand.has_arrived() {
                    self.hand.lead(self.way(&step));
                }
            }
        }
    }

    /// Samples of both drivers, combined as in the workstation.
    fn sample(&mut self) -> Sample {
        let sample = self.wearer.sample();
        while let Some(newer) = self.tracker.next_sample(Duration::ZERO).unwrap() {
            self.newest = Some(newer);
        }
        let pose = self.newest.as_ref().filter(|pose| pose.arrival.elapsed() < OLDEST_POSE);
        Sample { source_from_sensor: pose.map(|pose| pose.source_from_sensor), ..sample }
    }

    fn way(&self, step: &Step) -> Vec<Keyframe> {
        let at = |seconds: f64, world_from_wrist: &Isometry3<f64>| Keyframe {
            seconds,
            state: receiver(&self.truth, world_from_wrist),
            name: "".into(),
        };
        let slid = |x: f64, z: f64| Translation3::new(x, 0.0, z) * turned(Vector3::zeros());
        match step {
            Step::Turn => {
                let moments = (0..160).map(|n| f64::from(n) * 0.05);
                let turns = moments.map(|t| {
                    let [x, y, z] =
                        [0.4 * (2.0 * t).sin(), 0.5 * (1.3 * t).sin(), 0.4 * (2.9 * t).sin()];
                    at(0.5 + t, &turned(Vector3::new(x, y, z)))
                });
                turns.collect()
            }
            Step::Place(Place::Start) => vec![at(0.6, &slid(0.0, 0.0))],
            Step::Place(Place::Ahead) => vec![at(0.6, &slid(0.0, -0.2))],
            Step::Place(Place::Right) => vec![at(0.6, &slid(0.2, 0.03))],
            Step::Hold(_) => panic!("no poses here"),
        }
    }
}

/// Converts a hand's pose in the world to the tracker's pose.
fn receiver(truth: &TrackerTransforms, world_from_wrist: &Isometry3<f64>) -> HandState {
    let source_from_sensor =
        truth.world_from_source.inverse() * world_from_wrist * truth.sensor_from_wrist.inverse();
    let turn = source_from_sensor.rotation;
    HandState {
        receiver_position_cm: source_from_sensor.translation.vector.map(|m| m * 100.0).into(),
        receiver_quaternion: [turn.w, turn.i, turn.j, turn.k],
        ..HandState::FLAT
    }
}

/// The hand with its heel on the spot, turned about it.
fn turned(turn: Vector3<f64>) -> Isometry3<f64> {
    let Spot { in_world, in_wrist } = Spot::default();
    Translation3::from(in_world.coords)
        * UnitQuaternion::from_scaled_axis(turn)
        * Translation3::from(-in_wrist.coords)
}

fn vector(random: &mut Random) -> Vector3<f64> {
    Vector3::from_fn(|_, _| random.normal())
}

#[test]
fn both_transforms_come_out_to_a_millimetre_and_a_fifth_of_a_degree() {
    let off = at_once(0..N_PEOPLE, |seed| {
        let mut desk = Desk::new(seed);
        let mut procedure = Procedure::new(Plan { steps: vec![] }.with_tracker());
        desk.follow(&mut procedure);
        let found = procedure.tracker(&Spot::default()).unwrap();
        let pairs = [
            (found.world_from_source, desk.truth.world_from_source),
            (found.sensor_from_wrist, desk.truth.sensor_from_wrist),
        ];
        pairs.map(|(found, truth)| {
            let way = (found.translation.vector - truth.translation.vector).norm();
            (way, found.rotation.angle_to(&truth.rotation).to_degrees())
        })
    });
    let worst = off
        .iter()
        .flatten()
        .fold((0.0, 0.0), |(way, turn): (f64, f64), off| (way.max(off.0), turn.max(off.1)));
    println!("tracker: at worst {:.2} mm and {:.3} degrees", worst.0 * 1e3, worst.1);
    assert!(worst.0 < 1e-3 && worst.1 < 0.2, "{worst:?}");
}
