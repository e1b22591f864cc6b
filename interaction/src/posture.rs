//! Hand poses between wide open and a fist round a small thing, with one number for each finger.

use calibration::{Finger, FingerAngles, JointAngles, JointLimits, ThumbAngles};
use drivers::Side;
use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion};

/// A way to close a hand. A finger at 0 is open, a finger at 1 presses a cube of 6 cm; larger
/// numbers continue in the same way.
#[derive(Debug, Clone)]
pub struct Posture {
    open: JointAngles,
    closed: JointAngles,
}

/// Number of a finger that is fully closed; 0 is open and 1 presses a cube of 6 cm.
pub const FULLY_CLOSED: f64 = 2.5;

/// World position, in metres, of the middle of the cube to which the postures are fitted: it stands
/// in the middle of the scene.
pub const CUBE_MIDDLE: [f64; 3] = [0.0, 0.03, 0.0];

/// Angles of a hand about to take the cube, in radians: its fingertips are 2 cm clear of it.
const OPEN: JointAngles = JointAngles {
    thumb: ThumbAngles {
        roll: 1.7313666179783749,
        abduction: 0.9948376736367679,
        mpj: -0.2007128639793479,
        ij: -0.2129301687433082,
    },
    fingers: [
        finger(-0.12566370614359174, [0.18500490071139894, 0.7068583470577035, 0.3892084231947355]),
        finger(0.0, [0.07330382858376185, 0.9093165402890457, 0.4991641660703783]),
        finger(
            -0.07330382858376185,
            [0.06981317007977318, 0.7539822368615504, 0.41364303272265607],
        ),
        finger(
            -0.14311699866353503,
            [-0.059341194567807204, 0.582939970166106, 0.32114058236695664],
        ),
    ],
    palm_arch: 0.0,
    wrist_pitch: 0.0,
    wrist_yaw: 0.0,
};

/// Angles of a hand that presses the cube with all five fingertips, about 1 cm into its skin, in
/// radians.
const PRESSING: JointAngles = JointAngles {
    thumb: ThumbAngles {
        roll: 1.7732545200262386,
        abduction: 0.9948376736367679,
        mpj: -0.1361356816555577,
        ij: 0.7330382858376184,
    },
    fingers: [
        finger(-0.1466076571675237, [0.46600291028248597, 0.8185594191853406, 0.45029494701453704]),
        finger(0.0, [0.36826447217080355, 0.9983283321407566, 0.5480333851262195]),
        finger(
            -0.09948376736367678,
            [0.33510321638291124, 0.8761552845011534, 0.48171087355043496],
        ),
        finger(-0.1902408884673819, [0.15707963267948966, 0.9320058205649719, 0.5131268000863328]),
    ],
    palm_arch: 0.0,
    wrist_pitch: 0.0,
    wrist_yaw: 0.0,
};

/// Position of the wrist of a right hand that has the cube between its fingers: world, metres.
const WRIST_PLACE: [f64; 3] = [0.041684473059448515, 0.14281400298087674, 0.006099999999999994];
/// Orientation of the same wrist: a unit quaternion, scalar first.
const WRIST_TURN: [f64; 4] =
    [0.671621145244133, -0.2211900478343437, 0.671621145244133, 0.2211900478343437];

/// A finger's angles, from the palm outward.
const fn finger(abduction: f64, [mpj, pij, dij]: [f64; 3]) -> FingerAngles {
    FingerAngles { abduction, mpj, pij, dij }
}

impl Posture {
    /// The posture of a hand that takes a cube of 6 cm.
    pub fn grasping() -> Self {
        Self { open: OPEN, closed: PRESSING }
    }

    /// Joint angles with each finger closed by its number in `shares`.
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

    /// Same as [`angles`](Self::angles), limited to what joints can do.
    pub fn natural_angles(&self, shares: &[f64; 5]) -> JointAngles {
        JointLimits::Soft.apply(self.angles(shares))
    }
}

/// Pose of the wrist of a hand of this side that has the cube between its fingers. A left hand
/// comes from the other side.
pub fn grasping_wrist(side: Side) -> Isometry3<f64> {
    let [w, i, j, k] = WRIST_TURN;
    // The quaternion of the constant has length 1 up to rounding.
    let turn = UnitQuaternion::new_unchecked(Quaternion::new(w, i, j, k));
    let right = Isometry3::from_parts(Translation3::from(WRIST_PLACE), turn);
    match side {
        Side::Right => right,
        Side::Left => mirrored(&right),
    }
}

/// Mirror image of a pose; the mirror stands upright between left and right.
fn mirrored(pose: &Isometry3<f64>) -> Isometry3<f64> {
    let (t, q) = (pose.translation.vector, pose.rotation);
    let turn = UnitQuaternion::from_quaternion(Quaternion::new(q.w, q.i, -q.j, -q.k));
    Isometry3::from_parts(Translation3::new(-t.x, t.y, t.z), turn)
}

/// Middle of the grasped cube in the frame of the wrist.
pub fn grip_in_wrist(side: Side) -> Point3<f64> {
    grasping_wrist(side).inverse_transform_point(&Point3::from(CUBE_MIDDLE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hand::Hand;
    use calibration::{HandPose, Profile};
    use drivers::Sensor;
    use emulators::{HandState, Motion};
    use nalgebra::Vector3;

    fn hand(side: Side, share: f64) -> Hand {
        let angles = Posture::grasping().natural_angles(&[share; 5]);
        let pose = HandPose { angles, world_from_wrist: grasping_wrist(side) };
        Hand::new(&Profile::uncalibrated(side), &pose)
    }

    fn keyframe(name: &str) -> HandState {
        let motion = Motion::grasp_and_squeeze();
        motion.keyframes().iter().find(|keyframe| keyframe.name == name).unwrap().state
    }

    #[test]
    fn fingers_close_as_those_of_the_emulated_demonstration_do() {
        let angles =
            |name: &str| JointAngles::from_sensors(&keyframe(name).angles_deg.map(f64::to_radians));
        let posture = Posture::grasping();
        for (share, name) in [(0.0, "waiting"), (1.0, "squeezed")] {
            let ours = posture.angles(&[share; 5]);
            let expected = angles(name);
            for sensor in Sensor::ALL {
                match (ours.measured_by(sensor), expected.measured_by(sensor)) {
                    (Some(ours), Some(expected)) => {
                        assert!((ours - expected).abs() < 1e-12, "{name}, {sensor:?}");
                    }
                    (ours, expected) => assert_eq!(ours, expected, "{name}, {sensor:?}"),
                }
            }
        }
    }

    #[test]
    fn the_wrist_is_where_that_of_the_emulated_demonstration_is() {
        let state = keyframe("at the object");
        let [w, i, j, k] = state.receiver_quaternion;
        let source_from_sensor = Isometry3::from_parts(
            Translation3::from(Vector3::from(state.receiver_position_cm) * 0.01),
            UnitQuaternion::from_quaternion(Quaternion::new(w, i, j, k)),
        );
        let tracker = *Profile::uncalibrated(Side::Right).tracker();
        let expected = tracker.world_from_wrist(&source_from_sensor);
        let ours = grasping_wrist(Side::Right);
        assert!((ours.translation.vector - expected.translation.vector).norm() < 1e-12);
        assert!((ours.rotation.coords - expected.rotation.coords).norm() < 1e-12);
        assert!((ours.rotation.coords.norm() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn closing_brings_all_fingertips_nearer_to_the_middle_of_the_grip() {
        let middle = Point3::from(CUBE_MIDDLE);
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
