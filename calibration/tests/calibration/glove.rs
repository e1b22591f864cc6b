//! An emulated glove with known gains, offsets and coupling, which rounds to counts.

use calibration::joints::{JointAngles, PerSensor};
use calibration::{GloveModel, SensorMap};
use drivers::{Sensor, SensorCounts, SensorMask};

use crate::random::Random;
use crate::unseen_poses::unseen_pose;

pub(crate) struct Glove {
    pub(crate) mask: SensorMask,
    /// Counts per degree, and count at zero.
    sensors: PerSensor<(f64, f64)>,
    pub(crate) coupling: f64,
    pub(crate) noise_counts: f64,
}

/// Bend of an abduction sensor, in counts per degree and per square degree of the knuckles'
/// difference.
const BEND: (f64, f64) = (0.15, 0.001);
/// Leak from a thumb sensor into its neighbour, in counts per count.
const THUMB_MIX: f64 = 0.15;

impl Glove {
    /// A random glove and hand: gains within 15 % of the usual ones, offsets within 20 counts.
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed ^ 0x0061_0FE5);
        let sensors = Sensor::ALL.map(|sensor| {
            let usual = SensorMap::default_for(sensor);
            let gain_deg = usual.gain.to_degrees() * random.between(0.85, 1.15);
            let zero = usual.offset + random.between(-20.0, 20.0);
            // A working glove does not leave its scale within the joints' range, even with
            // crosstalk.
            let zero = match sensor {
                Sensor::ThumbIndexAbduction => zero.min(235.0 - 55.0 / gain_deg),
                Sensor::WristYaw => zero.max(5.0 + 30.0 / gain_deg),
                _ => zero,
            };
            (1.0 / gain_deg, zero)
        });
        Self { mask: SensorMask::GLOVE_22, sensors, coupling: 1.0, noise_counts: 0.5 }
    }

    /// Changes the offsets slightly, because the glove sits differently.
    pub(crate) fn put_on_again(&mut self, random: &mut Random) {
        for (_, zero) in &mut self.sensors {
            *zero += 4.0 * random.normal();
        }
    }

    /// Gain, in radians per count.
    pub(crate) fn gain(&self, sensor: Sensor) -> f64 {
        (1.0 / self.sensors[sensor.bit()].0).to_radians()
    }

    pub(crate) fn counts(&self, hand: &JointAngles, random: &mut Random) -> SensorCounts {
        let mut slots = [0; Sensor::ALL.len()];
        for sensor in self.mask.sensors() {
            let reading = self.reading(sensor, hand) + self.noise_counts * random.normal();
            slots[sensor.bit()] = reading.round().clamp(1.0, 255.0) as u8;
        }
        SensorCounts::from_slots(slots)
    }

    /// Reading of a sensor, before noise and rounding.
    fn reading(&self, sensor: Sensor, hand: &JointAngles) -> f64 {
        use Sensor::*;
        let (counts_per_degree, zero) = self.sensors[sensor.bit()];
        let deg = |sensor| hand.measured_by(sensor).unwrap().to_degrees();
        let alone = |sensor: Sensor| deg(sensor) * self.sensors[sensor.bit()].0;
        let bend = |near: Sensor, far: Sensor| {
            let difference = deg(far) - deg(near);
            BEND.0 * difference + BEND.1 * difference * difference
        };
        let crosstalk = match sensor {
            ThumbRoll => THUMB_MIX * alone(ThumbIndexAbduction),
            ThumbIndexAbduction => THUMB_MIX * alone(ThumbRoll),
            MiddleIndexAbduction => bend(IndexMpj, MiddleMpj),
            RingMiddleAbduction => bend(MiddleMpj, RingMpj),
            PinkieRingAbduction => bend(RingMpj, PinkieMpj),
            _ => 0.0,
        };
        zero + deg(sensor) * counts_per_degree + self.coupling * crosstalk
    }
}

/// Squares of the model's errors in degrees, for each sensor, over everyday poses, from single
/// noisy samples.
pub(crate) fn square_errors(
    glove: &Glove,
    model: &GloveModel,
    random: &mut Random,
) -> PerSensor<f64> {
    let n_poses = 100;
    let mut squares = [0.0; Sensor::ALL.len()];
    for _ in 0..n_poses {
        let hand = unseen_pose(random);
        let seen = model.joint_angles(&glove.counts(&hand, random));
        for sensor in glove.mask.sensors() {
            let error = seen.measured_by(sensor).unwrap() - hand.measured_by(sensor).unwrap();
            squares[sensor.bit()] += error.to_degrees().powi(2) / f64::from(n_poses);
        }
    }
    squares
}
