//! JSON files of `palpate solve`: known displacements in, results out.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use anyhow::bail;
use engine::single_solve::SolveAnswer;
use physics::{KnownDisplacement, NodeId};
use serde::{Deserialize, Serialize, Serializer};

/// Supports and known displacements of an object.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TouchFile {
    #[serde(default)]
    supports: Vec<u32>,
    #[serde(default)]
    known: Vec<KnownFile>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownFile {
    node: u32,
    displacement: [Option<f64>; 3],
}

impl TouchFile {
    /// Supports, and known displacements in ascending order; a node that is prescribed twice is
    /// refused.
    pub(super) fn checked(self) -> anyhow::Result<(Vec<NodeId>, Vec<KnownDisplacement>)> {
        let mut known = BTreeMap::new();
        for KnownFile { node, displacement } in self.known {
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

/// Results of a solution.
#[derive(Debug, Serialize)]
pub(super) struct ResultFile {
    displacements: Vec<[f64; 3]>,
    reactions: Vec<ReactionLine>,
    strain_energy: f64,
    residual: f64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stresses: Vec<[f64; 6]>,
    threads: usize,
    #[serde(serialize_with = "in_order")]
    seconds: Vec<(String, f64)>,
}

#[derive(Debug, Serialize)]
struct ReactionLine {
    node: u32,
    force: [f64; 3],
}

impl ResultFile {
    /// Makes a result of an answer and the time to read the files.
    pub(super) fn new(answer: &SolveAnswer, read: Duration) -> Self {
        let solution = &answer.solution;
        let mut file = Self {
            displacements: solution.displacements.iter().map(|u| (*u).into()).collect(),
            reactions: solution
                .reactions
                .iter()
                .map(|r| ReactionLine { node: r.node.0, force: r.force.into() })
                .collect(),
            strain_energy: solution.strain_energy,
            residual: solution.residual,
            stresses: solution.stresses.clone(),
            threads: answer.threads,
            seconds: Vec::new(),
        };
        file.add_stage("reading", read);
        for (stage, time) in &answer.stages {
            file.add_stage(stage, *time);
        }
        file
    }

    pub(super) fn add_stage(&mut self, stage: &str, time: Duration) {
        self.seconds.push((stage.to_owned(), time.as_secs_f64()));
    }
}

impl fmt::Display for ResultFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} nodes, {} held: {:.3e} J, residual {:.1e};",
            self.displacements.len(),
            self.reactions.len(),
            self.strain_energy,
            self.residual
        )?;
        self.seconds.iter().try_for_each(|(stage, time)| write!(f, " {stage} {:.1} ms", 1e3 * time))
    }
}

/// Serialises the stages as an object that keeps their order.
fn in_order<S: Serializer>(seconds: &[(String, f64)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(seconds.iter().map(|(stage, time)| (stage, time)))
}
