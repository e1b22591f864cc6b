//! The solvers of all things on the table.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::{Bell, LinkState, SolverLocation};
use interaction::thing::{SolverTask, Thing, ThingParts};
use physics::{Snapshot, Touch};

use super::thing_solver::{SolverOutput, ThingSolver};

/// The solvers of all things.
pub(super) struct TableSolvers {
    /// One for each thing.
    by_thing: Vec<ThingSolver>,
    /// Where a thing that comes is solved.
    place: SolverLocation,
    /// Rings when a sample or a frame has come.
    bell: Arc<Bell>,
    /// Whether a view shows fields, and whether touches ask for them.
    wants_fields: Arc<AtomicBool>,
    asks_for_fields: bool,
}

impl TableSolvers {
    /// Starts to prepare the things.
    pub(super) fn start(
        things: &[ThingParts],
        place: SolverLocation,
        bell: Arc<Bell>,
    ) -> io::Result<Self> {
        let start = |thing: &ThingParts| ThingSolver::start(&place, &thing.spec, &bell);
        let by_thing = things.iter().map(start).collect::<io::Result<_>>()?;
        Ok(Self { by_thing, place, bell, wants_fields: Arc::default(), asks_for_fields: false })
    }

    /// Things begin in these states instead of at rest.
    pub(super) fn begin_in(&mut self, states: Vec<(usize, Arc<Snapshot>)>) {
        for (thing, state) in states {
            if let Some(solver) = self.by_thing.get_mut(thing) {
                solver.begin_in(state);
            }
        }
    }

    /// Whether a thing is on its way to another state.
    pub(super) fn are_restoring(&self) -> bool {
        self.by_thing.iter().any(ThingSolver::is_restoring)
    }

    /// Rings when a sample or a frame has come.
    pub(super) fn bell(&self) -> &Arc<Bell> {
        &self.bell
    }

    pub(super) fn n_things(&self) -> usize {
        self.by_thing.len()
    }

    /// Those of one thing, if there is one of this number.
    pub(super) fn get(&self, thing: usize) -> Option<&ThingSolver> {
        self.by_thing.get(thing)
    }

    pub(super) fn get_mut(&mut self, thing: usize) -> Option<&mut ThingSolver> {
        self.by_thing.get_mut(thing)
    }

    /// How each of them is.
    pub(super) fn states(&self) -> impl Iterator<Item = LinkState> {
        self.by_thing.iter().map(ThingSolver::state)
    }

    /// Whether the solver of a thing answers.
    pub(super) fn is_ready(&self, thing: usize) -> bool {
        matches!(self.by_thing[thing].state(), LinkState::Ready(_))
    }

    /// Whether an answer is on its way.
    pub(super) fn owe_answer(&self) -> bool {
        self.by_thing.iter().any(ThingSolver::owes_answer)
    }

    /// Asks for fields as long as this is true.
    pub(super) fn show_fields(&mut self, wanted: Arc<AtomicBool>) {
        self.wants_fields = wanted;
    }

    /// A hand that rests sends nothing new: what it does now is asked once more, with fields.
    pub(super) fn hear_of_fields(&mut self) {
        let are_wanted = self.wants_fields.load(Ordering::Relaxed);
        if are_wanted && !self.asks_for_fields {
            self.by_thing.iter_mut().for_each(ThingSolver::ask_again_with_fields);
        }
        self.asks_for_fields = are_wanted;
    }

    /// Submits a touch. Returns a used touch whose memory can be used again, if there is one.
    pub(super) fn submit(&mut self, thing: usize, mut touch: Touch) -> Option<Touch> {
        touch.wants_fields = self.asks_for_fields;
        self.by_thing[thing].submit(touch)
    }

    /// What has come for a thing since this was last asked.
    pub(super) fn take(&mut self, thing: usize) -> io::Result<Option<SolverOutput>> {
        self.by_thing[thing].take()
    }

    /// Does what the table has found to be done.
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

    /// Each thing goes on with its solver until it is ready with the other one.
    pub(super) fn move_to(&mut self, place: SolverLocation, things: &[Thing]) -> io::Result<()> {
        for (solver, thing) in self.by_thing.iter_mut().zip(things) {
            let (shape, spec) = thing.shape();
            solver.move_to(&place, *shape, spec)?;
        }
        self.place = place;
        Ok(())
    }

    /// Touches are answered again, by all of them.
    pub(super) fn thaw(&mut self) {
        self.by_thing.iter_mut().for_each(ThingSolver::thaw);
    }

    /// A recording begins: where matter is now, it goes back to when another place is sought.
    pub(super) fn begin_here(&mut self) {
        self.by_thing.iter_mut().for_each(ThingSolver::begin_here);
    }

    /// All matter goes back to where it was when a recording began.
    pub(super) fn go_back_to_beginning(&mut self) {
        self.by_thing.iter_mut().for_each(ThingSolver::go_back_to_beginning);
    }
}
