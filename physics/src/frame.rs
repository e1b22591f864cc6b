//! What comes out of a step, rounded to `f32` once for every way of delivering it.

use std::sync::Arc;

use nalgebra::Vector3;

use crate::deformable::{Deformable, StepReport};
use crate::mesh::{FieldValues, NodeId, Topology};
use crate::state::Snapshot;
use crate::touch::{ProxyId, SampleId};

/// Force on one held node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reaction {
    /// The held node.
    pub node: NodeId,
    /// The force that holds it.
    pub force: Vector3<f64>,
}

/// Force of one of the hand's shapes on the object.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactForce {
    /// The shape that pushes.
    pub proxy: ProxyId,
    /// The force with which it pushes, in the object's frame.
    pub force: Vector3<f64>,
}

/// What one step gives.
#[derive(Debug, Clone, PartialEq)]
pub struct SurfaceFrame {
    /// The sample that caused it.
    pub sample: SampleId,
    /// How the positions hang together; shared, since it rarely changes.
    pub topology: Arc<Topology>,
    /// One position for each of the topology's points; shared with whoever made the frame.
    pub positions: Arc<Vec<[f32; 3]>>,
    /// The values of the topology's fields, in its order; empty unless the touch asked for them.
    pub fields: Vec<FieldValues>,
    /// Forces that hold the touched nodes.
    pub reactions: Vec<(NodeId, [f32; 3])>,
    /// Forces of the hands' shapes on the object.
    pub contact_forces: Vec<(ProxyId, [f32; 3])>,
    /// How the step went.
    pub report: StepReport,
    /// How the object came from the frame before to this one.
    pub course: Course,
}

/// A reader that has missed more frames than this, many minutes of them, cannot be told of all.
const MOST_OVERTAKEN: usize = 100_000;

/// How an object came from one frame to the next.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Course {
    /// The state that the object was first put into. It is told in full, so that a reader can do
    /// the same with an equal object, whatever happened before.
    pub restored: Option<Arc<Snapshot>>,
    /// Then these touches were stepped, in order; their own frames were overtaken. The frame's own
    /// sample comes after them.
    pub overtaken: Vec<SampleId>,
    /// Strides of time that were shortened since the object was opened: pauses that were too long
    /// to be made up for.
    pub n_shortened: u64,
    /// The object's state in this frame, if the touch asked for it.
    pub snapshot: Option<Arc<Snapshot>>,
}

impl SurfaceFrame {
    /// The object's surface as it is now, as the answer to `sample`.
    pub fn of(object: &dyn Deformable, sample: SampleId, report: StepReport) -> Self {
        let surface = object.surface();
        let force = |f: &ContactForce| (f.proxy, rounded(&f.force));
        Self {
            sample,
            topology: Arc::clone(&surface.topology),
            positions: Arc::clone(&surface.positions),
            fields: surface.fields.clone(),
            reactions: object.reactions().iter().map(|r| (r.node, rounded(&r.force))).collect(),
            contact_forces: object.contact_forces().iter().map(force).collect(),
            report,
            course: Course::default(),
        }
    }

    /// A surface that nothing touches, with these positions.
    pub fn at_rest(topology: Arc<Topology>, positions: Arc<Vec<[f32; 3]>>) -> Self {
        Self {
            sample: SampleId::default(),
            topology,
            positions,
            fields: Vec::new(),
            reactions: Vec::new(),
            contact_forces: Vec::new(),
            report: StepReport::at_rest(),
            course: Course::default(),
        }
    }

    /// The values of the field with this name, if the frame has them.
    pub fn field(&self, name: &str) -> Option<&FieldValues> {
        let at = self.topology.fields.iter().position(|field| field.name == name)?;
        self.fields.get(at)
    }

    /// Whether the object was put into the state of this frame instead of being stepped to it.
    pub fn is_restored(&self) -> bool {
        let is_of = |restored: &Arc<Snapshot>| restored.sample == self.sample;
        self.course.restored.as_ref().is_some_and(is_of)
    }

    /// Takes the place of `older`, which no reader has taken: what was stepped for it is told by
    /// this frame. A snapshot that only the older frame has stays available.
    pub fn overtake(&mut self, older: Self) {
        let was_stepped = older.sample > SampleId::default() && !older.is_restored();
        let (sample, before) = (older.sample, older.course);
        if self.course.snapshot.is_none() {
            self.course.snapshot = before.snapshot;
        }
        if self.course.restored.is_some() {
            // What was stepped before is undone.
            return;
        }
        self.course.restored = before.restored;
        // The older list grows: a reader that takes nothing for long costs no copies.
        let own = std::mem::replace(&mut self.course.overtaken, before.overtaken);
        self.course.overtaken.extend(was_stepped.then_some(sample));
        self.course.overtaken.extend(own);
        let n_too_many = self.course.overtaken.len().saturating_sub(MOST_OVERTAKEN);
        self.course.overtaken.drain(..n_too_many);
    }
}

/// As a frame has it: rounded once.
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
        frame.course.overtaken.iter().map(|sample| sample.0).collect()
    }

    #[test]
    fn a_frame_tells_what_was_stepped_for_those_that_it_overtook() {
        // The rest frame answers no touch.
        let (mut third, mut fifth) = (frame(3), frame(5));
        third.overtake(frame(0));
        assert_eq!(overtaken(&third), [0; 0]);
        third.course.snapshot = Some(Arc::default());
        fifth.overtake(third);
        assert_eq!((overtaken(&fifth), fifth.course.snapshot.is_some()), (vec![3], true));
        let mut ninth = frame(9);
        ninth.overtake(fifth);
        assert_eq!(overtaken(&ninth), [3, 5]);
    }

    #[test]
    fn a_state_that_is_restored_ends_what_was_stepped_before() {
        let mut restored = frame(4);
        let snapshot = Arc::new(Snapshot { sample: SampleId(4), ..Snapshot::default() });
        restored.course.restored = Some(Arc::clone(&snapshot));
        restored.overtake(frame(7));
        assert!(restored.is_restored() && overtaken(&restored).is_empty());
        let mut ninth = frame(9);
        ninth.course.snapshot = Some(Arc::default());
        ninth.overtake(restored);
        assert!(!ninth.is_restored() && overtaken(&ninth).is_empty());
        // The state is told although the newer frame has one of its own.
        assert_eq!(ninth.course.restored, Some(snapshot));
    }
}
