//! Conjugate gradients on the sparse matrix of the free degrees of freedom, preconditioned by its 3
//! x 3 diagonal blocks.
//!
//! Rows are shared by threads in fixed chunks, and sums are combined in their order, so that the
//! number of threads does not change the result.

use std::sync::atomic::{AtomicBool, Ordering};

use nalgebra::{Matrix3, Vector3};
use physics::linear::{Triangle, assemble};
use physics::{KnownDisplacement, SolidSpec};
use rayon::prelude::*;

use super::Held;

/// Residual at which the iteration ends, as a share of the load.
const TOLERANCE: f64 = 1e-10;

/// Number of rows of one task.
const CHUNK: usize = 1536;

/// Reason why the iteration has no result.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum NotConverged {
    /// The matrix is too ill-conditioned for this preconditioner.
    #[error(
        "conjugate gradients still have a residual of {residual:.1e} after {iterations} iterations"
    )]
    TooSlow {
        /// Number of iterations that were allowed.
        iterations: usize,
        /// Remaining residual, as a share of the load.
        residual: f64,
    },
    /// The caller cancelled the iteration.
    #[error("the iteration was cancelled")]
    Cancelled,
}

/// Assembles the matrix and iterates.
pub(super) fn solve(
    spec: &SolidSpec,
    known: &[KnownDisplacement],
    stop: &AtomicBool,
) -> Result<Vec<f64>, NotConverged> {
    let held = Held::new(spec, known);
    let stiffness = assemble(spec.mesh(), spec.material());
    let load = held.load(&stiffness);
    let matrix = Rows::of(&stiffness.held_triangle(&held.is_held));
    Ok(held.completed(iterate(&matrix, &load, stop)?))
}

fn iterate(matrix: &Rows, load: &[f64], stop: &AtomicBool) -> Result<Vec<f64>, NotConverged> {
    let n = load.len();
    let most = 20 * n.max(100);
    let inverses = matrix.inverse_blocks();
    let wanted = TOLERANCE * dot(load, load).sqrt();
    let mut u = vec![0.0; n];
    let mut r = load.to_vec();
    let mut z = preconditioned(&inverses, &r);
    let mut p = z.clone();
    let mut rz = dot(&r, &z);
    for _ in 0..most {
        if stop.load(Ordering::Relaxed) {
            return Err(NotConverged::Cancelled);
        }
        if dot(&r, &r).sqrt() <= wanted {
            return Ok(u);
        }
        let kp = matrix.times(&p);
        let alpha = rz / dot(&p, &kp);
        u.iter_mut().zip(&p).for_each(|(u, p)| *u += alpha * p);
        r.iter_mut().zip(&kp).for_each(|(r, kp)| *r -= alpha * kp);
        z = preconditioned(&inverses, &r);
        let next = dot(&r, &z);
        let beta = next / rz;
        rz = next;
        p.iter_mut().zip(&z).for_each(|(p, z)| *p = z + beta * *p);
    }
    let residual = TOLERANCE * dot(&r, &r).sqrt() / wanted;
    Err(NotConverged::TooSlow { iterations: most, residual })
}

/// A symmetric matrix stored by whole rows, so that rows can be multiplied independently.
struct Rows {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Rows {
    fn of(triangle: &Triangle) -> Self {
        let n = triangle.starts.len() - 1;
        let entries = || {
            (0..n).flat_map(|column| {
                (triangle.starts[column]..triangle.starts[column + 1])
                    .map(move |at| (triangle.rows[at], column, triangle.values[at]))
            })
        };
        let mut starts = vec![0; n + 1];
        for (row, column, _) in entries() {
            starts[row + 1] += 1;
            starts[column + 1] += usize::from(row != column);
        }
        for i in 0..n {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let (mut columns, mut values) = (vec![0; starts[n]], vec![0.0; starts[n]]);
        let mut put = |row: usize, column: usize, value: f64| {
            columns[next[row]] = column as u32;
            values[next[row]] = value;
            next[row] += 1;
        };
        for (row, column, value) in entries() {
            put(row, column, value);
            if row != column {
                put(column, row, value);
            }
        }
        Self { starts, columns, values }
    }

    fn times(&self, x: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; x.len()];
        y.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, y)| {
            for (i, y) in y.iter_mut().enumerate() {
                let row = CHUNK * chunk + i;
                let range = self.starts[row]..self.starts[row + 1];
                let entries = self.columns[range.clone()].iter().zip(&self.values[range]);
                *y = entries.map(|(column, value)| value * x[*column as usize]).sum();
            }
        });
        y
    }

    /// Inverse of each node's diagonal block.
    fn inverse_blocks(&self) -> Vec<Matrix3<f64>> {
        let block = |node: usize| {
            let mut block = Matrix3::zeros();
            for i in 0..3 {
                for at in self.starts[3 * node + i]..self.starts[3 * node + i + 1] {
                    if let Some(j @ 0..3) = (self.columns[at] as usize).checked_sub(3 * node) {
                        block[(i, j)] = self.values[at];
                    }
                }
            }
            // A singular block belongs to a mechanism, which has no solution anyway.
            block.try_inverse().unwrap_or_else(Matrix3::identity)
        };
        (0..(self.starts.len() - 1) / 3).map(block).collect()
    }
}

fn preconditioned(inverses: &[Matrix3<f64>], r: &[f64]) -> Vec<f64> {
    let mut z = vec![0.0; r.len()];
    let nodes = z.par_chunks_exact_mut(3).zip(r.par_chunks_exact(3)).zip(inverses);
    nodes.with_min_len(CHUNK / 3).for_each(|((z, r), inverse)| {
        z.copy_from_slice((inverse * Vector3::from_column_slice(r)).as_slice());
    });
    z
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    let chunks = a.par_chunks(CHUNK).zip(b.par_chunks(CHUNK));
    let sums: Vec<f64> = chunks.map(|(a, b)| a.iter().zip(b).map(|(a, b)| a * b).sum()).collect();
    sums.iter().sum()
}
