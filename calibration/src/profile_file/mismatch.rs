//! Checks that a profile was made for a glove.

use drivers::{GloveInfo, Sensor, SensorCounts, SensorMask, Side};

use super::SavedProfile;
use crate::joint_limits::JointLimits;

/// Reason why a profile must not be used with a glove.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum GloveMismatch {
    #[error("the profile is of a {} hand, the glove of a {} one", name(*.profile), name(*.glove))]
    Hand { profile: Side, glove: Side },
    #[error(
        "the profile is of a glove with {profile} sensors, this one has {glove}; \
         the first that differs is the {}",
        .first.name()
    )]
    Sensors { profile: usize, glove: usize, first: Sensor },
    #[error(
        "the {} would be at {angle_deg:.0} degrees, which no hand can do: \
         another glove, or a loose plug",
        .sensor.name()
    )]
    Range { sensor: Sensor, angle_deg: f64 },
}

/// Smallest excess over a joint's limits that counts as a mismatch, in radians.
const BEYOND: f64 = 0.8;

impl SavedProfile {
    /// Checks that the profile is of this hand and of a glove with these sensors.
    pub fn fits(&self, mask: SensorMask, hand: Side) -> Result<(), GloveMismatch> {
        let own = self.about.device.mask;
        if self.profile.hand() != hand {
            return Err(GloveMismatch::Hand { profile: self.profile.hand(), glove: hand });
        }
        match Sensor::ALL.into_iter().find(|s| own.contains(*s) != mask.contains(*s)) {
            Some(first) => Err(GloveMismatch::Sensors {
                profile: own.n_sensors(),
                glove: mask.n_sensors(),
                first,
            }),
            None => Ok(()),
        }
    }

    /// Checks that the profile is of the hand and the sensors that a glove reports.
    pub fn fits_glove(&self, glove: &GloveInfo) -> Result<(), GloveMismatch> {
        self.fits(glove.hardware_mask, glove.hand)
    }

    /// Checks that these counts give a possible hand.
    pub fn fits_counts(&self, counts: &SensorCounts) -> Result<(), GloveMismatch> {
        let angles = self.profile.raw_joint_angles(counts);
        let limited = JointLimits::Soft.apply(angles);
        for (sensor, _) in counts.iter() {
            let pair = (angles.measured_by(sensor), limited.measured_by(sensor));
            if let (Some(angle), Some(limit)) = pair
                && (angle - limit).abs() > BEYOND
            {
                return Err(GloveMismatch::Range { sensor, angle_deg: angle.to_degrees() });
            }
        }
        Ok(())
    }
}

fn name(hand: Side) -> &'static str {
    match hand {
        Side::Left => "left",
        Side::Right => "right",
    }
}
