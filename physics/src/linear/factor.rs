//! `Factor`: the sparse Cholesky factor `L L^T = K` of the stiffness with some degrees of freedom held.
//!
//! A multifrontal factorisation over whole 3 x 3 node blocks: [`Analysis`] finds the fronts from the
//! pattern, [`Factor`] eliminates them from the leaves of the tree to its roots. Subtrees and the tiles
//! of large fronts are tasks on the rayon pool that the caller is in; the dense kernels are faer's.

mod dense;
mod elimination;
mod fronts;
mod memory;
mod merging;
mod numeric;
mod refine;
mod scalar;
mod shift;
mod solve;

use std::sync::Arc;

use rayon::prelude::*;

use super::assembly::Stiffness;
use super::graph::Graph;
use crate::mesh::NodeId;
use crate::progress::Progress;
use fronts::Fronts;
use memory::Memory;
use numeric::factorise;
use refine::refined;
use solve::{Block, Paths, solve};

/// What is known about a factor from the pattern of its matrix alone.
pub struct Analysis {
    fronts: Fronts,
}

impl Analysis {
    /// Analyses the factor for an order of elimination, which must be a permutation of the nodes.
    pub fn new(stiffness: &Stiffness, order: &[u32]) -> Self {
        let (graph, blocks) = Graph::of(stiffness);
        Self { fronts: Fronts::new(&graph, &blocks, order) }
    }

    /// Multiplications and additions that the factorisation takes.
    pub fn flops(&self) -> f64 {
        self.fronts.flops()
    }

    /// Memory that the factor takes, in bytes.
    pub fn factor_bytes(&self, precision: Precision) -> usize {
        self.fronts.n_values() * precision.bytes()
    }

    /// Memory that one thread takes to compute it, in bytes: the factor, and what fronts leave to others.
    pub fn peak_bytes(&self, precision: Precision) -> usize {
        self.factor_bytes(precision) + self.fronts.stack_values() * precision.bytes()
    }
}

/// How many digits a factor has. Half of them cost half of the memory and of the time.
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
}

enum Numbers {
    Single(Memory<f32>),
    Double(Memory<f64>),
}

/// A stiffness with identity rows and columns where degrees of freedom are held, so that every node keeps
/// its whole block, divided by its largest entry, so that `f32` can hold it in any unit.
struct HeldStiffness {
    stiffness: Arc<Stiffness>,
    held: Vec<bool>,
    unscale: f64,
}

/// Why there is no factor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FactorError {
    /// Elements that are almost flat, or properties that almost make a mechanism.
    #[error(
        "the stiffness at node {} is not positive, as if the object were a mechanism or had elements without \
         volume there",
        .0.0
    )]
    NotPositiveDefinite(NodeId),
    /// The machine's memory does not suffice.
    #[error("not enough memory for the factor")]
    OutOfMemory,
    /// Nobody wants it any more.
    #[error("the preparation was cancelled")]
    Cancelled,
}

impl Factor {
    /// Factorises; `held` has one entry for each degree of freedom.
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
            Precision::Single => Numbers::Single(factorise(fronts, &matrix, progress)?),
            Precision::Double => Numbers::Double(factorise(fronts, &matrix, progress)?),
        };
        Ok(Self { analysis, matrix, numbers })
    }

    /// The matrix that was factorised, without its held degrees of freedom.
    pub fn stiffness(&self) -> &Stiffness {
        &self.matrix.stiffness
    }

    /// How many digits the factor has.
    pub fn precision(&self) -> Precision {
        match self.numbers {
            Numbers::Single(_) => Precision::Single,
            Numbers::Double(_) => Precision::Double,
        }
    }

    /// Memory that the factor takes, in bytes.
    pub fn bytes(&self) -> usize {
        self.analysis.factor_bytes(self.precision())
    }

    /// The displacements at `wanted` under a unit force at each of `dofs`: one column after the other. A
    /// held degree of freedom neither moves nor takes force. Blocks of columns are solved in parallel.
    ///
    /// A block is always as wide, if need be with empty columns, and kernels treat all columns of a block
    /// alike. So the bits of a column do not depend on the company in which it is solved.
    pub fn unit_columns(&self, dofs: &[usize], wanted: &[usize]) -> Vec<f64> {
        /// The factor is read once for each block, so blocks should not be narrow; but there should be
        /// several for several threads. A multiple of what vector registers hold.
        const WIDTH: usize = 24;
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

    /// The displacements everywhere under some forces.
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

    /// Solves for forces `(dof, column, force)`.
    fn solve(&self, given: &[(usize, usize, f64)], width: usize, wanted: &[usize]) -> Vec<f64> {
        let fronts = &self.analysis.fronts;
        let mut forces = Block::zeros(width, fronts);
        for &(dof, column, force) in given.iter().filter(|(dof, ..)| !self.matrix.held[*dof]) {
            *forces.at(fronts, dof, column) = force * self.matrix.unscale;
        }
        let given_paths = Paths::of(fronts, given.iter().map(|&(dof, ..)| dof / 3));
        let wanted_paths = Paths::of(fronts, wanted.iter().map(|&dof| dof / 3));
        let x = match &self.numbers {
            Numbers::Double(panels) => {
                solve(fronts, panels, &given_paths, &wanted_paths, &mut forces);
                forces
            }
            Numbers::Single(panels) => refined(fronts, panels, &self.matrix, forces, &given_paths),
        };
        let mut columns = Vec::with_capacity(width * wanted.len());
        for column in 0..width {
            columns.extend(wanted.iter().map(|&dof| x.get(fronts, dof, column)));
        }
        columns
    }
}
