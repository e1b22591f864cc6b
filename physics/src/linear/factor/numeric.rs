//! The numeric factorisation: fronts from the leaves of the tree to its roots, subtrees in parallel.

use faer::MatMut;
use faer::prelude::ReborrowMut;
use nalgebra::Matrix3;

use super::dense::eliminate;
use super::fronts::{Entry, Front, Fronts};
use super::memory::{Memory, Spare};
use super::scalar::Scalar;
use super::{FactorError, HeldStiffness};
use crate::progress::Progress;

/// A subtree with fewer operations than this is done by one thread.
const GRAIN: f64 = 2e5;

/// Factorises `K / scale`, with identity rows where a degree of freedom is held. The pivots' columns of
/// each front, a dense column-major matrix, follow each other in the order of the fronts.
pub(super) fn factorise<T: Scalar>(
    fronts: &Fronts,
    matrix: &HeldStiffness,
    progress: &Progress,
) -> Result<Memory<T>, FactorError> {
    let mut panels = Memory::zeros(fronts.n_values())?;
    let numeric = Numeric { spare: Spare::default(), fronts, matrix, progress };
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

struct Numeric<'a, T> {
    spare: Spare<T>,
    fronts: &'a Fronts,
    matrix: &'a HeldStiffness,
    progress: &'a Progress,
}

impl<T: Scalar> Numeric<'_, T> {
    /// What each of some neighbouring subtrees leaves to the front above. `panels` are theirs.
    fn updates(&self, subtrees: &[usize], panels: &mut [T]) -> Result<Vec<Memory<T>>, FactorError> {
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
        let n_left: usize = left.iter().map(|&f| self.fronts.fronts[f].subtree_values).sum();
        let (left_panels, right_panels) = panels.split_at_mut(n_left);
        let (left, right) = if all < GRAIN {
            (self.updates(left, left_panels), self.updates(right, right_panels))
        } else {
            rayon::join(|| self.updates(left, left_panels), || self.updates(right, right_panels))
        };
        let mut updates = left?;
        updates.append(&mut right?);
        Ok(updates)
    }

    /// Factorises a subtree; returns what it leaves to its parent. `panels` are those of the subtree.
    fn subtree(&self, f: usize, panels: &mut [T]) -> Result<Memory<T>, FactorError> {
        let front = &self.fronts.fronts[f];
        let (below, panel) = panels.split_at_mut(front.subtree_values - front.n_values());
        let mut children: Vec<usize> = self.fronts.children(f).collect();
        children.reverse();
        let updates = self.updates(&children, below)?;
        if self.progress.is_cancelled() {
            return Err(FactorError::Cancelled);
        }

        let n_rows = 3 * front.n_rows();
        let mut update = self.spare.take(n_rows * n_rows)?;
        let mut strips: Vec<MatMut<'_, T>> = cut(front, panel);
        self.scatter(front, &mut strips);
        let from_children: Vec<Shift<'_, T>> = children
            .iter()
            .zip(&updates)
            .map(|(&child, values)| {
                Shift::new(values, self.fronts.places(&self.fronts.fronts[child]), front.width)
            })
            .collect();
        for child in &from_children {
            child.add_to_pivots(&mut strips);
        }
        let rows = MatMut::from_column_major_slice_mut(&mut update, n_rows, n_rows);
        eliminate(&mut strips, rows).map_err(|_| FactorError::NotPositiveDefinite)?;
        // What the pivots leave overwrites `update`; what the children left is added afterwards, so that
        // nobody has to fill it with zeros first.
        for child in &from_children {
            child.add_to_rows(&mut update, n_rows);
        }
        drop(from_children);
        updates.into_iter().for_each(|values| self.spare.give_back(values));
        self.progress.add(front.flops() as u64);
        Ok(update)
    }

    /// Puts the matrix' own blocks into a front.
    fn scatter(&self, front: &Front, strips: &mut [MatMut<'_, T>]) {
        for entry in self.fronts.entries(front) {
            let node_at = |place: u32| self.fronts.node(front, place as usize);
            let block = self.matrix.block(entry, node_at(entry.row), node_at(entry.column));
            for k in 0..3 {
                let (column, first) = column_of(strips, 3 * entry.column as usize + k);
                let at = 3 * entry.row as usize - first;
                for (row, value) in column[at..at + 3].iter_mut().enumerate() {
                    *value = T::from_f64(block[(row, k)]);
                }
            }
        }
    }
}

/// The strips of a front's panel.
fn cut<'a, T: Scalar>(front: &Front, panel: &'a mut [T]) -> Vec<MatMut<'a, T>> {
    let mut rest = panel;
    front
        .strips()
        .map(|strip| {
            let (own, others) = std::mem::take(&mut rest).split_at_mut(strip.values.len());
            rest = others;
            MatMut::from_column_major_slice_mut(own, strip.height, strip.width)
        })
        .collect()
}

/// The column of a pivot, and the place in the front of its first number.
fn column_of<'a, T: Scalar>(strips: &'a mut [MatMut<'_, T>], pivot: usize) -> (&'a mut [T], usize) {
    // All strips but the last are equally wide.
    let width = strips[0].ncols();
    let strip = strips[pivot / width].rb_mut();
    let column = strip.col_mut(pivot % width).try_as_col_major_mut();
    let column = column.expect("a strip's columns are contiguous").as_slice_mut();
    (column, pivot - pivot % width)
}

/// What a child leaves, a lower triangle over the child's rows, on its way into the parent's front.
struct Shift<'a, T> {
    values: &'a [T],
    places: &'a [u32],
    /// Number of pivots of the parent.
    width: usize,
    /// The child's first row and its place in the parent, of each run of rows that stay neighbours.
    runs: Vec<(usize, usize)>,
}

impl<'a, T: Scalar> Shift<'a, T> {
    fn new(values: &'a [T], places: &'a [u32], width: usize) -> Self {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        let mut next = None;
        for (row, &place) in places.iter().enumerate() {
            if next != Some(place) {
                runs.push((row, place as usize));
            }
            next = Some(place + 1);
        }
        Self { values, places, width, runs }
    }

    /// Adds the columns that are pivots of the parent.
    fn add_to_pivots(&self, strips: &mut [MatMut<'_, T>]) {
        for column in 0..self.n_pivots() {
            for k in 0..3 {
                let pivot = 3 * self.places[column] as usize + k;
                let (target, first) = column_of(strips, pivot);
                self.add_column(column, k, target, first);
            }
        }
    }

    /// Adds the columns that are rows of the parent.
    fn add_to_rows(&self, update: &mut [T], n_rows: usize) {
        for column in self.n_pivots()..self.places.len() {
            let at = 3 * (self.places[column] as usize - self.width) * n_rows;
            for (k, target) in update[at..at + 3 * n_rows].chunks_exact_mut(n_rows).enumerate() {
                self.add_column(column, k, target, 3 * self.width);
            }
        }
    }

    /// How many of the child's rows are pivots of the parent.
    fn n_pivots(&self) -> usize {
        self.places.partition_point(|&place| (place as usize) < self.width)
    }

    /// Adds one of a node's three columns to a column that lacks the first `skipped` rows of the front.
    fn add_column(&self, node: usize, axis: usize, target: &mut [T], skipped: usize) {
        let n = 3 * self.places.len();
        let source = &self.values[(3 * node + axis) * n..(3 * node + axis + 1) * n];
        let first_run = self.runs.partition_point(|&(start, _)| start <= node) - 1;
        for (r, &(start, to)) in self.runs.iter().enumerate().skip(first_run) {
            let end = self.runs.get(r + 1).map_or(self.places.len(), |next| next.0);
            // The first run may have begun above the diagonal.
            let above = node.saturating_sub(start);
            let from = &source[3 * (start + above)..3 * end];
            let into = &mut target[3 * (to + above) - skipped..][..from.len()];
            for (into, from) in into.iter_mut().zip(from) {
                *into += *from;
            }
        }
    }
}

impl HeldStiffness {
    /// The block of an entry: zero towards held degrees of freedom, one on their diagonal.
    fn block(&self, entry: &Entry, row_node: usize, column_node: usize) -> Matrix3<f64> {
        let block = match entry.block {
            Entry::DIAGONAL => *self.stiffness.diagonal(column_node),
            at if entry.is_transposed => self.stiffness.blocks[at as usize].transpose(),
            at => self.stiffness.blocks[at as usize],
        };
        let mut block = block * self.unscale;
        let is_held = |node: usize| self.held[3 * node..3 * node + 3].contains(&true);
        if !is_held(row_node) && !is_held(column_node) {
            return block;
        }
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
