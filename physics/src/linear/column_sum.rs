//! Weighted sums of columns: the work that remains per frame when everything is prepared.
//!
//! The loops use the widest vectors of the processor. Width is not the only reason: dense kernels
//! leave the upper halves of the vector registers in use, and until those are cleared, code for
//! narrow vectors runs at a quarter of its speed.

use std::ops::{Add, AddAssign, Mul};

use pulp::{Arch, Simd, WithSimd};

/// Adds `n` columns to `sums`, each multiplied by its share. All columns are as long as `sums`.
///
/// It adds four columns at a time, so that each sum is loaded and stored a quarter as often.
pub(crate) fn add_columns<'a, T>(sums: &mut [T], n: usize, column: impl Fn(usize) -> (&'a [T], T))
where
    T: Copy + Add<Output = T> + Mul<Output = T> + AddAssign + 'a,
{
    Arch::new().dispatch(AddColumns { sums, n, column });
}

/// Loop for [`pulp`]. It is a type instead of a closure: a closure is not compiled into the
/// function that receives it, and so not for the vectors of the processor.
struct AddColumns<'s, T, C> {
    sums: &'s mut [T],
    n: usize,
    column: C,
}

impl<'a, T, C> WithSimd for AddColumns<'_, T, C>
where
    T: Copy + Add<Output = T> + Mul<Output = T> + AddAssign + 'a,
    C: Fn(usize) -> (&'a [T], T),
{
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let Self { sums, n, column } = self;
        let in_fours = n - n % 4;
        for first in (0..in_fours).step_by(4) {
            let [(a, fa), (b, fb), (c, fc), (d, fd)] = [0, 1, 2, 3].map(|i| column(first + i));
            add_four(sums, a, b, c, d, [fa, fb, fc, fd]);
        }
        for i in in_fours..n {
            let (column, share) = column(i);
            add_one(sums, column, share);
        }
    }
}

/// Adds four columns. The compiler vectorises this form: separate slice arguments, which cannot
/// overlap, and zipped iterators instead of indices.
#[inline(always)]
fn add_four<T>(sums: &mut [T], a: &[T], b: &[T], c: &[T], d: &[T], [fa, fb, fc, fd]: [T; 4])
where
    T: Copy + Add<Output = T> + Mul<Output = T> + AddAssign,
{
    for ((((sum, a), b), c), d) in sums.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        *sum += (*a * fa + *b * fb) + (*c * fc + *d * fd);
    }
}

#[inline(always)]
fn add_one<T>(sums: &mut [T], column: &[T], share: T)
where
    T: Copy + Mul<Output = T> + AddAssign,
{
    for (sum, value) in sums.iter_mut().zip(column) {
        *sum += *value * share;
    }
}
