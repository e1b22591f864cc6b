//! Solvers of all things on the table.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::{Bell, LinkState, SolverLocation};
use interaction::thing::{SolverTask, Thing, ThingParts};
use physics::{Snapshot, Touch};

use super::thing_solver::{SolverOutput, ThingSolver};

/// Solvers of all things.
pub(super) struct TableSolvers {
    /// Solvers of each thing.
    by_thing: Vec<ThingSolver>,
    /// Location of the solvers of new things.
    place: SolverLocation,
    /// Bell that rings for each sample and frame.
    bell: Arc<Bell>,
    /// True while a view shows fields.
    wants_fields: Arc<AtomicBool>,
    /// True while a device needs models of the contacts.
    wants_contact_models: bool,
    /// True while touches ask for fields.
    asks_for_fields: bool,
}

impl TableSolvers {
    /// Creates the solvers and starts to prepare the things.
    pub(super) fn start(
        things: &[ThingParts],
        place: SolverLocation,
        bell: Arc<Bell>,
    ) -> io::Result<Self> {
        let start = |thing: &ThingParts| ThingSolver::start(&place, &thing.spec, &bell);
        let by_thing = things.iter().map(start).collect::<io::Result<_>>()?;
        Ok(Self {
            by_thing,
            place,
            bell,
            wants_fields: Arc::default(),
            wants_contact_models: false,
            asks_for_fields: false,
        })
    }

    /// Sets initial states of things, to be used instead of the rest state.
    pub(super) fn begin_in(&mut self, states: Vec<(usize, Arc<Snapshot>)>) {
        for (thing, state) in states {
            if let Some(solver) = self.by_thing.get_mut(thing) {
                solver.begin_in(state);
            }
        }
    }

    /// True while a thing's state is being restored.
    pub(super) fn are_restoring(&self) -> bool {
        self.by_thing.iter().any(ThingSolver::is_restoring)
    }

    /// Bell that rings for each sample and frame.
    pub(super) fn bell(&self) -> &Arc<Bell> {
        &self.bell
    }

    pub(super) fn n_things(&self) -> usize {
        self.by_thing.len()
    }

    /// Solvers of one thing, if it exists.
    pub(super) fn get(&self, thing: usize) -> Option<&ThingSolver> {
        self.by_thing.get(thing)
    }

    pub(super) fn get_mut(&mut self, thing: usize) -> Option<&mut ThingSolver> {
        self.by_thing.get_mut(thing)
    }

    /// State of each thing's solver.
    pub(super) fn states(&self) -> impl Iterator<Item = LinkState> {
        self.by_thing.iter().map(ThingSolver::state)
    }

    /// True if the solver of a thing answers.
    pub(super) fn is_ready(&self, thing: usize) -> bool {
        matches!(self.by_thing[thing].state(), LinkState::Ready(_))
    }

    /// True if an answer is still to come.
    pub(super) fn has_unanswered_touches(&self) -> bool {
        self.by_thing.iter().any(ThingSolver::has_unanswered_touch)
    }

    /// Sets the flag that is true while fields are wanted.
    pub(super) fn show_fields(&mut self, wanted: Arc<AtomicBool>) {
        self.wants_fields = wanted;
    }

    /// Asks the solvers for models of the contacts, from the next touches on.
    pub(super) fn ask_for_contact_models(&mut self, are_wanted: bool) {
        self.wants_contact_models = are_wanted;
    }

    /// Updates the wish for fields. When it begins, the last touches are submitted again with
    /// fields: a resting hand sends nothing new.
    pub(super) fn refresh_wanted_fields(&mut self) {
        let are_wanted = self.wants_fields.load(Ordering::Relaxed);
        if are_wanted && !self.asks_for_fields {
            self.by_thing.iter_mut().for_each(ThingSolver::ask_again_with_fields);
        }
        self.asks_for_fields = are_wanted;
    }

    /// Submits a touch. Returns a used touch whose memory can be used again, if there is one.
    pub(super) fn submit(&mut self, thing: usize, mut touch: Touch) -> Option<Touch> {
        touch.wants_fields = self.asks_for_fields;
        touch.wants_contact_models = self.wants_contact_models;
        self.by_thing[thing].submit(touch)
    }

    /// The next output of a thing's solvers.
    pub(super) fn take(&mut self, thing: usize) -> io::Result<Option<SolverOutput>> {
        self.by_thing[thing].take()
    }

    /// Starts the solver tasks of the table.
    pub(super) fn run_solver_tasks(&mut self, solver_tasks: Vec<SolverTask>) -> io::Result<()> {
        for task in solver_tasks {
            match task {
                SolverTask::KeepShape { thing, shape, spec, known } => {
                    self.by_thing[thing].keep(shape, spec, known)?;
                }
                SolverTask::StartThing { spec } => {
                    self.by_thing.push(ThingSolver::start_elsewhere(
                        &self.place,
                        spec,
                        &self.bell,
                    )?);
                }
                SolverTask::PrepareShape { thing, shape, spec, is_as_left } => {
                    self.by_thing[thing].prepare(shape, spec, is_as_left)?;
                }
                SolverTask::ReturnToRest { thing } => self.by_thing[thing].rest(),
            }
        }
        Ok(())
    }

    /// Moves all solvers to another location. Each thing keeps its solver until the new one is
    /// ready.
    pub(super) fn move_to(&mut self, place: SolverLocation, things: &[Thing]) -> io::Result<()> {
        for (solver, thing) in self.by_thing.iter_mut().zip(things) {
            let (shape, spec) = thing.shape();
            solver.move_to(&place, *shape, spec)?;
        }
        self.place = place;
        Ok(())
    }

    /// Stops dropping touches, for all things.
    pub(super) fn unfreeze(&mut self) {
        self.by_thing.iter_mut().for_each(ThingSolver::unfreeze);
    }

    /// Marks the present states as the beginning of a recording; seeks return to them.
    pub(super) fn begin_here(&mut self) {
        self.by_thing.iter_mut().for_each(ThingSolver::begin_here);
    }

    /// Restores the states in which the recording began.
    pub(super) fn go_back_to_beginning(&mut self) {
        self.by_thing.iter_mut().for_each(ThingSolver::go_back_to_beginning);
    }
}
