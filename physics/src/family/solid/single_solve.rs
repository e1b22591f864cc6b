//! Question and answer of a single exact solve, as scripts use it.

use std::time::Duration;

use super::Solution;
use crate::spec::SolidSpec;
use crate::touch::{KnownDisplacement, WhenUnderdetermined};

/// Question: an object and its known displacements.
#[derive(Debug, Clone, PartialEq)]
pub struct SolveQuestion {
    /// Object to solve.
    pub spec: SolidSpec,
    /// Known displacements, in ascending order of nodes, each node once.
    pub known: Vec<KnownDisplacement>,
    /// Behaviour if the known displacements leave a rigid motion free.
    pub when_underdetermined: WhenUnderdetermined,
    /// Algorithm to use.
    pub algorithm: Algorithm,
    /// True if the answer includes the stresses.
    pub wants_stresses: bool,
}

/// Algorithm of a solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Algorithm {
    /// Factorise the sparse stiffness, then solve a small system of the known components.
    #[default]
    Factorise,
    /// Invert the dense stiffness of the free components, as \[Ma98\] did. For comparison.
    Invert,
}

/// Answer of a solve.
#[derive(Debug, Clone)]
pub struct SolveAnswer {
    /// Solution at every node.
    pub solution: Solution,
    /// Duration of each stage, in order.
    pub stages: Vec<(String, Duration)>,
    /// Number of threads that were used.
    pub threads: usize,
}
