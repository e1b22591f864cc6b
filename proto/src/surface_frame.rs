//! Conversions of topologies and frames.

use std::sync::Arc;

use bytes::Bytes;
use nalgebra::Isometry3;
use physics::{
    FieldKind, FieldValues, FrameHistory, Grip, NodalDisplacements, NodeId, Outcome, SampleId,
    Snapshot, StepReport, SurfaceFrame, Topology,
};

use crate::array::{WireError, WireNumber, packed, same_length, shared_vectors, unpacked};
use crate::contact_model::contact_models;
use crate::touch::{packed_pose, packed_proxy, pose, proxy_id};
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
            fields: topology.fields.iter().map(v1::FieldKind::from).collect(),
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
            None => {
                let fields = topology.fields.into_iter().map(FieldKind::from).collect();
                let version = topology.version;
                Ok(Self { version, grip, nodes, rest_positions, triangles, fields })
            }
        }
    }
}

impl From<&SurfaceFrame> for v1::SurfaceFrame {
    fn from(frame: &SurfaceFrame) -> Self {
        let none = Bytes::new;
        // The receiver computes the surface from the displacements.
        let (positions, displacements, displacements_f32) = match &frame.displacements {
            None => (shared_vectors(&frame.positions), none(), none()),
            Some(NodalDisplacements::F64(all)) => (none(), shared_vectors(all), none()),
            Some(NodalDisplacements::F32(all)) => (none(), none(), shared_vectors(all)),
        };
        Self {
            sample: frame.sample.0,
            topology_version: frame.topology.version,
            pose: match frame.pose == Isometry3::identity() {
                true => none(),
                false => packed_pose(&frame.pose),
            },
            positions,
            displacements,
            displacements_f32,
            reaction_nodes: packed(frame.reactions.iter().map(|(node, _)| node.0)),
            reaction_forces: packed(frame.reactions.iter().flat_map(|(_, force)| *force)),
            report: Some((&frame.report).into()),
            fields: frame.fields.iter().map(v1::FieldValues::from).collect(),
            contact_proxies: packed(frame.contact_forces.iter().map(|(id, _)| packed_proxy(*id))),
            contact_forces: packed(frame.contact_forces.iter().flat_map(|(_, force)| *force)),
            course: Some((&frame.history).into()),
            contact_models: frame.contact_models.iter().map(Into::into).collect(),
        }
    }
}

/// Combines received frames with the topology that was received before them.
#[derive(Debug, Default)]
pub struct FrameAssembler {
    topology: Option<Arc<Topology>>,
}

impl FrameAssembler {
    /// Sets the topology of the following frames.
    pub fn take_topology(&mut self, topology: v1::Topology) -> Result<(), WireError> {
        self.topology = Some(Arc::new(topology.try_into()?));
        Ok(())
    }

    /// Combines a frame with the topology.
    pub fn frame(&self, frame: v1::SurfaceFrame) -> Result<SurfaceFrame, WireError> {
        let sent = self.topology.as_ref().map(|t| t.version);
        let topology = match &self.topology {
            Some(topology) if topology.version == frame.topology_version => Arc::clone(topology),
            _ => return Err(WireError::Topology { frame: frame.topology_version, sent }),
        };
        let displacements = displacements(&frame, &topology)?;
        let positions = match &displacements {
            Some(displacements) => displacements.surface_positions(&topology),
            None => {
                let positions = finite("positions", &frame.positions)?;
                same_length("positions", positions.len(), topology.nodes.len(), 12)?;
                positions
            }
        };
        let fields = fields(frame.fields, &topology)?;
        let nodes = unpacked::<u32, 4, 1>("reaction_nodes", &frame.reaction_nodes)?;
        let forces = finite("reaction_forces", &frame.reaction_forces)?;
        same_length("reaction_forces", forces.len(), nodes.len(), 12)?;
        let proxies = unpacked::<u32, 4, 1>("contact_proxies", &frame.contact_proxies)?;
        let pushes = finite("contact_forces", &frame.contact_forces)?;
        same_length("contact_forces", pushes.len(), proxies.len(), 12)?;
        let proxies = proxies.into_iter().map(|[id]| proxy_id(id));
        let proxies = proxies.collect::<Result<Vec<_>, _>>()?;
        let pose = match frame.pose.is_empty() {
            true => Isometry3::identity(),
            false => pose("pose", &frame.pose)?,
        };
        Ok(SurfaceFrame {
            sample: SampleId(frame.sample),
            topology,
            pose,
            positions: Arc::new(positions),
            displacements,
            fields,
            reactions: nodes.into_iter().map(|[node]| NodeId(node)).zip(forces).collect(),
            contact_forces: proxies.into_iter().zip(pushes).collect(),
            contact_models: contact_models(frame.contact_models)?,
            history: frame.course.unwrap_or_default().try_into()?,
            report: frame.report.ok_or(WireError::Missing("the step's report"))?.try_into()?,
        })
    }
}

impl From<&FieldKind> for v1::FieldKind {
    fn from(field: &FieldKind) -> Self {
        Self { name: field.name.clone().into_owned(), unit: field.unit.clone().into_owned() }
    }
}

impl From<v1::FieldKind> for FieldKind {
    fn from(field: v1::FieldKind) -> Self {
        Self { name: field.name.into(), unit: field.unit.into() }
    }
}

impl From<&FieldValues> for v1::FieldValues {
    fn from(field: &FieldValues) -> Self {
        let [low, high] = field.range;
        Self { values: packed(field.values.iter().copied()), low, high }
    }
}

/// Reads the values of all of the topology's fields, or of none. Each needs a finite number for
/// each point.
fn fields(
    fields: Vec<v1::FieldValues>,
    topology: &Topology,
) -> Result<Vec<FieldValues>, WireError> {
    let (got, limit) = (fields.len(), topology.fields.len() + 1);
    if got != 0 && got != topology.fields.len() {
        return Err(WireError::Index { field: "fields", index: got as u32, limit });
    }
    let field = |field: v1::FieldValues| {
        let values = unpacked::<f32, 4, 1>("values", &field.values)?.into_iter();
        let values: Vec<f32> = values.map(|[value]| value).collect();
        same_length("values", values.len(), topology.nodes.len(), 4)?;
        let range = [field.low, field.high];
        match values.iter().chain(&range).all(|value| value.is_finite()) {
            true => Ok(FieldValues { values: Arc::new(values), range }),
            false => Err(WireError::NotFinite("values")),
        }
    };
    fields.into_iter().map(field).collect()
}

impl From<&FrameHistory> for v1::Course {
    fn from(history: &FrameHistory) -> Self {
        // A snapshot that is also the restored state is sent once.
        let restored = history.restored.as_ref();
        let is_sent = |snapshot: &&Arc<Snapshot>| {
            restored.is_some_and(|restored| Arc::ptr_eq(restored, snapshot))
        };
        let snapshot = history.snapshot.as_ref().filter(|snapshot| !is_sent(snapshot));
        Self {
            restored: restored.map(|restored| (&**restored).into()),
            overtaken: history.overtaken.iter().map(|sample| sample.0).collect(),
            n_shortened: history.n_shortened,
            snapshot: snapshot.map(|snapshot| (&**snapshot).into()),
        }
    }
}

impl TryFrom<v1::Course> for FrameHistory {
    type Error = WireError;

    fn try_from(course: v1::Course) -> Result<Self, WireError> {
        let arc = |snapshot: Option<v1::Snapshot>| {
            Ok::<_, WireError>(snapshot.map(Snapshot::try_from).transpose()?.map(Arc::new))
        };
        let (restored, snapshot) = (arc(course.restored)?, arc(course.snapshot)?);
        Ok(Self {
            snapshot: snapshot.or_else(|| restored.clone()),
            restored,
            overtaken: course.overtaken.into_iter().map(SampleId).collect(),
            n_shortened: course.n_shortened,
        })
    }
}

/// Reads the displacements of all nodes, if a frame has them.
fn displacements(
    frame: &v1::SurfaceFrame,
    topology: &Topology,
) -> Result<Option<NodalDisplacements>, WireError> {
    let (precise, short) = (&frame.displacements, &frame.displacements_f32);
    let displacements = match (precise.is_empty(), short.is_empty()) {
        (true, true) => return Ok(None),
        (false, _) => NodalDisplacements::F64(Arc::new(finite("displacements", precise)?)),
        (true, false) => NodalDisplacements::F32(Arc::new(finite("displacements_f32", short)?)),
    };
    let limit = displacements.n_nodes();
    match topology.nodes.iter().find(|node| node.index() >= limit) {
        Some(&NodeId(index)) => Err(WireError::Index { field: "the topology", index, limit }),
        None => Ok(Some(displacements)),
    }
}

/// Reads vectors of three finite numbers.
fn finite<T: WireNumber<N> + Into<f64>, const N: usize>(
    field: &'static str,
    bytes: &[u8],
) -> Result<Vec<[T; 3]>, WireError> {
    let vectors = unpacked::<T, N, 3>(field, bytes)?;
    if vectors.iter().flatten().all(|c| (*c).into().is_finite()) {
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
            is_moving: report.is_moving,
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
            Wire::Unspecified if report.outcome == 0 => {
                return Err(WireError::Missing("the outcome"));
            }
            // A newer server has other outcomes. The object is there and its frame is complete, so
            // the session goes on.
            Wire::Unspecified => Outcome::Refused(unknown_outcome(report.outcome, &report.detail)),
        };
        let v1::StepReport { iterations, residual, is_moving, .. } = report;
        Ok(Self { outcome, iterations, residual, is_moving })
    }
}

/// Text for an outcome that only a newer version knows.
fn unknown_outcome(outcome: i32, detail: &str) -> String {
    let said = if detail.is_empty() { "" } else { ": " };
    format!("the solver is of a newer version and reports outcome {outcome}{said}{detail}")
}
