//! Sparse Cholesky factor `L L^T = K` of the stiffness, with some degrees of freedom held.
//!
//! The factorisation is multifrontal, over whole 3 x 3 node blocks: [`Analysis`] finds the fronts
//! from the pattern, [`Factor`] eliminates them from the leaves of the tree to its roots. Subtrees
//! and the tiles of large fronts are tasks on the rayon pool of the caller; the dense kernels are
//! faer's.

mod amalgamation;
mod block_solve;
mod dense;
mod elimination;
mod extend_add;
mod fronts;
mod iterative_refinement;
mod memory;
mod node_rows;
mod numeric;
mod scalar;
mod soft_modes;
mod solve;
mod strip_kernels;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::assembly::Stiffness;
use super::graph::Graph;
use crate::mesh::NodeId;
use crate::progress::Progress;
use fronts::Fronts;
use iterative_refinement::{MOST_COLUMNS, Refinement};
use memory::Memory;
use node_rows::NodeRows;
use numeric::factorise;
use soft_modes::SoftModes;
use solve::{Block, Paths, solve};

/// Structure of a factor, from the pattern of its matrix alone.
pub struct Analysis {
    fronts: Fronts,
}

impl Analysis {
    /// Analyses the factor for an order of elimination. `order` must be a permutation of the nodes.
    pub fn new(stiffness: &Stiffness, order: &[u32]) -> Self {
        let (graph, blocks) = Graph::of(stiffness);
        Self { fronts: Fronts::new(&graph, &blocks, order) }
    }

    /// Number of multiplications and additions of the factorisation.
    pub fn flops(&self) -> f64 {
        self.fronts.flops()
    }

    /// Memory of the factor, in bytes.
    pub fn factor_bytes(&self, precision: Precision) -> usize {
        self.fronts.n_values() * precision.bytes()
    }

    /// Memory that one thread needs to compute the factor, in bytes: the factor and the fronts'
    /// updates.
    pub fn peak_bytes(&self, precision: Precision) -> usize {
        self.factor_bytes(precision) + self.fronts.stack_values() * precision.bytes()
    }
}

/// Precision of a factor. Single precision takes half of the memory and of the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// `f32`.
    Single,
    /// `f64`.
    Double,
}

impl Precision {
    fn bytes(self) -> usize {
        match self {
            Self::Single => 4,
            Self::Double => 8,
        }
    }
}

/// A factorised matrix.
pub struct Factor {
    analysis: Arc<Analysis>,
    matrix: HeldStiffness,
    numbers: Numbers,
    /// Largest number of solves that a right-hand side has taken so far.
    most_solves: AtomicUsize,
}

enum Numbers {
    Single { panels: Memory<f32>, rows: NodeRows, soft_modes: Option<SoftModes> },
    Double(Memory<f64>),
}

/// Stiffness with identity rows and columns at held degrees of freedom, so that every node keeps
/// its whole block. It is divided by its largest entry, so that `f32` can hold it in any unit.
struct HeldStiffness {
    stiffness: Arc<Stiffness>,
    /// One entry for each degree of freedom.
    held: Vec<bool>,
    /// One over the largest entry.
    unscale: f64,
}

/// The stiffness cannot be factorised.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FactorError {
    /// The object has elements that are almost flat, or is almost a mechanism.
    #[error(
        "the stiffness at node {} is not positive: the object is almost a mechanism there, or has \
         elements that are almost flat",
        .0.0
    )]
    NotPositiveDefinite(NodeId),
    /// The system does not have enough memory.
    #[error("not enough memory for the factor")]
    OutOfMemory,
    /// The preparation was cancelled.
    #[error("the preparation was cancelled")]
    Cancelled,
}

impl Factor {
    /// Factorises `stiffness`. `held` has one entry for each degree of freedom.
    pub fn new(
        analysis: Arc<Analysis>,
        stiffness: Arc<Stiffness>,
        held: Vec<bool>,
        precision: Precision,
        progress: &Progress,
    ) -> Result<Self, FactorError> {
        let unscale = 1.0 / stiffness.largest_diagonal().max(f64::MIN_POSITIVE);
        let matrix = HeldStiffness { stiffness, held, unscale };
        progress.expect(analysis.flops() as u64);
        let fronts = &analysis.fronts;
        let numbers = match precision {
            Precision::Single => {
                let panels = factorise(fronts, &matrix, progress)?;
                let rows = NodeRows::new(Arc::clone(&matrix.stiffness));
                let refinement = Refinement {
                    fronts,
                    panels: &panels,
                    matrix: &matrix,
                    rows: &rows,
                    soft_modes: None,
                };
                let soft_modes = SoftModes::new(&refinement);
                Numbers::Single { panels, rows, soft_modes }
            }
            Precision::Double => Numbers::Double(factorise(fronts, &matrix, progress)?),
        };
        Ok(Self { analysis, matrix, numbers, most_solves: AtomicUsize::new(1) })
    }

    /// Stiffness that was factorised, as it is without held degrees of freedom.
    pub fn stiffness(&self) -> &Stiffness {
        &self.matrix.stiffness
    }

    /// Precision of the factor.
    pub fn precision(&self) -> Precision {
        match self.numbers {
            Numbers::Single { .. } => Precision::Single,
            Numbers::Double(_) => Precision::Double,
        }
    }

    /// Memory of the factor, in bytes.
    pub fn bytes(&self) -> usize {
        self.analysis.factor_bytes(self.precision())
    }

    /// Largest number of solves with the factor that a right-hand side has taken so far: one in
    /// double precision; in single precision refinement takes more.
    pub fn most_solves(&self) -> usize {
        self.most_solves.load(Ordering::Relaxed)
    }

    /// Computes the displacements at `wanted` under a unit force at each of `dofs`, one column
    /// after the other. A held degree of freedom neither moves nor takes force. Several threads
    /// share the work.
    ///
    /// In double precision every block has the same width, if necessary with empty columns. The
    /// kernels treat all columns of a block alike. So the bits of a column do not depend on the
    /// other columns.
    pub fn unit_columns(&self, dofs: &[usize], wanted: &[usize]) -> Vec<f64> {
        /// Columns per block, a multiple of what vector registers hold. The factor is read once for
        /// each block, so blocks should not be narrow; but several threads need several blocks.
        const WIDTH: usize = 24;
        if let Numbers::Single { .. } = self.numbers {
            let blocks = dofs.chunks(MOST_COLUMNS).map(|dofs| {
                let given: Vec<(usize, usize, f64)> =
                    dofs.iter().enumerate().map(|(column, &dof)| (dof, column, 1.0)).collect();
                self.solve(&given, dofs.len(), wanted)
            });
            return blocks.collect::<Vec<_>>().concat();
        }
        let blocks: Vec<Vec<f64>> = dofs
            .par_chunks(WIDTH)
            .map(|dofs| {
                let given: Vec<(usize, usize, f64)> =
                    dofs.iter().enumerate().map(|(column, &dof)| (dof, column, 1.0)).collect();
                let mut columns = self.solve(&given, WIDTH, wanted);
                columns.truncate(dofs.len() * wanted.len());
                columns
            })
            .collect();
        blocks.concat()
    }

    /// Computes the displacements of all degrees of freedom under `forces`.
    pub fn displacements(&self, forces: &[f64]) -> Vec<f64> {
        let given: Vec<(usize, usize, f64)> = forces
            .iter()
            .enumerate()
            .filter(|(_, force)| **force != 0.0)
            .map(|(dof, force)| (dof, 0, *force))
            .collect();
        let everywhere: Vec<usize> = (0..forces.len()).collect();
        self.solve(&given, 1, &everywhere)
    }

    /// Solves for the forces `given` as `(dof, column, force)`, and returns the displacements at
    /// `wanted`.
    fn solve(&self, given: &[(usize, usize, f64)], width: usize, wanted: &[usize]) -> Vec<f64> {
        let fronts = &self.analysis.fronts;
        let is_free = |(dof, ..): &&(usize, usize, f64)| !self.matrix.held[*dof];
        match &self.numbers {
            Numbers::Double(panels) => {
                let mut x = Block::zeros(width, fronts);
                for &(dof, column, force) in given.iter().filter(is_free) {
                    *x.at(fronts, dof, column) = force * self.matrix.unscale;
                }
                let given_paths = Paths::of(fronts, given.iter().map(|&(dof, ..)| dof / 3));
                let wanted_paths = Paths::of(fronts, wanted.iter().map(|&dof| dof / 3));
                solve(fronts, panels, &given_paths, &wanted_paths, &mut x);
                let mut columns = Vec::with_capacity(width * wanted.len());
                for column in 0..width {
                    columns.extend(wanted.iter().map(|&dof| x.get(fronts, dof, column)));
                }
                columns
            }
            Numbers::Single { panels, rows, soft_modes } => {
                let refinement = Refinement {
                    fronts,
                    panels,
                    matrix: &self.matrix,
                    rows,
                    soft_modes: soft_modes.as_ref(),
                };
                let free: Vec<_> = given.iter().filter(is_free).copied().collect();
                let refined = refinement.solve(&free, width, wanted);
                self.most_solves.fetch_max(refined.n_solves, Ordering::Relaxed);
                refined.columns
            }
        }
    }
}
