//! An emulated person who copies the poses of a calibration.

use calibration::procedure::{Place, State, Step, View};
use calibration::tracker::Spot;
use calibration::{JointAngles, TrackerTransforms};
use drivers::Sensor;
use emulators::{HandState, Keyframe, Motion, Puppet};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

/// An emulated person who wears the emulated glove and follows the screen.
#[derive(Debug)]
pub struct EmulatedPerson {
    hand: Puppet,
    /// Current step: its index, the number of steps, and its name.
    doing: Option<(usize, usize, &'static str)>,
}

/// Time at which the hand has relaxed on its way to a pose, in seconds.
const RELAXED: f64 = 0.3;
/// Time at which the hand has reached the pose, in seconds.
const THERE: f64 = 0.8;
/// Duration of the hand's turn about the spot, in seconds.
const TURNING: f64 = 8.0;
/// Time between two keyframes of that turn, in seconds.
const MOMENT: f64 = 0.05;
/// Distance by which the flat hand slides, in metres.
const SLIDE: f64 = 0.2;

impl EmulatedPerson {
    pub fn new() -> Self {
        Self { hand: Puppet::new(above_the_desk(&JointAngles::default())), doing: None }
    }

    /// Motion of this person, for glove and tracker emulators.
    pub fn motion(&self) -> Motion {
        self.hand.motion()
    }

    /// Reads the current step and performs it; repeats it if it was not accepted.
    pub fn follow(&mut self, view: &View<'_>) {
        let Some(step) = view.step else { return };
        let asked = (view.n_done, view.n_steps, view.name);
        let is_new = self.doing.replace(asked) != Some(asked);
        let is_in_vain = match view.state {
            State::Leaving
            | State::NotThere(_)
            | State::Turning { .. }
            | State::Travelling { .. } => self.hand.has_arrived(),
            State::Waiting | State::Settling(_) | State::NoTracker | State::Done => false,
        };
        if is_new || is_in_vain {
            self.hand.lead(way(step));
        }
    }
}

impl Default for EmulatedPerson {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns the motion from any pose to that of a step.
fn way(step: &Step) -> Vec<Keyframe> {
    match step {
        Step::Hold(target) => vec![
            keyframe(RELAXED, above_the_desk(&relaxed()), "relaxed"),
            keyframe(THERE, above_the_desk(&target.picture), target.pose.pose().name),
        ],
        Step::Place(place) => {
            let to = match place {
                Place::Start => Vector3::zeros(),
                Place::Ahead => -Vector3::z(),
                Place::Right => Vector3::x(),
            };
            let slid = Translation3::from(to * SLIDE) * turned(Vector3::zeros());
            vec![keyframe(THERE, flat_at(&slid), step.text().0)]
        }
        Step::Turn => {
            let n_moments = (TURNING / MOMENT) as usize;
            let moments = (0..=n_moments).map(|n| n as f64 * MOMENT);
            let turn = |t: f64| {
                Vector3::new(0.4 * (2.0 * t).sin(), 0.5 * (1.3 * t).sin(), 0.4 * (2.9 * t).sin())
            };
            // The way to the spot comes first; the turns begin there at angle 0.
            moments.map(|t| keyframe(THERE + t, flat_at(&turned(turn(t))), step.text().0)).collect()
        }
    }
}

fn keyframe(seconds: f64, state: HandState, name: &'static str) -> Keyframe {
    Keyframe { seconds, state, name: name.into() }
}

/// A position with good tracking.
fn above_the_desk(angles: &JointAngles) -> HandState {
    HandState {
        angles_deg: angles_deg(angles),
        receiver_position_cm: [30.0, 0.0, -10.0],
        receiver_quaternion: [1.0, 0.0, 0.0, 0.0],
    }
}

/// A relaxed hand.
fn relaxed() -> JointAngles {
    let mut angles = JointAngles::default();
    for finger in &mut angles.fingers {
        (finger.mpj, finger.pij, finger.dij) = (0.4, 0.5, 0.25);
    }
    angles.thumb.abduction = 0.35;
    angles.thumb.roll = 0.5;
    angles
}

/// The flat hand with its heel on the spot, turned about it.
fn turned(turn: Vector3<f64>) -> Isometry3<f64> {
    let Spot { in_world, in_wrist } = Spot::default();
    Translation3::from(in_world.coords)
        * UnitQuaternion::from_scaled_axis(turn)
        * Translation3::from(-in_wrist.coords)
}

/// Pose of a flat hand relative to a transmitter at its usual place. The demonstration's hand moves
/// about the same transmitter, so its profile fits both.
fn flat_at(world_from_wrist: &Isometry3<f64>) -> HandState {
    let TrackerTransforms { world_from_source, sensor_from_wrist } = TrackerTransforms::default();
    let source_from_sensor =
        world_from_source.inverse() * world_from_wrist * sensor_from_wrist.inverse();
    let turn = source_from_sensor.rotation;
    HandState {
        angles_deg: angles_deg(&JointAngles::default()),
        receiver_position_cm: source_from_sensor.translation.vector.map(|m| m * 100.0).into(),
        receiver_quaternion: [turn.w, turn.i, turn.j, turn.k],
    }
}

/// In the order of the glove's mask bits.
fn angles_deg(angles: &JointAngles) -> [f64; 24] {
    Sensor::ALL.map(|sensor| angles.measured_by(sensor).unwrap_or(0.0).to_degrees())
}

#[cfg(test)]
mod tests {
    use calibration::{GloveModel, Plan, Procedure, Sample, SensorMap};
    use drivers::SensorCounts;

    use super::*;

    /// Returns the samples of a perfect glove and tracker.
    fn sample(state: &HandState, seconds: f64) -> Sample {
        let slots = Sensor::ALL.map(|sensor| {
            let map = SensorMap::default_for(sensor);
            let angle_deg = state.angles_deg[sensor.bit()];
            match sensor {
                Sensor::IndexAbduction | Sensor::Spare => 0,
                _ => (map.offset + angle_deg / map.gain.to_degrees()).round() as u8,
            }
        });
        let [w, i, j, k] = state.receiver_quaternion;
        let quaternion = nalgebra::Quaternion::new(w, i, j, k);
        let place = Vector3::from(state.receiver_position_cm) / 100.0;
        let turn = UnitQuaternion::from_quaternion(quaternion);
        Sample {
            counts: SensorCounts::from_slots(slots),
            source_from_sensor: Some(Isometry3::from_parts(place.into(), turn)),
            seconds,
        }
    }

    #[test]
    fn the_emulated_person_completes_all_steps() {
        let mut person = EmulatedPerson::new();
        let motion = person.motion();
        let mut procedure = Procedure::new(Plan::full().with_tracker());
        let mut seconds = 0.0;
        while procedure.view().step.is_some() {
            seconds += 0.01;
            assert!(seconds < 140.0, "{:?}", procedure.view());
            procedure.feed(&sample(&motion.state_at(seconds), seconds));
            person.follow(&procedure.view());
        }
        let fit = procedure.fit(&GloveModel::uncalibrated());
        assert_eq!((fit.outliers.len(), procedure.captures().len()), (0, 43));
        let found = procedure.tracker(&Spot::default()).unwrap();
        let usual = TrackerTransforms::default();
        for (found, usual) in [
            (found.world_from_source, usual.world_from_source),
            (found.sensor_from_wrist, usual.sensor_from_wrist),
        ] {
            let way = (found.translation.vector - usual.translation.vector).norm();
            let turn_deg = found.rotation.angle_to(&usual.rotation).to_degrees();
            assert!(way < 2e-4 && turn_deg < 0.05, "{way} m, {turn_deg} degrees");
        }
        // A repeated step is performed again.
        procedure.retake_tracker();
        assert_eq!(procedure.view().n_steps, 4);
        while procedure.view().step.is_some() {
            seconds += 0.01;
            assert!(seconds < 170.0, "{:?}", procedure.view());
            procedure.feed(&sample(&motion.state_at(seconds), seconds));
            person.follow(&procedure.view());
        }
    }
}
