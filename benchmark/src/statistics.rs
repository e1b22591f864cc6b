//! Medians of measured times, with confidence intervals and outliers.
//!
//! Times are skewed and have outliers, so no normal distribution is assumed: the interval of a
//! median depends only on the ranks of the sorted samples.

mod distribution;

use std::time::Instant;

use distribution::{coverage, rank_for};
pub(crate) use distribution::{normal_half_width, student_half_width};

/// Default confidence.
pub const CONFIDENCE: f64 = 0.95;

/// Executes `work`; returns its time in seconds and its result.
pub fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed().as_secs_f64(), result)
}

/// Smallest of the values.
pub fn least(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::INFINITY, f64::min)
}

/// Value below which `share` of all values lie; NaN if there are none.
pub fn quantile(times: &[f64], share: f64) -> f64 {
    quantile_of_sorted(&sorted(times), share)
}

/// Ratio of `theirs` to `ours` as text: of the least times, and in brackets the median over the
/// rounds.
pub fn ratio(theirs: &[f64], ours: &[f64]) -> String {
    let rounds: Vec<f64> = theirs.iter().zip(ours).map(|(theirs, ours)| theirs / ours).collect();
    format!("{:.2} ({:.2})", least(theirs) / least(ours), quantile(&rounds, 0.5))
}

/// Summary of some samples of one quantity.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Number of samples.
    pub n: usize,
    /// Median.
    pub median: f64,
    /// Smallest sample.
    pub least: f64,
    /// Largest sample.
    pub most: f64,
    /// Lower quartile.
    pub lower_quartile: f64,
    /// Upper quartile.
    pub upper_quartile: f64,
    /// 99th percentile.
    pub percentile_99: f64,
    /// Confidence interval of the median.
    pub interval: Interval,
    /// Samples farther from the nearer quartile than three times the distance of the quartiles.
    /// They are not removed: a median is insensitive to them.
    pub outliers: Vec<f64>,
}

/// Confidence interval of a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Probability that an interval made this way contains the true value: 0 for a single sample.
    pub confidence: f64,
}

impl Summary {
    /// Summary of at least one sample; `None` without any, or with one that is not finite.
    pub fn of(samples: &[f64]) -> Option<Self> {
        if samples.is_empty() || !samples.iter().all(|sample| sample.is_finite()) {
            return None;
        }
        let sorted = sorted(samples);
        let quartiles = [0.25, 0.75].map(|share| quantile_of_sorted(&sorted, share));
        let reach = 3.0 * (quartiles[1] - quartiles[0]);
        let is_far = |x: &&f64| **x < quartiles[0] - reach || **x > quartiles[1] + reach;
        Some(Self {
            n: sorted.len(),
            median: quantile_of_sorted(&sorted, 0.5),
            least: sorted[0],
            most: sorted[sorted.len() - 1],
            lower_quartile: quartiles[0],
            upper_quartile: quartiles[1],
            percentile_99: quantile_of_sorted(&sorted, 0.99),
            interval: interval_of_sorted(&sorted, CONFIDENCE),
            outliers: sorted.iter().filter(is_far).copied().collect(),
        })
    }

    /// True if there are enough samples for the default confidence.
    pub fn is_sure(&self) -> bool {
        self.interval.confidence >= CONFIDENCE
    }

    /// Half of the interval's width as a share of the median; infinite if the confidence is zero.
    pub fn relative_half_width(&self) -> f64 {
        if self.interval.confidence <= 0.0 {
            return f64::INFINITY;
        }
        0.5 * (self.interval.high - self.interval.low) / self.median.abs().max(f64::MIN_POSITIVE)
    }

    /// Standard error of the median's logarithm, as if it were normal; used to weigh trends.
    pub(crate) fn log_error(&self) -> f64 {
        let Interval { low, high, confidence } = self.interval;
        if confidence <= 0.0 || low <= 0.0 {
            return f64::INFINITY;
        }
        0.5 * (high / low).ln() / normal_half_width(confidence)
    }
}

/// Interval of the median with at least this confidence. With too few samples it is the whole
/// range, with the confidence that this range has.
pub fn median_interval(samples: &[f64], confidence: f64) -> Option<Interval> {
    if samples.is_empty() { None } else { Some(interval_of_sorted(&sorted(samples), confidence)) }
}

fn interval_of_sorted(sorted: &[f64], confidence: f64) -> Interval {
    let n = sorted.len();
    let rank = rank_for(n, confidence);
    Interval { low: sorted[rank], high: sorted[n - 1 - rank], confidence: coverage(n, rank) }
}

fn sorted(samples: &[f64]) -> Vec<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// Quantile with linear interpolation between two samples.
fn quantile_of_sorted(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = share.clamp(0.0, 1.0) * last as f64;
    let below = place as usize;
    let above = (below + 1).min(last);
    sorted[below] + (place - below as f64) * (sorted[above] - sorted[below])
}

#[cfg(test)]
pub(crate) mod tests;
