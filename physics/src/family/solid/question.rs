//! One touch as a question by itself, as scripts ask it: the object, what is known, what was found.

use std::time::Duration;

use super::Solution;
use crate::spec::SolidSpec;
use crate::touch::{KnownDisplacement, Loose};

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The object.
    pub spec: SolidSpec,
    /// Where it is held: in ascending order of nodes, each node once.
    pub known: Vec<KnownDisplacement>,
    /// What to do if that leaves it loose.
    pub loose: Loose,
    /// How to find the answer.
    pub algorithm: Algorithm,
    /// Whether the stresses are wanted as well.
    pub wants_stresses: bool,
}

/// How to find an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Algorithm {
    /// Factorise the sparse stiffness, then a small system of what is known.
    #[default]
    Factorise,
    /// Invert the dense stiffness of what is free, as [Ma98] did: for comparison.
    Invert,
}

/// What was found.
#[derive(Debug, Clone)]
pub struct Answer {
    /// At every node.
    pub solution: Solution,
    /// How long each stage took, in their order.
    pub stages: Vec<(String, Duration)>,
    /// On how many threads.
    pub threads: usize,
}
