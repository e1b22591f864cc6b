//! Robust linear least squares with a weak prior, for a few terms.
//!
//! Minimises `sum rho(y_i - x_i . beta) + sum_j p_j (beta_j - m_j)^2` with Huber's `rho` by
//! iteratively reweighted least squares; the scale of `rho` is the median absolute residual. `h_i`,
//! the leverage of a row, is the weight of its own `y_i` in its prediction: without this row, the
//! residual would have been `e_i / (1 - h_i)`.

use nalgebra::{SMatrix, SVector};

use crate::statistics::median;

/// Number of terms: stretch, level, two leaks, linear and quadratic bend.
pub(super) const N_TERMS: usize = 6;
pub(super) type Terms = SVector<f64, N_TERMS>;

/// One observation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) capture: usize,
    pub(super) terms: Terms,
    pub(super) target: f64,
}

/// Prior knowledge of each term.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prior {
    pub(super) mean: Terms,
    /// Standard deviations; zero pins a term to its mean.
    pub(super) deviation: Terms,
}

#[derive(Debug, Clone)]
pub(super) struct Solution {
    pub(super) beta: Terms,
    /// Standard error of each term.
    pub(super) errors: Terms,
    pub(super) rows: Vec<SolvedRow>,
    /// Robust spread of the residuals.
    pub(super) scale: f64,
    /// Number of rows minus the sum of the leverages.
    pub(super) freedom: f64,
}

impl Solution {
    /// Divides all residuals by `unit`.
    pub(super) fn over(mut self, unit: f64) -> Self {
        self.scale /= unit.abs();
        for row in &mut self.rows {
            row.residual /= unit;
        }
        self
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct SolvedRow {
    pub(super) capture: usize,
    pub(super) residual: f64,
    pub(super) leverage: f64,
}

/// Expected error of a person's pose, in radians; used only to weigh the prior against the data.
const EXPECTED: f64 = 0.05;
/// Largest residual that has full weight, in scales: 95 % efficient for normal errors.
const HUBER: f64 = 1.345;
/// Smallest scale of the residuals, in radians: no person holds a pose more precisely.
const MIN_SCALE: f64 = 0.009;
/// Fewest rows with which outlying rows can be recognised.
const MIN_ROBUST_ROWS: usize = 6;
/// Largest number of reweighting rounds.
const MAX_ROUNDS: usize = 30;

pub(super) fn solve(rows: &[Row], prior: &Prior) -> Solution {
    let mut weights = vec![1.0; rows.len()];
    let mut beta = Terms::zeros();
    let mut scale = MIN_SCALE;
    for _ in 0..MAX_ROUNDS {
        let previous = beta;
        beta = normal_inverse(rows, &weights, prior) * right_side(rows, &weights, prior);
        scale = robust_scale(rows, &beta, prior);
        if rows.len() < MIN_ROBUST_ROWS {
            break;
        }
        for (weight, row) in weights.iter_mut().zip(rows) {
            *weight = (HUBER * scale / residual(row, &beta).abs()).min(1.0);
        }
        if (beta - previous).amax() < 1e-9 {
            break;
        }
    }
    finish(rows, &weights, prior, beta, scale)
}

/// Leverages are those of plain least squares, and the standard errors are Huber's: computed with
/// the weights, both would understate the influence of outlying rows.
fn finish(rows: &[Row], weights: &[f64], prior: &Prior, beta: Terms, scale: f64) -> Solution {
    let inverse = normal_inverse(rows, &vec![1.0; rows.len()], prior);
    let rows: Vec<_> = rows
        .iter()
        .map(|row| SolvedRow {
            capture: row.capture,
            residual: residual(row, &beta),
            leverage: row.terms.dot(&(inverse * row.terms)).clamp(0.0, 0.95),
        })
        .collect();
    let freedom: f64 = rows.iter().map(|row| 1.0 - row.leverage).sum();
    let square: f64 = rows.iter().zip(weights).map(|(row, w)| (w * row.residual).powi(2)).sum();
    let n_in_full = weights.iter().filter(|weight| **weight >= 1.0).count();
    let share_in_full = n_in_full.max(1) as f64 / rows.len() as f64;
    let variance = square / freedom.max(1.0) / share_in_full.powi(2);
    let errors = inverse.diagonal().map(|share| (variance * share.max(0.0)).sqrt());
    Solution { beta, errors, rows, scale, freedom }
}

fn residual(row: &Row, beta: &Terms) -> f64 {
    row.target - row.terms.dot(beta)
}

/// Weights of the prior: enormous for a pinned term, nearly zero for a free one.
fn prior_weights(prior: &Prior) -> Terms {
    prior.deviation.map(|deviation| (EXPECTED / deviation.max(1e-7)).powi(2))
}

fn normal_inverse(rows: &[Row], weights: &[f64], prior: &Prior) -> SMatrix<f64, N_TERMS, N_TERMS> {
    let mut normal = SMatrix::from_diagonal(&prior_weights(prior));
    for (row, weight) in rows.iter().zip(weights) {
        normal.ger(*weight, &row.terms, &row.terms, 1.0);
    }
    normal.cholesky().expect("the prior makes the normal matrix positive definite").inverse()
}

fn right_side(rows: &[Row], weights: &[f64], prior: &Prior) -> Terms {
    let pull = prior_weights(prior).component_mul(&prior.mean);
    rows.iter().zip(weights).fold(pull, |sum, (row, w)| sum + row.terms * (w * row.target))
}

/// Scale from the median of the absolute residuals, as if they were normal.
fn robust_scale(rows: &[Row], beta: &Terms, prior: &Prior) -> f64 {
    let mut sizes: Vec<_> = rows.iter().map(|row| residual(row, beta).abs()).collect();
    let n_free = prior.deviation.iter().filter(|deviation| **deviation > 0.0).count();
    let n = rows.len() as f64;
    let correction = (n / (n - n_free as f64).max(1.0)).sqrt();
    (1.4826 * median(&mut sizes).unwrap_or(0.0) * correction).max(MIN_SCALE)
}
