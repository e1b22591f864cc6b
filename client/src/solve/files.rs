//! The files of `palpate solve`: what is known goes in, what was found comes out.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::bail;
use physics::linear::ContactAnswer;
use physics::{KnownDisplacement, NodeId};
use serde::{Deserialize, Serialize};

/// What is known about an object.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TouchFile {
    #[serde(default)]
    supports: Vec<u32>,
    #[serde(default)]
    known: Vec<Known>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    node: u32,
    displacement: [Option<f64>; 3],
}

impl TouchFile {
    /// Supports, and known displacements in ascending order; a node that is prescribed twice is refused.
    pub(super) fn checked(self) -> anyhow::Result<(Vec<NodeId>, Vec<KnownDisplacement>)> {
        let mut known = BTreeMap::new();
        for Known { node, displacement } in self.known {
            if known.insert(node, displacement).is_some() {
                bail!("node {node} is prescribed twice, expected each node once");
            }
        }
        let known = known
            .into_iter()
            .map(|(node, displacement)| KnownDisplacement { node: NodeId(node), displacement })
            .collect();
        Ok((self.supports.into_iter().map(NodeId).collect(), known))
    }
}

/// What was found.
#[derive(Debug, Serialize)]
pub(super) struct ResultFile {
    displacements: Vec<[f64; 3]>,
    reactions: Vec<ReactionLine>,
    strain_energy: f64,
    residual: f64,
    pub(super) threads: usize,
    pub(super) seconds: Seconds,
}

#[derive(Debug, Serialize)]
struct ReactionLine {
    node: u32,
    force: [f64; 3],
}

/// How long each stage took.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub(super) struct Seconds {
    /// Reading and checking both files.
    pub(super) read: f64,
    /// Assembly and factorisation: once per object and material.
    pub(super) prepare: f64,
    /// Columns and the small system: once per set of touched nodes.
    pub(super) contact: f64,
    /// The answer itself: once per touch.
    pub(super) solve: f64,
}

impl ResultFile {
    pub(super) fn new(answer: &ContactAnswer, strain_energy: f64, residual: f64) -> Self {
        Self {
            displacements: answer.displacements.iter().map(|u| (*u).into()).collect(),
            reactions: answer
                .reactions
                .iter()
                .map(|r| ReactionLine { node: r.node.0, force: r.force.into() })
                .collect(),
            strain_energy,
            residual,
            threads: 0,
            seconds: Seconds::default(),
        }
    }
}

impl fmt::Display for ResultFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} nodes, {} held: {:.3e} J, residual {:.1e}; read {:.3} s, prepare {:.3} s, contact {:.4} s, \
             solve {:.5} s",
            self.displacements.len(),
            self.reactions.len(),
            self.strain_energy,
            self.residual,
            self.seconds.read,
            self.seconds.prepare,
            self.seconds.contact,
            self.seconds.solve
        )
    }
}
