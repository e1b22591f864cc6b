//! Small dense problem of one set of touched degrees of freedom.
//!
//! ```text
//! [ A    C ] [ l ]   [ d ]      A = B^T G B   (m x m)
//! [ C^T  0 ] [ a ] = [ 0 ]      C = B^T R     (m x q)
//! ```
//!
//! The matrix is inverted once per set; a frame then multiplies by the inverse. The symbols are
//! those of [`linear`](super).

use std::ops::Range;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::{factor as lu, inverse as lu_inverse};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};

use super::column_sum::add_columns;
use super::free_bodies::Motions;
use crate::mesh::{Dof, NodeId};

/// Solver for one set of touched degrees of freedom: from prescribed displacements to forces and
/// rigid motions.
pub struct ContactSystem {
    touched: Vec<Dof>,
    motions: Motions,
    /// Inverse of the system's matrix, with forces in units of `force_scale`.
    inverse: Mat<f64>,
    force_scale: f64,
    /// Distance between the identity and the product of matrix and inverse; see [`inaccuracy`].
    inaccuracy: f64,
}

/// Displacements cannot be prescribed at a set of nodes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ContactError {
    /// The nodes leave a rigid motion free; the text names it.
    #[error("the touch does not hold the object: {0}")]
    Underdetermined(String),
    /// A support cannot be moved.
    #[error("node {} is a support and cannot be moved", .0.0)]
    Support(NodeId),
    /// The system has no accurate solution in floating point.
    #[error("the touched nodes are too close together to tell apart")]
    Singular,
}

/// Answer to one touch. It is kept from frame to frame, so that a frame allocates nothing.
#[derive(Debug, Clone, Default)]
pub struct ContactAnswer {
    /// Force at each touched degree of freedom, in units of [`ContactSystem::force_scale`].
    pub scaled_forces: Vec<f64>,
    /// Amounts of the rigid motions.
    motions: Vec<f64>,
    /// Upper bound of the difference between prescribed and obtained displacements, in metres.
    pub residual: f64,
}

impl ContactSystem {
    /// Creates the system of `touched`. `a` are its compliances times `force_scale`, column after
    /// column.
    pub(crate) fn new(
        touched: Vec<Dof>,
        motions: Motions,
        a: &[f64],
        force_scale: f64,
    ) -> Result<Self, ContactError> {
        let (m, q) = (touched.len(), motions.c.ncols());
        let saddle = Mat::from_fn(m + q, m + q, |i, j| match (i < m, j < m) {
            // The compliances are symmetric up to rounding; the mean of both halves is exactly
            // symmetric.
            (true, true) => 0.5 * (a[j * m + i] + a[i * m + j]),
            (true, false) => motions.c[(i, j - m)],
            (false, true) => motions.c[(j, i - m)],
            (false, false) => 0.0,
        });
        let inverse = inverse(&saddle);
        let inaccuracy = inaccuracy(&saddle, &inverse);
        // A pivot of zero makes entries that are not numbers.
        if !inaccuracy.is_finite() {
            return Err(ContactError::Singular);
        }
        Ok(Self { touched, motions, inverse, force_scale, inaccuracy })
    }

    /// Touched degrees of freedom, in the order of the prescribed displacements.
    pub fn touched(&self) -> &[Dof] {
        &self.touched
    }

    /// Unit of the scaled forces, in N/m: a scaled force has the unit of a displacement.
    pub fn force_scale(&self) -> f64 {
        self.force_scale
    }

    /// Computes forces and rigid motions for one prescribed displacement per touched degree of
    /// freedom.
    pub fn answer(&self, prescribed: &[f64], answer: &mut ContactAnswer) {
        let m = self.touched.len();
        let ContactAnswer { scaled_forces, motions, residual } = answer;
        times(&self.inverse, 0..m, prescribed, scaled_forces);
        times(&self.inverse, m..self.inverse.nrows(), prescribed, motions);
        *residual = self.inaccuracy * prescribed.iter().map(|d| d.abs()).fold(0.0, f64::max);
    }

    /// Rigid motions of an answer: each touched free body with the amounts of its six modes.
    pub fn rigid_motions(&self, answer: &ContactAnswer) -> impl Iterator<Item = (usize, [f64; 6])> {
        let mut rest: &[f64] = &answer.motions;
        self.motions.of_bodies.iter().map(move |(body, basis)| {
            let (own, others) = rest.split_at(basis.ncols());
            rest = others;
            let mut amounts = [0.0; 6];
            for (i, amount) in amounts.iter_mut().enumerate() {
                *amount = own.iter().enumerate().map(|(j, x)| basis[(i, j)] * x).sum();
            }
            (*body, amounts)
        })
    }
}

/// Computes some rows of `matrix` times `x`.
fn times(matrix: &Mat<f64>, rows: Range<usize>, x: &[f64], y: &mut Vec<f64>) {
    y.clear();
    y.resize(rows.len(), 0.0);
    add_columns(y, x.len(), |j| (&matrix.col_as_slice(j)[rows.clone()], x[j]));
}

/// Computes the largest sum of absolute values in a row of `matrix * inverse - identity`.
fn inaccuracy(matrix: &Mat<f64>, inverse: &Mat<f64>) -> f64 {
    let n = matrix.nrows();
    let mut product = Mat::zeros(n, n);
    matmul(&mut product, Accum::Replace, matrix, inverse, 1.0, Par::Seq);
    let mut sums = vec![0.0; n];
    for j in 0..n {
        for (i, (sum, value)) in sums.iter_mut().zip(product.col_as_slice(j)).enumerate() {
            *sum += (value - f64::from(u8::from(i == j))).abs();
        }
    }
    // Not `f64::max`, which ignores NaN.
    sums.into_iter().fold(0.0, |most, sum| if sum <= most { most } else { sum })
}

/// Inverts a symmetric, indefinite matrix.
fn inverse(matrix: &Mat<f64>) -> Mat<f64> {
    let n = matrix.nrows();
    let mut factors = matrix.clone();
    let (mut order, mut position) = (vec![0_usize; n], vec![0_usize; n]);
    let request = lu::lu_in_place_scratch::<usize, f64>(n, n, Par::Seq, Default::default())
        .or(lu_inverse::inverse_scratch::<usize, f64>(n, Par::Seq));
    let mut memory = MemBuffer::new(request);
    let (_, permutation) = lu::lu_in_place(
        factors.as_mut(),
        &mut order,
        &mut position,
        Par::Seq,
        MemStack::new(&mut memory),
        Default::default(),
    );
    let mut inverse = Mat::zeros(n, n);
    lu_inverse::inverse(
        inverse.as_mut(),
        factors.as_ref(),
        factors.as_ref(),
        permutation,
        Par::Seq,
        MemStack::new(&mut memory),
    );
    inverse
}
