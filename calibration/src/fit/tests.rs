//! Tests the regression against known properties.

use super::regression::{Prior, Row, Terms, solve};

/// Rows of a line with this slope, level and these errors; the angles are those of a finger that
/// bends in steps.
fn rows(slope: f64, level: f64, errors: &[f64]) -> Vec<Row> {
    let place = |(capture, error): (usize, &f64)| {
        let angle = 0.3 * (capture % 5) as f64;
        let mut terms = Terms::zeros();
        (terms[0], terms[1]) = (angle, 1.0);
        Row { capture, terms, target: slope * angle + level + error }
    };
    errors.iter().enumerate().map(place).collect()
}

/// A prior that leaves stretch and level free and pins all other terms.
fn open() -> Prior {
    let mut prior = Prior { mean: Terms::zeros(), deviation: Terms::zeros() };
    (prior.deviation[0], prior.deviation[1]) = (1e3, 1e3);
    prior
}

const ERRORS: [f64; 10] = [0.02, -0.01, 0.015, -0.03, 0.01, -0.02, 0.025, 0.0, -0.015, 0.005];

#[test]
fn exact_rows_give_the_exact_line() {
    let solution = solve(&rows(1.3, -0.4, &[0.0; 10]), &open());
    assert!((solution.beta[0] - 1.3).abs() < 1e-6 && (solution.beta[1] + 0.4).abs() < 1e-6);
    assert!((solution.freedom - 8.0).abs() < 1e-6, "ten rows, two terms");
}

#[test]
fn leverage_gives_the_residual_of_a_row_that_is_left_out() {
    // All errors are too small to be outlying, so all weights are one.
    let rows = rows(1.3, -0.4, &ERRORS.map(|error| 0.1 * error));
    let all = solve(&rows, &open());
    for (place, solved) in all.rows.iter().enumerate() {
        let mut others = rows.clone();
        let left_out = others.remove(place);
        let without = solve(&others, &open());
        let want = left_out.target - left_out.terms.dot(&without.beta);
        assert!((solved.residual / (1.0 - solved.leverage) - want).abs() < 1e-7);
    }
}

#[test]
fn one_wild_row_hardly_moves_the_line() {
    let mut errors = ERRORS;
    errors[4] = 1.5;
    let slope = |errors: &[f64]| solve(&rows(1.0, 0.0, errors), &open()).beta[0];
    assert!((slope(&errors) - slope(&ERRORS)).abs() < 0.05, "{}", slope(&errors));
}

#[test]
fn a_prior_pins_or_pulls() {
    let rows = rows(1.3, 0.0, &ERRORS[..3]);
    let mut prior = open();
    (prior.mean[0], prior.deviation[0]) = (1.0, 0.0);
    assert!((solve(&rows, &prior).beta[0] - 1.0).abs() < 1e-6);
    prior.deviation[0] = 0.05;
    let pulled = solve(&rows, &prior).beta[0];
    assert!(pulled > 1.0 && pulled < 1.2, "{pulled}");
}
