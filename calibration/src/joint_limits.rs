//! Ranges of a hand's joints, and a soft limit for angles beyond them.
//!
//! The ranges are anatomical, in degrees. A calibrated glove may measure more than a hand can do.
//! Drawn unlimited, such a hand looks broken; with a hard limit, it freezes. So the part of an
//! angle beyond a limit is compressed into the few degrees after it, with an initial slope of one.

use std::ops::RangeInclusive;

use crate::joints::JointAngles;

/// Treatment of angles beyond a joint's range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum JointLimits {
    /// Angles stay as measured.
    #[default]
    Off,
    /// Angles exceed the range by a few degrees at most.
    Soft,
}

/// Largest excess beyond a limit, in degrees.
const BEYOND_DEG: f64 = 5.0;

pub const MPJ_DEG: RangeInclusive<f64> = -20.0..=90.0;
pub const PIJ_DEG: RangeInclusive<f64> = 0.0..=100.0;
pub const DIJ_DEG: RangeInclusive<f64> = -10.0..=80.0;
/// Ranges of index, middle, ring and pinkie.
pub const ABDUCTION_DEG: [RangeInclusive<f64>; 4] =
    [-20.0..=20.0, -10.0..=10.0, -15.0..=15.0, -20.0..=35.0];
/// Range from slightly behind the palm's plane to well under the fingers.
pub const THUMB_ROLL_DEG: RangeInclusive<f64> = -25.0..=120.0;
pub const THUMB_ABDUCTION_DEG: RangeInclusive<f64> = 0.0..=60.0;
pub const THUMB_MPJ_DEG: RangeInclusive<f64> = -10.0..=55.0;
pub const THUMB_IJ_DEG: RangeInclusive<f64> = -15.0..=80.0;
pub const PALM_ARCH_DEG: RangeInclusive<f64> = 0.0..=30.0;
pub const WRIST_PITCH_DEG: RangeInclusive<f64> = -70.0..=75.0;
pub const WRIST_YAW_DEG: RangeInclusive<f64> = -35.0..=20.0;

impl JointLimits {
    pub fn apply(self, mut angles: JointAngles) -> JointAngles {
        match self {
            Self::Off => angles,
            Self::Soft => {
                for (angle, range) in ranges_of(&mut angles) {
                    *angle = soft(*angle, &range);
                }
                angles
            }
        }
    }
}

/// All angles of a hand, each with its range in degrees.
fn ranges_of(angles: &mut JointAngles) -> impl Iterator<Item = (&mut f64, RangeInclusive<f64>)> {
    let thumb = &mut angles.thumb;
    let rest = [
        (&mut thumb.roll, THUMB_ROLL_DEG),
        (&mut thumb.abduction, THUMB_ABDUCTION_DEG),
        (&mut thumb.mpj, THUMB_MPJ_DEG),
        (&mut thumb.ij, THUMB_IJ_DEG),
        (&mut angles.palm_arch, PALM_ARCH_DEG),
        (&mut angles.wrist_pitch, WRIST_PITCH_DEG),
        (&mut angles.wrist_yaw, WRIST_YAW_DEG),
    ];
    let fingers = angles.fingers.iter_mut().zip(ABDUCTION_DEG).flat_map(|(finger, abduction)| {
        [
            (&mut finger.abduction, abduction),
            (&mut finger.mpj, MPJ_DEG),
            (&mut finger.pij, PIJ_DEG),
            (&mut finger.dij, DIJ_DEG),
        ]
    });
    rest.into_iter().chain(fingers)
}

fn soft(angle: f64, range_deg: &RangeInclusive<f64>) -> f64 {
    let (low, high) = (range_deg.start().to_radians(), range_deg.end().to_radians());
    let room = BEYOND_DEG.to_radians();
    let squeezed = |excess: f64| excess * room / (excess + room);
    if angle > high {
        high + squeezed(angle - high)
    } else if angle < low {
        low - squeezed(low - angle)
    } else {
        angle
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_soft_limit_keeps_what_is_inside_and_squeezes_what_is_not() {
        let check = |angle_deg: f64, want_deg: f64| {
            let got = soft(f64::to_radians(angle_deg), &PIJ_DEG).to_degrees();
            assert!((got - want_deg).abs() < 1e-9, "{angle_deg}: {got}");
        };
        check(50.0, 50.0);
        check(100.0, 100.0);
        check(105.0, 102.5);
        check(-5.0, -2.5);
        assert!(soft(100.0, &PIJ_DEG).to_degrees() < 105.0);
    }

    #[test]
    fn limits_hold_for_every_joint_and_only_if_asked_for() {
        let mut wild = JointAngles::default();
        for (angle, _) in ranges_of(&mut wild) {
            *angle = 9.0;
        }
        assert_eq!(JointLimits::Off.apply(wild), wild);
        let mut tame = JointLimits::Soft.apply(wild);
        let all: Vec<_> = ranges_of(&mut tame).map(|(angle, range)| (*angle, range)).collect();
        assert_eq!(all.len(), 7 + 16);
        for (angle, range) in all {
            assert!(angle.to_degrees() < range.end() + BEYOND_DEG);
            assert!(angle.to_degrees() > *range.end());
        }
    }
}
