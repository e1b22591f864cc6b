//! Residual `b - K x` of a block of solutions, in `f64`, rows of nodes in parallel.

use std::sync::Arc;

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use crate::linear::assembly::Stiffness;
use crate::linear::graph::Graph;

/// Number of rows of nodes per task.
const TASK: usize = 64;

/// Largest number of vectors that a tile holds in registers for each row.
const VECTORS: usize = 3;

/// Whole rows of a stiffness, of which only the lower triangle is stored.
pub(super) struct NodeRows {
    stiffness: Arc<Stiffness>,
    graph: Graph,
    /// Block of each edge in `graph.neighbours`.
    blocks: Vec<u32>,
}

impl NodeRows {
    pub(super) fn new(stiffness: Arc<Stiffness>) -> Self {
        let (graph, blocks) = Graph::of(&stiffness);
        Self { stiffness, graph, blocks }
    }

    /// Subtracts `scale K x` from `b`. Both have `width` values for each degree of freedom.
    pub(super) fn subtract_product(&self, scale: f64, x: &[f64], b: &mut [f64], width: usize) {
        b.par_chunks_mut(TASK * 3 * width).enumerate().for_each(|(task, b)| {
            let rows = Rows { all: self, scale, x, b, first: TASK * task, width };
            Arch::new().dispatch(rows);
        });
    }
}

/// Some rows of nodes, from `first` on.
struct Rows<'a> {
    all: &'a NodeRows,
    scale: f64,
    x: &'a [f64],
    b: &'a mut [f64],
    first: usize,
    width: usize,
}

impl WithSimd for Rows<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { all, scale, x, b, first, width } = self;
        let n = width / S::F64_LANES;
        let ((x, _), (b, _)) = (S::as_simd_f64s(x), S::as_mut_simd_f64s(b));
        for (node, b) in (first..).zip(b.chunks_exact_mut(3 * n)) {
            let mut at = 0;
            while at < n {
                at += match n - at {
                    VECTORS.. => tile::<S, VECTORS>(simd, all, node, scale, x, b, (n, at)),
                    2 => tile::<S, 2>(simd, all, node, scale, x, b, (n, at)),
                    _ => tile::<S, 1>(simd, all, node, scale, x, b, (n, at)),
                };
            }
        }
    }
}

#[inline(always)]
fn tile<S: Simd, const V: usize>(
    simd: S,
    all: &NodeRows,
    node: usize,
    scale: f64,
    x: &[S::f64s],
    b: &mut [S::f64s],
    (n, at): (usize, usize),
) -> usize {
    let mut sums = [[simd.splat_f64s(0.0); V]; 3];
    let diagonal = (node, all.stiffness.diagonal(node), false);
    let edges = all.graph.range(node as u32).map(|edge| {
        let neighbour = all.graph.neighbours[edge] as usize;
        // Stored below the diagonal.
        (neighbour, &all.stiffness.blocks[all.blocks[edge] as usize], neighbour > node)
    });
    for (neighbour, block, is_transposed) in std::iter::once(diagonal).chain(edges) {
        let values = &x[3 * n * neighbour..3 * n * (neighbour + 1)];
        for j in 0..3 {
            let values = &values[n * j + at..][..V];
            for i in 0..3 {
                let k = if is_transposed { block[(j, i)] } else { block[(i, j)] };
                let k = simd.splat_f64s(k);
                for v in 0..V {
                    sums[i][v] = simd.mul_add_f64s(k, values[v], sums[i][v]);
                }
            }
        }
    }
    let scale = simd.splat_f64s(-scale);
    for i in 0..3 {
        let b = &mut b[n * i + at..][..V];
        for v in 0..V {
            b[v] = simd.mul_add_f64s(scale, sums[i][v], b[v]);
        }
    }
    V
}
