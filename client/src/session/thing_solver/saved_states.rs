//! Saved states of one thing's matter, to which it can return.

use std::collections::BTreeMap;
use std::sync::Arc;

use interaction::shape_history::ShapeId;
use physics::{Outcome, SampleId, Snapshot, SurfaceFrame, Touch};

/// Saved states of an object. Matter without memory has only the state at rest.
#[derive(Debug, Default)]
pub(super) struct SavedStates {
    /// State at rest of the present shape.
    rest: Option<Arc<Snapshot>>,
    /// Newest state.
    newest: Option<Arc<Snapshot>>,
    /// State at the beginning of the played recording.
    beginning: Option<Arc<Snapshot>>,
    /// States in which earlier shapes were left, by shape id.
    left: BTreeMap<u32, Arc<Snapshot>>,
    /// True if the matter moves by itself, according to its rest frame.
    is_dynamic: bool,
    /// True if the matter may have changed since the newest state.
    is_stale: bool,
    /// Bytes of touches and frames since the newest state.
    line_bytes: usize,
}

impl SavedStates {
    /// True if the next touch should ask for a state. States take at most as much bandwidth as
    /// touches and frames.
    pub(super) fn are_wanted(&self) -> bool {
        let size = self.newest.as_ref().map_or(0, |newest| newest.bytes());
        self.is_stale && self.has_memory() && self.line_bytes >= size
    }

    /// True if the matter is at rest in this frame, in an unknown state. There may be no later
    /// touch to ask for the state.
    pub(super) fn is_unknown_at_rest(&self, frame: &SurfaceFrame) -> bool {
        self.is_dynamic && self.is_stale && self.has_memory() && !frame.report.is_moving
    }

    /// True if the matter can be in more than one state.
    fn has_memory(&self) -> bool {
        let known = self.rest.as_ref().or(self.newest.as_ref());
        known.is_some_and(|known| !known.matter.is_empty())
    }

    /// Counts a touch that goes to the solver.
    pub(super) fn touch(&mut self, touch: &Touch) {
        self.line_bytes += Snapshot::BYTES_PER_PROXY * touch.proxies.len();
    }

    /// Takes a frame and stores its state, if it has one.
    pub(super) fn take(&mut self, frame: &SurfaceFrame) {
        self.line_bytes += 12 * frame.positions.len();
        // Dynamic matter at rest stays as it is. Other matter may change with every answer.
        let is_changed = match self.is_dynamic {
            true => frame.report.is_moving,
            false => frame.report.outcome == Outcome::Solved,
        };
        let Some(snapshot) = &frame.history.snapshot else {
            self.is_stale |= is_changed || !frame.history.overtaken.is_empty();
            return;
        };
        if snapshot.sample == SampleId::default() && self.rest.is_none() {
            self.rest = Some(Arc::clone(snapshot));
            self.is_dynamic = frame.report.is_moving;
        }
        // A frame may carry the state of an overtaken frame.
        let is_its_own = snapshot.sample == frame.sample;
        self.is_stale = !is_its_own || (self.is_dynamic && frame.report.is_moving);
        self.newest = Some(Arc::clone(snapshot));
        self.line_bytes = 0;
    }

    pub(super) fn newest(&self) -> Option<&Arc<Snapshot>> {
        self.newest.as_ref()
    }

    pub(super) fn rest(&self) -> Option<Arc<Snapshot>> {
        self.rest.clone().filter(|_| self.has_memory())
    }

    /// Sets the newest state to a restored one.
    pub(super) fn begin_with(&mut self, snapshot: &Arc<Snapshot>) {
        self.newest = Some(Arc::clone(snapshot));
    }

    pub(super) fn begin_here(&mut self) {
        self.beginning.clone_from(&self.newest);
    }

    /// State at the beginning of the recording, if the object may have changed since.
    pub(super) fn beginning(&self) -> Option<Arc<Snapshot>> {
        let beginning = self.beginning.as_ref().or(self.rest.as_ref())?;
        self.has_memory().then(|| Arc::clone(beginning))
    }

    /// Forgets the state of a shape, so that it begins at rest.
    pub(super) fn forget(&mut self, shape: ShapeId) {
        self.left.remove(&shape.0);
    }

    /// Takes over a new solver with its first frame, for the same or another shape. Returns the
    /// state to restore, if any.
    pub(super) fn change_over(
        &mut self,
        from: ShapeId,
        to: ShapeId,
        first: &SurfaceFrame,
    ) -> Option<Arc<Snapshot>> {
        let moved = self.newest.take().filter(|newest| newest.sample > SampleId::default());
        let left = match from == to {
            true => moved,
            false => {
                if let Some(moved) = moved {
                    self.left.insert(from.0, moved);
                }
                (self.beginning, self.rest) = (None, None);
                self.left.remove(&to.0)
            }
        };
        self.take(first);
        left.filter(|_| self.has_memory())
    }
}

#[cfg(test)]
mod tests {
    use physics::{Grip, State, StepReport, Topology};

    use super::*;

    fn frame(sample: u64, is_moving: bool, snapshot: Option<u64>) -> SurfaceFrame {
        let topology = Topology::of_points(Grip::Contact, Vec::new(), Vec::new());
        let mut frame = SurfaceFrame::at_rest(Arc::new(topology), Arc::default());
        frame.sample = SampleId(sample);
        frame.report = StepReport { is_moving, ..StepReport::solved(Outcome::Solved, 0.0) };
        let matter = State { reals: vec![sample as f64], ..State::default() };
        frame.history.snapshot = snapshot.map(|sample| {
            let sample = SampleId(sample);
            Arc::new(Snapshot { sample, matter, ..Snapshot::default() })
        });
        frame
    }

    fn states(is_dynamic: bool) -> SavedStates {
        let mut states = SavedStates { line_bytes: 1 << 20, ..SavedStates::default() };
        states.take(&frame(0, is_dynamic, Some(0)));
        states.line_bytes = 1 << 20;
        states
    }

    #[test]
    fn a_state_is_wanted_until_one_is_known_of_matter_at_rest() {
        let mut states = states(true);
        assert!(states.are_wanted(), "it begins to move at once");
        states.take(&frame(5, false, Some(5)));
        states.take(&frame(6, false, None));
        states.line_bytes = 1 << 20;
        assert!(!states.are_wanted(), "it has come to rest in a known state");
        assert!(!states.is_unknown_at_rest(&frame(6, false, None)));
        // The matter moved and came to rest again between two frames.
        let mut late = frame(9, false, None);
        late.history.overtaken = vec![SampleId(7), SampleId(8)];
        states.take(&late);
        assert!(states.are_wanted());
        // At rest the state is asked for regardless of its size: no later touch would.
        states.line_bytes = 0;
        assert!(!states.are_wanted() && states.is_unknown_at_rest(&late));
        states.line_bytes = 1 << 20;
        // The state of an overtaken frame is older.
        states.take(&frame(11, false, Some(10)));
        states.line_bytes = 1 << 20;
        assert!(states.are_wanted());
    }

    #[test]
    fn matter_that_remembers_without_moving_is_asked_too() {
        let mut states = states(false);
        assert!(!states.are_wanted());
        states.take(&frame(1, false, None));
        assert!(states.are_wanted());
    }

    #[test]
    fn the_beginning_is_gone_back_to_however_often() {
        let mut states = states(true);
        states.take(&frame(5, true, Some(5)));
        states.begin_here();
        for _ in 0..2 {
            let beginning = states.beginning().expect("it has memory");
            assert_eq!(beginning.sample, SampleId(5));
            // No new state has come since.
            states.begin_with(&beginning);
        }
    }
}
