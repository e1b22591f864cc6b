//! Whether a hand holds still, and whether it has come to a new pose.

use std::collections::VecDeque;

use drivers::Sensor;
use nalgebra::Isometry3;

use super::plan::Target;
use crate::capture::{Capture, Sample, spread};
use crate::joints::{JointAngles, PerSensor};
use crate::sensor_map::SensorMap;
use crate::tracker::mean_pose;

/// The last second of samples.
#[derive(Debug, Clone)]
pub(super) struct Window {
    samples: VecDeque<Sample>,
}

/// How still the hand is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stillness {
    /// The share of the hold for which it has been still, in quarters.
    pub share: f64,
    /// The sensor that moved most within the last second, and by how many counts.
    pub worst: Sensor,
    pub spread: u8,
}

/// What happened since the last capture.
#[derive(Debug, Clone, Default)]
pub(super) struct Arrival {
    before: Option<(JointAngles, PerSensor<Option<f64>>)>,
    /// Samples in a row that show another hand.
    n_off: usize,
    has_left: bool,
}

/// A hold lasts so many seconds and has so many samples, whichever takes longer.
const HOLD_SECONDS: f64 = 1.0;
const MIN_SAMPLES: usize = 60;
/// The spread of a sensor that holds still, in counts.
const MAX_SPREAD: u8 = 3;
/// The share of a hold that is all but complete.
const ALMOST: f64 = 0.99;
/// After so long a gap, the hand may have been anywhere.
const MAX_GAP_SECONDS: f64 = 0.5;
/// Samples that come faster than this add nothing.
const MIN_GAP_SECONDS: f64 = 0.002;
/// The place of the hand during a hold varies less than this, in metres.
const MAX_WAY: f64 = 0.004;
/// A hand that has left its pose has some sensor so many counts off.
const LEFT_COUNTS: f64 = 6.0;
/// And not only for a spike.
const LEFT_SAMPLES: usize = 3;
/// Joints that move less between two poses are not looked at, in radians.
const MOVES: f64 = 0.14;
/// A sensor has moved if it shows this share of what an average glove would, and more than noise.
const MOVED_SHARE: f64 = 0.25;
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
            // Neither does a clock that jumps back, or is no number, belong to this hold.
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

    /// Whether this is a whole hold.
    pub(super) fn is_still(&self) -> bool {
        self.is_long() && self.way() <= MAX_WAY && self.is_steady(self.samples.len())
    }

    /// For the eye; `None` if there is no sample with counts at all.
    pub(super) fn stillness(&self) -> Option<Stillness> {
        let n = self.samples.len();
        let spreads = self.fitted()?.map(|sensor| (sensor, self.spread_of_last(n, sensor)));
        // Of several with the same spread, the first.
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

    /// Whether no sensor moved during the newest `n` samples.
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

    /// The diagonal of the box in which the receiver was.
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
    /// Says whether the hand has just left its pose: what came before does not belong to the next one.
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

    /// Before the first capture there is nothing to leave.
    pub(super) fn has_left(&self) -> bool {
        self.has_left || self.before.is_none()
    }

    /// Whether at least half of the joints that differ between the two poses have moved. Which way is
    /// left open: there are gloves whose sensors work the other way round.
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
