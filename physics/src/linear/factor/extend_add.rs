//! Extend-add: adds a child's update to the parent's front.

use faer::MatMut;

use super::numeric::column_of;
use super::scalar::Scalar;

/// Update of a child, to be added to the parent's front: a lower triangle over the child's rows.
pub(super) struct ExtendAdd<'a, T> {
    values: &'a [T],
    places: &'a [u32],
    /// Number of pivots of the parent.
    width: usize,
    /// Runs of the child's rows that are contiguous in the parent: first row, and its place in the
    /// parent.
    runs: Vec<(usize, usize)>,
}

impl<'a, T: Scalar> ExtendAdd<'a, T> {
    pub(super) fn new(values: &'a [T], places: &'a [u32], width: usize) -> Self {
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
    pub(super) fn add_to_pivots(&self, strips: &mut [MatMut<'_, T>]) {
        for column in 0..self.n_pivots() {
            for k in 0..3 {
                let pivot = 3 * self.places[column] as usize + k;
                let (target, first) = column_of(strips, pivot);
                self.add_column(column, k, target, first);
            }
        }
    }

    /// Adds the columns that are rows of the parent.
    pub(super) fn add_to_rows(&self, update: &mut [T], n_rows: usize) {
        for column in self.n_pivots()..self.places.len() {
            let at = 3 * (self.places[column] as usize - self.width) * n_rows;
            for (k, target) in update[at..at + 3 * n_rows].chunks_exact_mut(n_rows).enumerate() {
                self.add_column(column, k, target, 3 * self.width);
            }
        }
    }

    /// Number of the child's rows that are pivots of the parent.
    fn n_pivots(&self) -> usize {
        self.places.partition_point(|&place| (place as usize) < self.width)
    }

    /// Adds one of a node's three columns to `target`, a column without the first `skipped` rows of
    /// the front.
    fn add_column(&self, node: usize, axis: usize, target: &mut [T], skipped: usize) {
        let n = 3 * self.places.len();
        let source = &self.values[(3 * node + axis) * n..(3 * node + axis + 1) * n];
        let first_run = self.runs.partition_point(|&(start, _)| start <= node) - 1;
        for (r, &(start, to)) in self.runs.iter().enumerate().skip(first_run) {
            let end = self.runs.get(r + 1).map_or(self.places.len(), |next| next.0);
            // The first run may begin above the diagonal.
            let above = node.saturating_sub(start);
            let from = &source[3 * (start + above)..3 * end];
            let into = &mut target[3 * (to + above) - skipped..][..from.len()];
            for (into, from) in into.iter_mut().zip(from) {
                *into += *from;
            }
        }
    }
}
