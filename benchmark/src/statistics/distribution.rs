//! Distributions for confidence intervals: binomial for ranks, normal and Student's for trends.

/// Probability that the true median lies between the sample of this rank, counted from 0, and its
/// mirror image, of `n` sorted samples: each sample is below the median with probability one half.
pub(super) fn coverage(n: usize, rank: usize) -> f64 {
    if 2 * rank + 1 >= n {
        return 0.0;
    }
    (1.0 - 2.0 * fewer_heads(n, rank)).max(0.0)
}

/// Highest rank whose interval has this confidence; 0 if none has.
pub(super) fn rank_for(n: usize, confidence: f64) -> usize {
    let enough = |rank: &usize| coverage(n, *rank) >= confidence;
    (0..n / 2).take_while(enough).last().unwrap_or(0)
}

/// Probability of at most `most` heads among `n` coins.
fn fewer_heads(n: usize, most: usize) -> f64 {
    // In logarithms, so that many coins do not underflow.
    let mut log_term = -(n as f64) * std::f64::consts::LN_2;
    let mut sum = log_term.exp();
    for k in 1..=most {
        log_term += ((n + 1 - k) as f64 / k as f64).ln();
        sum += log_term.exp();
    }
    sum
}

/// Half width, in standard deviations, of the central part of the normal distribution with this
/// probability.
pub(crate) fn normal_half_width(probability: f64) -> f64 {
    let (mut low, mut high) = (0.0, 10.0);
    // Enough halvings for the precision of `f64`.
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if error_function(middle / std::f64::consts::SQRT_2) < probability {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// The error function, by its power series near zero and by its continued fraction farther out.
fn error_function(x: f64) -> f64 {
    let two_over_root_pi = std::f64::consts::FRAC_2_SQRT_PI;
    if x < 2.5 {
        let (mut term, mut sum) = (x, x);
        for n in 1..60 {
            term *= -x * x / f64::from(n);
            sum += term / f64::from(2 * n + 1);
        }
        return two_over_root_pi * sum;
    }
    let fraction = (1..60).rev().fold(0.0, |below, k| 0.5 * f64::from(k) / (x + below));
    1.0 - 0.5 * two_over_root_pi * (-x * x).exp() / (x + fraction)
}

/// Half width of the central 95 % of Student's distribution, for a spread that was estimated from
/// few differences.
pub(crate) fn student_half_width(degrees_of_freedom: usize) -> f64 {
    const FEW: [f64; 6] = [12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469];
    match degrees_of_freedom {
        0 => f64::INFINITY,
        few @ 1..=6 => FEW[few - 1],
        many => {
            // Cornish-Fisher expansion: three terms are accurate to three digits from here on.
            let (z, d) = (normal_half_width(0.95), many as f64);
            let (z3, z5, z7) = (z.powi(3), z.powi(5), z.powi(7));
            z + (z3 + z) / (4.0 * d)
                + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * d * d)
                + (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * d.powi(3))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_cover_the_median_as_tables_say() {
        check_coverage(1, 0, 0.0);
        check_coverage(2, 0, 0.5);
        check_coverage(6, 0, 0.96875);
        check_coverage(10, 1, 1.0 - 2.0 * 11.0 / 1024.0);
        check_coverage(10, 4, 1.0 - 2.0 * 386.0 / 1024.0);
        assert_eq!([5, 6, 9, 10, 100].map(|n| rank_for(n, 0.95)), [0, 0, 1, 1, 39]);
    }

    #[test]
    fn many_coins_do_not_underflow() {
        let half_width = 0.5 * 5000.0 - rank_for(5000, 0.95) as f64;
        assert!((half_width / (0.5 * 5000.0_f64.sqrt()) - 1.96).abs() < 0.05, "{half_width}");
    }

    #[test]
    fn widths_are_those_of_the_tables() {
        for (probability, expected) in
            [(0.5, 0.67449), (0.6827, 1.0), (0.95, 1.959964), (0.99, 2.575829), (0.999, 3.290527)]
        {
            let got = normal_half_width(probability);
            assert!((got - expected).abs() < 1e-4, "{probability}: {got}");
        }
        for (degrees, expected) in [
            (1, 12.706),
            (4, 2.776),
            (5, 2.571),
            (7, 2.365),
            (10, 2.228),
            (30, 2.042),
            (1000, 1.962),
        ] {
            let got = student_half_width(degrees);
            assert!((got - expected).abs() < 3e-3, "{degrees}: {got}");
        }
    }

    fn check_coverage(n: usize, rank: usize, expected: f64) {
        assert!((coverage(n, rank) - expected).abs() < 1e-12, "{n}, {rank}");
    }
}
