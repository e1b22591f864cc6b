//! Conversion between the 26 OpenXR hand joints and the joint angles of a glove.
//!
//! OpenXR (XR_EXT_hand_tracking) puts a frame at the root of every bone: -z along the bone, y out
//! of the back of the hand, x to the right. Our wrist frame has the same axes, so both wrists
//! agree. All formulas are in that frame; a left hand is mirrored (x to -x). With `R(bone)` a
//! bone's rotation and the turns of `calibration::Skeleton` (`Rx(-a)` bends towards the palm by
//! `a`, `Ry` turns sideways, `Rz` rolls):
//!
//! | joint | from angles to joints | from joints to angles |
//! |---|---|---|
//! | wrist | no pitch, no yaw: a headset does not see the forearm | both 0 |
//! | pinkie's metacarpal | `Rx(-arch)`; half of it for the ring's | `arch = bend(R(metacarpal))` |
//! | long finger | `R(proximal) = Rx(-arch) Ry(s) Rx(-mpj)`, `s` = abduction, outward from the middle finger | with `Q = Rx(arch) R(proximal)`: `s = atan2(-Q_zx, Q_xx)` (where its x axis points), `mpj = bend(Ry(-s) Q)` |
//! | | `R(intermediate) = R(proximal) Rx(-pij)` | `pij = bend(R(proximal)' R(intermediate))` |
//! | | `R(distal) = R(intermediate) Rx(-dij)` | `dij = bend(R(intermediate)' R(distal))` |
//! | thumb | `R(metacarpal) = Rz(roll) Ry(abduction) Rz(90°)` | with `d` the bone's direction: `abduction = acos(-d_z)`, `roll = atan2(-d_y, -d_x)` |
//! | | `R(proximal) = R(metacarpal) Rx(-mpj)`, `R(distal) = R(proximal) Rx(-ij)` | `mpj`, `ij` as for `pij` |
//!
//! `bend(R) = atan2(-d_y, -d_z)` for the direction `d = R (0, 0, -1)`. The thumb needs the quarter
//! turn because our thumb bends about its axis of abduction. Rotations that these angles cannot
//! express, such as a bone's twist, are lost; the middle finger has no abduction. Without
//! abduction, the thumb's direction does not determine its roll; the roll of its frame is used
//! then.
//!
//! The joints also give the size of the hand ([`bones`], `calibration::HandSize::seen`): the length
//! of a segment is the distance between its joints, and its radius is the mean of their radii. A
//! joint's radius is its distance from the skin, so the last segment ends one radius beyond the
//! joint at the tip, and the ball at its end lies around that joint.

use calibration::{Finger, FingerAngles, FingerBones, HandPose, JointAngles, ThumbAngles};
use drivers::Side;
use nalgebra::{Isometry3, Point3, Quaternion, UnitQuaternion, Vector3};

/// Indices of joints in OpenXR.
pub(super) const N_JOINTS: usize = 26;
pub(super) const WRIST: usize = 1;
/// Index of each finger's metacarpal; the outer bones follow it.
const ROOTS: [usize; 5] = [2, 6, 11, 16, 21];

/// Joints of a hand, all in the same frame.
pub(super) type Joints = [Isometry3<f64>; N_JOINTS];

/// Returns the hand pose of these joints, which are in the world frame.
pub(super) fn hand_pose(side: Side, joints: &Joints) -> HandPose {
    let world_from_wrist = joints[WRIST];
    let turn = |joint: usize| {
        mirrored(side, &(world_from_wrist.rotation.inverse() * joints[joint].rotation))
    };
    let [thumb, .., pinkie] = ROOTS;
    let palm_arch = bend(&turn(pinkie));
    let mut fingers = [FingerAngles::default(); 4];
    for finger in Finger::ALL.into_iter().skip(1) {
        let root = ROOTS[finger.index()];
        let [proximal, intermediate, distal] = [1, 2, 3].map(|bone| turn(root + bone));
        fingers[finger.index() - 1] =
            long_finger(finger, palm_arch, &proximal, &intermediate, &distal);
    }
    let [metacarpal, proximal, distal] = [0, 1, 2].map(|bone| turn(thumb + bone));
    let angles = JointAngles {
        thumb: thumb_angles(&metacarpal, &proximal, &distal),
        fingers,
        palm_arch,
        wrist_pitch: 0.0,
        wrist_yaw: 0.0,
    };
    HandPose { angles, world_from_wrist }
}

/// Returns the bones between these joints, in the wrist's frame.
pub(super) fn bones(joints: &Joints, radii: &[f64; N_JOINTS]) -> [FingerBones; 5] {
    let wrist_from_world = joints[WRIST].inverse();
    Finger::ALL.map(|finger| {
        let root = ROOTS[finger.index()];
        // The thumb's metacarpal is its first segment; the other metacarpals belong to the palm.
        let first = if finger == Finger::Thumb { root } else { root + 1 };
        let mut points = [0, 1, 2, 3]
            .map(|bone| wrist_from_world * Point3::from(joints[first + bone].translation.vector));
        let tip = radii[first + 3];
        if let Some(along) = (points[3] - points[2]).try_normalize(1e-6) {
            points[3] += along * tip;
        }
        let mean = |bone: usize| (radii[first + bone] + radii[first + bone + 1]) / 2.0;
        FingerBones { joints: points, radii: [mean(0), mean(1), tip] }
    })
}

fn long_finger(
    finger: Finger,
    palm_arch: f64,
    proximal: &UnitQuaternion<f64>,
    intermediate: &UnitQuaternion<f64>,
    distal: &UnitQuaternion<f64>,
) -> FingerAngles {
    let (arch, outward) = share_of(finger);
    let from_knuckle = flexion(arch * palm_arch).inverse() * proximal;
    let across = from_knuckle * Vector3::x();
    let sideways = if outward == 0.0 { 0.0 } else { (-across.z).atan2(across.x) };
    FingerAngles {
        abduction: outward * sideways,
        mpj: bend(&(about_y(-sideways) * from_knuckle)),
        pij: bend(&(proximal.inverse() * intermediate)),
        dij: bend(&(intermediate.inverse() * distal)),
    }
}

fn thumb_angles(
    metacarpal: &UnitQuaternion<f64>,
    proximal: &UnitQuaternion<f64>,
    distal: &UnitQuaternion<f64>,
) -> ThumbAngles {
    /// Sine of the abduction below which the direction does not determine the roll.
    const LEAST: f64 = 0.02;
    let along = metacarpal * -Vector3::z();
    let roll = match along.xy().norm() > LEAST {
        true => (-along.y).atan2(-along.x),
        false => {
            let across = metacarpal * Vector3::x();
            (-across.x).atan2(across.y)
        }
    };
    ThumbAngles {
        roll,
        abduction: (-along.z).clamp(-1.0, 1.0).acos(),
        mpj: bend(&(metacarpal.inverse() * proximal)),
        ij: bend(&(proximal.inverse() * distal)),
    }
}

/// Returns a finger's share of the palm's arch, and its outward direction: 1 is towards the thumb.
fn share_of(finger: Finger) -> (f64, f64) {
    match finger {
        Finger::Thumb => (0.0, 0.0),
        Finger::Index => (0.0, 1.0),
        Finger::Middle => (0.0, 0.0),
        Finger::Ring => (0.5, -1.0),
        Finger::Pinkie => (1.0, -1.0),
    }
}

/// Returns the angle by which a rotation bends towards the palm.
fn bend(turn: &UnitQuaternion<f64>) -> f64 {
    let along = turn * -Vector3::z();
    (-along.y).atan2(-along.z)
}

fn flexion(angle: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_axis_angle(&Vector3::x_axis(), -angle)
}

fn about_y(angle: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_axis_angle(&Vector3::y_axis(), angle)
}

/// Mirrors a rotation of a left hand to a right hand, or back.
fn mirrored(side: Side, turn: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
    match side {
        Side::Right => *turn,
        Side::Left => {
            UnitQuaternion::new_unchecked(Quaternion::new(turn.w, turn.i, -turn.j, -turn.k))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use calibration::{HandSize, Profile};
    use nalgebra::Translation3;
    use proptest::prelude::*;

    use super::*;

    /// Returns the joints, in the world frame, of a hand with this pose and these bones. Pitch and
    /// yaw rotate the frame that a headset takes for the wrist.
    fn joints(side: Side, pose: &HandPose, profile: &Profile) -> Joints {
        let angles = &pose.angles;
        let bones = profile.bones(angles);
        let world_from_wrist = pose.world_from_wrist
            * Isometry3::from_parts(Translation3::identity(), bones.wrist_from_palm);
        let mut joints = [world_from_wrist; N_JOINTS];
        let mut place = |joint: usize, at: nalgebra::Point3<f64>, turn: UnitQuaternion<f64>| {
            let at = pose.world_from_wrist * at;
            let turn = world_from_wrist.rotation * mirrored(side, &turn);
            joints[joint] = Isometry3::from_parts(Translation3::from(at.coords), turn);
        };
        for finger in Finger::ALL {
            let i = finger.index();
            let points = bones.fingers[i].joints;
            if finger == Finger::Thumb {
                let ThumbAngles { roll, abduction, mpj, ij } = angles.thumb;
                let metacarpal = about_z(roll) * about_y(abduction) * about_z(FRAC_PI_2);
                let proximal = metacarpal * flexion(mpj);
                let distal = proximal * flexion(ij);
                for (bone, turn) in [metacarpal, proximal, distal, distal].into_iter().enumerate() {
                    place(ROOTS[i] + bone, points[bone], turn);
                }
                continue;
            }
            let FingerAngles { abduction, mpj, pij, dij } = angles.fingers[i - 1];
            let (arch, outward) = share_of(finger);
            let metacarpal = flexion(arch * angles.palm_arch);
            let proximal = metacarpal * about_y(outward * abduction) * flexion(mpj);
            let intermediate = proximal * flexion(pij);
            let distal = intermediate * flexion(dij);
            // The skeleton gives the knuckle's position; the root of the metacarpal is not used.
            place(ROOTS[i], points[0], metacarpal);
            for (bone, turn) in [proximal, intermediate, distal, distal].into_iter().enumerate() {
                place(ROOTS[i] + 1 + bone, points[bone], turn);
            }
        }
        joints
    }

    fn about_z(angle: f64) -> UnitQuaternion<f64> {
        UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle)
    }

    fn angles() -> impl Strategy<Value = JointAngles> {
        let finger = (-0.3..0.5, -0.4..1.8, 0.0..1.9, 0.0..1.6)
            .prop_map(|(abduction, mpj, pij, dij)| FingerAngles { abduction, mpj, pij, dij });
        let thumb = (-1.0..2.0, 0.1..1.5, -0.3..1.2, -0.3..1.4)
            .prop_map(|(roll, abduction, mpj, ij)| ThumbAngles { roll, abduction, mpj, ij });
        (thumb, proptest::array::uniform4(finger), 0.0..0.5).prop_map(
            |(thumb, mut fingers, palm_arch)| {
                fingers[1].abduction = 0.0;
                JointAngles { thumb, fingers, palm_arch, wrist_pitch: 0.0, wrist_yaw: 0.0 }
            },
        )
    }

    fn all(angles: &JointAngles) -> Vec<f64> {
        let thumb = angles.thumb;
        let fingers = angles.fingers.iter().flat_map(|f| [f.abduction, f.mpj, f.pij, f.dij]);
        [thumb.roll, thumb.abduction, thumb.mpj, thumb.ij, angles.palm_arch]
            .into_iter()
            .chain(fingers)
            .collect()
    }

    proptest! {
        #[test]
        fn angles_come_back_from_the_joints_of_either_hand(
            angles in angles(), is_left: bool,
            place in proptest::array::uniform3(-1.0..1.0), turn in proptest::array::uniform3(-2.0..2.0),
        ) {
            let side = if is_left { Side::Left } else { Side::Right };
            let world_from_wrist = Isometry3::new(Vector3::from(place), Vector3::from(turn));
            let pose = HandPose { angles, world_from_wrist };
            let found = hand_pose(side, &joints(side, &pose, &Profile::uncalibrated(side)));
            for (found, given) in all(&found.angles).into_iter().zip(all(&angles)) {
                prop_assert!((found - given).abs() < 1e-9, "{found} instead of {given}");
            }
            prop_assert!((found.world_from_wrist.translation.vector - Vector3::from(place)).norm() < 1e-9);
            prop_assert!(found.world_from_wrist.rotation.angle_to(&world_from_wrist.rotation) < 1e-7);
        }

        /// The frames agree with the bones: each joint lies along the bone before it.
        #[test]
        fn joints_lie_along_their_bones(angles in angles(), is_left: bool) {
            let side = if is_left { Side::Left } else { Side::Right };
            let pose = HandPose { angles, world_from_wrist: Isometry3::identity() };
            let joints = joints(side, &pose, &Profile::uncalibrated(side));
            for (finger, root) in ROOTS.into_iter().enumerate() {
                let first = if finger == 0 { root } else { root + 1 };
                for bone in first..first + 3 {
                    let along = joints[bone + 1].translation.vector - joints[bone].translation.vector;
                    let ahead = joints[bone].rotation * -Vector3::z();
                    prop_assert!(along.angle(&ahead) < 1e-6, "bone {bone} of {side:?}");
                }
            }
        }
    }

    #[test]
    fn the_joints_of_a_hand_give_its_size() {
        const RADIUS: f64 = 0.008;
        for side in [Side::Left, Side::Right] {
            let mut size = HandSize::scaled(0.172, 0.08);
            size.radii = [[Some(RADIUS); 3]; 5];
            size.segments[3][1] = Some(0.031);
            let profile = Profile::uncalibrated(side).with_size(size);
            let finger = FingerAngles { abduction: 0.0, mpj: 0.8, pij: 0.6, dij: 0.3 };
            let angles = JointAngles { fingers: [finger; 4], ..JointAngles::default() };
            let world_from_wrist = Isometry3::new(Vector3::new(0.1, 1.0, -0.3), Vector3::y() * 2.0);
            let mut joints = joints(side, &HandPose { angles, world_from_wrist }, &profile);
            for tip in [5, 10, 15, 20, 25] {
                // A joint lies within the flesh, not on its end.
                joints[tip] *= Translation3::new(0.0, 0.0, RADIUS);
            }
            let seen = HandSize::seen(&bones(&joints, &[RADIUS; N_JOINTS])).unwrap();
            assert!(seen.distance(&size) < 1e-9, "{seen:?}");
        }
    }

    #[test]
    fn a_thumb_that_does_not_abduct_still_has_a_roll() {
        let thumb = ThumbAngles { roll: 0.7, abduction: 0.0, mpj: 0.4, ij: 0.2 };
        let angles = JointAngles { thumb, ..JointAngles::default() };
        let pose = HandPose { angles, world_from_wrist: Isometry3::identity() };
        let found = hand_pose(
            Side::Right,
            &joints(Side::Right, &pose, &Profile::uncalibrated(Side::Right)),
        );
        assert!((found.angles.thumb.roll - 0.7).abs() < 1e-9, "{:?}", found.angles.thumb);
        assert!((found.angles.thumb.mpj - 0.4).abs() < 1e-9);
    }
}
