//! JSON files of `palpate solve`: known displacements in, results out.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use anyhow::bail;
use engine::single_solve::{SolveAnswer, SolveQuestion};
use objects::Unit;
use physics::{KnownDisplacement, NodeId};
use serde::{Deserialize, Serialize, Serializer};

use crate::object_file::known_displacements;

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

/// A text is not a touch.
#[derive(Debug, thiserror::Error)]
pub(super) enum TouchError {
    /// JSON has no such number.
    #[error(
        "line {line}, column {column}: {found} is not a number in JSON, expected a length in metres or null"
    )]
    NoNumber { line: usize, column: usize, found: String },
    /// Something else is wrong.
    #[error("line {line}, column {column}: {problem}")]
    Json { line: usize, column: usize, problem: String },
}

impl TouchFile {
    /// Reads the text; errors say what is expected in the words of the file.
    pub(super) fn read(text: &[u8]) -> Result<Self, TouchError> {
        serde_json::from_slice(text).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            let row = text.split(|byte| *byte == b'\n').nth(line.saturating_sub(1));
            let (before, after) =
                row.and_then(|row| row.split_at_checked(column)).unwrap_or_default();
            // The place may be in the middle of the word.
            let is_part = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'+');
            let n_before = before.iter().rev().take_while(|byte| is_part(byte)).count();
            let n_after = after.iter().take_while(|byte| is_part(byte)).count();
            let word = [&before[before.len() - n_before..], &after[..n_after]].concat();
            let found = String::from_utf8_lossy(&word).into_owned();
            let value = found.to_ascii_lowercase();
            if ["nan", "inf", "infinity"].contains(&value.trim_start_matches(['-', '+'])) {
                return TouchError::NoNumber { line, column, found };
            }
            let words = error.to_string();
            let problem = words.strip_suffix(&format!(" at line {line} column {column}"));
            // The names of types in Rust mean nothing to a reader.
            let problem = problem
                .unwrap_or(&words)
                .replace("expected u32", "expected the number of a node, from 0")
                .replace("expected f64", "expected a length in metres or null");
            TouchError::Json { line, column, problem }
        })
    }

    /// Supports, and known displacements in ascending order; a node that is prescribed twice is
    /// refused.
    pub(super) fn checked(self) -> anyhow::Result<(Vec<NodeId>, Vec<KnownDisplacement>)> {
        let mut known = BTreeMap::new();
        for KnownFile { node, displacement } in self.known {
            if known.insert(node, displacement).is_some() {
                bail!("node {node} is prescribed twice, expected each node once");
            }
        }
        if known.is_empty() {
            bail!(
                "no node has a known displacement, expected at least one in `known`: nothing would move"
            );
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
    /// Version of this program.
    palpate: &'static str,
    object: ObjectLine,
    material: MaterialLine,
    units: UnitLine,
    /// `None` for nodes that no element uses.
    displacements: Vec<Option<[f64; 3]>>,
    reactions: Vec<ReactionLine>,
    strain_energy: f64,
    residual: f64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stresses: Vec<[f64; 6]>,
    threads: usize,
    #[serde(serialize_with = "in_order")]
    seconds: Vec<(String, f64)>,
}

/// The mesh of which a result is.
#[derive(Debug, Serialize)]
struct ObjectLine {
    file: String,
    /// Unit of the numbers in the file.
    file_unit: &'static str,
    nodes: usize,
    elements: usize,
}

/// The material with which a result was computed.
#[derive(Debug, Serialize)]
struct MaterialLine {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    young_pa: f64,
    poisson: f64,
}

/// Units of the numbers in a result.
#[derive(Debug, Serialize)]
struct UnitLine {
    displacements: &'static str,
    reactions: &'static str,
    strain_energy: &'static str,
    stresses: &'static str,
}

#[derive(Debug, Serialize)]
struct ReactionLine {
    node: u32,
    force: [f64; 3],
}

impl ResultFile {
    /// Makes a result of an answer, its question and the time to read the files.
    pub(super) fn new(answer: &SolveAnswer, question: &SolveQuestion, read: Duration) -> Self {
        let solution = &answer.solution;
        let (mesh, material) = (question.spec.mesh(), question.spec.material());
        let mut file = Self {
            palpate: env!("CARGO_PKG_VERSION"),
            object: ObjectLine {
                file: String::new(),
                file_unit: Unit::Metre.symbol(),
                nodes: mesh.n_nodes(),
                elements: mesh.elements().len(),
            },
            material: MaterialLine {
                name: None,
                young_pa: material.young(),
                poisson: material.poisson(),
            },
            units: UnitLine {
                displacements: "m",
                reactions: "N",
                strain_energy: "J",
                stresses: "Pa",
            },
            displacements: known_displacements(mesh, solution).map(|u| u.map(Into::into)).collect(),
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

    /// Names the file of the mesh, its unit and the material.
    pub(super) fn name_source(&mut self, file: &Path, unit: Unit, material: Option<&str>) {
        self.object.file = file.display().to_string();
        self.object.file_unit = unit.symbol();
        self.material.name = material.map(str::to_owned);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let touch = TouchFile::read(text.as_bytes()).map_err(anyhow::Error::from);
        let error = touch.and_then(TouchFile::checked).unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }

    #[test]
    fn errors_in_a_touch_are_said_in_the_words_of_the_file() {
        let known = |displacement: &str| {
            format!("{{\"known\": [{{\"node\": 7, \"displacement\": {displacement}}}]}}")
        };
        check(
            &known("[0, 0, NaN]"),
            "NaN is not a number in JSON, expected a length in metres or null",
        );
        for word in ["nan", "-Infinity", "Inf"] {
            check(&known(&format!("[0, {word}, 0]")), &format!("{word} is not a number in JSON"));
        }
        check(
            &known("[0, \"far\", 0]"),
            "line 1, column 48: invalid type: string \"far\", expected a length in metres or null",
        );
        check("{\n\"known\": [0.5}", "line 2, column 13: ");
        check(
            "{\"supports\": [-1]}",
            "invalid value: integer `-1`, expected the number of a node, from 0",
        );
    }

    #[test]
    fn an_empty_touch_is_not_answered_by_zeros() {
        for text in ["{}", "{\"supports\": [0, 1, 2]}", "{\"known\": []}"] {
            check(text, "no node has a known displacement, expected at least one in `known`");
        }
    }
}
