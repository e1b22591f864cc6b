//! Decides how often to measure: until the median is known well enough, or its time is used up.

use crate::statistics::Summary;

/// Rule for the end of a repeated measurement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StoppingRule {
    /// Half width of the median's interval that is small enough, as a share of the median.
    pub tolerance: f64,
    /// Time for one quantity in seconds, if a single measurement takes less.
    pub seconds: f64,
    /// Exact number of samples, independent of their times.
    pub exactly: Option<usize>,
}

/// The samples of one quantity during its measurement.
#[derive(Debug, Clone, PartialEq)]
pub struct RepeatedMeasurement {
    rule: StoppingRule,
    samples: Vec<f64>,
    spent: f64,
    warm_ups: usize,
}

/// Fewest samples, if time permits: from six on, their range is an interval of 97 %.
const FEWEST: usize = 6;
/// Ratio of the second sample to the first below which the first was a warm-up.
const WARM_UP: f64 = 0.5;
/// Largest number of samples; more would only make the report larger.
const MOST: usize = 300;

impl RepeatedMeasurement {
    /// A measurement without samples. The first sample warms up caches and threads and is dropped.
    pub fn new(rule: StoppingRule) -> Self {
        Self { rule, samples: Vec::new(), spent: 0.0, warm_ups: 1 }
    }

    /// Adds a sample.
    pub fn add(&mut self, time: f64) {
        self.spent += time;
        // If one sample takes longer than all the time there is, it is not dropped.
        let is_too_long = time > self.rule.seconds && self.rule.exactly.is_none();
        if self.warm_ups > 0 && !is_too_long {
            self.warm_ups -= 1;
        } else {
            self.warm_ups = 0;
            // If the first sample took much longer than the second, it was a warm-up and does not
            // count.
            if self.samples.len() == 1 && time < WARM_UP * self.samples[0] {
                self.samples.clear();
                self.spent = time;
            }
            self.samples.push(time);
        }
    }

    /// True if another sample should be taken.
    pub fn wants_more(&self) -> bool {
        let n = self.samples.len();
        if let Some(exactly) = self.rule.exactly {
            return n < exactly;
        }
        let over = self.spent / self.rule.seconds.max(1e-9);
        if n < FEWEST {
            // Too slow for `FEWEST` samples: take three, or one if it is slower still.
            return n < 1 || over < 3.0 || (n < 3 && over < 12.0);
        }
        n < MOST && over < 1.0 && !self.is_known_well()
    }

    fn is_known_well(&self) -> bool {
        // Checked only now and then: a check after every sample would stop at the first lucky one.
        const AT_LEAST: usize = 20;
        self.samples.len() >= AT_LEAST
            && self.samples.len().is_multiple_of(10)
            && Summary::of(&self.samples)
                .is_some_and(|summary| summary.relative_half_width() <= self.rule.tolerance)
    }

    /// Returns the samples.
    pub fn into_samples(self) -> Vec<f64> {
        self.samples
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::{TRUE_MEDIAN, times};

    const RULE: StoppingRule = StoppingRule { tolerance: 0.02, seconds: 1.0, exactly: None };

    /// Number of samples taken of a quantity with this time.
    fn n_samples(rule: StoppingRule, time: f64) -> usize {
        let mut source = times(time, 5000, 11).into_iter();
        let mut measurement = RepeatedMeasurement::new(rule);
        while measurement.wants_more() {
            measurement.add(source.next().unwrap());
        }
        measurement.into_samples().len()
    }

    #[test]
    fn quick_things_are_repeated_until_they_are_known() {
        let n = n_samples(RULE, 1e-4);
        assert!((20..300).contains(&n), "{n}");
        let strict = StoppingRule { tolerance: 1e-6, ..RULE };
        assert_eq!(n_samples(strict, 1e-4), MOST);
    }

    /// Stopping as soon as the median seems to be known must not make the interval wrong.
    #[test]
    fn the_interval_is_honest_although_it_says_when_to_stop() {
        let runs = 1000;
        let covered = (1..=runs).filter(|seed| {
            let mut source = times(1e-4, 400, *seed).into_iter();
            let mut measurement = RepeatedMeasurement::new(RULE);
            while measurement.wants_more() {
                measurement.add(source.next().unwrap());
            }
            let interval = Summary::of(&measurement.into_samples()).unwrap().interval;
            let truth = 1e-4 * TRUE_MEDIAN;
            interval.low <= truth && truth <= interval.high
        });
        let share = covered.count() as f64 / runs as f64;
        assert!(share > 0.92, "{share} of the intervals hold the median");
    }

    #[test]
    fn slow_things_are_measured_at_least_once() {
        assert_eq!(n_samples(RULE, 0.3), FEWEST);
        assert_eq!(n_samples(RULE, 5.0), 3);
        assert_eq!(n_samples(RULE, 50.0), 1);
    }

    #[test]
    fn a_number_that_was_asked_for_is_kept_to() {
        let rule = StoppingRule { exactly: Some(4), ..RULE };
        assert_eq!(n_samples(rule, 1e-4), 4);
        assert_eq!(n_samples(rule, 50.0), 4);
    }

    #[test]
    fn the_first_sample_does_not_count() {
        let mut measurement = RepeatedMeasurement::new(RULE);
        measurement.add(0.5);
        measurement.add(0.1);
        assert_eq!(measurement.into_samples(), [0.1]);
    }

    /// A quantity that is fast after a slow first sample is measured as often as it should be.
    #[test]
    fn a_slow_beginning_is_not_taken_for_the_quantity() {
        let rule = StoppingRule { seconds: 0.01, ..RULE };
        let mut source = std::iter::once(0.05).chain(times(4e-5, 400, 3));
        let mut measurement = RepeatedMeasurement::new(rule);
        while measurement.wants_more() {
            measurement.add(source.next().unwrap());
        }
        let samples = measurement.into_samples();
        assert!(samples.len() >= 20 && samples.iter().all(|time| *time < 0.01), "{samples:?}");
    }
}
