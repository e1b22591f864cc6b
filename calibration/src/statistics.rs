//! Quantiles of the normal, Student and chi-square distributions.

/// Value that a chi-square variable with `freedom` degrees of freedom (not necessarily an integer)
/// stays below with probability `p`.
pub(crate) fn chi_square_quantile(p: f64, freedom: f64) -> f64 {
    let below = |x: f64| gamma_share(0.5 * freedom, 0.5 * x);
    let (mut low, mut high) = (0.0, freedom + 10.0);
    while below(high) < p {
        high *= 2.0;
    }
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if below(middle) < p { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Value that a Student variable stays below with probability `p >= 0.5`: the first terms of
/// Fisher's expansion about the normal, accurate to a percent from six degrees of freedom on.
pub(crate) fn student_quantile(p: f64, freedom: f64) -> f64 {
    // The square of a normal variable is chi-square with one degree of freedom.
    let z = chi_square_quantile(2.0 * p - 1.0, 1.0).sqrt();
    let (z3, z5, z7) = (z.powi(3), z.powi(5), z.powi(7));
    z + (z3 + z) / (4.0 * freedom)
        + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * freedom.powi(2))
        + (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * freedom.powi(3))
}

/// Median; reorders the values.
pub(crate) fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        n if n % 2 == 1 => Some(values[middle]),
        _ => Some(0.5 * (values[middle - 1] + values[middle])),
    }
}

/// Regularised lower incomplete gamma function, by its power series; `x` is moderate here.
fn gamma_share(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    let mut term = (a * x.ln() - x - ln_gamma(a + 1.0)).exp();
    let mut sum = term;
    let mut n = a;
    while term > sum * 1e-15 && n < a + 10_000.0 {
        n += 1.0;
        term *= x / n;
        sum += term;
    }
    sum.min(1.0)
}

/// Logarithm of the gamma function: Stirling's series, after raising the argument to where the
/// series is exact to 12 digits.
fn ln_gamma(x: f64) -> f64 {
    let mut x = x;
    let mut product = 1.0;
    while x < 12.0 {
        product *= x;
        x += 1.0;
    }
    let series = (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / (1260.0 * x * x)) / (x * x)) / x;
    (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series - product.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        let check = |got: f64, want: f64| assert!((got / want - 1.0).abs() < 2e-3, "{got} {want}");
        check(chi_square_quantile(0.95, 1.0), 3.8415);
        check(chi_square_quantile(0.025, 3.0), 0.21580);
        check(chi_square_quantile(0.975, 20.0), 34.170);
        check(chi_square_quantile(0.5, 2.0), 1.38629);
        check(chi_square_quantile(0.9999, 22.0), 55.525);
        check(student_quantile(0.975, 8.0), 2.3060);
        check(student_quantile(0.995, 20.0), 2.8453);
        check(student_quantile(0.999, 30.0), 3.3852);
    }

    #[test]
    fn the_median_of_an_even_number_lies_between() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0, 10.0]), Some(2.5));
        assert_eq!(median(&mut [3.0, 1.0, 10.0]), Some(3.0));
        assert_eq!(median(&mut []), None);
    }
}
