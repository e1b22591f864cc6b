//! Solves with a factor in `f32` for a block of right-hand sides, subtrees in parallel.
//!
//! A front passes its part at the rows on to its parent and takes its rows from it, so that fronts
//! of different subtrees share nothing. The factor is read once for the whole block, by all threads
//! together: at a hundred thousand nodes reading it is most of the work.

use super::fronts::{Front, Fronts};
use super::solve::{Block, Paths};
use super::strip_kernels::{StripValues, Sweep, substitute};

/// Number of multiplications and additions of a factorisation whose subtree is a task of its own.
const TASK_FLOPS: f64 = 1e7;

/// Solves `L L^T x = b` in place. `b` must be zero outside `given`; `x` is correct inside `wanted`
/// only. Its width is a multiple of [`super::strip_kernels::LANES`].
pub(super) fn solve_block(
    fronts: &Fronts,
    panels: &[f32],
    given: &Paths,
    wanted: &Paths,
    x: &mut Block<f32>,
) {
    let width = x.width;
    let roots = fronts.roots();
    let tree = Tree { fronts, panels, given, wanted, width };
    tree.forward_all(&roots, &mut x.values);
    tree.backward_all(&roots, &mut x.values, &[]);
}

struct Tree<'a> {
    fronts: &'a Fronts,
    panels: &'a [f32],
    given: &'a Paths,
    wanted: &'a Paths,
    width: usize,
}

impl Tree<'_> {
    /// Substitutes forward in some neighbouring subtrees, whose values are `x`. Returns the part of
    /// each at the rows of its root; `None` if nothing is given in the subtree.
    fn forward_all(&self, subtrees: &[usize], x: &mut [f32]) -> Vec<Option<Vec<f32>>> {
        match self.cut(subtrees) {
            None => {
                let mut rest = x;
                let mut one = |&subtree: &usize| {
                    let (own, others) =
                        std::mem::take(&mut rest).split_at_mut(self.n_values(subtree));
                    rest = others;
                    self.given.has(subtree).then(|| self.forward(subtree, own))
                };
                subtrees.iter().map(&mut one).collect()
            }
            Some(cut) => {
                let (left, right) = subtrees.split_at(cut);
                let n_left = left.iter().map(|&subtree| self.n_values(subtree)).sum();
                let (x_left, x_right) = x.split_at_mut(n_left);
                let (mut parts, mut others) = rayon::join(
                    || self.forward_all(left, x_left),
                    || self.forward_all(right, x_right),
                );
                parts.append(&mut others);
                parts
            }
        }
    }

    fn forward(&self, f: usize, x: &mut [f32]) -> Vec<f32> {
        let front = &self.fronts.fronts[f];
        let n_pivots = 3 * self.width * front.width;
        let (below, own) = x.split_at_mut(x.len() - n_pivots);
        let children = self.fronts.children_in_order(f);
        let parts = self.forward_all(&children, below);
        let mut values = vec![0.0; n_pivots + 3 * self.width * front.n_rows()];
        values[..n_pivots].copy_from_slice(own);
        let run = 3 * self.width;
        for (&child, part) in children.iter().zip(&parts) {
            let Some(part) = part else { continue };
            let places = self.fronts.places(&self.fronts.fronts[child]);
            for (&place, part) in places.iter().zip(part.chunks_exact(run)) {
                let at = run * place as usize;
                for (value, part) in values[at..at + run].iter_mut().zip(part) {
                    *value += part;
                }
            }
        }
        drop(parts);
        for (first, strip) in self.strips(front) {
            substitute(strip, Sweep::Forward, &mut values[self.width * first..], self.width);
        }
        own.copy_from_slice(&values[..n_pivots]);
        values.drain(..n_pivots);
        values
    }

    /// Substitutes backward in some neighbouring subtrees, whose values are `x`. `above` are the
    /// values of their parent's front.
    fn backward_all(&self, subtrees: &[usize], x: &mut [f32], above: &[f32]) {
        match self.cut(subtrees) {
            None => {
                let mut rest = x;
                for &subtree in subtrees {
                    let (own, others) = rest.split_at_mut(self.n_values(subtree));
                    rest = others;
                    if self.wanted.has(subtree) {
                        self.backward(subtree, own, above);
                    }
                }
            }
            Some(cut) => {
                let (left, right) = subtrees.split_at(cut);
                let n_left = left.iter().map(|&subtree| self.n_values(subtree)).sum();
                let (x_left, x_right) = x.split_at_mut(n_left);
                rayon::join(
                    || self.backward_all(left, x_left, above),
                    || self.backward_all(right, x_right, above),
                );
            }
        }
    }

    fn backward(&self, f: usize, x: &mut [f32], above: &[f32]) {
        let front = &self.fronts.fronts[f];
        let run = 3 * self.width;
        let n_pivots = run * front.width;
        let (below, own) = x.split_at_mut(x.len() - n_pivots);
        let mut values = Vec::with_capacity(n_pivots + run * front.n_rows());
        values.extend_from_slice(own);
        for &place in self.fronts.places(front) {
            let at = run * place as usize;
            values.extend_from_slice(&above[at..at + run]);
        }
        let strips: Vec<(usize, StripValues<'_>)> = self.strips(front).collect();
        for &(first, strip) in strips.iter().rev() {
            substitute(strip, Sweep::Backward, &mut values[self.width * first..], self.width);
        }
        own.copy_from_slice(&values[..n_pivots]);
        self.backward_all(&self.fronts.children_in_order(f), below, &values);
    }

    /// Strips of a front, each with the place of its first pivot.
    fn strips<'a>(&'a self, front: &'a Front) -> impl Iterator<Item = (usize, StripValues<'a>)> {
        let panel = &self.panels[front.panel()];
        front.strips().map(move |strip| {
            let values = &panel[strip.values];
            (strip.first, StripValues { values, height: strip.height, width: strip.width })
        })
    }

    /// Number of values of a subtree.
    fn n_values(&self, subtree: usize) -> usize {
        let front = &self.fronts.fronts[subtree];
        let first = self.fronts.fronts[front.first_descendant].first;
        3 * self.width * (front.first + front.width - first)
    }

    /// Place to cut neighbouring subtrees into two tasks with about equal work; `None` if they are
    /// one task.
    fn cut(&self, subtrees: &[usize]) -> Option<usize> {
        let flops = |&f: &usize| self.fronts.fronts[f].subtree_flops;
        let all: f64 = subtrees.iter().map(flops).sum();
        if subtrees.len() < 2 || all < TASK_FLOPS {
            return None;
        }
        let mut before = 0.0;
        let at = subtrees.iter().position(|f| {
            before += flops(f);
            2.0 * before >= all
        });
        Some(at.map_or(1, |at| (at + 1).min(subtrees.len() - 1)))
    }
}
