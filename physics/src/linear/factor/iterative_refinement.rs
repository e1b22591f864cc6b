//! Iterative refinement: solutions in `f64` from a factor in `f32`.

use super::HeldStiffness;
use super::fronts::Fronts;
use super::solve::{Block, Paths, solve};

/// Largest useful ratio of residuals from round to round. A round that reduces the residual less
/// has reached the precision of `f64`, since a round gains the digits of the factor minus those
/// that the condition of the matrix costs.
const LEAST_GAIN: f64 = 0.5;

/// Largest number of rounds.
const MOST_ROUNDS: usize = 12;

/// Largest residual, as a share of the largest force.
const TOLERANCE: f64 = 1e-13;

/// Solves `K x = b` to the precision of `f64`. `b` must be zero outside `given`.
pub(super) fn refined(
    fronts: &Fronts,
    panels: &[f32],
    matrix: &HeldStiffness,
    b: Block<f64>,
    given: &Paths,
) -> Block<f64> {
    let everywhere = Paths::all(fronts);
    let mut x = Block::zeros(b.width, fronts);
    let mut remaining = largest(&b);
    let goals: Vec<f64> = remaining.iter().map(|force| TOLERANCE * force).collect();
    let mut correction = single(&b);
    solve(fronts, panels, given, &everywhere, &mut correction);
    for _ in 0..MOST_ROUNDS {
        for (x, correction) in x.values.iter_mut().zip(&correction.values) {
            *x += f64::from(*correction);
        }
        let mut residual = matrix.residual(fronts, &b, &x);
        let before = std::mem::replace(&mut remaining, largest(&residual));
        // Each column ends on its own, so that its bits do not depend on the others.
        let is_done: Vec<bool> = (0..b.width)
            .map(|i| remaining[i] <= goals[i] || remaining[i] > LEAST_GAIN * before[i])
            .collect();
        if !is_done.contains(&false) {
            break;
        }
        for values in residual.values.chunks_exact_mut(b.width) {
            for (value, is_done) in values.iter_mut().zip(&is_done) {
                *value = if *is_done { 0.0 } else { *value };
            }
        }
        for i in (0..b.width).filter(|&i| is_done[i]) {
            remaining[i] = 0.0;
        }
        correction = single(&residual);
        solve(fronts, panels, &everywhere, &everywhere, &mut correction);
    }
    x
}

/// Largest absolute value of each column.
fn largest(block: &Block<f64>) -> Vec<f64> {
    let mut largest = vec![0.0_f64; block.width];
    for values in block.values.chunks_exact(block.width) {
        for (largest, value) in largest.iter_mut().zip(values) {
            *largest = largest.max(value.abs());
        }
    }
    largest
}

fn single(block: &Block<f64>) -> Block<f32> {
    let values = block.values.iter().map(|&value| value as f32).collect();
    Block { width: block.width, values }
}

impl HeldStiffness {
    /// Computes `b - K x`, in the order of the factor.
    fn residual(&self, fronts: &Fronts, b: &Block<f64>, x: &Block<f64>) -> Block<f64> {
        let width = b.width;
        let mut r = Block { width, values: b.values.clone() };
        let run = |dof: usize| {
            let at = width * fronts.dof_position(dof);
            at..at + width
        };
        let mut subtract = |row: usize, column: usize, k: f64| {
            let (into, from) = (&mut r.values[run(row)], &x.values[run(column)]);
            for (into, from) in into.iter_mut().zip(from) {
                *into -= k * from;
            }
        };
        let stiffness = &self.stiffness;
        let diagonal = (0..stiffness.n_nodes()).map(|n| (n, n, stiffness.block_starts[n]));
        for (row_node, column_node, block) in diagonal.chain(stiffness.below_diagonal()) {
            for i in 0..3 {
                for j in 0..3 {
                    let (row, column) = (3 * row_node + i, 3 * column_node + j);
                    if self.held[row] || self.held[column] {
                        if row == column {
                            subtract(row, column, 1.0);
                        }
                        continue;
                    }
                    let k = stiffness.blocks[block][(i, j)] * self.unscale;
                    subtract(row, column, k);
                    if row_node != column_node {
                        subtract(column, row, k);
                    }
                }
            }
        }
        r
    }
}
