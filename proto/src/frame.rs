//! Topologies and frames on the wire.

use std::sync::Arc;

use physics::{Grip, NodeId, Outcome, SampleId, StepReport, SurfaceFrame, Topology};

use crate::array::{WireError, packed, same_length, shared_positions, unpacked};
use crate::v1;

impl From<&Topology> for v1::Topology {
    fn from(topology: &Topology) -> Self {
        Self {
            version: topology.version,
            grip: match topology.grip {
                Grip::Nodes => v1::topology::Grip::Nodes,
                Grip::Contact => v1::topology::Grip::Contact,
            }
            .into(),
            rest_positions: packed(topology.rest_positions.iter().flatten().copied()),
            nodes: packed(topology.nodes.iter().map(|n| n.0)),
            triangles: packed(topology.triangles.iter().flatten().copied()),
        }
    }
}

impl TryFrom<v1::Topology> for Topology {
    type Error = WireError;

    fn try_from(topology: v1::Topology) -> Result<Self, WireError> {
        let nodes: Vec<NodeId> = unpacked::<u32, 4, 1>("nodes", &topology.nodes)?
            .into_iter()
            .map(|[node]| NodeId(node))
            .collect();
        let rest_positions = finite("rest_positions", &topology.rest_positions)?;
        same_length("rest_positions", rest_positions.len(), nodes.len(), 12)?;
        let grip = match topology.grip() {
            v1::topology::Grip::Nodes => Grip::Nodes,
            v1::topology::Grip::Contact => Grip::Contact,
            v1::topology::Grip::Unspecified => {
                return Err(WireError::Unknown { field: "grip", value: topology.grip });
            }
        };
        let triangles = unpacked::<u32, 4, 3>("triangles", &topology.triangles)?;
        let limit = nodes.len();
        match triangles.iter().flatten().find(|&&point| point as usize >= limit) {
            Some(&index) => Err(WireError::Index { field: "triangles", index, limit }),
            None => Ok(Self { version: topology.version, grip, nodes, rest_positions, triangles }),
        }
    }
}

impl From<&SurfaceFrame> for v1::SurfaceFrame {
    fn from(frame: &SurfaceFrame) -> Self {
        Self {
            sample: frame.sample.0,
            topology_version: frame.topology.version,
            positions: shared_positions(&frame.positions),
            reaction_nodes: packed(frame.reactions.iter().map(|(node, _)| node.0)),
            reaction_forces: packed(frame.reactions.iter().flat_map(|(_, force)| *force)),
            report: Some((&frame.report).into()),
            stresses: packed(frame.stresses.iter().flat_map(|stresses| stresses.iter().copied())),
        }
    }
}

/// Joins frames with the topology that was sent before them.
#[derive(Debug, Default)]
pub struct FrameAssembler {
    topology: Option<Arc<Topology>>,
}

impl FrameAssembler {
    /// From now on frames are for this topology.
    pub fn take_topology(&mut self, topology: v1::Topology) -> Result<(), WireError> {
        self.topology = Some(Arc::new(topology.try_into()?));
        Ok(())
    }

    /// A whole frame.
    pub fn frame(&self, frame: v1::SurfaceFrame) -> Result<SurfaceFrame, WireError> {
        let sent = self.topology.as_ref().map(|t| t.version);
        let topology = match &self.topology {
            Some(topology) if topology.version == frame.topology_version => Arc::clone(topology),
            _ => return Err(WireError::Topology { frame: frame.topology_version, sent }),
        };
        let positions = finite("positions", &frame.positions)?;
        same_length("positions", positions.len(), topology.nodes.len(), 12)?;
        let stresses = stresses(&frame.stresses, topology.nodes.len())?;
        let nodes = unpacked::<u32, 4, 1>("reaction_nodes", &frame.reaction_nodes)?;
        let forces = finite("reaction_forces", &frame.reaction_forces)?;
        same_length("reaction_forces", forces.len(), nodes.len(), 12)?;
        Ok(SurfaceFrame {
            sample: SampleId(frame.sample),
            topology,
            positions: Arc::new(positions),
            stresses,
            reactions: nodes.into_iter().map(|[node]| NodeId(node)).zip(forces).collect(),
            report: frame.report.ok_or(WireError::Missing("the step's report"))?.try_into()?,
        })
    }
}

/// One finite number for each point, or none at all.
fn stresses(bytes: &[u8], n_points: usize) -> Result<Option<Arc<Vec<f32>>>, WireError> {
    if bytes.is_empty() {
        return Ok(None);
    }
    let stresses: Vec<f32> =
        unpacked::<f32, 4, 1>("stresses", bytes)?.into_iter().map(|[stress]| stress).collect();
    same_length("stresses", stresses.len(), n_points, 4)?;
    match stresses.iter().all(|stress| stress.is_finite()) {
        true => Ok(Some(Arc::new(stresses))),
        false => Err(WireError::NotFinite("stresses")),
    }
}

/// Vectors of three finite numbers.
fn finite(field: &'static str, bytes: &[u8]) -> Result<Vec<[f32; 3]>, WireError> {
    let vectors = unpacked::<f32, 4, 3>(field, bytes)?;
    if vectors.iter().flatten().all(|c| c.is_finite()) {
        Ok(vectors)
    } else {
        Err(WireError::NotFinite(field))
    }
}

impl From<&StepReport> for v1::StepReport {
    fn from(report: &StepReport) -> Self {
        use v1::step_report::Outcome as Wire;
        let (outcome, detail) = match &report.outcome {
            Outcome::AtRest => (Wire::AtRest, String::new()),
            Outcome::Solved => (Wire::Solved, String::new()),
            Outcome::Underdetermined(free) => (Wire::Underdetermined, free.clone()),
            Outcome::Refused(why) => (Wire::Refused, why.clone()),
            Outcome::Frozen => (Wire::Frozen, String::new()),
        };
        Self {
            outcome: outcome.into(),
            detail,
            iterations: report.iterations,
            residual: report.residual,
        }
    }
}

impl TryFrom<v1::StepReport> for StepReport {
    type Error = WireError;

    fn try_from(report: v1::StepReport) -> Result<Self, WireError> {
        use v1::step_report::Outcome as Wire;
        let outcome = match report.outcome() {
            Wire::AtRest => Outcome::AtRest,
            Wire::Solved => Outcome::Solved,
            Wire::Underdetermined => Outcome::Underdetermined(report.detail),
            Wire::Refused => Outcome::Refused(report.detail),
            Wire::Frozen => Outcome::Frozen,
            Wire::Unspecified => {
                return Err(WireError::Unknown { field: "outcome", value: report.outcome });
            }
        };
        Ok(Self { outcome, iterations: report.iterations, residual: report.residual })
    }
}
