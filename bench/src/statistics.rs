//! Least, median, quantiles and trends of measured times.

use std::time::Instant;

/// Seconds that `work` takes, and what it gives.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed().as_secs_f64(), result)
}

/// The least.
pub(crate) fn least(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::INFINITY, f64::min)
}

/// The value below which `share` of all lie.
pub(crate) fn quantile(times: &[f64], share: f64) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = (share * (sorted.len() - 1) as f64).round() as usize;
    sorted[at]
}

/// How many times faster `ours` is than `theirs`: of the least times, and in brackets the median of the
/// rounds.
pub(crate) fn ratio(theirs: &[f64], ours: &[f64]) -> String {
    let rounds: Vec<f64> = theirs.iter().zip(ours).map(|(theirs, ours)| theirs / ours).collect();
    format!("{:.2} ({:.2})", least(theirs) / least(ours), quantile(&rounds, 0.5))
}

/// The exponent `m` of the trend `time = k x^m`, by least squares in logarithms.
pub(crate) fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, t)| (x.ln(), t.ln())).collect();
    let n = logs.len() as f64;
    let mean = logs.iter().fold((0.0, 0.0), |sum, p| (sum.0 + p.0 / n, sum.1 + p.1 / n));
    let covariance: f64 = logs.iter().map(|p| (p.0 - mean.0) * (p.1 - mean.1)).sum();
    let variance: f64 = logs.iter().map(|p| (p.0 - mean.0).powi(2)).sum();
    covariance / variance
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cubic_law_has_exponent_three() {
        let points = [(1.0, 2.0), (2.0, 16.0), (4.0, 128.0)];
        assert!((exponent(&points) - 3.0).abs() < 1e-12);
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(quantile(&[3.0, 1.0, 2.0], 0.5), 2.0);
        assert_eq!(least(&[3.0, 1.0, 2.0]), 1.0);
        assert_eq!(ratio(&[4.0, 2.0], &[1.0, 1.0]), "2.00 (4.00)");
    }
}
