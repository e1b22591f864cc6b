//! Sparse Cholesky factor `L L^T` of a stiffness matrix with some degrees of freedom held.
//!
//! Fill is reduced by approximate minimum degree; the dense kernels are faer's, run sequentially:
//! parallelism is over columns of the compliance, where it pays at these sizes.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};

use super::assembly::Stiffness;

/// The factor of `K` with identity rows and columns at the held degrees of freedom.
pub(super) struct Factor {
    symbolic: SymbolicCholesky<usize>,
    values: Vec<f64>,
}

/// Why there is no factor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum FactorError {
    #[error("the stiffness matrix is not positive definite")]
    NotPositiveDefinite,
    #[error("not enough memory for the factor")]
    OutOfMemory,
}

impl Factor {
    pub(super) fn new(stiffness: &Stiffness, held: &[bool]) -> Result<Self, FactorError> {
        let (starts, rows, values) = lower_triangle(stiffness, held);
        let n = held.len();
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, &starts, None, &rows);
        let symbolic = factorize_symbolic_cholesky(
            pattern,
            Side::Lower,
            SymmetricOrdering::Amd,
            CholeskySymbolicParams::default(),
        )
        .map_err(|_| FactorError::OutOfMemory)?;

        // By far the largest piece of memory: to run out of it is an error, not an abort.
        let mut factor = Vec::new();
        factor.try_reserve_exact(symbolic.len_val()).map_err(|_| FactorError::OutOfMemory)?;
        factor.resize(symbolic.len_val(), 0.0);
        let request = symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default());
        let mut memory = MemBuffer::try_new(request).map_err(|_| FactorError::OutOfMemory)?;
        symbolic
            .factorize_numeric_llt(
                &mut factor,
                SparseColMatRef::new(pattern, &values),
                Side::Lower,
                LltRegularization::default(),
                Par::Seq,
                MemStack::new(&mut memory),
                Default::default(),
            )
            .map_err(|_| FactorError::NotPositiveDefinite)?;
        Ok(Self { symbolic, values: factor })
    }

    /// Solves for `n_columns` right-hand sides, stored one after the other, in place.
    pub(super) fn solve_in_place(&self, rhs: &mut [f64], n_columns: usize) {
        let n = self.symbolic.nrows();
        let request = self.symbolic.solve_in_place_scratch::<f64>(n_columns, Par::Seq);
        let mut memory = MemBuffer::new(request);
        LltRef::new(&self.symbolic, &self.values).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(rhs, n, n_columns),
            Par::Seq,
            MemStack::new(&mut memory),
        );
    }
}

/// Compressed columns of the lower triangle by degree of freedom. Held ones become identity rows, so
/// that every node keeps its whole block.
fn lower_triangle(stiffness: &Stiffness, held: &[bool]) -> (Vec<usize>, Vec<usize>, Vec<f64>) {
    let mut starts = vec![0];
    let mut rows = Vec::new();
    let mut values = Vec::new();
    for node in 0..stiffness.n_nodes() {
        for j in 0..3 {
            let column = 3 * node + j;
            for block in stiffness.block_starts[node]..stiffness.block_starts[node + 1] {
                for i in 0..3 {
                    let row = 3 * stiffness.block_rows[block] + i;
                    if row < column {
                        continue;
                    }
                    rows.push(row);
                    values.push(match (row == column, held[row] || held[column]) {
                        (true, true) => 1.0,
                        (false, true) => 0.0,
                        (_, false) => stiffness.blocks[block][(i, j)],
                    });
                }
            }
            starts.push(rows.len());
        }
    }
    (starts, rows, values)
}
