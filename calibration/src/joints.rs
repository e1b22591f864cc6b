//! The joint angles of a hand, in radians, and the sensors that measure them.

use drivers::Sensor;

/// One value for each sensor, in the order of the mask's bits.
pub type PerSensor<T> = [T; Sensor::ALL.len()];

/// The five digits, thumb first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Finger {
    Thumb,
    Index,
    Middle,
    Ring,
    Pinkie,
}

impl Finger {
    /// All digits, in the order of every per-finger array.
    pub const ALL: [Self; 5] = [Self::Thumb, Self::Index, Self::Middle, Self::Ring, Self::Pinkie];

    /// Index into per-finger arrays.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Name for users.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Thumb => "thumb",
            Self::Index => "index",
            Self::Middle => "middle",
            Self::Ring => "ring",
            Self::Pinkie => "pinkie",
        }
    }
}

/// All joint angles of one hand.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JointAngles {
    pub thumb: ThumbAngles,
    /// Index, middle, ring, pinkie.
    pub fingers: [FingerAngles; 4],
    /// Flexion of the pinkie's metacarpal; that of the ring finger bends by half of it.
    pub palm_arch: f64,
    /// Flexion of the wrist.
    pub wrist_pitch: f64,
    /// Deviation of the wrist towards the thumb.
    pub wrist_yaw: f64,
}

impl JointAngles {
    /// Angle that a sensor measures on a hand with these angles; `None` for the two that are never
    /// fitted.
    pub fn measured_by(&self, sensor: Sensor) -> Option<f64> {
        use Sensor::*;
        let [index, middle, ring, pinkie] = &self.fingers;
        let angle = match sensor {
            ThumbRoll => self.thumb.roll,
            ThumbMpj => self.thumb.mpj,
            ThumbIj => self.thumb.ij,
            ThumbIndexAbduction => self.thumb.abduction,
            IndexMpj => index.mpj,
            IndexPij => index.pij,
            IndexDij => index.dij,
            MiddleMpj => middle.mpj,
            MiddlePij => middle.pij,
            MiddleDij => middle.dij,
            MiddleIndexAbduction => index.abduction,
            RingMpj => ring.mpj,
            RingPij => ring.pij,
            RingDij => ring.dij,
            RingMiddleAbduction => ring.abduction,
            PinkieMpj => pinkie.mpj,
            PinkiePij => pinkie.pij,
            PinkieDij => pinkie.dij,
            // The sensor measures the angle to the ring finger, which itself is spread.
            PinkieRingAbduction => pinkie.abduction - ring.abduction,
            PalmArch => self.palm_arch,
            WristPitch => self.wrist_pitch,
            WristYaw => self.wrist_yaw,
            IndexAbduction | Spare => return None,
        };
        Some(angle)
    }

    /// Hand on which the sensors measure these angles; the inverse of [`Self::measured_by`].
    pub fn from_sensors(at: &PerSensor<f64>) -> Self {
        use Sensor::*;
        let at = |sensor: Sensor| at[sensor.bit()];
        let finger = |mpj: Sensor, pij: Sensor, dij: Sensor, abduction: f64| FingerAngles {
            abduction,
            mpj: at(mpj),
            pij: at(pij),
            dij: at(dij),
        };
        let ring_abduction = at(RingMiddleAbduction);
        let pinkie_abduction = ring_abduction + at(PinkieRingAbduction);
        Self {
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
                finger(PinkieMpj, PinkiePij, PinkieDij, pinkie_abduction),
            ],
            palm_arch: at(PalmArch),
            wrist_pitch: at(WristPitch),
            wrist_yaw: at(WristYaw),
        }
    }
}

/// Angles of the thumb.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ThumbAngles {
    /// Swing about the hand's long axis, from beside the palm (0) to under it (opposition, a
    /// quarter turn).
    pub roll: f64,
    /// Angle between the thumb's metacarpal and the hand's long axis.
    pub abduction: f64,
    pub mpj: f64,
    pub ij: f64,
}

/// Angles of one of the four long fingers.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FingerAngles {
    /// Angle away from the middle finger; that of the middle finger itself is zero.
    pub abduction: f64,
    pub mpj: f64,
    pub pij: f64,
    pub dij: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fitted_sensor_measures_one_angle_of_the_hand() {
        let angles: PerSensor<f64> = std::array::from_fn(|bit| 0.1 + bit as f64);
        let hand = JointAngles::from_sensors(&angles);
        for sensor in Sensor::ALL {
            match hand.measured_by(sensor) {
                Some(angle) => assert!((angle - angles[sensor.bit()]).abs() < 1e-12, "{sensor:?}"),
                None => assert!(matches!(sensor, Sensor::IndexAbduction | Sensor::Spare)),
            }
        }
        assert!((hand.fingers[3].abduction - 34.2).abs() < 1e-12, "ring's 15.1 and 19.1 more");
    }
}
