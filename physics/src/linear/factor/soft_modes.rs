//! Softest motions of a matrix, in which a factor in `f32` is least accurate.
//!
//! The error of such a factor in a motion is that of the stiffest motion times the ratio of their
//! stiffnesses. A free body that is held at three nodes only is a thousand times softer in its six
//! rigid motions than in any other, and those alone slow down refinement. So refinement solves for
//! a few softest motions exactly, by a small dense system (the coarse system of deflation).

use nalgebra::{Cholesky, DMatrix, Dyn};
use rayon::prelude::*;

use super::iterative_refinement::Refinement;
use super::strip_kernels::LANES;

/// Number of motions.
const N: usize = LANES;

/// Number of inverse iterations. Each multiplies the share of a motion by one over its stiffness.
const ITERATIONS: usize = 3;

/// Number of degrees of freedom per task.
const TASK: usize = 1024;

/// Softest motions.
pub(super) struct SoftModes {
    /// Displacements, `N` values for each degree of freedom.
    z: Vec<f32>,
    /// Forces of these displacements.
    kz: Vec<f32>,
    /// Stiffness between the motions.
    coarse: Cholesky<f64, Dyn>,
}

impl SoftModes {
    /// Finds the motions. Returns `None` if the factor is too inaccurate to find them.
    pub(super) fn new(refinement: &Refinement<'_>) -> Option<Self> {
        let held = &refinement.matrix.held;
        let mut z = vec![0.0; N * held.len()];
        for (dof, z) in z.chunks_exact_mut(N).enumerate().filter(|(dof, _)| !held[*dof]) {
            for (column, z) in z.iter_mut().enumerate() {
                *z = by_chance(dof as u64, column as u64);
            }
        }
        for _ in 0..ITERATIONS {
            let mut next = vec![0.0; z.len()];
            refinement.add_inverse(&[1.0; N], &z, &mut next);
            z = orthonormal(&next)?;
        }
        let z: Vec<f32> = z.into_iter().map(|z| z as f32).collect();
        let wide: Vec<f64> = z.iter().map(|&z| f64::from(z)).collect();
        let mut opposite = vec![0.0; z.len()];
        refinement.subtract_product(&wide, &mut opposite, N);
        let kz: Vec<f32> = opposite.into_iter().map(|kz| -kz as f32).collect();
        let coarse = Cholesky::new(products(&z, &kz, N))?;
        Some(Self { z, kz, coarse })
    }

    /// Adds the solution among these motions to `x`, and subtracts its forces from the residual.
    /// Both have a value for each degree of freedom and column; only active columns change.
    pub(super) fn correct(&self, is_active: &[bool], x: &mut [f64], residual: &mut [f64]) {
        let width = is_active.len();
        let mut amounts = self.coarse.solve(&products(&self.z, residual, width));
        for (column, _) in is_active.iter().enumerate().filter(|(_, is)| !**is) {
            amounts.column_mut(column).fill(0.0);
        }
        // Row by row: the amounts of one motion in all columns.
        let amounts = amounts.transpose();
        let amounts = amounts.as_slice();
        let tasks = x.par_chunks_mut(TASK * width).zip(residual.par_chunks_mut(TASK * width));
        let modes = self.z.par_chunks(TASK * N).zip(self.kz.par_chunks(TASK * N));
        tasks.zip(modes).for_each(|((x, residual), (z, kz))| {
            add(z, amounts, 1.0, x, width);
            add(kz, amounts, -1.0, residual, width);
        });
    }
}

/// Adds `sign` times the motions times their amounts.
fn add(modes: &[f32], amounts: &[f64], sign: f64, to: &mut [f64], width: usize) {
    for (to, modes) in to.chunks_exact_mut(width).zip(modes.chunks_exact(N)) {
        for (mode, amounts) in modes.iter().zip(amounts.chunks_exact(width)) {
            let share = sign * f64::from(*mode);
            for (to, amount) in to.iter_mut().zip(amounts) {
                *to += share * amount;
            }
        }
    }
}

/// Products of the `N` columns of `a` with the columns of `b`. The sums are over fixed parts, so
/// that their bits do not depend on the number of threads.
fn products<A, B>(a: &[A], b: &[B], width: usize) -> DMatrix<f64>
where
    A: Copy + Into<f64> + Sync,
    B: Copy + Into<f64> + Sync,
{
    let parts: Vec<Vec<f64>> = a
        .par_chunks(TASK * N)
        .zip(b.par_chunks(TASK * width))
        .map(|(a, b)| {
            let mut sums = vec![0.0; N * width];
            for (a, b) in a.chunks_exact(N).zip(b.chunks_exact(width)) {
                for (a, sums) in a.iter().zip(sums.chunks_exact_mut(width)) {
                    let a: f64 = (*a).into();
                    for (sum, b) in sums.iter_mut().zip(b) {
                        *sum += a * (*b).into();
                    }
                }
            }
            sums
        })
        .collect();
    let mut sums = vec![0.0; N * width];
    for part in parts {
        sums.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
    }
    DMatrix::from_row_slice(N, width, &sums)
}

/// Orthonormal columns with the same span.
fn orthonormal(z: &[f64]) -> Option<Vec<f64>> {
    /// Smallest square of a length, as a share of the largest. A body of few nodes has fewer
    /// motions, and needs no help with them.
    const LEAST: f64 = 1e-12;
    let gram = products(z, z, N);
    if !gram.iter().all(|value| value.is_finite()) {
        return None;
    }
    let eigen = gram.symmetric_eigen();
    let squares = &eigen.eigenvalues;
    if squares.min() <= LEAST * squares.max() {
        return None;
    }
    // Column by column of its transpose: what each old column gives to the new ones.
    let turn = &eigen.eigenvectors * DMatrix::from_diagonal(&squares.map(|s| 1.0 / s.sqrt()));
    let turn = turn.transpose();
    let turn = turn.as_slice();
    let mut out = vec![0.0; z.len()];
    out.par_chunks_mut(TASK * N).zip(z.par_chunks(TASK * N)).for_each(|(out, z)| {
        for (out, z) in out.chunks_exact_mut(N).zip(z.chunks_exact(N)) {
            for (z, turn) in z.iter().zip(turn.chunks_exact(N)) {
                out.iter_mut().zip(turn).for_each(|(out, turn)| *out += z * turn);
            }
        }
    });
    Some(out)
}

/// Number between -1 and 1 that depends on the place only (the finaliser of SplitMix64).
fn by_chance(dof: u64, column: u64) -> f64 {
    let mut bits = (dof * N as u64 + column + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}
