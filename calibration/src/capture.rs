//! A pose that was held: the requested angles and the samples of the devices.

use drivers::{Sensor, SensorCounts};
use nalgebra::Isometry3;

use crate::joints::PerSensor;
use crate::poses::PoseId;
use crate::tracker::mean_pose;

/// One hold of one pose.
#[derive(Debug, Clone, PartialEq)]
pub struct Capture {
    pub pose: PoseId,
    /// Requested angles, in radians; `None` where the pose requests none.
    pub asked: PerSensor<Option<f64>>,
    /// Median count of each fitted sensor.
    pub counts: PerSensor<Option<f64>>,
    /// Range of each sensor's counts during the hold.
    pub spreads: PerSensor<u8>,
    /// Mean pose of the tracker, if there was one.
    pub source_from_sensor: Option<Isometry3<f64>>,
}

/// Data of the devices at one moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    pub counts: SensorCounts,
    pub source_from_sensor: Option<Isometry3<f64>>,
    /// Time, on any clock that does not jump.
    pub seconds: f64,
}

impl Capture {
    /// Capture from the samples of a hold.
    pub fn of<'a>(
        pose: PoseId,
        asked: PerSensor<Option<f64>>,
        samples: impl Iterator<Item = &'a Sample> + Clone,
    ) -> Self {
        let of = |sensor: Sensor| samples.clone().filter_map(move |s| s.counts.get(sensor));
        let tracked: Vec<_> = samples.clone().filter_map(|s| s.source_from_sensor).collect();
        Self {
            pose,
            asked,
            counts: Sensor::ALL.map(|sensor| median(of(sensor))),
            spreads: Sensor::ALL.map(|sensor| spread(of(sensor))),
            source_from_sensor: mean_pose(&tracked),
        }
    }

    /// Requested angle and count, if the capture has both.
    pub(crate) fn pair(&self, sensor: Sensor) -> Option<(f64, f64)> {
        let pair = (self.asked[sensor.bit()]?, self.counts[sensor.bit()]?);
        (!self.is_saturated(sensor)).then_some(pair)
    }

    /// True if a sensor is at the end of its scale. Its count then only shows that the joint is
    /// bent at least to that point.
    pub(crate) fn is_saturated(&self, sensor: Sensor) -> bool {
        self.counts[sensor.bit()].is_some_and(|count| !(1.6..=254.4).contains(&count))
    }

    /// Median count of a sensor.
    pub fn count(&self, sensor: Sensor) -> Option<f64> {
        self.counts[sensor.bit()]
    }
}

/// Median of readings that were rounded to counts: readings within the middle count are assumed to
/// be evenly spread, so that fractions of counts are kept.
fn median(counts: impl Iterator<Item = u8>) -> Option<f64> {
    let mut often = [0_u32; 256];
    for count in counts {
        often[usize::from(count)] += 1;
    }
    let half = f64::from(often.iter().sum::<u32>()) / 2.0;
    let mut below = 0.0;
    for (count, often) in often.into_iter().enumerate() {
        let often = f64::from(often);
        if often > 0.0 && below + often >= half {
            return Some(count as f64 - 0.5 + (half - below) / often);
        }
        below += often;
    }
    None
}

/// Difference between the second smallest and the second largest count: a single spike does not
/// count as motion.
pub(crate) fn spread(counts: impl Iterator<Item = u8>) -> u8 {
    let (mut low, mut high) = ([u8::MAX; 2], [u8::MIN; 2]);
    for count in counts {
        low = [low[0].min(count), low[1].min(low[0].max(count))];
        high = [high[0].max(count), high[1].max(high[0].min(count))];
    }
    high[1].saturating_sub(low[1])
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_median_of_rounded_readings_keeps_the_fraction() {
        let median = |counts: &[u8]| super::median(counts.iter().copied());
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[7]), Some(7.0));
        assert_eq!(median(&[7, 7, 8, 8]), Some(7.5));
        // Three quarters of the readings are below 8.5, a quarter is below 7.5: the median is 8.
        assert_eq!(median(&[7, 8, 8, 9]), Some(8.0));
        assert!((median(&[7, 8, 8, 8]).unwrap() - (7.5 + 1.0 / 3.0)).abs() < 1e-12);
    }

    #[test]
    fn one_spike_does_not_widen_the_spread() {
        let spread = |counts: &[u8]| super::spread(counts.iter().copied());
        assert_eq!(spread(&[100, 100, 101, 101, 250]), 1);
        assert_eq!(spread(&[100, 100, 101, 250, 250]), 150);
        assert_eq!(spread(&[3]), 0);
    }
}
