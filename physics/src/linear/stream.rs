//! The product of a frame: surface positions from a few forces, in `f32`, limited by memory traffic alone.

use bytemuck::{cast_slice, cast_slice_mut};
use rayon::prelude::*;

use super::combine::add_columns;

/// Points of a piece: its numbers stay in the first-level cache while all columns pass by. The pieces
/// are the same for any number of threads.
const PIECE: usize = 512;

/// Below this many multiplications one thread is quicker than several.
const WORTH_SHARING: usize = 1 << 20;

/// A column of displacements at all points (x, y, z each), and how much of it to take.
pub(crate) type Share<'a> = (&'a [f32], f32);

/// A rigid displacement of some points: `u = shift + turn x arm`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct RigidShare {
    pub(crate) shift: [f32; 3],
    pub(crate) turn: [f32; 3],
}

/// How points move rigidly.
pub(crate) enum Rigid<'a> {
    /// All alike.
    Together(RigidShare),
    /// Each by its own.
    ByPoint(&'a (dyn Fn(usize) -> RigidShare + Sync)),
}

impl RigidShare {
    fn at(&self, arm: &[f32; 3]) -> [f32; 3] {
        let Self { shift: s, turn: w } = self;
        [
            s[0] + w[1] * arm[2] - w[2] * arm[1],
            s[1] + w[2] * arm[0] - w[0] * arm[2],
            s[2] + w[0] * arm[1] - w[1] * arm[0],
        ]
    }
}

/// Writes `rest + rigid motion + sum of shares` for every point. `arms` are the points' lever arms,
/// `share` gives each of the shares.
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
        let arms = &arms[points.clone()];
        match rigid {
            Rigid::Together(share) => {
                positions.iter_mut().zip(arms).for_each(|(x, arm)| *x = share.at(arm));
            }
            Rigid::ByPoint(share) => {
                let numbered = positions.iter_mut().zip(arms).zip(points.clone());
                numbered.for_each(|((x, arm), point)| *x = share(point).at(arm));
            }
        }
        let numbers = 3 * points.start..3 * points.end;
        add_columns(cast_slice_mut(positions), n_shares, |i| {
            let (column, force) = share(i);
            (&column[numbers.clone()], force)
        });
        let rest: &[f32] = cast_slice(&rest[points]);
        for (x, rest) in cast_slice_mut::<_, f32>(positions).iter_mut().zip(rest) {
            *x += rest;
        }
    };
    if 3 * positions.len() * n_shares < WORTH_SHARING {
        positions.chunks_mut(PIECE).enumerate().for_each(|(at, x)| piece(at, x));
    } else {
        positions.par_chunks_mut(PIECE).enumerate().for_each(|(at, x)| piece(at, x));
    }
}

/// Whether all numbers are finite; without branches, so that it costs little beside the product.
pub(crate) fn are_finite(positions: &[[f32; 3]]) -> bool {
    const EXPONENT: u32 = 0x7f80_0000;
    let is_wrong = |x: &f32| x.to_bits() & EXPONENT == EXPONENT;
    !cast_slice::<_, f32>(positions).iter().fold(false, |any, x| any | is_wrong(x))
}
