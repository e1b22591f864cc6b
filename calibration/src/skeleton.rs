//! Bone lengths of a hand and forward kinematics: joint angles to joint centres.
//!
//! Lengths are shares of hand length and breadth (\[Hand\]), radii are half the thickness of a
//! finger. Lengths in m, angles in radians, points in the wrist's frame.

pub mod size;

use drivers::Side;
use nalgebra::{Isometry3, Point3, Quaternion, Rotation3, Translation3, UnitQuaternion, Vector3};

use crate::joints::{Finger, FingerAngles, JointAngles, ThumbAngles};

pub use size::{HandSize, SizeError};

/// The dimensions of one hand.
#[derive(Debug, Clone, PartialEq)]
pub struct Skeleton {
    hand: Side,
    /// Start of each metacarpal, in the palm's frame of a right hand.
    metacarpal_starts: [Point3<f64>; 5],
    /// Vectors from there to the knuckles of index, middle, ring and pinkie, with all angles zero.
    /// The thumb's metacarpal is its first segment.
    metacarpals: [Vector3<f64>; 4],
    /// Three segments of each digit: metacarpal, proximal and distal of the thumb; proximal, middle
    /// and distal of the others.
    lengths: [[f64; 3]; 5],
    /// Radii of these segments.
    radii: [[f64; 3]; 5],
    palm_radius: f64,
}

/// Joint centres of one digit, from its base to the end of its tip, and the radii of its segments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FingerBones {
    pub joints: [Point3<f64>; 4],
    pub radii: [f64; 3],
}

/// Joint centres of a hand.
#[derive(Debug, Clone, PartialEq)]
pub struct HandBones {
    /// Thumb first.
    pub fingers: [FingerBones; 5],
    /// Corners of the palm in order round it: thumb's base, the four knuckles, the outer wrist.
    pub palm_outline: [Point3<f64>; 6],
    pub palm_radius: f64,
    /// Turn of the palm about the wrist; held objects turn with it.
    pub wrist_from_palm: UnitQuaternion<f64>,
}

impl Skeleton {
    /// A hand of the given length (wrist crease to middle fingertip) and breadth (across the
    /// knuckles).
    pub fn scaled(hand: Side, length: f64, breadth: f64) -> Self {
        // Sideways is towards the thumb, that is -x on a right hand; forward is -z.
        let at =
            |sideways: f64, forward: f64| Vector3::new(-sideways * breadth, 0.0, -forward * length);
        let starts = [0.196, 0.126, 0.0, -0.129, -0.223];
        let metacarpals = [at(0.126, 0.374), at(0.0, 0.373), at(-0.077, 0.336), at(-0.179, 0.295)];
        let lengths = [
            [0.251, 0.196, 0.158],
            [0.265, 0.143, 0.097],
            [0.277, 0.170, 0.108],
            [0.259, 0.165, 0.107],
            [0.206, 0.117, 0.093],
        ];
        // In millimetres, for a hand 185 mm long.
        let radii =
            [[9.7, 9.7, 9.0], [9.7, 8.4, 7.5], [9.2, 8.4, 7.6], [8.6, 7.7, 7.1], [7.8, 7.0, 6.3]];
        let radius = |mm: f64| mm / 185.0 * length;
        Self {
            hand,
            metacarpal_starts: starts.map(|sideways| at(sideways, 0.073).into()),
            metacarpals,
            lengths: lengths.map(|digit| digit.map(|share| share * length)),
            radii: radii.map(|digit| digit.map(radius)),
            palm_radius: radius(12.0),
        }
    }

    /// A hand of this size, with the segments that were measured.
    pub fn of_size(hand: Side, size: &HandSize) -> Self {
        let mut skeleton = Self::scaled(hand, size.length, size.breadth);
        let measured = size.segments.iter().flatten();
        for (length, measured) in skeleton.lengths.iter_mut().flatten().zip(measured) {
            *length = measured.unwrap_or(*length);
        }
        let measured = size.radii.iter().flatten();
        for (radius, measured) in skeleton.radii.iter_mut().flatten().zip(measured) {
            *radius = measured.unwrap_or(*radius);
        }
        skeleton
    }

    /// All lengths in which two hands can differ: of segments, their radii, and the positions of
    /// knuckles.
    fn dimensions(&self) -> [f64; 30 + 12] {
        let mut all = [0.0; 30 + 12];
        let numbers = self.lengths.iter().chain(&self.radii).flatten().copied();
        let knuckles = self.metacarpals.iter().flat_map(|to| [to.x, to.y, to.z]);
        all.iter_mut().zip(numbers.chain(knuckles)).for_each(|(slot, number)| *slot = number);
        all
    }

    /// Joint centres in the wrist's frame.
    pub fn bones(&self, angles: &JointAngles) -> HandBones {
        let wrist_from_palm = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), angles.wrist_yaw)
            * flexion(angles.wrist_pitch);
        let place = |p: Point3<f64>| self.mirrored(wrist_from_palm * p);
        let fingers = Finger::ALL.map(|finger| {
            let joints = match finger {
                Finger::Thumb => self.thumb(&angles.thumb),
                long => self.long_finger(long, &angles.fingers[long.index() - 1], angles.palm_arch),
            };
            FingerBones { joints: joints.map(place), radii: self.radii[finger.index()] }
        });
        let thumb_base = place(self.metacarpal_starts[0]);
        let outer_wrist = place(self.metacarpal_starts[Finger::Pinkie.index()]);
        let knuckle = |finger: Finger| fingers[finger.index()].joints[0];
        HandBones {
            fingers,
            palm_outline: [
                thumb_base,
                knuckle(Finger::Index),
                knuckle(Finger::Middle),
                knuckle(Finger::Ring),
                knuckle(Finger::Pinkie),
                outer_wrist,
            ],
            palm_radius: self.palm_radius,
            wrist_from_palm: match self.hand {
                Side::Right => wrist_from_palm,
                // Mirrored in x, a turn about y or z changes its sign.
                Side::Left => UnitQuaternion::new_unchecked(Quaternion::new(
                    wrist_from_palm.w,
                    wrist_from_palm.i,
                    -wrist_from_palm.j,
                    -wrist_from_palm.k,
                )),
            },
        }
    }

    /// Knuckle, middle joint, end joint and tip, in the palm's frame of a right hand.
    fn long_finger(&self, finger: Finger, angles: &FingerAngles, arch: f64) -> [Point3<f64>; 4] {
        let i = finger.index();
        let arch = match finger {
            Finger::Pinkie => arch,
            Finger::Ring => 0.5 * arch,
            Finger::Thumb | Finger::Index | Finger::Middle => 0.0,
        };
        // Away from the middle finger: towards the thumb for the index, the other way for ring and
        // pinkie.
        let outward = match finger {
            Finger::Index => angles.abduction,
            Finger::Ring | Finger::Pinkie => -angles.abduction,
            Finger::Thumb | Finger::Middle => 0.0,
        };
        let knuckle = Isometry3::from(self.metacarpal_starts[i].coords)
            * flexion(arch)
            * Translation3::from(self.metacarpals[i - 1])
            * UnitQuaternion::from_axis_angle(&Vector3::y_axis(), outward);
        chain(knuckle, [angles.mpj, angles.pij, angles.dij].map(flexion), self.lengths[i])
    }

    /// Base, MPJ, IJ and tip. The thumb bends about its axis of abduction, a quarter turn from that
    /// of the fingers, so that in opposition bending brings it towards them.
    fn thumb(&self, angles: &ThumbAngles) -> [Point3<f64>; 4] {
        let bend = |angle: f64| UnitQuaternion::from_axis_angle(&Vector3::y_axis(), -angle);
        let base = Isometry3::from(self.metacarpal_starts[0].coords)
            * UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angles.roll);
        chain(base, [bend(-angles.abduction), bend(angles.mpj), bend(angles.ij)], self.lengths[0])
    }

    /// Mirrors a point for a left hand.
    fn mirrored(&self, p: Point3<f64>) -> Point3<f64> {
        match self.hand {
            Side::Right => p,
            Side::Left => Point3::new(-p.x, p.y, p.z),
        }
    }
}

/// Rotation towards the palm.
fn flexion(angle: f64) -> UnitQuaternion<f64> {
    Rotation3::from_axis_angle(&Vector3::x_axis(), -angle).into()
}

/// Ends of segments along -z, each turned relative to the one before.
fn chain(
    start: Isometry3<f64>,
    turns: [UnitQuaternion<f64>; 3],
    lengths: [f64; 3],
) -> [Point3<f64>; 4] {
    let mut frame = start;
    let mut joints = [Point3::from(frame.translation.vector); 4];
    for i in 0..3 {
        frame = frame * turns[i] * Translation3::new(0.0, 0.0, -lengths[i]);
        joints[i + 1] = Point3::from(frame.translation.vector);
    }
    joints
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::FRAC_PI_2;

    fn right() -> Skeleton {
        Skeleton::scaled(Side::Right, 0.185, 0.085)
    }

    #[test]
    fn a_flat_middle_finger_ends_one_hand_length_from_the_wrist() {
        let bones = right().bones(&JointAngles::default());
        let tip = bones.fingers[Finger::Middle.index()].joints[3];
        assert!((tip - Point3::new(0.0, 0.0, -0.185)).norm() < 0.0005, "{tip}");
    }

    #[test]
    fn a_measured_segment_replaces_its_share_of_the_length() {
        let mut size = HandSize::default();
        size.segments[Finger::Ring.index()][1] = Some(0.04);
        let measured = Skeleton::of_size(Side::Right, &size);
        let mut want = right();
        want.lengths[Finger::Ring.index()][1] = 0.04;
        assert_eq!(measured, want);
    }

    #[test]
    fn segments_keep_their_lengths_whatever_the_angles() {
        let skeleton = right();
        let finger = FingerAngles { abduction: 0.2, mpj: 1.0, pij: 0.7, dij: 0.4 };
        let thumb = ThumbAngles { roll: 1.0, abduction: 0.6, mpj: 0.3, ij: 0.5 };
        let angles = JointAngles {
            thumb,
            fingers: [finger; 4],
            palm_arch: 0.3,
            wrist_pitch: 0.4,
            wrist_yaw: -0.2,
        };
        let bones = skeleton.bones(&angles);
        for finger in Finger::ALL {
            for (i, pair) in bones.fingers[finger.index()].joints.windows(2).enumerate() {
                let length = (pair[1] - pair[0]).norm();
                assert!((length - skeleton.lengths[finger.index()][i]).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn fingers_bend_towards_the_palm_and_the_thumb_swings_under_it() {
        let mut angles = JointAngles::default();
        angles.fingers[0].mpj = FRAC_PI_2;
        angles.thumb = ThumbAngles { roll: FRAC_PI_2, abduction: 0.8, ..Default::default() };
        let bones = right().bones(&angles);
        let [knuckle, .., tip] = bones.fingers[Finger::Index.index()].joints;
        assert!((tip - knuckle).y < -0.09 && (tip - knuckle).z.abs() < 1e-9);
        let [base, .., tip] = bones.fingers[Finger::Thumb.index()].joints;
        assert!((tip - base).y < -0.07 && (tip - base).x.abs() < 1e-9);
        // Bending then brings the thumb forward, towards the fingers.
        angles.thumb.mpj = 0.5;
        let bent = right().bones(&angles).fingers[Finger::Thumb.index()].joints[3];
        assert!(bent.z < tip.z - 0.015);
    }

    #[test]
    fn abduction_spreads_the_fingers_on_both_sides_of_the_middle_one() {
        let mut angles = JointAngles::default();
        for finger in &mut angles.fingers {
            finger.abduction = 0.2;
        }
        let flat = right().bones(&JointAngles::default());
        let spread = right().bones(&angles);
        let shift =
            |f: Finger| spread.fingers[f.index()].joints[3].x - flat.fingers[f.index()].joints[3].x;
        assert!(shift(Finger::Index) < -0.01);
        assert!(shift(Finger::Middle).abs() < 1e-12);
        assert!(shift(Finger::Ring) > 0.01 && shift(Finger::Pinkie) > 0.01);
    }

    #[test]
    fn a_left_hand_is_the_mirror_image() {
        let mut angles = JointAngles { wrist_yaw: 0.2, ..Default::default() };
        angles.thumb.abduction = 0.7;
        let (right, left) =
            (right().bones(&angles), Skeleton::scaled(Side::Left, 0.185, 0.085).bones(&angles));
        for (r, l) in right.fingers.iter().zip(&left.fingers) {
            for (a, b) in r.joints.iter().zip(&l.joints) {
                assert!((Point3::new(-a.x, a.y, a.z) - b).norm() < 1e-15);
            }
        }
        let ahead = -Vector3::z();
        let (r, l) = (right.wrist_from_palm * ahead, left.wrist_from_palm * ahead);
        assert!((Vector3::new(-r.x, r.y, r.z) - l).norm() < 1e-15);
    }
}
