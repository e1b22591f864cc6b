//! Iterative refinement: solutions in `f64` from a factor in `f32`.

use rayon::prelude::*;

use super::HeldStiffness;
use super::block_solve::solve_block;
use super::fronts::Fronts;
use super::node_rows::NodeRows;
use super::soft_modes::SoftModes;
use super::solve::{Block, Paths};
use super::strip_kernels::LANES;

/// Largest number of right-hand sides in a block. The factor is read once for each block.
pub(super) const MOST_COLUMNS: usize = 3 * LANES;

/// Largest useful ratio of residuals from round to round. A round that reduces the residual less
/// has reached the precision of `f64`, since a round gains the digits of the factor minus those
/// that the condition of the matrix costs.
const LEAST_GAIN: f64 = 0.5;

/// Largest number of rounds.
const MOST_ROUNDS: usize = 12;

/// Largest residual, as a share of the largest displacement times the largest entry of the matrix,
/// which is one: about what a factor in `f64` leaves.
const TOLERANCE: f64 = 1e-15;

/// Number of nodes that a task copies.
const TASK: usize = 256;

/// A factor in `f32` with its matrix.
pub(super) struct Refinement<'a> {
    pub(super) fronts: &'a Fronts,
    pub(super) panels: &'a [f32],
    pub(super) matrix: &'a HeldStiffness,
    pub(super) rows: &'a NodeRows,
    pub(super) soft_modes: Option<&'a SoftModes>,
}

/// Displacements of some right-hand sides, and what they took.
pub(super) struct Refined {
    /// Displacements at the wanted degrees of freedom, one column after the other.
    pub(super) columns: Vec<f64>,
    /// Number of solves with the factor.
    pub(super) n_solves: usize,
}

/// One right-hand side. Each ends on its own, so that its bits do not depend on the others.
#[derive(Clone, Copy, Default)]
struct Column {
    /// Largest residual.
    remaining: f64,
    /// Largest residual before the last round.
    before: Option<f64>,
    progress: Rounds,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Rounds {
    /// More than one round is needed.
    #[default]
    Several,
    /// One more round suffices.
    One,
    /// No round is needed.
    Done,
}

impl Refinement<'_> {
    /// Solves `K x = b` to the precision of `f64`, for the forces `given` as `(dof, column, force)`
    /// at free degrees of freedom.
    pub(super) fn solve(
        &self,
        given: &[(usize, usize, f64)],
        n_columns: usize,
        wanted: &[usize],
    ) -> Refined {
        let width = n_columns.next_multiple_of(LANES);
        let everywhere = Paths::all(self.fronts);
        let given_paths = Paths::of(self.fronts, given.iter().map(|&(dof, ..)| dof / 3));
        let wanted_paths = Paths::of(self.fronts, wanted.iter().map(|&dof| dof / 3));
        let b: Vec<(usize, f64)> = given
            .iter()
            .map(|&(dof, column, force)| (width * dof + column, force * self.matrix.unscale))
            .collect();
        let mut x = vec![0.0; width * self.matrix.held.len()];
        let mut residual = x.clone();
        b.iter().for_each(|&(at, force)| residual[at] = force);
        let mut columns: Vec<Column> = largest(&residual, width)
            .into_iter()
            .map(|force| Column { remaining: force, ..Column::default() })
            .collect();
        columns.iter_mut().for_each(|column| column.end_if_zero());
        let mut n_solves = 0;
        while n_solves <= MOST_ROUNDS && columns.iter().any(|c| c.progress != Rounds::Done) {
            let is_last = columns.iter().all(|c| c.progress != Rounds::Several);
            let known = if n_solves == 0 { &given_paths } else { &everywhere };
            let needed = if is_last { &wanted_paths } else { &everywhere };
            self.correct(&columns, &residual, known, needed, &mut x);
            n_solves += 1;
            for column in columns.iter_mut().filter(|c| c.progress == Rounds::One) {
                column.progress = Rounds::Done;
            }
            if is_last {
                break;
            }
            self.find_residual(&b, &x, &mut residual, width);
            if let Some(modes) = self.soft_modes {
                let is_active: Vec<bool> =
                    columns.iter().map(|c| c.progress != Rounds::Done).collect();
                modes.correct(&is_active, &mut x, &mut residual);
            }
            let (remaining, reach) = (largest(&residual, width), largest(&x, width));
            for ((column, remaining), reach) in columns.iter_mut().zip(remaining).zip(reach) {
                column.take(remaining, reach);
            }
        }
        let of_column = |column| wanted.iter().map(move |&dof| width * dof + column);
        let columns = (0..n_columns).flat_map(of_column).map(|at| x[at]).collect();
        Refined { columns, n_solves }
    }

    /// Adds the factor's solution for the residual of active columns to `x`.
    fn correct(
        &self,
        columns: &[Column],
        residual: &[f64],
        known: &Paths,
        needed: &Paths,
        x: &mut [f64],
    ) {
        // By powers of two, so that `f32` can hold the smallest residual.
        let scales: Vec<f64> = columns.iter().map(Column::scale).collect();
        self.add_solution(&scales, residual, known, needed, x);
    }

    /// Adds the factor's solution for `forces` to `x`.
    pub(super) fn add_inverse(&self, scales: &[f64], forces: &[f64], x: &mut [f64]) {
        let everywhere = Paths::all(self.fronts);
        self.add_solution(scales, forces, &everywhere, &everywhere, x);
    }

    /// Adds the factor's solution for `forces` to `x`. Each column is multiplied by its scale
    /// before, and divided afterwards; a scale of zero leaves it alone.
    fn add_solution(
        &self,
        scales: &[f64],
        forces: &[f64],
        known: &Paths,
        needed: &Paths,
        x: &mut [f64],
    ) {
        let width = scales.len();
        let run = 3 * width;
        let unscales: Vec<f64> =
            scales.iter().map(|&s| if s == 0.0 { 0.0 } else { 1.0 / s }).collect();
        let mut correction = Block::zeros(width, self.fronts);
        let tasks = correction.values.par_chunks_mut(run).zip(&self.fronts.order);
        tasks.with_min_len(TASK).for_each(|(to, &node)| {
            let from = &forces[run * node as usize..][..run];
            for (to, from) in to.chunks_exact_mut(width).zip(from.chunks_exact(width)) {
                for ((to, from), scale) in to.iter_mut().zip(from).zip(scales) {
                    *to = (from * scale) as f32;
                }
            }
        });
        solve_block(self.fronts, self.panels, known, needed, &mut correction);
        let tasks = x.par_chunks_mut(run).zip(&self.fronts.position);
        tasks.with_min_len(TASK).for_each(|(to, &position)| {
            let from = &correction.values[run * position as usize..][..run];
            for (to, from) in to.chunks_exact_mut(width).zip(from.chunks_exact(width)) {
                for ((to, from), unscale) in to.iter_mut().zip(from).zip(&unscales) {
                    *to += f64::from(*from) * unscale;
                }
            }
        });
    }

    /// Subtracts `K x` from `b`. Held degrees of freedom have neither displacement nor force.
    pub(super) fn subtract_product(&self, x: &[f64], b: &mut [f64], width: usize) {
        self.rows.subtract_product(self.matrix.unscale, x, b, width);
        for (dof, _) in self.matrix.held.iter().enumerate().filter(|(_, is_held)| **is_held) {
            b[width * dof..width * (dof + 1)].fill(0.0);
        }
    }

    /// Computes `b - K x`.
    fn find_residual(&self, b: &[(usize, f64)], x: &[f64], residual: &mut [f64], width: usize) {
        residual.par_chunks_mut(1 << 16).for_each(|part| part.fill(0.0));
        b.iter().for_each(|&(at, force)| residual[at] = force);
        self.subtract_product(x, residual, width);
    }
}

impl Column {
    fn end_if_zero(&mut self) {
        if self.remaining == 0.0 {
            self.progress = Rounds::Done;
        }
    }

    /// Takes over the residual after a round, and decides how many more are needed.
    fn take(&mut self, remaining: f64, reach: f64) {
        if self.progress == Rounds::Done {
            return;
        }
        let before = std::mem::replace(&mut self.remaining, remaining);
        // The first residual is that of no displacement at all, which says nothing about the next.
        let gain = self.before.replace(remaining).map(|_| remaining / before);
        let goal = TOLERANCE * reach;
        self.progress = match gain {
            _ if remaining <= goal || !remaining.is_finite() => Rounds::Done,
            Some(gain) if gain > LEAST_GAIN => Rounds::Done,
            Some(gain) if gain * remaining <= goal => Rounds::One,
            _ => Rounds::Several,
        };
    }

    /// Factor on the residual: zero if no round is needed.
    fn scale(&self) -> f64 {
        match self.progress {
            Rounds::Done => 0.0,
            Rounds::Several | Rounds::One => (-self.remaining.log2().ceil()).exp2(),
        }
    }
}

/// Largest absolute value of each column.
fn largest(block: &[f64], width: usize) -> Vec<f64> {
    let of_part = |part: &[f64]| {
        let mut largest = vec![0.0_f64; width];
        for values in part.chunks_exact(width) {
            for (largest, value) in largest.iter_mut().zip(values) {
                // Unlike `max`, this keeps a value that is not a number.
                *largest = if value.abs() <= *largest { *largest } else { value.abs() };
            }
        }
        largest
    };
    let larger = |a: Vec<f64>, b: Vec<f64>| {
        a.into_iter().zip(b).map(|(a, b)| if b <= a { a } else { b }).collect()
    };
    block.par_chunks(width << 10).map(of_part).reduce(|| vec![0.0; width], larger)
}
