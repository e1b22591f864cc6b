//! Tests the tracker's transforms, with a hand that follows the procedure and a noisy tracker.

use calibration::capture::Sample;
use calibration::procedure::{Event, Place, State, Step};
use calibration::tracker::Spot;
use calibration::{Plan, Procedure, TrackerTransforms};
use drivers::{Sensor, SensorCounts};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use crate::random::Random;

/// Noise of positions, standard deviation along each axis in metres.
const NOISE_M: f64 = 1e-4;
/// Noise of rotations, standard deviation about each axis in degrees.
const NOISE_DEG: f64 = 0.05;

struct Desk {
    truth: TrackerTransforms,
    random: Random,
    procedure: Procedure,
    seconds: f64,
}

impl Desk {
    /// A transmitter and a receiver in random poses near the usual ones.
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let usual = TrackerTransforms::default();
        let mut about = |usual: Isometry3<f64>, metres: f64, radians: f64| {
            let turn = UnitQuaternion::from_scaled_axis(vector(&mut random) * radians);
            Translation3::from(vector(&mut random) * metres) * usual * turn
        };
        let truth = TrackerTransforms {
            world_from_source: about(usual.world_from_source, 0.2, 0.5),
            sensor_from_wrist: about(usual.sensor_from_wrist, 0.01, 0.3),
        };
        let plan = Plan { steps: vec![] }.with_tracker();
        Self { truth, random, procedure: Procedure::new(plan), seconds: 0.0 }
    }

    fn feed(&mut self, world_from_wrist: Isometry3<f64>) -> Option<Event> {
        let source_from_sensor = self.truth.world_from_source.inverse()
            * world_from_wrist
            * self.truth.sensor_from_wrist.inverse();
        let turn = vector(&mut self.random) * NOISE_DEG.to_radians();
        let noisy = Isometry3::from_parts(
            (source_from_sensor.translation.vector + vector(&mut self.random) * NOISE_M).into(),
            source_from_sensor.rotation * UnitQuaternion::from_scaled_axis(turn),
        );
        self.seconds += 0.01;
        self.procedure.feed(&Sample {
            counts: SensorCounts::from_slots([100; Sensor::ALL.len()]),
            source_from_sensor: Some(noisy),
            seconds: self.seconds,
        })
    }

    /// Pose of the hand with its heel on the spot, turned about the spot.
    fn turned(&self, turn: Vector3<f64>) -> Isometry3<f64> {
        let heel = Spot::default().in_wrist.coords;
        Isometry3::from(Spot::default().in_world.coords)
            * UnitQuaternion::from_scaled_axis(turn)
            * Translation3::from(-heel)
    }

    /// Follows the procedure to its end; `turn` is the rotation at each moment of the pivoting
    /// motion. Returns false if the motion did not give the pivot.
    fn follow(&mut self, turn: impl Fn(f64) -> Vector3<f64>) -> bool {
        while let Some(step) = self.procedure.view().step.cloned() {
            let captured = (0..1000).any(|n| {
                let hand = match step {
                    Step::Turn => self.turned(turn(f64::from(n) * 0.01)),
                    Step::Place(Place::Start) => self.turned(Vector3::zeros()),
                    Step::Place(Place::Ahead) => self.slid(0.0, -0.2),
                    Step::Place(Place::Right) => self.slid(0.2, 0.03),
                    Step::Hold(_) => panic!("no poses here"),
                };
                self.feed(hand).is_some()
            });
            if !captured {
                return false;
            }
        }
        true
    }

    fn slid(&self, x: f64, z: f64) -> Isometry3<f64> {
        Translation3::new(x, 0.0, z) * self.turned(Vector3::zeros())
    }
}

fn vector(random: &mut Random) -> Vector3<f64> {
    Vector3::from_fn(|_, _| random.normal())
}

/// Distance between two transforms, in metres and degrees.
fn apart(a: &Isometry3<f64>, b: &Isometry3<f64>) -> (f64, f64) {
    let way = (a.translation.vector - b.translation.vector).norm();
    (way, a.rotation.angle_to(&b.rotation).to_degrees())
}

#[test]
fn both_transforms_come_out_to_a_millimetre_and_a_fifth_of_a_degree() {
    for seed in 0..20 {
        let mut desk = Desk::new(seed);
        let wobble = |t: f64| {
            Vector3::new(0.4 * (2.0 * t).sin(), 0.5 * (1.3 * t).sin(), 0.4 * (2.9 * t).sin())
        };
        assert!(desk.follow(wobble), "{:?}", desk.procedure.view());
        let found = desk.procedure.tracker(&Spot::default()).unwrap();
        let pairs = [
            (found.world_from_source, desk.truth.world_from_source),
            (found.sensor_from_wrist, desk.truth.sensor_from_wrist),
        ];
        for (found, truth) in pairs {
            let (metres, degrees) = apart(&found, &truth);
            assert!(metres < 1e-3 && degrees < 0.2, "seed {seed}: {metres} m, {degrees} degrees");
        }
    }
}

#[test]
fn a_motion_about_one_axis_is_refused_with_what_is_missing() {
    let check = |axis: Vector3<f64>, want: &str| {
        let mut desk = Desk::new(1);
        // The usual mounting of the receiver.
        desk.truth = TrackerTransforms::default();
        assert!(!desk.follow(|t| axis * 0.6 * (2.0 * t).sin()));
        let State::Turning { missing: Some(missing), .. } = desk.procedure.view().state else {
            panic!("{:?}", desk.procedure.view());
        };
        let text = missing.to_string();
        assert!(text.starts_with("turn the hand about more axes") && text.contains(want), "{text}");
    };
    check(Vector3::x(), "only tilted up and down");
    check(Vector3::y(), "only turned left and right");
    check(Vector3::z(), "only rolled from side to side");
}

#[test]
fn a_hand_that_creeps_over_the_desk_is_not_taken_until_it_lies_still() {
    let mut desk = Desk::new(2);
    // 3 mm a second: for a hand in the air that would be still enough.
    let creeping = (0..500).any(|n| desk.feed(desk.slid(0.0, f64::from(n) * 3e-5)).is_some());
    assert!(!creeping, "{:?}", desk.procedure.view());
    assert!((0..200).any(|_| desk.feed(desk.slid(0.0, 0.015)).is_some()));
}
