//! Converts counts to angles, one sensor at a time: `angle = gain * (count - offset)`.
//!
//! This is the linear map of \[Ma98\], chapter 2, and of the manufacturer's software.

use std::ops::RangeInclusive;

use drivers::Sensor;

/// The linear map of one sensor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SensorMap {
    /// Radians per count.
    pub gain: f64,
    /// Count at zero angle.
    pub offset: f64,
}

impl SensorMap {
    /// Angle for a count; fractions are possible, because the median of many counts may lie between
    /// two.
    pub fn angle(&self, count: f64) -> f64 {
        self.gain * (count - self.offset)
    }

    /// Starting point for an uncalibrated glove: about the middle of published calibrations, so
    /// errors of ten degrees are usual.
    pub fn default_for(sensor: Sensor) -> Self {
        use Sensor::*;
        let (gain_deg, offset) = match sensor {
            IndexMpj | MiddleMpj | RingMpj | PinkieMpj => (1.4, 100.0),
            IndexPij | MiddlePij | RingPij | PinkiePij => (0.8, 60.0),
            IndexDij | MiddleDij | RingDij | PinkieDij => (1.4, 65.0),
            ThumbIndexAbduction | IndexAbduction | MiddleIndexAbduction | RingMiddleAbduction
            | PinkieRingAbduction => (0.5, 140.0),
            PalmArch => (0.5, 90.0),
            WristPitch => (0.7, 100.0),
            WristYaw => (0.3, 100.0),
            ThumbRoll | ThumbMpj | ThumbIj | Spare => (1.0, 120.0),
        };
        Self { gain: f64::to_radians(gain_deg), offset }
    }
}

/// Magnitudes of gain of a working sensor, in degrees per count. The range of the wrist's yaw
/// begins lower: its usual gain is near the lower end of the others, and published ones are below
/// it.
pub fn gain_range_deg(sensor: Sensor) -> RangeInclusive<f64> {
    match sensor {
        Sensor::WristYaw => 0.15..=3.0,
        _ => 0.3..=3.0,
    }
}

/// True for the sensors of sideways motion, whose sign in other programs' files depends on the
/// convention and on the hand; all others measure flexion.
pub fn is_sideways(sensor: Sensor) -> bool {
    use Sensor::*;
    matches!(
        sensor,
        ThumbIndexAbduction
            | IndexAbduction
            | MiddleIndexAbduction
            | RingMiddleAbduction
            | PinkieRingAbduction
            | WristYaw
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_gains_are_in_range() {
        for sensor in Sensor::ALL {
            let gain_deg = SensorMap::default_for(sensor).gain.to_degrees();
            let range = gain_range_deg(sensor);
            assert!(gain_deg > range.start() - 1e-9 && gain_deg < *range.end(), "{sensor:?}");
        }
    }
}
