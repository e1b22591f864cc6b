//! Output of a step, rounded to `f32` once, before any way of delivering it.

use std::sync::Arc;

use nalgebra::{Isometry3, Vector3};

use crate::contact_model::ContactModel;
use crate::deformable::{Deformable, StepReport};
use crate::frame_content::NodalDisplacements;
use crate::mesh::{FieldValues, NodeId, Topology};
use crate::proxy::ProxyId;
use crate::state::Snapshot;
use crate::touch::SampleId;

/// Force on one held node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reaction {
    /// Held node.
    pub node: NodeId,
    /// Force that holds the node, in the object's frame.
    pub force: Vector3<f64>,
}

/// Force of one of the hands' proxies on the object.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactForce {
    /// Proxy that pushes.
    pub proxy: ProxyId,
    /// Force of the proxy on the object, in the object's frame.
    pub force: Vector3<f64>,
}

/// Result of one step: surface, forces and report.
#[derive(Debug, Clone, PartialEq)]
pub struct SurfaceFrame {
    /// Sample of the touch.
    pub sample: SampleId,
    /// Topology of the surface; shared, since it rarely changes.
    pub topology: Arc<Topology>,
    /// Pose of the surface in the object's frame: the rigid motion of a free body.
    pub pose: Isometry3<f64>,
    /// Position of each of the topology's points at `pose`; shared with the object.
    pub positions: Arc<Vec<[f32; 3]>>,
    /// Displacement of each node of the object, if they were asked for when it was opened.
    pub displacements: Option<NodalDisplacements>,
    /// Values of the topology's fields, in its order; empty unless the touch wanted them.
    pub fields: Vec<FieldValues>,
    /// Forces that hold the touched nodes.
    pub reactions: Vec<(NodeId, [f32; 3])>,
    /// Forces of the hands' proxies on the object.
    pub contact_forces: Vec<(ProxyId, [f32; 3])>,
    /// What the hands' proxies feel near their places; empty unless the touch wanted it.
    pub contact_models: Vec<ContactModel>,
    /// Report of the step.
    pub report: StepReport,
    /// Changes of the object since the previous frame.
    pub history: FrameHistory,
}

/// Largest number of overtaken samples in a frame, many minutes of them. Older ones are dropped.
const MOST_OVERTAKEN: usize = 100_000;

/// Changes of an object between two frames that a reader takes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FrameHistory {
    /// State that was restored first. It is complete, so that a reader can restore an equal object
    /// to it.
    pub restored: Option<Arc<Snapshot>>,
    /// Samples of the touches that were stepped then, in order. Newer frames replaced their frames
    /// before a reader took them. The frame's own sample comes after them.
    pub overtaken: Vec<SampleId>,
    /// Number of pauses since the object was opened that were too long and were cut.
    pub n_shortened: u64,
    /// State of the object in this frame, if the touch wanted it.
    pub snapshot: Option<Arc<Snapshot>>,
}

impl SurfaceFrame {
    /// Creates a frame of the object's present surface, for the touch of `sample`.
    pub fn of(object: &dyn Deformable, sample: SampleId, report: StepReport) -> Self {
        let surface = object.surface();
        let force = |f: &ContactForce| (f.proxy, rounded(&f.force));
        Self {
            sample,
            topology: Arc::clone(&surface.topology),
            pose: object.pose(),
            positions: Arc::clone(&surface.positions),
            displacements: None,
            fields: surface.fields.clone(),
            reactions: object.reactions().iter().map(|r| (r.node, rounded(&r.force))).collect(),
            contact_forces: object.contact_forces().iter().map(force).collect(),
            contact_models: Vec::new(),
            report,
            history: FrameHistory::default(),
        }
    }

    /// Creates a frame of a surface that nothing touches, with these positions.
    pub fn at_rest(topology: Arc<Topology>, positions: Arc<Vec<[f32; 3]>>) -> Self {
        Self {
            sample: SampleId::default(),
            topology,
            pose: Isometry3::identity(),
            positions,
            displacements: None,
            fields: Vec::new(),
            reactions: Vec::new(),
            contact_forces: Vec::new(),
            contact_models: Vec::new(),
            report: StepReport::at_rest(),
            history: FrameHistory::default(),
        }
    }

    /// Adds the displacements of all nodes. The surface then shows exactly these, so that a reader
    /// can compute its positions.
    pub fn with_displacements(mut self, displacements: NodalDisplacements) -> Self {
        self.positions = Arc::new(displacements.surface_positions(&self.topology));
        self.displacements = Some(displacements);
        self
    }

    /// Values of the field with this name, if the frame has them.
    pub fn field(&self, name: &str) -> Option<&FieldValues> {
        let at = self.topology.fields.iter().position(|field| field.name == name)?;
        self.fields.get(at)
    }

    /// True if the state of this frame was restored, not stepped.
    pub fn is_restored(&self) -> bool {
        let is_of = |restored: &Arc<Snapshot>| restored.sample == self.sample;
        self.history.restored.as_ref().is_some_and(is_of)
    }

    /// Replaces `older`, a frame that no reader has taken: its history becomes part of this frame's
    /// history. A snapshot that only the older frame has is kept.
    pub fn overtake(&mut self, older: Self) {
        let was_stepped = older.sample > SampleId::default() && !older.is_restored();
        let (sample, before) = (older.sample, older.history);
        if self.history.snapshot.is_none() {
            self.history.snapshot = before.snapshot;
        }
        if self.history.restored.is_some() {
            // The restore undoes the steps before it.
            return;
        }
        self.history.restored = before.restored;
        // Extend the older list: it is long if the reader is slow, and is not copied this way.
        let own = std::mem::replace(&mut self.history.overtaken, before.overtaken);
        self.history.overtaken.extend(was_stepped.then_some(sample));
        self.history.overtaken.extend(own);
        let n_too_many = self.history.overtaken.len().saturating_sub(MOST_OVERTAKEN);
        self.history.overtaken.drain(..n_too_many);
    }
}

/// Rounds a vector to `f32`, as frames contain it.
pub fn rounded(v: &Vector3<f64>) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Grip;

    fn frame(sample: u64) -> SurfaceFrame {
        let topology = Topology::of_points(Grip::Contact, Vec::new(), Vec::new());
        let frame = SurfaceFrame::at_rest(Arc::new(topology), Arc::default());
        SurfaceFrame { sample: SampleId(sample), ..frame }
    }

    fn overtaken(frame: &SurfaceFrame) -> Vec<u64> {
        frame.history.overtaken.iter().map(|sample| sample.0).collect()
    }

    #[test]
    fn a_frame_carries_the_history_of_frames_that_it_overtook() {
        // The rest frame belongs to no touch.
        let (mut third, mut fifth) = (frame(3), frame(5));
        third.overtake(frame(0));
        assert_eq!(overtaken(&third), [0; 0]);
        third.history.snapshot = Some(Arc::default());
        fifth.overtake(third);
        assert_eq!((overtaken(&fifth), fifth.history.snapshot.is_some()), (vec![3], true));
        let mut ninth = frame(9);
        ninth.overtake(fifth);
        assert_eq!(overtaken(&ninth), [3, 5]);
    }

    #[test]
    fn a_state_that_is_restored_ends_what_was_stepped_before() {
        let mut restored = frame(4);
        let snapshot = Arc::new(Snapshot { sample: SampleId(4), ..Snapshot::default() });
        restored.history.restored = Some(Arc::clone(&snapshot));
        restored.overtake(frame(7));
        assert!(restored.is_restored() && overtaken(&restored).is_empty());
        let mut ninth = frame(9);
        ninth.history.snapshot = Some(Arc::default());
        ninth.overtake(restored);
        assert!(!ninth.is_restored() && overtaken(&ninth).is_empty());
        // The restored state is kept although the newer frame has a snapshot of its own.
        assert_eq!(ninth.history.restored, Some(snapshot));
    }
}
