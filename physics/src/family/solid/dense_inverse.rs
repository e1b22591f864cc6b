//! Solve by the algorithm of \[Ma98\], chapters 3 and 5, for comparison and teaching.
//!
//! It inverts the dense stiffness of all free degrees of freedom by Gauss-Jordan elimination, with
//! the rows divided among threads. That takes `n^3` operations for each set of touched nodes.

use rayon::prelude::*;

use super::solution::Solution;
use super::solve_error::{DenseMatrix, SolveError, check_known};
use crate::linear::{ContactError, assemble};
use crate::mesh::{Dof, NodeId};
use crate::model::MemoryLimits;
use crate::progress::Progress;
use crate::spec::SolidSpec;
use crate::touch::KnownDisplacement;

/// Solves eqs. 3.43 of \[Ma98\]: `Q_u = -K_uu^-1 K_uk Q_k` and `F_k = K_ku Q_u + K_kk Q_k`.
pub fn solve_by_inverse(
    spec: &SolidSpec,
    known: &[KnownDisplacement],
    memory: MemoryLimits,
    progress: &Progress,
) -> Result<Solution, SolveError> {
    check_known(spec.mesh(), known)?;
    let n = 3 * spec.mesh().n_nodes();
    let mut u = vec![0.0; n];
    let mesh = spec.mesh();
    let mut is_touched = vec![false; mesh.n_bodies()];
    let touching = known.iter().map(|known| known.node).chain(spec.supports().iter().copied());
    touching.filter_map(|node| mesh.body_of(node)).for_each(|body| is_touched[body] = true);
    // Nodes without elements, and bodies that nothing touches, stay at rest.
    let stays = |i: u32| mesh.body_of(NodeId(i / 3)).is_none_or(|body| !is_touched[body]);
    let mut is_known: Vec<bool> = (0..n as u32).map(stays).collect();
    for node in spec.supports() {
        Dof::all_of(*node).iter().for_each(|dof| is_known[dof.index()] = true);
    }
    for (dof, displacement) in known.iter().flat_map(|known| known.components()) {
        if spec.supports().binary_search(&dof.node()).is_ok() {
            return Err(ContactError::Support(dof.node()).into());
        }
        is_known[dof.index()] = true;
        u[dof.index()] = displacement;
    }
    let free: Vec<usize> = (0..n).filter(|&i| !is_known[i]).collect();
    let needed = 8 * free.len() * free.len();
    SolveError::over_budget(DenseMatrix::Free(free.len()), needed, memory.factor_bytes)?;

    let stiffness = assemble(spec.mesh(), spec.material());
    // The free displacements are still zero, so K u is K_uk Q_k in the free rows.
    let load = stiffness.times(&u);
    let mut k = stiffness.dense(&free);
    invert(&mut k, free.len(), progress)?;
    let q: Vec<f64> = k
        .par_chunks_exact(free.len().max(1))
        .map(|row| -row.iter().zip(&free).map(|(k, &i)| k * load[i]).sum::<f64>())
        .collect();
    for (&i, q) in free.iter().zip(q) {
        u[i] = q;
    }
    Solution::of(&stiffness, spec.supports(), known, &u)
}

/// Inverts a matrix in place. While a pivot is eliminated, the rows are independent of each other,
/// so each thread takes some of them, as each processor did in \[Ma98\].
fn invert(matrix: &mut [f64], n: usize, progress: &Progress) -> Result<(), SolveError> {
    /// A pivot below this share of the largest entry is a free motion, not a stiffness.
    const SINGULAR: f64 = 1e-12;
    let largest = matrix.iter().fold(0.0_f64, |largest, k| k.abs().max(largest));
    let mut pivot_row = vec![0.0; n];
    progress.expect(n as u64);
    for p in 0..n {
        if progress.is_cancelled() {
            return Err(SolveError::Cancelled);
        }
        progress.add(1);
        let row = &mut matrix[p * n..(p + 1) * n];
        let pivot = row[p];
        if pivot.abs() <= SINGULAR * largest {
            let free = "the known displacements leave a motion free".to_owned();
            return Err(ContactError::Underdetermined(free).into());
        }
        row[p] = 1.0;
        row.iter_mut().for_each(|k| *k /= pivot);
        pivot_row.copy_from_slice(row);
        matrix.par_chunks_exact_mut(n).with_min_len(16).enumerate().for_each(|(i, row)| {
            if i == p {
                return;
            }
            let factor = std::mem::replace(&mut row[p], 0.0);
            for (k, pivot) in row.iter_mut().zip(&pivot_row) {
                *k -= factor * pivot;
            }
        });
    }
    Ok(())
}
