//! Sparse direct solve: the matrix of the free degrees of freedom is factorised for one touch only.

use std::sync::Arc;

use physics::linear::factor::{Analysis, Factor, FactorError, Precision};
use physics::linear::{assemble, elimination_order};
use physics::{KnownDisplacement, Progress, SolidSpec};

use super::Held;

/// Solves with identity rows for the known degrees of freedom.
pub(super) fn solve(
    spec: &SolidSpec,
    known: &[KnownDisplacement],
    progress: &Progress,
) -> Result<Vec<f64>, FactorError> {
    let held = Held::new(spec, known);
    let stiffness = Arc::new(assemble(spec.mesh(), spec.material()));
    let load = held.load(&stiffness);
    let order = elimination_order(&stiffness, progress);
    let analysis = Arc::new(Analysis::new(&stiffness, &order));
    let is_held = held.is_held.clone();
    let factor = Factor::new(analysis, stiffness, is_held, Precision::Double, progress)?;
    Ok(held.completed(factor.displacements(&load)))
}
