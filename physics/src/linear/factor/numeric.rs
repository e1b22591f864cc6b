//! Numeric factorisation: eliminates fronts from the leaves of the tree to its roots, subtrees in
//! parallel.

use faer::MatMut;
use faer::prelude::ReborrowMut;
use nalgebra::Matrix3;

use super::dense::{NotPositive, eliminate};
use super::extend_add::ExtendAdd;
use super::fronts::{Entry, Front, Fronts};
use super::memory::{Memory, Spare};
use super::scalar::Scalar;
use super::{FactorError, HeldStiffness};
use crate::mesh::NodeId;
use crate::progress::Progress;

/// Factorises `K` times `matrix.unscale`, with identity rows at held degrees of freedom. Returns
/// the panels of the fronts, in the order of the fronts.
pub(super) fn factorise<T: Scalar>(
    fronts: &Fronts,
    matrix: &HeldStiffness,
    progress: &Progress,
) -> Result<Memory<T>, FactorError> {
    /// One thread does a subtree with less than this share of all operations. The share is small
    /// enough for many threads, and large enough for a task.
    const SHARE_OF_TASK: f64 = 1.0 / 64.0;
    let mut panels = Memory::zeros(fronts.n_values())?;
    let task_flops = SHARE_OF_TASK * fronts.flops();
    let numeric = Numeric { spare: Spare::default(), fronts, matrix, progress, task_flops };
    numeric.updates(&fronts.roots(), &mut panels)?;
    Ok(panels)
}

struct Numeric<'a, T> {
    spare: Spare<T>,
    fronts: &'a Fronts,
    matrix: &'a HeldStiffness,
    progress: &'a Progress,
    task_flops: f64,
}

impl<T: Scalar> Numeric<'_, T> {
    /// Factorises some neighbouring subtrees and returns the update of each. `panels` are those of
    /// the subtrees.
    fn updates(&self, subtrees: &[usize], panels: &mut [T]) -> Result<Vec<Memory<T>>, FactorError> {
        let (Some(&first), Some(&last)) = (subtrees.first(), subtrees.last()) else {
            return Ok(Vec::new());
        };
        if first == last {
            return Ok(vec![self.subtree(first, panels)?]);
        }
        let flops = |f: usize| self.fronts.fronts[f].subtree_flops;
        let all: f64 = subtrees.iter().map(|&f| flops(f)).sum();
        // Cut into two sides with about equal work.
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
        let (left, right) =
            rayon::join(|| self.updates(left, left_panels), || self.updates(right, right_panels));
        let mut updates = left?;
        updates.append(&mut right?);
        Ok(updates)
    }

    /// Factorises a subtree and returns its update. `panels` are those of the subtree.
    fn subtree(&self, f: usize, panels: &mut [T]) -> Result<Memory<T>, FactorError> {
        let front = &self.fronts.fronts[f];
        if front.subtree_flops < self.task_flops {
            let mut stack = self.spare.take(front.stack_values)?;
            self.in_sequence(f, panels, &mut stack)?;
            let mut update = self.spare.take(front.n_update())?;
            update.copy_from_slice(&stack[..front.n_update()]);
            self.spare.give_back(stack);
            return Ok(update);
        }
        let (below, panel) = panels.split_at_mut(front.subtree_values - front.n_values());
        let children = self.fronts.children_in_order(f);
        let left: Vec<Memory<T>> = self.updates(&children, below)?;
        let views: Vec<&[T]> = left.iter().map(|values| &values[..]).collect();
        let mut update = self.spare.take(front.n_update())?;
        self.eliminate(f, panel, &children, &views, &mut update)?;
        left.into_iter().for_each(|values| self.spare.give_back(values));
        Ok(update)
    }

    /// [`Self::subtree`] on this thread alone. Updates are stacked in `stack`; at the end the
    /// subtree's own update is at the bottom. So a whole subtree uses one array, which stays in the
    /// cache.
    fn in_sequence(&self, f: usize, panels: &mut [T], stack: &mut [T]) -> Result<(), FactorError> {
        let front = &self.fronts.fronts[f];
        let (mut below, panel) = panels.split_at_mut(front.subtree_values - front.n_values());
        let children = self.fronts.children_in_order(f);
        let mut top = 0;
        for &child in &children {
            let child = (child, &self.fronts.fronts[child]);
            let (own, others) = std::mem::take(&mut below).split_at_mut(child.1.subtree_values);
            below = others;
            self.in_sequence(child.0, own, &mut stack[top..])?;
            top += child.1.n_update();
        }
        let (left, free) = stack.split_at_mut(top);
        let update = &mut free[..front.n_update()];
        let views = cut_updates(self.fronts, &children, left);
        self.eliminate(f, panel, &children, &views, update)?;
        stack.copy_within(top..top + front.n_update(), 0);
        Ok(())
    }

    /// Assembles one front from the matrix and its children's updates, and eliminates its pivots.
    fn eliminate(
        &self,
        f: usize,
        panel: &mut [T],
        children: &[usize],
        left: &[&[T]],
        update: &mut [T],
    ) -> Result<(), FactorError> {
        if self.progress.is_cancelled() {
            return Err(FactorError::Cancelled);
        }
        let front = &self.fronts.fronts[f];
        let n_rows = 3 * front.n_rows();
        let mut strips: Vec<MatMut<'_, T>> = cut(front, panel);
        self.scatter(front, &mut strips);
        let from_children: Vec<ExtendAdd<'_, T>> = children
            .iter()
            .zip(left)
            .map(|(&child, values)| {
                ExtendAdd::new(values, self.fronts.places(&self.fronts.fronts[child]), front.width)
            })
            .collect();
        for child in &from_children {
            child.add_to_pivots(&mut strips);
        }
        let rows = MatMut::from_column_major_slice_mut(update, n_rows, n_rows);
        eliminate(&mut strips, rows).map_err(|NotPositive(pivot)| {
            FactorError::NotPositiveDefinite(NodeId(self.fronts.node(front, pivot / 3) as u32))
        })?;
        // The elimination overwrites `update`. The children's updates are added afterwards, so
        // `update` need not be cleared first.
        for child in &from_children {
            child.add_to_rows(update, n_rows);
        }
        self.progress.add(front.flops() as u64);
        Ok(())
    }

    /// Writes the blocks of the matrix into a front.
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

/// Splits `left` into the children's updates, which follow each other.
fn cut_updates<'a, T>(fronts: &Fronts, children: &[usize], mut left: &'a [T]) -> Vec<&'a [T]> {
    let mut next = |&child: &usize| {
        let (own, others) = left.split_at(fronts.fronts[child].n_update());
        left = others;
        own
    };
    children.iter().map(&mut next).collect()
}

/// Splits a front's panel into its strips.
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

/// Column of a pivot, and the place in the front of its first value.
pub(super) fn column_of<'a, T: Scalar>(
    strips: &'a mut [MatMut<'_, T>],
    pivot: usize,
) -> (&'a mut [T], usize) {
    // All strips except the last have the same width.
    let width = strips[0].ncols();
    let strip = strips[pivot / width].rb_mut();
    let column = strip.col_mut(pivot % width).try_as_col_major_mut();
    let column = column.expect("a strip's columns are contiguous").as_slice_mut();
    (column, pivot - pivot % width)
}

impl HeldStiffness {
    /// Block of an entry: zero in the rows and columns of held degrees of freedom, one on their
    /// diagonal.
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
