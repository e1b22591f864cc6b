//! Sums of columns, each times a number: what is left of a solve when everything is prepared.
//!
//! Such loops are dispatched to the widest vectors that the processor has. That is not only for their
//! width: dense kernels leave the upper halves of the vector registers in use, and until somebody clears
//! them, code for narrow vectors runs at a quarter of its speed.

use std::ops::{Add, AddAssign, Mul};

use pulp::{Arch, Simd, WithSimd};

/// Adds `n` columns to `sums`, each times its share; all are as long as `sums`.
///
/// Four at a time, so that each sum is loaded and stored a quarter as often.
pub(super) fn add_columns<'a, T>(sums: &mut [T], n: usize, column: impl Fn(usize) -> (&'a [T], T))
where
    T: Copy + Add<Output = T> + Mul<Output = T> + AddAssign + 'a,
{
    Arch::new().dispatch(AddColumns { sums, n, column });
}

/// A type instead of a closure, since closures are not compiled into the function that they are handed to,
/// and then not for its processor.
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

/// Arguments, one by one, are slices known not to overlap; and zipped, not indexed: that is what the
/// compiler makes vectors of.
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
