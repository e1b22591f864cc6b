//! How a hand closes, by one number for each finger: from wide open to a fist round something small.

use calibration::{Finger, JointAngles, JointLimits, Profile};
use drivers::Hand as Side;
use emulators::{HandState, Motion};
use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};

/// The demonstration of the emulators as a way to close a hand: a finger of 0 is open, one of 1 presses the
/// demonstration's cube, and whatever lies beyond goes on in the same way.
#[derive(Debug, Clone)]
pub struct Posture {
    open: JointAngles,
    closed: JointAngles,
}

/// From open to closed in the posture's count, in which 1 presses a cube of 6 cm.
pub const FULLY_CLOSED: f64 = 2.5;

/// The middle of the demonstration's cube.
pub const DEMONSTRATED_MIDDLE: [f64; 3] = [0.0, 0.03, 0.0];

impl Posture {
    pub fn demonstrated() -> Self {
        let motion = Motion::grasp_and_squeeze();
        Self {
            open: angles(&named(&motion, "waiting")),
            closed: angles(&named(&motion, "squeezed")),
        }
    }

    /// The angles of a hand whose fingers are so far closed.
    pub fn angles(&self, shares: &[f64; 5]) -> JointAngles {
        let mix = |from: f64, to: f64, share: f64| from + (to - from) * share;
        let mut angles = self.open;
        let (thumb, closed) = (&mut angles.thumb, &self.closed.thumb);
        let share = shares[Finger::Thumb.index()];
        thumb.roll = mix(thumb.roll, closed.roll, share);
        thumb.abduction = mix(thumb.abduction, closed.abduction, share);
        thumb.mpj = mix(thumb.mpj, closed.mpj, share);
        thumb.ij = mix(thumb.ij, closed.ij, share);
        let fingers = angles.fingers.iter_mut().zip(&self.closed.fingers);
        for ((finger, closed), share) in fingers.zip(&shares[1..]) {
            finger.abduction = mix(finger.abduction, closed.abduction, *share);
            finger.mpj = mix(finger.mpj, closed.mpj, *share);
            finger.pij = mix(finger.pij, closed.pij, *share);
            finger.dij = mix(finger.dij, closed.dij, *share);
        }
        angles
    }

    /// The same within what joints can do.
    pub fn natural_angles(&self, shares: &[f64; 5]) -> JointAngles {
        JointLimits::Soft.apply(self.angles(shares))
    }
}

/// Where the demonstration's wrist is when a hand of this side has the cube between its fingers. A left hand
/// comes from the other side.
pub fn demonstrated_wrist(side: Side) -> Isometry3<f64> {
    let state = named(&Motion::grasp_and_squeeze(), "at the object");
    let tracker = *Profile::uncalibrated(side).tracker();
    let right = tracker.world_from_wrist(&source_from_sensor(&state));
    match side {
        Side::Right => right,
        Side::Left => mirrored(&right),
    }
}

/// What the tracker sees of an emulated hand.
pub fn source_from_sensor(state: &HandState) -> Isometry3<f64> {
    let [w, i, j, k] = state.receiver_quaternion;
    Isometry3::from_parts(
        Translation3::from(Vector3::from(state.receiver_position_cm) * 0.01),
        UnitQuaternion::from_quaternion(Quaternion::new(w, i, j, k)),
    )
}

/// The angles of an emulated hand.
fn angles(state: &HandState) -> JointAngles {
    JointAngles::from_sensors(&state.angles_deg.map(f64::to_radians))
}

fn named(motion: &Motion, name: &str) -> HandState {
    let found = motion.keyframes().iter().find(|keyframe| keyframe.name == name);
    found.expect("the demonstration has this keyframe").state
}

/// As seen in a mirror that stands upright between left and right.
fn mirrored(pose: &Isometry3<f64>) -> Isometry3<f64> {
    let (t, q) = (pose.translation.vector, pose.rotation);
    let turn = UnitQuaternion::from_quaternion(Quaternion::new(q.w, q.i, -q.j, -q.k));
    Isometry3::from_parts(Translation3::new(-t.x, t.y, t.z), turn)
}

/// The middle of what such a hand takes, as seen from its wrist.
pub fn grip_in_wrist(side: Side) -> Point3<f64> {
    demonstrated_wrist(side).inverse_transform_point(&Point3::from(DEMONSTRATED_MIDDLE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hand::Hand;
    use calibration::HandPose;

    fn hand(side: Side, share: f64) -> Hand {
        let angles = Posture::demonstrated().natural_angles(&[share; 5]);
        let pose = HandPose { angles, world_from_wrist: demonstrated_wrist(side) };
        Hand::new(&Profile::uncalibrated(side), &pose)
    }

    #[test]
    fn closing_brings_all_fingertips_nearer_to_the_middle_of_the_grip() {
        let middle = Point3::from(DEMONSTRATED_MIDDLE);
        for side in [Side::Right, Side::Left] {
            let apart =
                |share: f64| hand(side, share).fingertips.map(|tip| (tip.centre - middle).norm());
            let distances = [0.0, 0.5, 1.0, 1.5].map(apart);
            for pair in distances.windows(2) {
                for (before, after) in pair[0].iter().zip(&pair[1]) {
                    assert!(after < before, "{distances:?}");
                }
            }
        }
    }

    #[test]
    fn a_left_hand_is_the_mirror_image_of_the_right_one() {
        let (left, right) = (hand(Side::Left, 0.7), hand(Side::Right, 0.7));
        for (left, right) in left.fingertips.iter().zip(&right.fingertips) {
            let mirrored = Point3::new(-right.centre.x, right.centre.y, right.centre.z);
            assert!((left.centre - mirrored).norm() < 1e-9);
        }
    }
}
