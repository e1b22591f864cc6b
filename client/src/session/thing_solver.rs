//! Solvers of one thing: the solver of its present shape, and the solver of its next shape.

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

/// Output of a thing's solvers.
pub(super) enum SolverOutput {
    /// A frame of this shape.
    Frame(ShapeId, Arc<SurfaceFrame>),
    /// The spec of a shape to keep, or the reason why it cannot be kept.
    ShapeMade(ShapeId, Result<Arc<ObjectSpec>, String>),
    /// The present shape cannot be solved at its new location; with the reason.
    MoveFailed(String),
}

/// The solver of one thing, and the next one while it is being prepared.
pub(super) struct ThingSolver {
    solvers: SolverLocation,
    bell: Arc<Bell>,
    shape: ShapeId,
    current: Box<dyn SolverLink>,
    /// True after the first frame of the present shape.
    has_answered: bool,
    /// The last touch of the present shape.
    last: Option<Touch>,
    /// Sample of the newest answered touch.
    answered: SampleId,
    next: Option<(ShapeId, NextShape)>,
    /// States to which the object can return.
    states: SavedStates,
    /// True until the frame of a restored state has come.
    is_restoring: bool,
    /// State to restore as soon as the rest frame has come.
    begins_in: Option<Arc<Snapshot>>,
    /// True while touches are dropped, so that the object stays in its restored state.
    is_frozen: bool,
}

/// Id of a thing that has no shape yet.
const NO_SHAPE: ShapeId = ShapeId(u32::MAX);

impl ThingSolver {
    /// Creates a solver and starts to prepare the thing's first shape.
    pub(super) fn start(
        solvers: &SolverLocation,
        spec: &ObjectSpec,
        bell: &Arc<Bell>,
    ) -> io::Result<Self> {
        let current = solvers.link(spec, Arc::clone(bell))?;
        Ok(Self::with(solvers, bell, ShapeId::default(), current))
    }

    /// Same as [`start`](Self::start), but in the background: no touch is answered until the solver
    /// has started.
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

    /// Sets the id of the present shape.
    pub(super) fn set_shape(&mut self, shape: ShapeId) {
        self.shape = shape;
    }

    /// The shape for which touches are answered.
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

    /// Puts the object back into an earlier state; a frame of that state follows.
    pub(super) fn restore(&mut self, snapshot: Arc<Snapshot>) {
        self.last = None;
        self.is_restoring = true;
        self.states.begin_with(&snapshot);
        self.current.restore(snapshot);
    }

    /// True while an earlier state is being restored.
    pub(super) fn is_restoring(&self) -> bool {
        self.is_restoring || self.begins_in.is_some()
    }

    /// The newest known state.
    pub(super) fn newest_state(&self) -> Option<&Arc<Snapshot>> {
        self.states.newest()
    }

    /// Puts matter that has moved back into its original state.
    pub(super) fn rest(&mut self) {
        if let Some(rest) = self.states.rest() {
            self.restore(rest);
        }
    }

    /// True if the matter has moved, so that a recording must store its state.
    pub(super) fn has_moved(&self) -> bool {
        self.newest_state().is_some_and(|newest| newest.sample > SampleId::default())
    }

    /// Restores the newest state with a time that starts again, under this sample id. Touches are
    /// dropped until [`unfreeze`](Self::unfreeze).
    pub(super) fn begin_anew(&mut self, sample: SampleId) {
        if let Some(newest) = self.newest_state() {
            self.restore(Arc::new(newest.with_new_time(sample)));
            self.is_frozen = true;
        }
    }

    /// Stops dropping touches.
    pub(super) fn unfreeze(&mut self) {
        self.is_frozen = false;
    }

    /// Marks the present state as the beginning of a recording; seeks return to it.
    pub(super) fn begin_here(&mut self) {
        self.states.begin_here();
    }

    /// Restores this state from another run once the solver is ready. Seeking returns to it.
    pub(super) fn begin_in(&mut self, snapshot: Arc<Snapshot>) {
        self.begins_in = Some(snapshot);
    }

    /// Restores the state in which the recording began.
    pub(super) fn go_back_to_beginning(&mut self) {
        if let Some(beginning) = self.states.beginning() {
            // The recorded hands have a time of their own.
            self.restore(Arc::new(beginning.with_new_time(beginning.sample)));
        }
    }

    /// Submits the last touch again, with fields.
    pub(super) fn ask_again_with_fields(&mut self) {
        if let Some(touch) = &self.last {
            self.current.submit(Touch { wants_fields: true, ..touch.clone() });
        }
    }

    /// Submits the last touch again if it has this sample id, and asks for the state in which the
    /// matter has come to rest.
    fn ask_again_with_state(&mut self, sample: SampleId) {
        if let Some(touch) = self.last.as_ref().filter(|touch| touch.sample == sample) {
            self.current.submit(Touch { wants_state: true, ..touch.clone() });
        }
    }

    /// True if the answer to the last touch is still to come, at once or when the solver is back.
    pub(super) fn has_unanswered_touch(&self) -> bool {
        let is_open = self.last.as_ref().is_some_and(|last| last.sample > self.answered);
        (is_open || self.is_restoring()) && !matches!(self.state(), LinkState::Failed(_))
    }

    /// The next output; outputs of the next shape come first.
    pub(super) fn take(&mut self) -> io::Result<Option<SolverOutput>> {
        if let Some(output) = self.take_next()? {
            return Ok(Some(output));
        }
        Ok(self.take_current())
    }

    /// True while another shape is being prepared.
    pub(super) fn has_next(&self) -> bool {
        self.next.is_some()
    }

    /// The next output of the present shape.
    pub(super) fn take_current(&mut self) -> Option<SolverOutput> {
        let frame = self.current.latest()?;
        self.has_answered = true;
        self.answered = frame.sample;
        self.is_restoring &= frame.history.restored.is_none();
        // A frame from before the restored state shows what is being undone.
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
