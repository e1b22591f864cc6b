//! Detects that a hand holds still, and that it has come to a new pose.

use std::collections::VecDeque;

use drivers::Sensor;
use nalgebra::Isometry3;

use super::plan::Target;
use crate::capture::{Capture, Sample, spread};
use crate::joints::{JointAngles, PerSensor};
use crate::sensor_map::SensorMap;
use crate::tracker::mean_pose;

/// Samples of the last second.
#[derive(Debug, Clone)]
pub(super) struct Window {
    samples: VecDeque<Sample>,
}

/// Stillness of the hand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stillness {
    /// Share of the hold for which the hand has been still, in quarters.
    pub share: f64,
    /// Sensor that moved most within the last second.
    pub worst: Sensor,
    /// Range of its counts.
    pub spread: u8,
}

/// Motion since the last capture.
#[derive(Debug, Clone, Default)]
pub(super) struct Arrival {
    before: Option<(JointAngles, PerSensor<Option<f64>>)>,
    /// Number of consecutive samples that differ from the captured pose.
    n_off: usize,
    has_left: bool,
}

/// Shortest duration of a hold, in seconds.
const HOLD_SECONDS: f64 = 1.0;
/// Fewest samples of a hold.
const MIN_SAMPLES: usize = 60;
/// Largest range of a sensor's counts during a hold.
const MAX_SPREAD: u8 = 3;
/// Largest share shown before a hold is complete.
const ALMOST: f64 = 0.99;
/// Gap after which a hold begins anew, in seconds: the hand may have been anywhere.
const MAX_GAP_SECONDS: f64 = 0.5;
/// Shortest time between two samples, in seconds; samples that follow earlier are ignored.
const MIN_GAP_SECONDS: f64 = 0.002;
/// Largest motion of the hand during a hold, in metres.
const MAX_WAY: f64 = 0.004;
/// Difference in counts of one sensor after which the hand has left its pose.
const LEFT_COUNTS: f64 = 6.0;
/// Number of consecutive samples with that difference, so that a spike does not count.
const LEFT_SAMPLES: usize = 3;
/// Smallest change of a joint between two poses that is checked, in radians.
const MOVES: f64 = 0.14;
/// Share of an average glove's change that a sensor must show to count as moved.
const MOVED_SHARE: f64 = 0.25;
/// Fewest counts that a sensor must change to count as moved, because of noise.
const MOVED_COUNTS: f64 = 3.0;

impl Stillness {
    pub fn is_still(&self) -> bool {
        self.share >= 1.0
    }
}

impl Window {
    pub(super) fn new() -> Self {
        Self { samples: VecDeque::with_capacity(512) }
    }

    pub(super) fn push(&mut self, sample: &Sample) {
        if let Some(newest) = self.samples.back() {
            let gap = sample.seconds - newest.seconds;
            // A sample whose time jumps back, or is NaN, does not belong to this hold either.
            if !(0.0..=MAX_GAP_SECONDS).contains(&gap) {
                self.samples.clear();
            } else if gap < MIN_GAP_SECONDS {
                return;
            }
        }
        self.samples.push_back(*sample);
        while self.samples.len() > MIN_SAMPLES
            && self.samples.get(1).is_some_and(|next| sample.seconds - next.seconds >= HOLD_SECONDS)
        {
            self.samples.pop_front();
        }
    }

    pub(super) fn clear(&mut self) {
        self.samples.clear();
    }

    pub(super) fn newest(&self) -> Option<&Sample> {
        self.samples.back()
    }

    pub(super) fn samples(&self) -> impl Iterator<Item = &Sample> + Clone {
        self.samples.iter()
    }

    pub(super) fn mean_pose(&self) -> Option<Isometry3<f64>> {
        let poses: Vec<_> = self.samples.iter().filter_map(|s| s.source_from_sensor).collect();
        mean_pose(&poses)
    }

    /// True if the window is a complete hold.
    pub(super) fn is_still(&self) -> bool {
        self.is_long() && self.way() <= MAX_WAY && self.is_steady(self.samples.len())
    }

    /// Stillness for display; `None` if no sample has counts.
    pub(super) fn stillness(&self) -> Option<Stillness> {
        let n = self.samples.len();
        let spreads = self.fitted()?.map(|sensor| (sensor, self.spread_of_last(n, sensor)));
        // The first one, if several have the same spread.
        let (worst, spread) = spreads.rev().max_by_key(|(_, spread)| *spread)?;
        let filled = (n as f64 / MIN_SAMPLES as f64).min(self.seconds() / HOLD_SECONDS).min(1.0);
        let still_quarters =
            (1..=4).rev().find(|quarters| self.is_steady(n * quarters / 4)).unwrap_or(0);
        let share =
            if self.is_still() { 1.0 } else { (filled * still_quarters as f64 / 4.0).min(ALMOST) };
        Some(Stillness { share, worst, spread })
    }

    fn is_long(&self) -> bool {
        self.samples.len() >= MIN_SAMPLES && self.seconds() >= HOLD_SECONDS
    }

    /// True if no sensor moved during the newest `n` samples.
    fn is_steady(&self, n: usize) -> bool {
        self.fitted().is_some_and(|mut fitted| {
            fitted.all(|sensor| self.spread_of_last(n, sensor) <= MAX_SPREAD)
        })
    }

    fn fitted(&self) -> Option<impl DoubleEndedIterator<Item = Sensor>> {
        let counts = self.newest()?.counts;
        let is_fitted = move |sensor: &Sensor| counts.get(*sensor).is_some();
        Some(Sensor::ALL.into_iter().filter(is_fitted))
    }

    fn spread_of_last(&self, n: usize, sensor: Sensor) -> u8 {
        let newest = self.samples.iter().rev().take(n);
        spread(newest.filter_map(|sample| sample.counts.get(sensor)))
    }

    fn seconds(&self) -> f64 {
        match (self.samples.front(), self.samples.back()) {
            (Some(first), Some(last)) => last.seconds - first.seconds,
            _ => 0.0,
        }
    }

    /// Diagonal of the box around all positions of the receiver.
    pub(super) fn way(&self) -> f64 {
        let places = self.samples.iter().filter_map(|sample| sample.source_from_sensor);
        let mut places = places.map(|pose| pose.translation.vector);
        let Some(first) = places.next() else { return 0.0 };
        let (low, high) =
            places.fold((first, first), |(low, high), place| (low.inf(&place), high.sup(&place)));
        (high - low).norm()
    }
}

impl Arrival {
    /// Returns true when the hand has just left its pose: earlier samples do not belong to the next
    /// one.
    pub(super) fn watch(&mut self, sample: &Sample) -> bool {
        let Some((_, before)) = &self.before else { return false };
        if self.has_left {
            return false;
        }
        let is_off = |(sensor, count): (Sensor, u8)| {
            before[sensor.bit()].is_some_and(|b| (f64::from(count) - b).abs() > LEFT_COUNTS)
        };
        self.n_off = if sample.counts.iter().any(is_off) { self.n_off + 1 } else { 0 };
        self.has_left = self.n_off >= LEFT_SAMPLES;
        self.has_left
    }

    pub(super) fn captured(&mut self, target: &Target, capture: &Capture) {
        *self = Self { before: Some((target.picture, capture.counts)), n_off: 0, has_left: false };
    }

    /// True if the hand has left the captured pose, or if there is no capture yet.
    pub(super) fn has_left(&self) -> bool {
        self.has_left || self.before.is_none()
    }

    /// True if at least half of the joints that differ between the two poses have moved, in either
    /// direction: the sensors of some gloves have the opposite sign.
    pub(super) fn is_there(&self, target: &Target, window: &Window) -> bool {
        let (Some((picture, before)), Some(newest)) = (&self.before, window.newest()) else {
            return true;
        };
        let (mut n_moving, mut n_moved) = (0, 0);
        for (sensor, count) in newest.counts.iter() {
            let angles = (picture.measured_by(sensor), target.picture.measured_by(sensor));
            let ((Some(from), Some(to)), Some(before)) = (angles, before[sensor.bit()]) else {
                continue;
            };
            if (to - from).abs() < MOVES {
                continue;
            }
            n_moving += 1;
            let expected = (to - from) / SensorMap::default_for(sensor).gain;
            let enough = (MOVED_SHARE * expected.abs()).max(MOVED_COUNTS);
            n_moved += usize::from((f64::from(count) - before).abs() >= enough);
        }
        2 * n_moved >= n_moving
    }
}
