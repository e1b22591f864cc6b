//! Counts to angles, one sensor at a time: `angle = gain * (count - offset)`.
//!
//! The linear map of [Ma98], chapter 2, and of the maker's own software.

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
    /// The angle that a count stands for.
    pub fn angle(&self, count: u8) -> f64 {
        self.gain * (f64::from(count) - self.offset)
    }

    /// Where to begin with a glove that nobody has calibrated: about the middle of published
    /// calibrations, so expect it to be ten degrees off.
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
