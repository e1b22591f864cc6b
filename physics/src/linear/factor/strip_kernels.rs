//! Substitution with one strip of a front in `f32`, for many right-hand sides at once.
//!
//! The values of all right-hand sides at one degree of freedom fill whole vector registers, and
//! each lane does the same operations in the same order whatever its neighbours hold. So the bits
//! of a solution depend neither on the other right-hand sides nor on their number. General matrix
//! kernels first copy the factor into another order, which takes longer than the arithmetic of so
//! few right-hand sides.

use pulp::{Arch, Simd, WithSimd};

/// Right-hand sides come in multiples of this number, which fill the widest registers.
pub(super) const LANES: usize = 16;

/// Number of pivots whose triangle is solved before their rows are updated.
const TRIANGLE: usize = 16;

/// Number of pivots in one pass over the rows: their right-hand sides stay in the first cache.
const PIVOTS: usize = 64;

/// Number of rows in one pass over the pivots.
const ROWS: usize = 96;

/// Number of vectors that a tile holds in registers for each row.
const VECTORS: usize = 3;

/// One strip: a dense column-major matrix that begins at its own first pivot.
#[derive(Clone, Copy)]
pub(super) struct StripValues<'a> {
    pub(super) values: &'a [f32],
    /// Number of rows, those of the pivots included.
    pub(super) height: usize,
    /// Number of pivots.
    pub(super) width: usize,
}

/// Direction of a substitution.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sweep {
    /// `x = L^-1 x` at the pivots, and the rest of `L` times it is subtracted at the rows.
    Forward,
    /// `x = L^-T x` at the pivots, after the rows' part is subtracted.
    Backward,
}

/// Substitutes in `x`, which has `width` values for each row of the strip.
pub(super) fn substitute(strip: StripValues<'_>, sweep: Sweep, x: &mut [f32], width: usize) {
    Arch::new().dispatch(Substitute { strip, sweep, x, width });
}

struct Substitute<'a> {
    strip: StripValues<'a>,
    sweep: Sweep,
    x: &'a mut [f32],
    width: usize,
}

impl WithSimd for Substitute<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { strip, sweep, x, width } = self;
        let kernel = Kernel { simd, strip, n: width / S::F32_LANES };
        let (x, _) = S::as_mut_simd_f32s(x);
        match sweep {
            Sweep::Forward => kernel.forward(x),
            Sweep::Backward => kernel.backward(x),
        }
    }
}

#[derive(Clone, Copy)]
struct Kernel<'a, S> {
    simd: S,
    strip: StripValues<'a>,
    /// Number of vectors for each row.
    n: usize,
}

impl<S: Simd> Kernel<'_, S> {
    #[inline(always)]
    fn forward(self, x: &mut [S::f32s]) {
        let StripValues { height, width, .. } = self.strip;
        for first in (0..width).step_by(TRIANGLE) {
            let end = width.min(first + TRIANGLE);
            for pivot in first..end {
                self.divide(x, pivot);
                for row in pivot + 1..end {
                    self.subtract(x, self.entry(row, pivot), pivot, row);
                }
            }
            let (pivots, rows) = x.split_at_mut(self.n * end);
            self.update_rows(first..end, end..width, &pivots[self.n * first..], rows);
        }
        let (pivots, rows) = x.split_at_mut(self.n * width);
        for first in (0..width).step_by(PIVOTS) {
            let end = width.min(first + PIVOTS);
            self.update_rows(first..end, width..height, &pivots[self.n * first..], rows);
        }
    }

    #[inline(always)]
    fn backward(self, x: &mut [S::f32s]) {
        let StripValues { height, width, .. } = self.strip;
        let (pivots, rows) = x.split_at_mut(self.n * width);
        for first in (width..height).step_by(ROWS) {
            let end = height.min(first + ROWS);
            self.update_pivots(0..width, first..end, pivots, &rows[self.n * (first - width)..]);
        }
        let mut end = width;
        while end > 0 {
            let first = end.saturating_sub(1) / TRIANGLE * TRIANGLE;
            let (pivots, rows) = x.split_at_mut(self.n * end);
            self.update_pivots(first..end, end..width, &mut pivots[self.n * first..], rows);
            for pivot in (first..end).rev() {
                for row in pivot + 1..end {
                    self.subtract(x, self.entry(row, pivot), row, pivot);
                }
                self.divide(x, pivot);
            }
            end = first;
        }
    }

    #[inline(always)]
    fn entry(self, row: usize, pivot: usize) -> f32 {
        self.strip.values[pivot * self.strip.height + row]
    }

    #[inline(always)]
    fn divide(self, x: &mut [S::f32s], pivot: usize) {
        let share = self.simd.splat_f32s(1.0 / self.entry(pivot, pivot));
        for value in &mut x[self.n * pivot..self.n * (pivot + 1)] {
            *value = self.simd.mul_f32s(*value, share);
        }
    }

    /// Subtracts `l` times the values at `from` from those at `at`.
    #[inline(always)]
    fn subtract(self, x: &mut [S::f32s], l: f32, from: usize, at: usize) {
        let l = self.simd.splat_f32s(-l);
        for i in 0..self.n {
            let value = x[self.n * from + i];
            x[self.n * at + i] = self.simd.mul_add_f32s(l, value, x[self.n * at + i]);
        }
    }

    /// Subtracts `L` of some pivots times their values from some rows.
    #[inline(always)]
    fn update_rows(
        self,
        pivots: std::ops::Range<usize>,
        rows: std::ops::Range<usize>,
        from: &[S::f32s],
        at: &mut [S::f32s],
    ) {
        let end = rows.len();
        let mut row = 0;
        // Wider registers come with more of them.
        let tall = if S::F32_LANES >= 16 { 8 } else { 4 };
        while row < end {
            let l = &self.strip.values[pivots.start * self.strip.height + rows.start + row..];
            let at = &mut at[self.n * row..];
            row += match end - row {
                8.. if tall == 8 => self.rows_of_tile::<8>(l, pivots.len(), from, at),
                4.. => self.rows_of_tile::<4>(l, pivots.len(), from, at),
                _ => self.rows_of_tile::<1>(l, pivots.len(), from, at),
            };
        }
    }

    #[inline(always)]
    fn rows_of_tile<const R: usize>(
        self,
        l: &[f32],
        n_pivots: usize,
        from: &[S::f32s],
        at: &mut [S::f32s],
    ) -> usize {
        let mut first = 0;
        while first < self.n {
            first += match self.n - first {
                VECTORS.. => self.row_tile::<R, VECTORS>(l, n_pivots, first, from, at),
                2 => self.row_tile::<R, 2>(l, n_pivots, first, from, at),
                _ => self.row_tile::<R, 1>(l, n_pivots, first, from, at),
            };
        }
        R
    }

    #[inline(always)]
    fn row_tile<const R: usize, const V: usize>(
        self,
        l: &[f32],
        n_pivots: usize,
        first: usize,
        from: &[S::f32s],
        at: &mut [S::f32s],
    ) -> usize {
        let mut sums = [[self.simd.splat_f32s(0.0); V]; R];
        for pivot in 0..n_pivots {
            let l = &l[pivot * self.strip.height..][..R];
            let values = &from[self.n * pivot + first..][..V];
            for r in 0..R {
                let l = self.simd.splat_f32s(l[r]);
                for v in 0..V {
                    sums[r][v] = self.simd.mul_add_f32s(l, values[v], sums[r][v]);
                }
            }
        }
        for r in 0..R {
            let at = &mut at[self.n * r + first..][..V];
            for v in 0..V {
                at[v] = self.simd.sub_f32s(at[v], sums[r][v]);
            }
        }
        V
    }

    /// Subtracts the transpose of `L` at some rows times their values from some pivots.
    #[inline(always)]
    fn update_pivots(
        self,
        pivots: std::ops::Range<usize>,
        rows: std::ops::Range<usize>,
        at: &mut [S::f32s],
        from: &[S::f32s],
    ) {
        let end = pivots.len();
        let mut pivot = 0;
        let tall = if S::F32_LANES >= 16 { 8 } else { 4 };
        while pivot < end {
            let start = (pivots.start + pivot) * self.strip.height + rows.start;
            let l = &self.strip.values[start..];
            let at = &mut at[self.n * pivot..];
            pivot += match end - pivot {
                8.. if tall == 8 => self.pivots_of_tile::<8>(l, rows.len(), at, from),
                4.. => self.pivots_of_tile::<4>(l, rows.len(), at, from),
                _ => self.pivots_of_tile::<1>(l, rows.len(), at, from),
            };
        }
    }

    #[inline(always)]
    fn pivots_of_tile<const R: usize>(
        self,
        l: &[f32],
        n_rows: usize,
        at: &mut [S::f32s],
        from: &[S::f32s],
    ) -> usize {
        let mut first = 0;
        while first < self.n {
            first += match self.n - first {
                VECTORS.. => self.pivot_tile::<R, VECTORS>(l, n_rows, first, at, from),
                2 => self.pivot_tile::<R, 2>(l, n_rows, first, at, from),
                _ => self.pivot_tile::<R, 1>(l, n_rows, first, at, from),
            };
        }
        R
    }

    #[inline(always)]
    fn pivot_tile<const R: usize, const V: usize>(
        self,
        l: &[f32],
        n_rows: usize,
        first: usize,
        at: &mut [S::f32s],
        from: &[S::f32s],
    ) -> usize {
        let mut sums = [[self.simd.splat_f32s(0.0); V]; R];
        let mut columns = [&l[..0]; R];
        for (r, column) in columns.iter_mut().enumerate() {
            *column = &l[r * self.strip.height..][..n_rows];
        }
        for row in 0..n_rows {
            let values = &from[self.n * row + first..][..V];
            for r in 0..R {
                let l = self.simd.splat_f32s(columns[r][row]);
                for v in 0..V {
                    sums[r][v] = self.simd.mul_add_f32s(l, values[v], sums[r][v]);
                }
            }
        }
        for r in 0..R {
            let at = &mut at[self.n * r + first..][..V];
            for v in 0..V {
                at[v] = self.simd.sub_f32s(at[v], sums[r][v]);
            }
        }
        V
    }
}
