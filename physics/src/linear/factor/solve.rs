//! Solves with a factor for several right-hand sides, of which only some entries are given or
//! wanted.
//!
//! The values of one degree of freedom are stored next to each other for all right-hand sides, so
//! that gathering and scattering rows of a front copies contiguous memory.

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Accum, MatMut, MatRef, Par};

use super::fronts::{Front, Fronts, Strip};
use super::scalar::Scalar;

/// Right-hand sides or solutions: `width` values for each degree of freedom, in the final order.
pub(super) struct Block<T> {
    pub(super) width: usize,
    pub(super) values: Vec<T>,
}

/// Fronts that take part in a solve: some fronts and all their ancestors.
pub(super) struct Paths(Vec<bool>);

impl<T: Scalar> Block<T> {
    /// Creates a block of zeros.
    pub(super) fn zeros(width: usize, fronts: &Fronts) -> Self {
        Self { width, values: vec![T::default(); width * 3 * fronts.order.len()] }
    }

    /// Value at a degree of freedom (in the order of the mesh) of one right-hand side.
    pub(super) fn get(&self, fronts: &Fronts, dof: usize, column: usize) -> T {
        self.values[self.width * fronts.dof_position(dof) + column]
    }

    /// Mutable value at a degree of freedom (in the order of the mesh) of one right-hand side.
    pub(super) fn at(&mut self, fronts: &Fronts, dof: usize, column: usize) -> &mut T {
        &mut self.values[self.width * fronts.dof_position(dof) + column]
    }
}

impl<T: Scalar> Block<T> {
    /// Values at a strip's own pivots, and at the pivots of the later strips of its front: one
    /// column per pivot.
    fn at_strip(&mut self, front: &Front, strip: &Strip) -> (MatMut<'_, T>, MatMut<'_, T>) {
        let (n, dofs) = (self.width, front.pivot_dofs());
        let pivots = &mut self.values[n * (dofs.start + strip.first)..n * dofs.end];
        MatMut::from_column_major_slice_mut(pivots, n, dofs.len() - strip.first)
            .split_at_col_mut(strip.width)
    }
}

impl Paths {
    /// Selects the fronts of some nodes and all their ancestors.
    pub(super) fn of(fronts: &Fronts, nodes: impl Iterator<Item = usize>) -> Self {
        let mut is_on = vec![false; fronts.fronts.len()];
        for node in nodes {
            let position = fronts.position[node] as usize;
            // The front whose pivots contain the position.
            let at = fronts.fronts.partition_point(|front| front.first <= position) - 1;
            let mut next = Some(at);
            while let Some(f) = next.filter(|&f| !is_on[f]) {
                is_on[f] = true;
                next = fronts.fronts[f].parent;
            }
        }
        Self(is_on)
    }

    /// True if a front is selected.
    pub(super) fn has(&self, front: usize) -> bool {
        self.0[front]
    }

    /// Selects all fronts.
    pub(super) fn all(fronts: &Fronts) -> Self {
        Self(vec![true; fronts.fronts.len()])
    }
}

/// Solves `L L^T x = b` in place. `b` must be zero outside `given`; `x` is correct inside `wanted`
/// only.
pub(super) fn solve<T: Scalar>(
    fronts: &Fronts,
    panels: &[T],
    given: &Paths,
    wanted: &Paths,
    x: &mut Block<T>,
) {
    let mut scratch = Vec::new();
    for (front, _) in fronts.fronts.iter().zip(&given.0).filter(|(_, is_on)| **is_on) {
        forward(fronts, front, &panels[front.panel()], x, &mut scratch);
    }
    for (front, _) in fronts.fronts.iter().zip(&wanted.0).rev().filter(|(_, is_on)| **is_on) {
        backward(fronts, front, &panels[front.panel()], x, &mut scratch);
    }
}

fn forward<T: Scalar>(
    fronts: &Fronts,
    front: &Front,
    panel: &[T],
    x: &mut Block<T>,
    scratch: &mut Vec<T>,
) {
    let n = x.width;
    let n_rows = 3 * front.n_rows();
    scratch.resize(n * n_rows, T::default());
    for strip in front.strips() {
        let (l, later, rows) = pieces(front, &strip, panel);
        let (mut own, after) = x.at_strip(front, &strip);
        solve_lower_triangular_in_place(l, own.rb_mut().transpose_mut(), Par::Seq);
        let own = own.rb();
        matmul(after, Accum::Add, own, later.transpose(), T::from_f64(-1.0), Par::Seq);
        let product = MatMut::from_column_major_slice_mut(scratch, n, n_rows);
        let old = if strip.first == 0 { Accum::Replace } else { Accum::Add };
        matmul(product, old, own, rows.transpose(), T::from_f64(1.0), Par::Seq);
    }
    for (&row, product) in fronts.rows(front).iter().zip(scratch.chunks_exact(3 * n)) {
        let at = 3 * n * row as usize;
        for (x, product) in x.values[at..at + 3 * n].iter_mut().zip(product) {
            *x -= *product;
        }
    }
}

fn backward<T: Scalar>(
    fronts: &Fronts,
    front: &Front,
    panel: &[T],
    x: &mut Block<T>,
    scratch: &mut Vec<T>,
) {
    let n = x.width;
    scratch.clear();
    for &row in fronts.rows(front) {
        let at = 3 * n * row as usize;
        scratch.extend_from_slice(&x.values[at..at + 3 * n]);
    }
    let gathered = MatRef::from_column_major_slice(scratch, n, 3 * front.n_rows());
    let strips: Vec<Strip> = front.strips().collect();
    for strip in strips.iter().rev() {
        let (l, later, rows) = pieces(front, strip, panel);
        let (mut own, after) = x.at_strip(front, strip);
        matmul(own.rb_mut(), Accum::Add, after.rb(), later, T::from_f64(-1.0), Par::Seq);
        matmul(own.rb_mut(), Accum::Add, gathered, rows, T::from_f64(-1.0), Par::Seq);
        solve_upper_triangular_in_place(l.transpose(), own.transpose_mut(), Par::Seq);
    }
}

/// Splits a strip into its own triangle, its part at the pivots of later strips, and its part at
/// the rows.
fn pieces<'a, T: Scalar>(
    front: &Front,
    strip: &Strip,
    panel: &'a [T],
) -> (MatRef<'a, T>, MatRef<'a, T>, MatRef<'a, T>) {
    let values = &panel[strip.values.clone()];
    let whole = MatRef::from_column_major_slice(values, strip.height, strip.width);
    let (own, below) = whole.split_at_row(strip.width);
    let (later, rows) = below.split_at_row(below.nrows() - 3 * front.n_rows());
    (own, later, rows)
}
