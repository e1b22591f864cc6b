//! An emulated person who knows the poses of a calibration and holds each for a while.

use calibration::procedure::Step;
use calibration::{JointAngles, Plan};
use drivers::Sensor;
use emulators::{HandState, Keyframe, Motion};

/// Seconds to move from one pose to the next, and to hold it.
const MOVING: f64 = 0.6;
const HOLDING: f64 = 2.4;

/// The motion of a person who goes through the plan, again and again.
pub fn follows(plan: &Plan) -> anyhow::Result<Motion> {
    let mut keyframes = Vec::new();
    let mut seconds = 0.0;
    for step in &plan.steps {
        let Step::Hold(target) = step else { continue };
        let state = HandState {
            angles_deg: angles_deg(&target.picture),
            // In front of the transmitter, where every tracker sees well.
            receiver_position_cm: [30.0, 0.0, -10.0],
            receiver_quaternion: [1.0, 0.0, 0.0, 0.0],
        };
        let name = target.pose.pose().name;
        for moment in [seconds + MOVING, seconds + MOVING + HOLDING] {
            keyframes.push(Keyframe { seconds: moment, state, name: name.into() });
        }
        seconds += MOVING + HOLDING;
    }
    Ok(Motion::new(keyframes, seconds + MOVING)?)
}

/// In the order of the glove's mask bits.
fn angles_deg(angles: &JointAngles) -> [f64; 24] {
    Sensor::ALL.map(|sensor| angles.measured_by(sensor).unwrap_or(0.0).to_degrees())
}
