//! Power laws `y = k x^m` through measured medians, with the confidence of `m`.

use crate::statistics::{CONFIDENCE, Interval, Summary, normal_half_width, student_half_width};

/// A power law, fitted as a straight line in logarithms, as in \[Ma98\], eq. 6.1.
#[derive(Debug, Clone, PartialEq)]
pub struct PowerLaw {
    /// Value at `x = 1`.
    pub k: f64,
    /// Exponent.
    pub m: f64,
    /// Confidence interval of the exponent; infinite if there are too few samples.
    pub m_interval: Interval,
    /// Smallest and largest measured `x`.
    pub range: (f64, f64),
    /// Number of different measured `x`: two points always lie on a line.
    pub n_places: usize,
    /// Mean of the logarithms of `x`, the pivot of the line.
    log_centre: f64,
    /// Half width of the interval of the line's height at the centre, in logarithms.
    height_half_width: f64,
}

impl PowerLaw {
    /// Fits a law to the medians at two or more different `x`, all positive.
    ///
    /// The exponent's interval covers both sources of uncertainty: the scatter of the samples at
    /// each `x`, and, from three `x` on, the distances of the medians from the line.
    pub fn through(points: &[(f64, &Summary)]) -> Option<Self> {
        let usable = |(x, summary): &(f64, &Summary)| *x > 0.0 && summary.median > 0.0;
        if points.len() < 2 || !points.iter().all(usable) {
            return None;
        }
        let n = points.len() as f64;
        let logs: Vec<(f64, f64)> = points.iter().map(|(x, s)| (x.ln(), s.median.ln())).collect();
        let log_centre = logs.iter().map(|p| p.0).sum::<f64>() / n;
        let height = logs.iter().map(|p| p.1).sum::<f64>() / n;
        let spread: f64 = logs.iter().map(|p| (p.0 - log_centre).powi(2)).sum();
        if spread < 1e-12 {
            return None;
        }
        let m = logs.iter().map(|p| (p.0 - log_centre) * (p.1 - height)).sum::<f64>() / spread;

        let errors = points.iter().zip(&logs).map(|((_, summary), p)| {
            let error = summary.log_error();
            // A point in the centre does not influence the slope, so its error does not matter.
            let pull = (p.0 - log_centre) / spread;
            let of_slope = if pull == 0.0 { 0.0 } else { (pull * error).powi(2) };
            (of_slope, (error / n).powi(2))
        });
        let (slope_variance, height_variance) =
            errors.fold((0.0, 0.0), |sum, error| (sum.0 + error.0, sum.1 + error.1));
        let z = normal_half_width(CONFIDENCE);
        let from_scatter = (z * slope_variance.sqrt(), z * height_variance.sqrt());

        let off = |p: &(f64, f64)| (p.1 - height - m * (p.0 - log_centre)).powi(2);
        let degrees = points.len() - 2;
        let (mut half_width, mut height_half_width) = from_scatter;
        if degrees > 0 {
            let residual = (logs.iter().map(off).sum::<f64>() / degrees as f64).sqrt();
            let t = student_half_width(degrees);
            half_width = half_width.max(t * residual / spread.sqrt());
            height_half_width = height_half_width.max(t * residual / n.sqrt());
        }
        let confidence = if half_width.is_finite() { CONFIDENCE } else { 0.0 };
        let xs = points.iter().map(|(x, _)| *x);
        Some(Self {
            k: (height - m * log_centre).exp(),
            m,
            m_interval: Interval { low: m - half_width, high: m + half_width, confidence },
            range: (xs.clone().fold(f64::INFINITY, f64::min), xs.fold(0.0, f64::max)),
            n_places: points.len(),
            log_centre,
            height_half_width,
        })
    }

    /// Value of the law at `x`.
    pub fn at(&self, x: f64) -> f64 {
        self.k * x.powf(self.m)
    }

    /// Confidence band of the law at `x`; it widens with the distance from the measured range.
    pub fn band(&self, x: f64) -> Interval {
        let half = self.m_half_width() * (x.ln() - self.log_centre);
        let factor = half.hypot(self.height_half_width).exp();
        let Interval { confidence, .. } = self.m_interval;
        Interval { low: self.at(x) / factor, high: self.at(x) * factor, confidence }
    }

    /// Half of the width of the exponent's interval.
    pub fn m_half_width(&self) -> f64 {
        0.5 * (self.m_interval.high - self.m_interval.low)
    }
}

/// Exponent of points without scatter.
pub fn exponent(points: &[(f64, f64)]) -> f64 {
    let summaries: Option<Vec<Summary>> = points.iter().map(|(_, y)| Summary::of(&[*y])).collect();
    let summaries = summaries.unwrap_or_default();
    let places: Vec<(f64, &Summary)> = points.iter().map(|(x, _)| *x).zip(&summaries).collect();
    PowerLaw::through(&places).map_or(f64::NAN, |law| law.m)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::times;

    #[test]
    fn a_cubic_law_has_exponent_three() {
        assert!((exponent(&[(1.0, 2.0), (2.0, 16.0), (4.0, 128.0)]) - 3.0).abs() < 1e-12);
        assert!(exponent(&[(1.0, 2.0)]).is_nan());
        assert!(exponent(&[(2.0, 2.0), (2.0, 3.0)]).is_nan(), "one place makes no line");
    }

    /// Of many synthetic runs with a known law, the interval contains the exponent as often as it
    /// claims.
    #[test]
    fn the_exponent_is_where_the_interval_says() {
        for (threads, n_samples) in [(&[1.0, 2.0][..], 12), (&[1.0, 2.0, 4.0, 8.0][..], 9)] {
            let runs = 500;
            let covered = (0..runs)
                .filter(|run| {
                    let law = synthetic(threads, n_samples, -0.9, *run);
                    law.m_interval.low <= -0.9 && -0.9 <= law.m_interval.high
                })
                .count() as f64;
            assert!(covered >= 0.92 * runs as f64, "{threads:?}: {covered} of {runs}");
            let law = synthetic(threads, 400, -0.9, 3);
            assert!((law.m + 0.9).abs() < 0.02 && law.m_half_width() < 0.1, "{law:?}");
        }
    }

    #[test]
    fn a_crooked_law_is_less_sure() {
        let at = |y: f64, seed| Summary::of(&times(y, 100, seed)).unwrap();
        let straight = [at(1.0, 1), at(0.5, 2), at(0.25, 3)];
        let crooked = [at(1.0, 1), at(0.9, 2), at(0.25, 3)];
        let width = |summaries: &[Summary; 3]| {
            let points: Vec<_> = [1.0, 2.0, 4.0].into_iter().zip(summaries).collect();
            PowerLaw::through(&points).unwrap().m_half_width()
        };
        assert!(width(&crooked) > 5.0 * width(&straight));
    }

    #[test]
    fn one_sample_each_earns_no_confidence() {
        let summaries = [Summary::of(&[1.0]).unwrap(), Summary::of(&[0.5]).unwrap()];
        let points: Vec<_> = [1.0, 2.0].into_iter().zip(&summaries).collect();
        let law = PowerLaw::through(&points).unwrap();
        assert!((law.m + 1.0).abs() < 1e-12);
        assert_eq!(law.m_interval.confidence, 0.0);
        assert!(law.m_half_width().is_infinite());
    }

    #[test]
    fn the_band_opens_outside_of_what_was_measured() {
        let law = synthetic(&[1.0, 2.0, 4.0], 50, -0.8, 9);
        let opening = |x: f64| law.band(x).high / law.band(x).low;
        assert!(opening(2.0) < opening(4.0) && opening(4.0) < opening(64.0));
        assert!(law.band(2.0).low < law.at(2.0) && law.at(2.0) < law.band(2.0).high);
    }

    fn synthetic(threads: &[f64], n_samples: usize, m: f64, run: usize) -> PowerLaw {
        let summaries: Vec<Summary> = threads
            .iter()
            .enumerate()
            .map(|(i, n)| {
                let seed = 1 + (run * 17 + i) as u64;
                Summary::of(&times(0.3 * n.powf(m), n_samples, seed)).unwrap()
            })
            .collect();
        let points: Vec<_> = threads.iter().copied().zip(&summaries).collect();
        PowerLaw::through(&points).unwrap()
    }
}
