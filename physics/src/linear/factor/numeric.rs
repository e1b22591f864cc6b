//! The numeric factorisation: fronts from the leaves of the tree to its roots, subtrees in parallel.

use faer::MatMut;
use nalgebra::Matrix3;

use super::dense::eliminate;
use super::fronts::{Entry, Fronts};
use super::scalar::Scalar;
use super::{FactorError, HeldStiffness};
use crate::progress::Progress;

/// A subtree with fewer operations than this is done by one thread.
const GRAIN: f64 = 2e5;

/// The pivots' columns of each front, one below the other: a dense column-major matrix each.
pub(super) type Panels<T> = Vec<Vec<T>>;

/// Factorises `K / scale`, with identity rows where a degree of freedom is held.
pub(super) fn factorise<T: Scalar>(
    fronts: &Fronts,
    matrix: &HeldStiffness<'_>,
    progress: &Progress,
) -> Result<Panels<T>, FactorError> {
    let mut panels: Panels<T> = fronts.fronts.iter().map(|_| Vec::new()).collect();
    let numeric = Numeric { fronts, matrix, progress };
    let mut roots = Vec::new();
    let mut end = fronts.fronts.len();
    while end > 0 {
        roots.push(end - 1);
        end = fronts.fronts[end - 1].first_descendant;
    }
    roots.reverse();
    numeric.updates(&roots, &mut panels)?;
    Ok(panels)
}

struct Numeric<'a> {
    fronts: &'a Fronts,
    matrix: &'a HeldStiffness<'a>,
    progress: &'a Progress,
}

impl Numeric<'_> {
    /// What each of some neighbouring subtrees leaves to the front above. `panels` are theirs.
    fn updates<T: Scalar>(
        &self,
        subtrees: &[usize],
        panels: &mut [Vec<T>],
    ) -> Result<Vec<Vec<T>>, FactorError> {
        let (Some(&first), Some(&last)) = (subtrees.first(), subtrees.last()) else {
            return Ok(Vec::new());
        };
        if first == last {
            return Ok(vec![self.subtree(first, panels)?]);
        }
        let flops = |f: usize| self.fronts.fronts[f].subtree_flops;
        let all: f64 = subtrees.iter().map(|&f| flops(f)).sum();
        // The cut that makes both sides most equal.
        let mut before = 0.0;
        let cut = subtrees
            .iter()
            .position(|&f| {
                before += flops(f);
                2.0 * before >= all
            })
            .map_or(1, |at| if at == 0 { 1 } else { at.min(subtrees.len() - 1) });
        let (left, right) = subtrees.split_at(cut);
        let n_left = left[left.len() - 1] + 1 - self.fronts.fronts[first].first_descendant;
        let (left_panels, right_panels) = panels.split_at_mut(n_left);
        let (left, right) = if all < GRAIN {
            (self.updates(left, left_panels), self.updates(right, right_panels))
        } else {
            rayon::join(
                || self.updates(left, left_panels),
                || self.updates(right, right_panels),
            )
        };
        let mut updates = left?;
        updates.append(&mut right?);
        Ok(updates)
    }

    /// Factorises a subtree; returns what it leaves to its parent. `panels` are those of the subtree.
    fn subtree<T: Scalar>(
        &self,
        f: usize,
        panels: &mut [Vec<T>],
    ) -> Result<Vec<T>, FactorError> {
        let (below, own) = panels.split_at_mut(panels.len() - 1);
        let mut children: Vec<usize> = self.fronts.children(f).collect();
        children.reverse();
        let updates = self.updates(&children, below)?;
        if self.progress.is_cancelled() {
            return Err(FactorError::Cancelled);
        }

        let front = &self.fronts.fronts[f];
        let (n_pivots, n_rows) = (3 * front.width, 3 * front.n_rows());
        let height = n_pivots + n_rows;
        let mut panel = zeros(height * n_pivots)?;
        let mut update = zeros(n_rows * n_rows)?;
        self.scatter(f, &mut panel, height);
        for (child, values) in children.iter().zip(updates) {
            let places = self.fronts.places(&self.fronts.fronts[*child]);
            add_update(&values, places, front.width, &mut panel, height, &mut update, n_rows);
        }
        eliminate(
            MatMut::from_column_major_slice_mut(&mut panel, height, n_pivots),
            MatMut::from_column_major_slice_mut(&mut update, n_rows, n_rows),
        )
        .map_err(|_| FactorError::NotPositiveDefinite)?;
        own[0] = panel;
        self.progress.add(front.flops() as u64);
        Ok(update)
    }

    /// Puts the matrix' own blocks into a front.
    fn scatter<T: Scalar>(&self, f: usize, panel: &mut [T], height: usize) {
        let front = &self.fronts.fronts[f];
        for entry in self.fronts.entries(front) {
            let node_at = |place: u32| self.fronts.node(front, place as usize);
            let block = self.matrix.block(entry, node_at(entry.row), node_at(entry.column));
            let at = 3 * entry.column as usize * height + 3 * entry.row as usize;
            for column in 0..3 {
                for row in 0..3 {
                    panel[at + column * height + row] = T::from_f64(block[(row, column)]);
                }
            }
        }
    }
}

/// Adds what a child leaves (a lower triangle over the child's rows) to a front in two pieces.
fn add_update<T: Scalar>(
    values: &[T],
    places: &[u32],
    width: usize,
    panel: &mut [T],
    height: usize,
    update: &mut [T],
    n_rows: usize,
) {
    let n = 3 * places.len();
    // Neighbouring rows mostly stay neighbours: whole runs are added at a time.
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (i, pair) in places.windows(2).enumerate() {
        if i == 0 {
            runs.push((0, places[0] as usize));
        }
        if pair[1] != pair[0] + 1 {
            runs.push((i + 1, pair[1] as usize));
        }
    }
    if places.len() == 1 {
        runs.push((0, places[0] as usize));
    }
    let mut first_run = 0;
    for (j, &place) in places.iter().enumerate() {
        let place = place as usize;
        while runs.get(first_run + 1).is_some_and(|&(start, _)| start <= j) {
            first_run += 1;
        }
        for k in 0..3 {
            let source = &values[(3 * j + k) * n..(3 * j + k + 1) * n];
            let (target, skipped) = if place < width {
                let at = (3 * place + k) * height;
                (&mut panel[at..at + height], 0)
            } else {
                let at = (3 * (place - width) + k) * n_rows;
                (&mut update[at..at + n_rows], 3 * width)
            };
            for (r, &(start, to)) in runs.iter().enumerate().skip(first_run) {
                let end = runs.get(r + 1).map_or(places.len(), |next| next.0);
                // The first run may have begun above the diagonal.
                let (start, to) = if start < j { (j, to + j - start) } else { (start, to) };
                let from = &source[3 * start..3 * end];
                let into = &mut target[3 * to - skipped..][..from.len()];
                for (into, from) in into.iter_mut().zip(from) {
                    *into += *from;
                }
            }
        }
    }
}

/// Memory for a matrix: to run out of it is an error, not an abort.
fn zeros<T: Scalar>(n: usize) -> Result<Vec<T>, FactorError> {
    let mut values = Vec::new();
    values.try_reserve_exact(n).map_err(|_| FactorError::OutOfMemory)?;
    values.resize(n, T::default());
    Ok(values)
}

impl HeldStiffness<'_> {
    /// The block of an entry: zero towards held degrees of freedom, one on their diagonal.
    fn block(&self, entry: &Entry, row_node: usize, column_node: usize) -> Matrix3<f64> {
        let block = match entry.block {
            Entry::DIAGONAL => *self.stiffness.diagonal(column_node),
            at if entry.is_transposed => self.stiffness.blocks[at as usize].transpose(),
            at => self.stiffness.blocks[at as usize],
        };
        let mut block = block * self.unscale;
        for row in 0..3 {
            for column in 0..3 {
                let (r, c) = (3 * row_node + row, 3 * column_node + column);
                if self.held[r] || self.held[c] {
                    block[(row, column)] = f64::from(u8::from(r == c));
                }
            }
        }
        block
    }
}
