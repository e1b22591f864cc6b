//! `Factor`: the sparse Cholesky factor `L L^T = K` of the stiffness with some degrees of freedom held.
//!
//! A multifrontal factorisation over whole 3 x 3 node blocks: [`Analysis`] finds the fronts from the
//! pattern, [`Factor`] eliminates them from the leaves of the tree to its roots. Subtrees and the tiles
//! of large fronts are tasks on the rayon pool that the caller is in; the dense kernels are faer's.

mod dense;
mod elimination;
mod fronts;
mod numeric;
mod scalar;
mod solve;

use std::sync::Arc;

use super::assembly::Stiffness;
use super::graph::Graph;
use crate::progress::Progress;
use fronts::Fronts;
use numeric::{Panels, factorise};
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
    numbers: Numbers,
    /// The factor is that of `K` times this.
    unscale: f64,
}

enum Numbers {
    Single(Panels<f32>),
    Double(Panels<f64>),
}

/// Why there is no factor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FactorError {
    /// Elements that are almost flat, or properties that almost make a mechanism.
    #[error("it is not positive definite, as if the object were a mechanism or had elements without volume")]
    NotPositiveDefinite,
    /// The machine's memory does not suffice.
    #[error("not enough memory for the factor")]
    OutOfMemory,
    /// Nobody wants it any more.
    #[error("it was cancelled")]
    Cancelled,
}

/// A matrix with identity rows and columns where degrees of freedom are held, so that every node keeps
/// its whole block.
struct HeldStiffness<'a> {
    stiffness: &'a Stiffness,
    held: &'a [bool],
    unscale: f64,
}

impl Factor {
    /// Factorises; `held` has one entry for each degree of freedom.
    pub fn new(
        analysis: Arc<Analysis>,
        stiffness: &Stiffness,
        held: &[bool],
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
        Ok(Self { analysis, numbers, unscale })
    }

    /// Solves for unit forces at some degrees of freedom, all of them in one sweep, and returns the
    /// displacements at `wanted`: those of one unit force after the other.
    pub fn unit_columns(&self, dofs: &[usize], wanted: &[usize]) -> Vec<f64> {
        match &self.numbers {
            Numbers::Single(panels) => self.unit_columns_of(panels, dofs, wanted),
            Numbers::Double(panels) => self.unit_columns_of(panels, dofs, wanted),
        }
    }

    fn unit_columns_of<T: scalar::Scalar>(
        &self,
        panels: &Panels<T>,
        dofs: &[usize],
        wanted: &[usize],
    ) -> Vec<f64> {
        let fronts = &self.analysis.fronts;
        let width = dofs.len();
        let at = |dof: usize| 3 * fronts.position[dof / 3] as usize + dof % 3;
        let mut x = Block { width, values: vec![T::default(); width * 3 * fronts.order.len()] };
        for (i, &dof) in dofs.iter().enumerate() {
            x.values[width * at(dof) + i] = T::from_f64(1.0);
        }
        let given = Paths::of(fronts, dofs.iter().map(|&dof| at(dof) / 3));
        let wanted_paths = Paths::of(fronts, wanted.iter().map(|&dof| at(dof) / 3));
        solve(fronts, panels, &given, &wanted_paths, &mut x);
        let mut columns = Vec::with_capacity(width * wanted.len());
        for i in 0..width {
            let of = |&dof: &usize| x.values[width * at(dof) + i].to_f64() * self.unscale;
            columns.extend(wanted.iter().map(of));
        }
        columns
    }
}
