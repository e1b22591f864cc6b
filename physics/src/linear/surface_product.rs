//! Matrix product of a frame: surface positions from a few forces and rigid motions.
//!
//! The `f32` version is limited by memory traffic.

use std::ops::{Add, Mul, Sub};

use bytemuck::{cast_slice, cast_slice_mut};
use rayon::prelude::*;

use super::column_sum::add_columns;

/// Points of a piece of [`displace`]. The sums of a piece stay in the first-level cache while all
/// columns are added. The pieces are the same for any number of threads.
const PIECE: usize = 512;

/// Points of a piece of [`displace_exactly`], whose sums are `f64` and lie on the stack.
const EXACT_PIECE: usize = 256;

/// Smallest number of multiplications for which several threads are quicker than one.
const WORTH_SHARING: usize = 1 << 20;

/// Column of displacements at all points (x, y, z each), and its factor.
pub(crate) type Share<'a> = (&'a [f32], f32);

/// Rigid displacement of some points: `u = shift + turn x arm`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct RigidShare<T> {
    pub(crate) shift: [T; 3],
    pub(crate) turn: [T; 3],
}

/// Rigid displacements of all points.
pub(crate) enum Rigid<'a> {
    /// One rigid motion for all points: six columns and their factors. Quicker than `ByPoint`.
    Together(&'a [Vec<f32>; 6], [f32; 6]),
    /// A rigid motion for each point.
    ByPoint(&'a (dyn Fn(usize) -> RigidShare<f32> + Sync)),
}

/// Columns of a body's six rigid motions at points with these lever arms.
pub(crate) fn rigid_columns(arms: &[[f32; 3]]) -> [Vec<f32>; 6] {
    let unit = |axis: usize| [0, 1, 2].map(|i| f32::from(u8::from(i == axis)));
    [0, 1, 2, 3, 4, 5].map(|motion| {
        let share = match motion {
            0..3 => RigidShare { shift: unit(motion), turn: [0.0; 3] },
            _ => RigidShare { shift: [0.0; 3], turn: unit(motion - 3) },
        };
        arms.iter().flat_map(|arm| share.at(arm)).collect()
    })
}

impl RigidShare<f64> {
    /// Rounds to `f32`.
    pub(crate) fn rounded(&self) -> RigidShare<f32> {
        RigidShare { shift: self.shift.map(|c| c as f32), turn: self.turn.map(|c| c as f32) }
    }

    /// Upper bound of the displacement of a point whose arm is at most 1.
    pub(crate) fn reach(&self) -> f64 {
        self.shift.iter().chain(&self.turn).map(|c| c.abs()).sum()
    }
}

impl<T> RigidShare<T>
where
    T: Copy + Add<Output = T> + Sub<Output = T> + Mul<Output = T>,
{
    /// Displacement of a point with this lever arm.
    pub(crate) fn at(&self, arm: &[T; 3]) -> [T; 3] {
        let Self { shift: s, turn: w } = self;
        [
            s[0] + w[1] * arm[2] - w[2] * arm[1],
            s[1] + w[2] * arm[0] - w[0] * arm[2],
            s[2] + w[0] * arm[1] - w[1] * arm[0],
        ]
    }
}

/// Computes `rest + rigid displacement + sum of shares` for every point. `arms` are the points'
/// lever arms; `share` returns each share.
pub(crate) fn displace<'a>(
    positions: &mut [[f32; 3]],
    rest: &[[f32; 3]],
    arms: &[[f32; 3]],
    rigid: &Rigid<'_>,
    n_shares: usize,
    share: impl Fn(usize) -> Share<'a> + Sync,
) {
    let piece = |at: usize, positions: &mut [[f32; 3]]| {
        let points = at * PIECE..at * PIECE + positions.len();
        let numbers = 3 * points.start..3 * points.end;
        let sums: &mut [f32] = match rigid {
            Rigid::Together(columns, amounts) => {
                let sums = cast_slice_mut(positions);
                sums.fill(0.0);
                add_columns(sums, 6, |i| (&columns[i][numbers.clone()], amounts[i]));
                sums
            }
            Rigid::ByPoint(share) => {
                let numbered = positions.iter_mut().zip(&arms[points.clone()]).zip(points.clone());
                numbered.for_each(|((x, arm), point)| *x = share(point).at(arm));
                cast_slice_mut(positions)
            }
        };
        add_columns(sums, n_shares, |i| {
            let (column, force) = share(i);
            (&column[numbers.clone()], force)
        });
        let rest: &[f32] = cast_slice(&rest[points]);
        sums.iter_mut().zip(rest).for_each(|(x, rest)| *x += rest);
    };
    if 3 * positions.len() * n_shares < WORTH_SHARING {
        positions.chunks_mut(PIECE).enumerate().for_each(|(at, x)| piece(at, x));
    } else {
        positions.par_chunks_mut(PIECE).enumerate().for_each(|(at, x)| piece(at, x));
    }
}

/// Computes the sums of [`displace`] in `f64`, rounded once at the end. It is several times slower,
/// and is for frames in which large shares cancel each other.
///
/// `rigid_at` returns each point's rigid displacement; `share` returns each column as two halves,
/// and its factor.
pub(crate) fn displace_exactly<'a>(
    positions: &mut [[f32; 3]],
    rest: &[[f32; 3]],
    rigid_at: impl Fn(usize) -> [f64; 3] + Sync,
    n_shares: usize,
    share: impl Fn(usize) -> ([&'a [f32]; 2], f64) + Sync,
) {
    let pieces = positions.par_chunks_mut(EXACT_PIECE).enumerate();
    pieces.for_each(|(at, positions)| {
        let points = at * EXACT_PIECE..at * EXACT_PIECE + positions.len();
        let mut sums = [[0.0; 3]; EXACT_PIECE];
        let sums = &mut sums[..positions.len()];
        sums.iter_mut().zip(points.clone()).for_each(|(sum, point)| *sum = rigid_at(point));
        let numbers = 3 * points.start..3 * points.end;
        for i in 0..n_shares {
            let ([leading, trailing], force) = share(i);
            let halves = leading[numbers.clone()].iter().zip(&trailing[numbers.clone()]);
            for (sum, (leading, trailing)) in sums.as_flattened_mut().iter_mut().zip(halves) {
                *sum += (f64::from(*leading) + f64::from(*trailing)) * force;
            }
        }
        for ((x, sum), rest) in positions.iter_mut().zip(sums).zip(&rest[points]) {
            *x = [0, 1, 2].map(|axis| sum[axis] as f32 + rest[axis]);
        }
    });
}

/// True if all positions are finite. It has no branches, so that it costs little compared with the
/// product.
pub(crate) fn are_finite(positions: &[[f32; 3]]) -> bool {
    const EXPONENT: u32 = 0x7f80_0000;
    let is_wrong = |x: &f32| x.to_bits() & EXPONENT == EXPONENT;
    !cast_slice::<_, f32>(positions).iter().fold(false, |any, x| any | is_wrong(x))
}
