//! One person's calibration: what turns a pair of device samples into a hand in the world.

use drivers::{Hand, OpenGloveSample, Sensor, SensorCounts};
use nalgebra::{Isometry3, Matrix3, Rotation3, Translation3, UnitQuaternion, Vector3};

use crate::curls;
use crate::joints::{FingerAngles, JointAngles, ThumbAngles};
use crate::sensor_map::SensorMap;
use crate::skeleton::{HandBones, Skeleton};

/// Everything that is known about one person's hand in one glove.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// One map per sensor, in the order of the mask's bits.
    sensors: [SensorMap; Sensor::ALL.len()],
    skeleton: Skeleton,
    world_from_source: Isometry3<f64>,
    sensor_from_wrist: Isometry3<f64>,
}

/// What a glove says about the fingers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum GloveData {
    /// A count per sensor, which the profile makes angles of.
    Counts(SensorCounts),
    /// Shares of each finger's bend, from a glove that calibrates itself.
    Curls(OpenGloveSample),
}

/// A hand somewhere in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HandPose {
    pub angles: JointAngles,
    pub world_from_wrist: Isometry3<f64>,
}

impl Profile {
    /// A hand of average size in a glove that nobody has calibrated. The tracker's transmitter stands on
    /// the desk, 30 cm nearer to the person than the middle of the scene, its x axis pointing away from
    /// the person, so that the hand stays in the half space that it can tell; the receiver sits on the
    /// back of the wrist.
    pub fn uncalibrated(hand: Hand) -> Self {
        Self {
            sensors: Sensor::ALL.map(SensorMap::default_for),
            skeleton: Skeleton::scaled(hand, 0.185, 0.085),
            world_from_source: Isometry3::from_parts(
                Translation3::new(0.0, 0.0, 0.3),
                ours_from_polhemus(),
            ),
            sensor_from_wrist: Isometry3::from_parts(
                // The receiver's z axis points down into the wrist.
                Translation3::new(0.0, 0.0, 0.02),
                ours_from_polhemus().inverse(),
            ),
        }
    }

    /// What a glove says and a tracker's pose to a hand in the world.
    pub fn hand_pose(&self, glove: &GloveData, source_from_sensor: &Isometry3<f64>) -> HandPose {
        HandPose {
            angles: match glove {
                GloveData::Counts(counts) => self.joint_angles(counts),
                GloveData::Curls(sample) => curls::joint_angles(sample),
            },
            world_from_wrist: self.world_from_source * source_from_sensor * self.sensor_from_wrist,
        }
    }

    /// Joint centres of a hand, in the wrist's frame.
    pub fn bones(&self, angles: &JointAngles) -> HandBones {
        self.skeleton.bones(angles)
    }

    /// Sensor by sensor; a joint without a sensor is estimated or zero.
    pub fn joint_angles(&self, counts: &SensorCounts) -> JointAngles {
        use Sensor::*;
        let angle = |sensor: Sensor| {
            counts.get(sensor).map(|count| self.sensors[sensor.bit()].angle(count))
        };
        let at = |sensor: Sensor| angle(sensor).unwrap_or(0.0);
        let finger = |mpj: Sensor, pij: Sensor, dij: Sensor, abduction: f64| {
            let pij = at(pij);
            FingerAngles {
                abduction,
                mpj: at(mpj),
                pij,
                dij: angle(dij).unwrap_or_else(|| end_joint_from_middle_joint(pij)),
            }
        };
        let ring_abduction = at(RingMiddleAbduction);
        JointAngles {
            thumb: ThumbAngles {
                roll: at(ThumbRoll),
                abduction: at(ThumbIndexAbduction),
                mpj: at(ThumbMpj),
                ij: at(ThumbIj),
            },
            fingers: [
                finger(IndexMpj, IndexPij, IndexDij, at(MiddleIndexAbduction)),
                finger(MiddleMpj, MiddlePij, MiddleDij, 0.0),
                finger(RingMpj, RingPij, RingDij, ring_abduction),
                // The sensor measures against the ring finger, which itself is spread.
                finger(PinkieMpj, PinkiePij, PinkieDij, ring_abduction + at(PinkieRingAbduction)),
            ],
            palm_arch: at(PalmArch),
            wrist_pitch: at(WristPitch),
            wrist_yaw: at(WristYaw),
        }
    }
}

/// The end joint follows the middle one; for gloves without a sensor there (the maker's own rule).
fn end_joint_from_middle_joint(pij: f64) -> f64 {
    (0.32 * pij * pij - 0.17 * pij).max(0.0)
}

/// A Polhemus frame has x forward, y right, z down; ours x right, y up, z back.
fn ours_from_polhemus() -> UnitQuaternion<f64> {
    let columns = [-Vector3::z(), Vector3::x(), -Vector3::y()];
    Rotation3::from_matrix_unchecked(Matrix3::from_columns(&columns)).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Point3;

    fn counts(values: &[(Sensor, u8)]) -> SensorCounts {
        let mut slots = [0; Sensor::ALL.len()];
        for (sensor, count) in values {
            slots[sensor.bit()] = *count;
        }
        SensorCounts::from_slots(slots)
    }

    #[test]
    fn counts_become_radians() {
        let profile = Profile::uncalibrated(Hand::Right);
        let angles = profile.joint_angles(&counts(&[
            (Sensor::IndexMpj, 150),
            (Sensor::IndexPij, 60),
            (Sensor::RingMiddleAbduction, 160),
            (Sensor::PinkieRingAbduction, 150),
        ]));
        assert!((angles.fingers[0].mpj.to_degrees() - 70.0).abs() < 1e-9);
        assert!(angles.fingers[0].pij.abs() < 1e-12);
        assert!((angles.fingers[3].abduction.to_degrees() - 15.0).abs() < 1e-9);
    }

    #[test]
    fn an_end_joint_without_sensor_follows_its_neighbour() {
        let profile = Profile::uncalibrated(Hand::Right);
        let bent = |sensors: &[(Sensor, u8)]| profile.joint_angles(&counts(sensors)).fingers[0].dij;
        assert_eq!(bent(&[(Sensor::IndexPij, 60)]), 0.0);
        assert!(bent(&[(Sensor::IndexPij, 180)]) > 0.5);
        assert!(bent(&[(Sensor::IndexPij, 180), (Sensor::IndexDij, 65)]).abs() < 1e-12);
    }

    #[test]
    fn a_receiver_held_level_puts_the_hand_level_below_it() {
        // 30 cm in front of the transmitter, 10 cm to its right, 20 cm above it.
        let profile = Profile::uncalibrated(Hand::Right);
        let source_from_sensor = Isometry3::translation(0.3, 0.1, -0.2);
        let pose = profile.hand_pose(&GloveData::Counts(counts(&[])), &source_from_sensor);
        let wrist = pose.world_from_wrist * Point3::origin();
        assert!((wrist - Point3::new(0.1, 0.18, 0.0)).norm() < 1e-12, "{wrist}");
        let along_fingers = pose.world_from_wrist * -Vector3::z();
        assert!((along_fingers + Vector3::z()).norm() < 1e-12);
    }
}
