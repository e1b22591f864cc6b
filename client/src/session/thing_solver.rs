//! The solvers of one thing: the one of its present shape, and the one of the shape that comes
//! next.

mod background;
mod next_shape;
mod no_solver;
mod saved_states;

use std::io;
use std::sync::Arc;

use engine::{Bell, LinkState, SolverLink, SolverLocation};
use interaction::shape_history::ShapeId;
use physics::{ObjectSpec, SampleId, Snapshot, SurfaceFrame, Touch};

use next_shape::NextShape;
use no_solver::NoSolver;
use saved_states::SavedStates;

/// What came from a thing's solvers.
pub(super) enum SolverOutput {
    Frame(ShapeId, Arc<SurfaceFrame>),
    /// A shape that was to be kept, or why it cannot be.
    ShapeMade(ShapeId, Result<Arc<ObjectSpec>, String>),
    /// The present shape cannot be solved where it was to be from now on, and why.
    MoveFailed(String),
}

/// The solver of one thing, and the next one while it is being prepared.
pub(super) struct ThingSolver {
    solvers: SolverLocation,
    bell: Arc<Bell>,
    shape: ShapeId,
    current: Box<dyn SolverLink>,
    /// Whether anything has come of the present shape.
    has_answered: bool,
    /// What the hand did last to the present shape.
    last: Option<Touch>,
    /// The newest touch that was answered.
    answered: SampleId,
    next: Option<(ShapeId, NextShape)>,
    /// What it can go back to.
    states: SavedStates,
    /// Whether the frame of a state that is being restored has not come yet.
    is_restoring: bool,
    /// The state to begin in, until the solver has said how the object is at rest.
    begins_in: Option<Arc<Snapshot>>,
    /// Whether touches are left out, so that the object stays in the state that it was put into.
    is_frozen: bool,
}

/// Of a thing that has none yet.
const NO_SHAPE: ShapeId = ShapeId(u32::MAX);

impl ThingSolver {
    /// Starts to prepare a thing's first shape.
    pub(super) fn start(
        solvers: &SolverLocation,
        spec: &ObjectSpec,
        bell: &Arc<Bell>,
    ) -> io::Result<Self> {
        let current = solvers.link(spec, Arc::clone(bell))?;
        Ok(Self::with(solvers, bell, ShapeId::default(), current))
    }

    /// The same beside the hand: nothing is answered until that is done.
    pub(super) fn start_elsewhere(
        solvers: &SolverLocation,
        spec: Arc<ObjectSpec>,
        bell: &Arc<Bell>,
    ) -> io::Result<Self> {
        let current = Box::new(NoSolver(LinkState::Preparing("starting".to_owned())));
        let mut solver = Self::with(solvers, bell, NO_SHAPE, current);
        solver.prepare(ShapeId::default(), spec, false)?;
        Ok(solver)
    }

    fn with(
        solvers: &SolverLocation,
        bell: &Arc<Bell>,
        shape: ShapeId,
        current: Box<dyn SolverLink>,
    ) -> Self {
        Self {
            solvers: solvers.clone(),
            bell: Arc::clone(bell),
            shape,
            current,
            has_answered: false,
            last: None,
            answered: SampleId::default(),
            next: None,
            states: SavedStates::default(),
            is_restoring: false,
            begins_in: None,
            is_frozen: false,
        }
    }

    pub(super) fn state(&self) -> LinkState {
        self.current.state()
    }

    /// The present shape has this number.
    pub(super) fn set_shape(&mut self, shape: ShapeId) {
        self.shape = shape;
    }

    /// The shape that touches are answered for.
    pub(super) fn shape(&self) -> ShapeId {
        self.shape
    }

    /// Submits a touch. Returns a used touch whose memory can be used again, if there is one.
    pub(super) fn submit(&mut self, mut touch: Touch) -> Option<Touch> {
        if self.is_frozen {
            return Some(touch);
        }
        self.states.touch(&touch);
        touch.wants_state |= self.states.are_wanted();
        self.last.get_or_insert_default().copy_from(&touch);
        self.current.submit(touch)
    }

    /// The object goes on from a state that it had; what comes of that is a frame.
    pub(super) fn restore(&mut self, snapshot: Arc<Snapshot>) {
        self.last = None;
        self.is_restoring = true;
        self.states.begin_with(&snapshot);
        self.current.restore(snapshot);
    }

    /// Whether the object is on its way to an earlier state.
    pub(super) fn is_restoring(&self) -> bool {
        self.is_restoring || self.begins_in.is_some()
    }

    /// The newest state that is known.
    pub(super) fn newest_state(&self) -> Option<&Arc<Snapshot>> {
        self.states.newest()
    }

    /// Puts matter that has moved back to where it was at first.
    pub(super) fn rest(&mut self) {
        if let Some(rest) = self.states.rest() {
            self.restore(rest);
        }
    }

    /// Whether its matter has moved, so that its state has to be told.
    pub(super) fn has_moved(&self) -> bool {
        self.newest_state().is_some_and(|newest| newest.sample > SampleId::default())
    }

    /// Goes on from where its matter is, with a time that begins anew, under the name of this
    /// sample. It stays there until it is [thawed](Self::thaw).
    pub(super) fn begin_anew(&mut self, sample: SampleId) {
        if let Some(newest) = self.newest_state() {
            self.restore(Arc::new(newest.with_new_time(sample)));
            self.is_frozen = true;
        }
    }

    /// Touches are answered again.
    pub(super) fn thaw(&mut self) {
        self.is_frozen = false;
    }

    /// A recording begins: where its matter is now, it goes back to when another place is sought.
    pub(super) fn begin_here(&mut self) {
        self.states.begin_here();
    }

    /// Restores this state from another run once the solver is ready. Seeking returns to it.
    pub(super) fn begin_in(&mut self, snapshot: Arc<Snapshot>) {
        self.begins_in = Some(snapshot);
    }

    /// Goes back to where it was when a recording began.
    pub(super) fn go_back_to_beginning(&mut self) {
        if let Some(beginning) = self.states.beginning() {
            // The hands of the recording bring a time of their own.
            self.restore(Arc::new(beginning.with_new_time(beginning.sample)));
        }
    }

    /// The last touch once more, so that its fields can be seen.
    pub(super) fn ask_again_with_fields(&mut self) {
        if let Some(touch) = &self.last {
            self.current.submit(Touch { wants_fields: true, ..touch.clone() });
        }
    }

    /// The last touch once more, if this sample was its own, so that the state is known in which
    /// the matter has come to rest.
    fn ask_again_with_state(&mut self, sample: SampleId) {
        if let Some(touch) = self.last.as_ref().filter(|touch| touch.sample == sample) {
            self.current.submit(Touch { wants_state: true, ..touch.clone() });
        }
    }

    /// Whether the answer to the last touch is on its way, or comes as soon as the solver is back.
    pub(super) fn owes_answer(&self) -> bool {
        let is_open = self.last.as_ref().is_some_and(|last| last.sample > self.answered);
        (is_open || self.is_restoring()) && !matches!(self.state(), LinkState::Failed(_))
    }

    /// What has come since this was last asked, the next shape first.
    pub(super) fn take(&mut self) -> io::Result<Option<SolverOutput>> {
        if let Some(output) = self.take_next()? {
            return Ok(Some(output));
        }
        Ok(self.take_current())
    }

    /// Whether another shape is being prepared.
    pub(super) fn has_next(&self) -> bool {
        self.next.is_some()
    }

    /// What has come of the present shape.
    pub(super) fn take_current(&mut self) -> Option<SolverOutput> {
        let frame = self.current.latest()?;
        self.has_answered = true;
        self.answered = frame.sample;
        self.is_restoring &= frame.history.restored.is_none();
        // A frame from before shows what is about to be undone.
        if !self.is_restoring {
            self.states.take(&frame);
        }
        if self.states.is_unknown_at_rest(&frame) {
            self.ask_again_with_state(frame.sample);
        }
        if let Some(snapshot) = self.begins_in.take() {
            self.restore(snapshot);
            self.states.begin_here();
        }
        Some(SolverOutput::Frame(self.shape, frame))
    }
}

#[cfg(test)]
mod tests;
