//! Least, median and trends of measured times.

use std::time::Instant;

/// Times of one kind of work, in seconds.
#[derive(Default)]
pub(crate) struct Times(Vec<f64>);

impl Times {
    /// Times some work.
    pub(crate) fn time<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.0.push(start.elapsed().as_secs_f64());
        result
    }

    pub(crate) fn least(&self) -> f64 {
        self.0.iter().copied().fold(f64::INFINITY, f64::min)
    }

    pub(crate) fn median(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    }
}

/// The exponent `m` of the trend `time = k x^m`, by least squares in logarithms.
pub(crate) fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs = || points.iter().map(|(x, t)| (x.ln(), t.ln()));
    let n = points.len() as f64;
    let (x, t) = logs().fold((0.0, 0.0), |sum, (x, t)| (sum.0 + x / n, sum.1 + t / n));
    let covariance: f64 = logs().map(|p| (p.0 - x) * (p.1 - t)).sum();
    let variance: f64 = logs().map(|p| (p.0 - x).powi(2)).sum();
    covariance / variance
}
