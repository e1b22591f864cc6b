//! Scaling with threads: efficiency, power law, Amdahl's serial share, and the number of cores for
//! a given time.

use crate::power_law::PowerLaw;
use crate::statistics::Summary;

/// One quantity of one object on several numbers of threads.
#[derive(Debug, Clone, PartialEq)]
pub struct Scaling {
    /// Numbers of threads (ascending, unique) with their times.
    pub places: Vec<(usize, Summary)>,
    /// `T = k N^m` for at most as many threads as cores.
    pub law: Option<PowerLaw>,
    /// `T = T1 (s + (1 - s) / N)` for the same threads.
    pub amdahl: Option<Amdahl>,
    n_cores: usize,
}

/// Amdahl's law: a share of the work is done by one thread, the rest by all equally.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Amdahl {
    /// Time on one thread, in seconds.
    pub alone: f64,
    /// The serial share, between 0 and 1.
    pub serial: f64,
    /// Half of the width of its interval, from the scatter of the samples.
    pub serial_half_width: f64,
}

/// Number of cores for a given time.
#[derive(Debug, Clone, PartialEq)]
pub enum CoresFor {
    /// Within the measured range.
    Measured(f64),
    /// Extrapolated from the trend.
    Extrapolated {
        /// Number by the power law.
        cores: f64,
        /// Number at the favourable end of the exponent's interval.
        fewest: f64,
        /// Number at the unfavourable end; infinite if more cores may not help.
        most: f64,
        /// Number by Amdahl's law; `None` if no number suffices.
        amdahl: Option<f64>,
    },
    /// More threads do not make it faster, with confidence.
    Never,
    /// There is no trend, or the samples are too few for one.
    Unknown,
}

impl Scaling {
    /// Scaling of times on a machine with `n_cores` cores. Times of more threads than cores are
    /// kept but excluded from the fits.
    pub fn new(mut places: Vec<(usize, Summary)>, n_cores: usize) -> Self {
        places.sort_by_key(|(threads, _)| *threads);
        places.dedup_by_key(|(threads, _)| *threads);
        let within: Vec<(f64, &Summary)> = places
            .iter()
            .filter(|(threads, _)| *threads <= n_cores)
            .map(|(threads, summary)| (*threads as f64, summary))
            .collect();
        let (law, amdahl) = (PowerLaw::through(&within), Amdahl::through(&within));
        Self { law, amdahl, places, n_cores }
    }

    /// True if `threads` is more than the number of cores.
    pub fn is_oversubscribed(&self, threads: usize) -> bool {
        threads > self.n_cores
    }

    /// Speed-up over one thread.
    pub fn speedup(&self, threads: usize) -> Option<f64> {
        let at = |wanted: usize| self.places.iter().find(|(threads, _)| *threads == wanted);
        Some(at(1)?.1.median / at(threads)?.1.median)
    }

    /// Speed-up divided by the number of threads.
    pub fn efficiency(&self, threads: usize) -> Option<f64> {
        Some(self.speedup(threads)? / threads as f64)
    }

    /// Number of cores needed to finish within `seconds`.
    pub fn cores_for(&self, seconds: f64) -> CoresFor {
        if let Some((threads, _)) = self.places.iter().find(|(_, time)| time.median <= seconds) {
            return CoresFor::Measured(*threads as f64);
        }
        let Some(law) = &self.law else { return CoresFor::Unknown };
        if law.m >= 0.0 {
            let is_sure = law.m_interval.confidence > 0.0 && law.m_interval.low >= 0.0;
            return if is_sure { CoresFor::Never } else { CoresFor::Unknown };
        }
        let by = |m: f64| {
            // All exponents of the interval agree in the middle of the measured range, where the
            // line pivots.
            let centre = (law.range.0 * law.range.1).sqrt();
            if m < 0.0 { centre * (seconds / law.at(centre)).powf(1.0 / m) } else { f64::INFINITY }
        };
        let (fewest, most) = match law.m_interval.confidence {
            0.0 => (1.0, f64::INFINITY),
            _ => (by(law.m_interval.low), by(law.m_interval.high)),
        };
        let amdahl = self.amdahl.and_then(|amdahl| amdahl.cores_for(seconds));
        CoresFor::Extrapolated { cores: by(law.m), fewest, most, amdahl }
    }
}

impl Amdahl {
    /// Fits the law by least squares of the relative differences.
    pub fn through(points: &[(f64, &Summary)]) -> Option<Self> {
        let times: Vec<(f64, f64)> = points.iter().map(|(n, s)| (*n, s.median)).collect();
        let (alone, serial) = Self::fit(&times)?;
        let off = |(i, (_, summary)): (usize, &(f64, &Summary))| {
            let mut moved = times.clone();
            moved[i].1 *= (1.96 * summary.log_error()).exp();
            Self::fit(&moved).map_or(f64::INFINITY, |(_, other)| (other - serial).powi(2))
        };
        let serial_half_width = points.iter().enumerate().map(off).sum::<f64>().sqrt();
        Some(Self { alone, serial: serial.clamp(0.0, 1.0), serial_half_width })
    }

    /// Fits `T = a + b / N`: returns the time on one thread and the serial share, which noise may
    /// push out of 0 to 1.
    fn fit(times: &[(f64, f64)]) -> Option<(f64, f64)> {
        let (mut aa, mut ab, mut bb, mut a, mut b) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for &(n, time) in times {
            // Each equation is divided by its time, so that errors are relative.
            let (x, y) = (1.0 / time, 1.0 / (n * time));
            aa += x * x;
            ab += x * y;
            bb += y * y;
            a += x;
            b += y;
        }
        let determinant = aa * bb - ab * ab;
        if times.len() < 2 || determinant <= 1e-12 * aa * bb {
            return None;
        }
        let serial_time = (a * bb - b * ab) / determinant;
        let shared_time = (b * aa - a * ab) / determinant;
        let alone = serial_time + shared_time;
        (alone.is_finite() && alone > 0.0).then(|| (alone, serial_time / alone))
    }

    /// Time on `threads` threads.
    pub fn at(&self, threads: f64) -> f64 {
        self.alone * (self.serial + (1.0 - self.serial) / threads)
    }

    /// Number of cores for a time; `None` if no number suffices.
    pub fn cores_for(&self, seconds: f64) -> Option<f64> {
        let left = seconds / self.alone - self.serial;
        (left > 0.0).then(|| (1.0 - self.serial) / left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::times;

    /// Synthetic times of a law.
    fn scaling(threads: &[usize], n_cores: usize, law: impl Fn(f64) -> f64) -> Scaling {
        let place = |(i, n): (usize, &usize)| {
            (*n, Summary::of(&times(law(*n as f64), 60, 40 + i as u64)).unwrap())
        };
        Scaling::new(threads.iter().enumerate().map(place).collect(), n_cores)
    }

    #[test]
    fn a_known_serial_share_is_found() {
        for serial in [0.0, 0.05, 0.3, 1.0] {
            let amdahl = |n: f64| 2.0 * (serial + (1.0 - serial) / n);
            let found = scaling(&[1, 2, 4, 8, 16], 16, amdahl).amdahl.unwrap();
            let error = (found.serial - serial).abs();
            assert!(error < 0.03 && error <= found.serial_half_width + 0.01, "{serial}: {found:?}");
            assert!((found.at(4.0) / amdahl(4.0) - 1.0).abs() < 0.05);
        }
    }

    /// Of many synthetic runs with a known serial share, its interval contains it as often as it
    /// should.
    #[test]
    fn the_serial_share_is_where_the_interval_says() {
        for (serial, threads) in [(0.2, &[1, 2][..]), (0.2, &[1, 2, 4, 8]), (0.6, &[1, 2, 4])] {
            let runs = 500;
            let covered = (0..runs).filter(|run| {
                let place = |(i, n): (usize, &usize)| {
                    let time = serial + (1.0 - serial) / *n as f64;
                    (*n, Summary::of(&times(time, 20, 1 + run * 31 + i as u64)).unwrap())
                };
                let places = threads.iter().enumerate().map(place).collect();
                let found = Scaling::new(places, 8).amdahl.unwrap();
                (found.serial - serial).abs() <= found.serial_half_width
            });
            let share = covered.count() as f64 / runs as f64;
            assert!(share > 0.92, "{serial} on {threads:?}: {share}");
        }
    }

    #[test]
    fn perfect_scaling_is_fully_efficient() {
        let scaling = scaling(&[8, 1, 4, 2], 8, |n| 1.0 / n);
        for threads in [1, 2, 4, 8] {
            assert!((scaling.efficiency(threads).unwrap() - 1.0).abs() < 0.05);
        }
        assert_eq!(scaling.efficiency(3), None);
        assert!((scaling.law.unwrap().m + 1.0).abs() < 0.03);
    }

    #[test]
    fn more_threads_than_cores_do_not_bend_the_law() {
        let flat_beyond_two = |n: f64| 1.0 / n.min(2.0);
        let scaling = scaling(&[1, 2, 4, 8], 2, flat_beyond_two);
        assert!((scaling.law.as_ref().unwrap().m + 1.0).abs() < 0.06);
        assert!(scaling.is_oversubscribed(4) && !scaling.is_oversubscribed(2));
        assert_eq!(scaling.places.len(), 4);
    }

    /// The thesis' question: 216 vertices, a line of slope -0.9, 0.5 s.
    #[test]
    fn cores_for_a_time_come_from_the_line() {
        let line = |n: f64| 0.5 * (27.0_f64 / n).powf(0.9);
        match scaling(&[1, 2, 4], 4, line).cores_for(0.5) {
            CoresFor::Extrapolated { cores, fewest, most, amdahl } => {
                assert!((cores / 27.0 - 1.0).abs() < 0.1, "{cores}");
                assert!(fewest < 27.0 && 27.0 < most, "{fewest} to {most}");
                assert!(amdahl.is_none_or(|cores| cores > 27.0), "Amdahl's law is never kinder");
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_time_that_was_reached_is_not_extrapolated() {
        assert_eq!(scaling(&[1, 2, 4], 4, |n| 1.0 / n).cores_for(0.6), CoresFor::Measured(2.0));
    }

    #[test]
    fn what_does_not_get_faster_never_arrives() {
        assert_eq!(scaling(&[1, 2, 4], 4, |n| n).cores_for(0.5), CoresFor::Never);
        assert_eq!(scaling(&[1], 4, |n| n).cores_for(0.5), CoresFor::Unknown);
    }
}
