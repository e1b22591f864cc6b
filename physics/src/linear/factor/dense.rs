//! Dense kernels of one front, split into tiles for several threads.
//!
//! The tiles of a matrix depend on its size alone, and one sequential kernel of faer computes each
//! tile. So the bits do not depend on the number of threads.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltError, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Accum, MatMut, MatRef, Par};

use rayon::prelude::*;

use super::scalar::Scalar;

/// Smallest number of multiplications that is worth a task.
const GRAIN: usize = 1 << 19;

/// Edge length of the largest tile.
const TILE: usize = 384;

/// The pivot at this place is not positive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NotPositive(pub(super) usize);

/// Eliminates the pivots of a front. `strips` hold the columns of the pivots, each strip from its
/// own first pivot down. The lower triangle of `update` is overwritten with the pivots'
/// contribution to the rows below.
pub(super) fn eliminate<T: Scalar>(
    strips: &mut [MatMut<'_, T>],
    update: MatMut<'_, T>,
) -> Result<(), NotPositive> {
    let mut n_eliminated = 0;
    for k in 0..strips.len() {
        let (done, later) = strips.split_at_mut(k + 1);
        let width = done[k].ncols();
        let (mut pivots, mut below) = done[k].rb_mut().split_at_row_mut(width);
        cholesky(pivots.rb_mut()).map_err(|NotPositive(at)| NotPositive(n_eliminated + at))?;
        n_eliminated += width;
        solve_transposed(pivots.rb(), below.rb_mut());
        let below = below.rb();
        let subtract = |strip: &mut MatMut<'_, T>| {
            let (_, a) = below.split_at_row(below.nrows() - strip.nrows());
            let b = a.subrows(0, strip.ncols());
            subtract_product(Accum::Add, strip.rb_mut(), &[a], &[b]);
        };
        let work: usize = later.iter().map(|strip| strip.nrows() * strip.ncols() * width).sum();
        if work <= GRAIN {
            later.iter_mut().for_each(subtract);
        } else {
            later.par_iter_mut().for_each(subtract);
        }
    }
    let rows = update.nrows();
    let below: Vec<MatRef<'_, T>> =
        strips.iter().map(|strip| strip.rb().split_at_row(strip.nrows() - rows).1).collect();
    subtract_square(Accum::Replace, update, &below);
    Ok(())
}

/// Factorises `A = L L^T` in place, in the lower triangle.
fn cholesky<T: Scalar>(a: MatMut<'_, T>) -> Result<(), NotPositive> {
    let n = a.nrows();
    if n <= TILE {
        let mut memory =
            MemBuffer::new(cholesky_in_place_scratch::<T>(n, Par::Seq, Default::default()));
        let stack = MemStack::new(&mut memory);
        return cholesky_in_place(a, Default::default(), Par::Seq, stack, Default::default())
            .map(|_| ())
            .map_err(|LltError::NonPositivePivot { index }| NotPositive(index));
    }
    let (mut first, _, mut below, mut rest) = a.split_at_mut(half(n), half(n));
    cholesky(first.rb_mut())?;
    solve_transposed(first.rb(), below.rb_mut());
    subtract_square(Accum::Add, rest.rb_mut(), &[below.rb()]);
    cholesky(rest).map_err(|NotPositive(at)| NotPositive(half(n) + at))
}

/// Computes `B <- B L^-T`. The rows are independent of each other.
fn solve_transposed<T: Scalar>(l: MatRef<'_, T>, b: MatMut<'_, T>) {
    let n = b.nrows();
    if n <= 48 || n * l.ncols() * l.ncols() / 2 <= GRAIN {
        return solve_lower_triangular_in_place(l, b.transpose_mut(), Par::Seq);
    }
    let (upper, lower) = b.split_at_row_mut(half(n));
    rayon::join(|| solve_transposed(l, upper), || solve_transposed(l, lower));
}

/// Computes `C <- C - sum of A A^T` in the lower triangle, or `C <- -sum of A A^T` for
/// [`Accum::Replace`].
fn subtract_square<T: Scalar>(old: Accum, c: MatMut<'_, T>, a: &[MatRef<'_, T>]) {
    let n = c.nrows();
    let depth: usize = a.iter().map(|a| a.ncols()).sum();
    if n <= 96 || n * n * depth / 2 <= GRAIN && n <= TILE {
        return in_turn(old, c, a, |old, c, a| {
            let (all, lower) = (BlockStructure::Rectangular, BlockStructure::TriangularLower);
            let (t, minus_one) = (a.transpose(), T::from_f64(-1.0));
            triangular::matmul(c, lower, old, a, all, t, all, minus_one, Par::Seq);
        });
    }
    let (first, _, below, rest) = c.split_at_mut(half(n), half(n));
    let (a_first, a_rest) = split_rows(a, half(n));
    rayon::join(
        || subtract_product(old, below, &a_rest, &a_first),
        || {
            rayon::join(
                || subtract_square(old, first, &a_first),
                || subtract_square(old, rest, &a_rest),
            )
        },
    );
}

/// Computes `C <- C - sum of A B^T`, or `C <- -sum of A B^T` for [`Accum::Replace`].
fn subtract_product<T: Scalar>(
    old: Accum,
    c: MatMut<'_, T>,
    a: &[MatRef<'_, T>],
    b: &[MatRef<'_, T>],
) {
    let (m, n) = (c.nrows(), c.ncols());
    let depth: usize = a.iter().map(|a| a.ncols()).sum();
    if m.max(n) <= 96 || m * n * depth <= GRAIN && m.max(n) <= TILE {
        let mut b = b.iter();
        return in_turn(old, c, a, |old, c, a| {
            if let Some(b) = b.next() {
                matmul(c, old, a, b.transpose(), T::from_f64(-1.0), Par::Seq);
            }
        });
    }
    if m >= n {
        let (upper, lower) = c.split_at_row_mut(half(m));
        let (a_upper, a_lower) = split_rows(a, half(m));
        rayon::join(
            || subtract_product(old, upper, &a_upper, b),
            || subtract_product(old, lower, &a_lower, b),
        );
    } else {
        let (left, right) = c.split_at_col_mut(half(n));
        let (b_left, b_right) = split_rows(b, half(n));
        rayon::join(
            || subtract_product(old, left, a, &b_left),
            || subtract_product(old, right, a, &b_right),
        );
    }
}

/// Subtracts one strip after the other while the tile is in the cache. Only the first may replace
/// the old values.
fn in_turn<'a, T: Scalar>(
    old: Accum,
    mut c: MatMut<'_, T>,
    strips: &[MatRef<'a, T>],
    mut subtract: impl FnMut(Accum, MatMut<'_, T>, MatRef<'a, T>),
) {
    for (i, strip) in strips.iter().enumerate() {
        subtract(if i == 0 { old } else { Accum::Add }, c.rb_mut(), *strip);
    }
}

/// Splits each strip into the rows before `at` and the rows from `at` on.
fn split_rows<'a, T: Scalar>(
    strips: &[MatRef<'a, T>],
    at: usize,
) -> (Vec<MatRef<'a, T>>, Vec<MatRef<'a, T>>) {
    strips.iter().map(|strip| strip.split_at_row(at)).unzip()
}

/// About half of `n`, rounded to a multiple of 48, which suits the kernels.
fn half(n: usize) -> usize {
    (n / 2).next_multiple_of(48).min(n)
}

#[cfg(test)]
mod tests {
    use faer::Mat;

    use super::*;

    #[test]
    fn a_pivot_that_is_not_positive_is_found_where_it_is() {
        for at in [0, 5, 399, 400, 899] {
            let sign = |i: usize| if i == at { -1.0 } else { 1.0 };
            let strip = |first: usize, width: usize| {
                Mat::from_fn(900 - first, width, |i, j| {
                    f64::from(u8::from(i == j)) * sign(first + j)
                })
            };
            let mut strips = [strip(0, 400), strip(400, 500)];
            let mut strips: Vec<MatMut<'_, f64>> = strips.iter_mut().map(Mat::as_mut).collect();
            let found = eliminate(&mut strips, Mat::zeros(0, 0).as_mut());
            assert_eq!(found, Err(NotPositive(at)));
        }
    }
}
