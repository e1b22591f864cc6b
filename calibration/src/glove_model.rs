//! All sensors of a glove: gains and offsets, and the influence of each sensor's neighbours.
//!
//! Every sensor has `angle = gain * (count - offset - leaks - bend)`, where
//! - a leak is `share * (other count - around)`: the thumb's roll and abduction sensors both
//!   respond to both motions (a 2x2 mix), and an abduction sensor is pulled by the one next to it;
//! - the bend of an abduction sensor between two fingers is `linear * D + quadratic * D^2`, where
//!   `D` is the angle of the farther finger's knuckle minus that of the nearer one's, counted from
//!   the thumb: \[KZK04\]'s `count = a phi + c2 D^2 + c1 D + b`, solved for `phi`, with `D` from
//!   calibrated angles.
//!
//! Terms that the data did not require are absent, so an uncalibrated glove is purely linear.

use drivers::{Sensor, SensorCounts};

use crate::joints::{JointAngles, PerSensor};
use crate::sensor_map::SensorMap;

/// Converts the counts of one glove on one hand to angles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GloveModel {
    sensors: PerSensor<SensorModel>,
    pub end_joints: EndJointRule,
}

/// One sensor with its cross terms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SensorModel {
    pub map: SensorMap,
    pub leaks: [Option<Leak>; 2],
    pub bend: Bend,
}

/// Influence of one sensor on another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Leak {
    pub from: Sensor,
    /// Counts per count.
    pub share: f64,
    /// Count of the other sensor at which the leak is zero.
    pub around: f64,
}

/// Influence of a difference between two knuckles on the abduction sensor between them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Bend {
    /// Counts per radian.
    pub linear: f64,
    /// Counts per square radian.
    pub quadratic: f64,
}

/// Angle of a finger's end joint if the glove has no sensor there. Never below zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EndJointRule {
    /// 0.32 PIJ^2 - 0.17 PIJ, in radians: the manufacturer's rule.
    #[default]
    Maker,
    /// 0.2 MPJ + 0.7 PIJ.
    Weighted,
    /// The mean of MPJ and PIJ.
    Mean,
    /// Two thirds of PIJ.
    TwoThirds,
}

impl GloveModel {
    /// A glove without a calibration.
    pub fn uncalibrated() -> Self {
        Self {
            sensors: Sensor::ALL.map(|sensor| SensorModel::linear(SensorMap::default_for(sensor))),
            end_joints: EndJointRule::default(),
        }
    }

    pub fn sensor(&self, sensor: Sensor) -> &SensorModel {
        &self.sensors[sensor.bit()]
    }

    pub fn sensor_mut(&mut self, sensor: Sensor) -> &mut SensorModel {
        &mut self.sensors[sensor.bit()]
    }

    /// Angle that a sensor measures, from its count and those that influence it; `None` if it has
    /// no count.
    pub fn angle(&self, sensor: Sensor, count: impl Fn(Sensor) -> Option<f64>) -> Option<f64> {
        let model = self.sensor(sensor);
        let leaked =
            |leak: &Leak| count(leak.from).map_or(0.0, |from| leak.share * (from - leak.around));
        let leaks: f64 = model.leaks.iter().flatten().map(leaked).sum();
        let own = count(sensor)?;
        let bend = match self.knuckle_difference(sensor, count) {
            Some(difference) => {
                (model.bend.quadratic * difference + model.bend.linear) * difference
            }
            None => 0.0,
        };
        Some(model.map.angle(own - leaks - bend))
    }

    /// `D` of the two fingers beside an abduction sensor.
    pub fn knuckle_difference(
        &self,
        sensor: Sensor,
        count: impl Fn(Sensor) -> Option<f64>,
    ) -> Option<f64> {
        let [near, far] = knuckles_beside(sensor)?;
        let angle = |knuckle: Sensor| count(knuckle).map(|c| self.sensor(knuckle).map.angle(c));
        Some(angle(far)? - angle(near)?)
    }

    /// Angles of all joints. A joint without a sensor is estimated, or zero.
    pub fn joint_angles(&self, counts: &SensorCounts) -> JointAngles {
        let count = |sensor: Sensor| counts.get(sensor).map(f64::from);
        let mut angles = Sensor::ALL.map(|sensor| self.angle(sensor, count).unwrap_or(0.0));
        for [mpj, pij, dij] in FINGERS {
            if counts.get(dij).is_none() {
                angles[dij.bit()] = self.end_joints.angle(angles[mpj.bit()], angles[pij.bit()]);
            }
        }
        JointAngles::from_sensors(&angles)
    }
}

impl SensorModel {
    /// A sensor without cross terms.
    pub fn linear(map: SensorMap) -> Self {
        Self { map, leaks: [None; 2], bend: Bend::default() }
    }
}

impl EndJointRule {
    pub fn angle(self, mpj: f64, pij: f64) -> f64 {
        let angle = match self {
            Self::Maker => 0.32 * pij * pij - 0.17 * pij,
            Self::Weighted => 0.2 * mpj + 0.7 * pij,
            Self::Mean => 0.5 * (mpj + pij),
            Self::TwoThirds => pij * 2.0 / 3.0,
        };
        angle.max(0.0)
    }
}

/// Knuckles of the two fingers beside an abduction sensor, the one on the thumb's side first.
pub fn knuckles_beside(sensor: Sensor) -> Option<[Sensor; 2]> {
    use Sensor::*;
    match sensor {
        MiddleIndexAbduction => Some([IndexMpj, MiddleMpj]),
        RingMiddleAbduction => Some([MiddleMpj, RingMpj]),
        PinkieRingAbduction => Some([RingMpj, PinkieMpj]),
        _ => None,
    }
}

/// Sensors that may leak into a sensor.
pub fn leak_sources(sensor: Sensor) -> &'static [Sensor] {
    use Sensor::*;
    match sensor {
        ThumbRoll => &[ThumbIndexAbduction],
        ThumbIndexAbduction => &[ThumbRoll],
        MiddleIndexAbduction | PinkieRingAbduction => &[RingMiddleAbduction],
        RingMiddleAbduction => &[MiddleIndexAbduction, PinkieRingAbduction],
        _ => &[],
    }
}

/// Knuckle, middle and end joint of each long finger.
const FINGERS: [[Sensor; 3]; 4] = {
    use Sensor::*;
    [
        [IndexMpj, IndexPij, IndexDij],
        [MiddleMpj, MiddlePij, MiddleDij],
        [RingMpj, RingPij, RingDij],
        [PinkieMpj, PinkiePij, PinkieDij],
    ]
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cross_terms_are_taken_off_before_the_gain() {
        let mut model = GloveModel::uncalibrated();
        let abduction = model.sensor_mut(Sensor::RingMiddleAbduction);
        abduction.bend = Bend { linear: 10.0, quadratic: 4.0 };
        let leak = Leak { from: Sensor::PinkieRingAbduction, share: 0.5, around: 140.0 };
        abduction.leaks[0] = Some(leak);
        // 50 counts of ring minus 0 of middle: 70 degrees; 20 counts from the pinkie's side.
        let count = |sensor: Sensor| match sensor {
            Sensor::RingMpj => Some(150.0),
            Sensor::MiddleMpj => Some(100.0),
            Sensor::PinkieRingAbduction => Some(160.0),
            Sensor::RingMiddleAbduction => Some(190.0),
            _ => None,
        };
        let difference = f64::to_radians(70.0);
        let want = 0.5 * (190.0 - 140.0 - 10.0 - 10.0 * difference - 4.0 * difference.powi(2));
        let got = model.angle(Sensor::RingMiddleAbduction, count).unwrap();
        assert!((got.to_degrees() - want).abs() < 1e-9, "{got}");
    }

    #[test]
    fn end_joint_rules_differ_and_stay_above_zero() {
        let check = |rule: EndJointRule, mpj: f64, pij: f64, want: f64| {
            assert!((rule.angle(mpj, pij) - want).abs() < 1e-12, "{rule:?}");
        };
        check(EndJointRule::Maker, 1.0, 1.0, 0.15);
        check(EndJointRule::Maker, 1.0, 0.2, 0.0);
        check(EndJointRule::Weighted, 1.0, 1.0, 0.9);
        check(EndJointRule::Mean, 1.0, 0.5, 0.75);
        check(EndJointRule::TwoThirds, 1.0, 0.9, 0.6);
        check(EndJointRule::TwoThirds, 1.0, -0.9, 0.0);
    }
}
