use super::*;

/// Generator of pseudo-random numbers between 0 and 1, the same every time.
pub(crate) fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// True median of [`times`] with median 1: three outliers in a hundred move it to where 0.5 / 0.97
/// of the others lie below, 0.03876 standard deviations above their own median.
pub(crate) const TRUE_MEDIAN: f64 = 1.00194;

/// Times about `median`, skewed and with occasional outliers, as real machines produce them.
pub(crate) fn times(median: f64, n: usize, seed: u64) -> Vec<f64> {
    let mut next = noise(seed);
    (0..n)
        .map(|_| {
            let (a, b) = (next().max(1e-12), next());
            let normal = (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos();
            let stray = if next() < 0.03 { 4.0 } else { 1.0 };
            median * (0.05 * normal).exp() * stray
        })
        .collect()
}

#[test]
fn the_median_is_in_the_middle() {
    assert_eq!(quantile(&[3.0, 1.0, 2.0], 0.5), 2.0);
    assert_eq!(quantile(&[1.0, 2.0, 3.0, 4.0], 0.5), 2.5);
    assert!(quantile(&[], 0.5).is_nan());
    assert_eq!(least(&[3.0, 1.0, 2.0]), 1.0);
    assert_eq!(ratio(&[4.0, 2.0], &[1.0, 1.0]), "2.00 (3.00)");
}

#[test]
fn what_cannot_be_summed_up_is_refused() {
    assert_eq!(Summary::of(&[]), None);
    assert_eq!(Summary::of(&[1.0, f64::NAN]), None);
    assert_eq!(Summary::of(&[1.0, f64::INFINITY]), None);
}

#[test]
fn a_single_sample_earns_no_confidence() {
    let one = Summary::of(&[2.0]).unwrap();
    assert_eq!(one.interval, Interval { low: 2.0, high: 2.0, confidence: 0.0 });
    assert_eq!(one.relative_half_width(), f64::INFINITY);
    assert_eq!(one.log_error(), f64::INFINITY);
}

#[test]
fn outliers_are_counted_and_kept() {
    let mut samples: Vec<f64> = (0..40).map(|i| 1.0 + 0.01 * f64::from(i % 5)).collect();
    samples.push(9.0);
    let summary = Summary::of(&samples).unwrap();
    assert_eq!(summary.outliers, [9.0]);
    assert_eq!((summary.n, summary.most), (41, 9.0));
    assert!((summary.median - 1.02).abs() < 1e-12);
}

/// Of many synthetic runs with a known median, the interval contains it as often as it claims: not
/// less often, and not more often, which would make intervals too wide.
#[test]
fn the_interval_holds_what_it_promises() {
    for n in [6, 9, 20, 75, 300] {
        let runs = 3000;
        let mut promised = 0.0;
        let covered = (1..=runs)
            .filter(|&seed| {
                let interval = Summary::of(&times(1.0, n, seed)).unwrap().interval;
                promised = interval.confidence;
                interval.low <= TRUE_MEDIAN && TRUE_MEDIAN <= interval.high
            })
            .count();
        let share = covered as f64 / runs as f64;
        // Four standard deviations of a share of 3000 runs.
        assert!((share - promised).abs() < 0.016, "{n} samples: {share}, promised {promised}");
    }
}

#[test]
fn the_interval_narrows_with_more_samples() {
    let width = |n| {
        let interval = median_interval(&times(1.0, n, 5), CONFIDENCE).unwrap();
        interval.high - interval.low
    };
    assert!(width(400) < 0.4 * width(20), "{} and {}", width(400), width(20));
}
