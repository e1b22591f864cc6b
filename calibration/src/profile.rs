//! One person's calibration, which turns a pair of device samples into a hand in the world.

use drivers::{OpenGloveSample, SensorCounts, Side};
use nalgebra::Isometry3;

use crate::glove_model::GloveModel;
use crate::joint_limits::JointLimits;
use crate::joints::JointAngles;
use crate::opengloves;
use crate::skeleton::{HandBones, HandSize, Skeleton};
use crate::tracker::TrackerTransforms;

/// Calibration of one person's hand in one glove.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    hand: Side,
    glove: GloveModel,
    limits: JointLimits,
    size: HandSize,
    /// Computed from the hand and its size.
    skeleton: Skeleton,
    tracker: TrackerTransforms,
    /// Pose of the transmitter on the stage of a headset, if it was found.
    stage_from_source: Option<Isometry3<f64>>,
}

/// Data of a glove about the fingers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum GloveData {
    /// One count for each sensor; the profile converts them to angles.
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
    /// A hand of average size in an uncalibrated glove, with the tracker at
    /// [`TrackerTransforms::default`].
    pub fn uncalibrated(hand: Side) -> Self {
        let size = HandSize::default();
        Self {
            hand,
            glove: GloveModel::uncalibrated(),
            limits: JointLimits::default(),
            size,
            skeleton: Skeleton::of_size(hand, &size),
            tracker: TrackerTransforms::default(),
            stage_from_source: None,
        }
    }

    pub fn with_glove(self, glove: GloveModel) -> Self {
        Self { glove, ..self }
    }

    pub fn with_limits(self, limits: JointLimits) -> Self {
        Self { limits, ..self }
    }

    pub fn with_size(self, size: HandSize) -> Self {
        Self { size, skeleton: Skeleton::of_size(self.hand, &size), ..self }
    }

    pub fn with_tracker(self, tracker: TrackerTransforms) -> Self {
        Self { tracker, ..self }
    }

    pub fn with_stage(self, stage_from_source: Option<Isometry3<f64>>) -> Self {
        Self { stage_from_source, ..self }
    }

    pub fn hand(&self) -> Side {
        self.hand
    }

    pub fn glove(&self) -> &GloveModel {
        &self.glove
    }

    pub fn limits(&self) -> JointLimits {
        self.limits
    }

    pub fn size(&self) -> &HandSize {
        &self.size
    }

    pub fn tracker(&self) -> &TrackerTransforms {
        &self.tracker
    }

    pub fn stage_from_source(&self) -> Option<Isometry3<f64>> {
        self.stage_from_source
    }

    /// Hand in the world, from a glove's data and a tracker's pose.
    pub fn hand_pose(&self, glove: &GloveData, source_from_sensor: &Isometry3<f64>) -> HandPose {
        HandPose {
            angles: self.angles(glove),
            world_from_wrist: self.tracker.world_from_wrist(source_from_sensor),
        }
    }

    /// Joint angles from a glove's data.
    pub fn angles(&self, glove: &GloveData) -> JointAngles {
        match glove {
            GloveData::Counts(counts) => self.joint_angles(counts),
            GloveData::Curls(sample) => opengloves::joint_angles(sample),
        }
    }

    /// Joint centres of a hand, in the wrist's frame.
    pub fn bones(&self, angles: &JointAngles) -> HandBones {
        self.skeleton.bones(angles)
    }

    /// Angles from a glove's counts, within the joints' limits if these are on.
    pub fn joint_angles(&self, counts: &SensorCounts) -> JointAngles {
        self.limits.apply(self.raw_joint_angles(counts))
    }

    /// Angles from a glove's counts, without limits.
    pub fn raw_joint_angles(&self, counts: &SensorCounts) -> JointAngles {
        self.glove.joint_angles(counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drivers::Sensor;
    use nalgebra::{Point3, Vector3};

    fn counts(values: &[(Sensor, u8)]) -> SensorCounts {
        let mut slots = [0; Sensor::ALL.len()];
        for (sensor, count) in values {
            slots[sensor.bit()] = *count;
        }
        SensorCounts::from_slots(slots)
    }

    #[test]
    fn counts_become_radians() {
        let profile = Profile::uncalibrated(Side::Right);
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
    fn limits_are_a_choice_and_the_raw_angle_stays() {
        let profile = Profile::uncalibrated(Side::Right).with_limits(JointLimits::Soft);
        let beyond = counts(&[(Sensor::IndexMpj, 200)]);
        assert!(
            (profile.raw_joint_angles(&beyond).fingers[0].mpj.to_degrees() - 140.0).abs() < 1e-9
        );
        assert!(profile.joint_angles(&beyond).fingers[0].mpj.to_degrees() < 95.0);
    }

    #[test]
    fn an_end_joint_without_sensor_follows_its_neighbour() {
        let profile = Profile::uncalibrated(Side::Right);
        let bent = |sensors: &[(Sensor, u8)]| profile.joint_angles(&counts(sensors)).fingers[0].dij;
        assert_eq!(bent(&[(Sensor::IndexPij, 60)]), 0.0);
        assert!(bent(&[(Sensor::IndexPij, 180)]) > 0.5);
        assert!(bent(&[(Sensor::IndexPij, 180), (Sensor::IndexDij, 65)]).abs() < 1e-12);
    }

    #[test]
    fn a_receiver_held_level_puts_the_hand_level_below_it() {
        // 30 cm in front of the transmitter, 10 cm to its right, 20 cm above it.
        let profile = Profile::uncalibrated(Side::Right);
        let source_from_sensor = Isometry3::translation(0.3, 0.1, -0.2);
        let pose = profile.hand_pose(&GloveData::Counts(counts(&[])), &source_from_sensor);
        let wrist = pose.world_from_wrist * Point3::origin();
        assert!((wrist - Point3::new(0.1, 0.18, 0.0)).norm() < 1e-12, "{wrist}");
        let along_fingers = pose.world_from_wrist * -Vector3::z();
        assert!((along_fingers + Vector3::z()).norm() < 1e-12);
    }
}
