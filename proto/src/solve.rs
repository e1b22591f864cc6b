//! Conversions of questions and answers of single solves.

use std::time::Duration;

use physics::family::solid::{Algorithm, Solution, SolveAnswer, SolveQuestion};
use physics::{NodeId, ObjectSpec, Reaction, WhenUnderdetermined};

use crate::array::{WireError, packed, same_length, unpacked, vectors};
use crate::known_displacements::when_underdetermined;
use crate::v1;
use crate::v1::solve_request::Algorithm as WireAlgorithm;

impl From<&SolveQuestion> for v1::SolveRequest {
    fn from(question: &SolveQuestion) -> Self {
        let algorithm = match question.algorithm {
            Algorithm::Factorise => WireAlgorithm::Factorise,
            Algorithm::Invert => WireAlgorithm::Invert,
        };
        Self {
            object: Some((&ObjectSpec::Solid(question.spec.clone())).into()),
            known: Some(question.known[..].into()),
            least_motion: question.when_underdetermined == WhenUnderdetermined::LeastMotion,
            algorithm: algorithm.into(),
            wants_stresses: question.wants_stresses,
            threads: 0,
        }
    }
}

impl TryFrom<v1::SolveRequest> for SolveQuestion {
    type Error = WireError;

    fn try_from(request: v1::SolveRequest) -> Result<Self, WireError> {
        let algorithm = match request.algorithm() {
            WireAlgorithm::Factorise => Algorithm::Factorise,
            WireAlgorithm::Invert => Algorithm::Invert,
            WireAlgorithm::Unspecified => {
                let value = request.algorithm;
                return Err(WireError::Unknown { field: "algorithm", value });
            }
        };
        let object = request.object.ok_or(WireError::Missing("the object"))?;
        let ObjectSpec::Solid(spec) = object.try_into()?;
        Ok(Self {
            spec,
            known: request.known.unwrap_or_default().try_into()?,
            when_underdetermined: when_underdetermined(request.least_motion),
            algorithm,
            wants_stresses: request.wants_stresses,
        })
    }
}

impl From<&SolveAnswer> for v1::Answer {
    fn from(answer: &SolveAnswer) -> Self {
        let Solution { displacements, reactions, strain_energy, residual, stresses } =
            &answer.solution;
        Self {
            displacements: packed(displacements.iter().flat_map(|u| <[f64; 3]>::from(*u))),
            reaction_nodes: packed(reactions.iter().map(|r| r.node.0)),
            reaction_forces: packed(reactions.iter().flat_map(|r| <[f64; 3]>::from(r.force))),
            strain_energy: *strain_energy,
            residual: *residual,
            stages: answer
                .stages
                .iter()
                .map(|(name, time)| v1::StageTime {
                    name: name.clone(),
                    seconds: time.as_secs_f64(),
                })
                .collect(),
            threads: answer.threads as u32,
            stresses: packed(stresses.iter().flatten().copied()),
        }
    }
}

impl TryFrom<v1::Answer> for SolveAnswer {
    type Error = WireError;

    fn try_from(reply: v1::Answer) -> Result<Self, WireError> {
        let nodes = unpacked::<u32, 4, 1>("reaction_nodes", &reply.reaction_nodes)?;
        let forces = vectors("reaction_forces", &reply.reaction_forces)?;
        same_length("reaction_forces", forces.len(), nodes.len(), 24)?;
        let reaction = |([node], force): ([u32; 1], _)| Reaction { node: NodeId(node), force };
        let stages = reply
            .stages
            .into_iter()
            .map(|stage| {
                let time = Duration::try_from_secs_f64(stage.seconds)
                    .map_err(|_| WireError::NotFinite("a stage's seconds"))?;
                Ok((stage.name, time))
            })
            .collect::<Result<_, WireError>>()?;
        Ok(Self {
            solution: Solution {
                displacements: vectors("displacements", &reply.displacements)?,
                reactions: nodes.into_iter().zip(forces).map(reaction).collect(),
                strain_energy: reply.strain_energy,
                residual: reply.residual,
                stresses: unpacked::<f64, 8, 6>("stresses", &reply.stresses)?,
            },
            stages,
            threads: reply.threads as usize,
        })
    }
}
