//! The solvers of all things on the table.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::{Bell, LinkState, Solvers};
use interaction::thing::{Chore, Thing, ThingParts};
use physics::{Snapshot, Touch};

use super::links::{FromSolver, Links};

/// The solvers of all things.
pub(super) struct ThingSolvers {
    /// One for each thing.
    links: Vec<Links>,
    /// Where a thing that comes is solved.
    place: Solvers,
    /// Rings when a sample or a frame has come.
    bell: Arc<Bell>,
    /// Whether a view shows fields, and whether touches ask for them.
    wants_fields: Arc<AtomicBool>,
    asks_for_fields: bool,
}

impl ThingSolvers {
    /// Starts to prepare the things.
    pub(super) fn start(
        things: &[ThingParts],
        place: Solvers,
        bell: Arc<Bell>,
    ) -> io::Result<Self> {
        let start = |thing: &ThingParts| Links::start(&place, &thing.spec, &bell);
        let links = things.iter().map(start).collect::<io::Result<_>>()?;
        Ok(Self { links, place, bell, wants_fields: Arc::default(), asks_for_fields: false })
    }

    /// Things begin in these states instead of at rest.
    pub(super) fn begin_in(&mut self, states: Vec<(usize, Arc<Snapshot>)>) {
        for (thing, state) in states {
            if let Some(links) = self.links.get_mut(thing) {
                links.begin_in(state);
            }
        }
    }

    /// Whether a thing is on its way to another state.
    pub(super) fn are_restoring(&self) -> bool {
        self.links.iter().any(Links::is_restoring)
    }

    /// Rings when a sample or a frame has come.
    pub(super) fn bell(&self) -> &Arc<Bell> {
        &self.bell
    }

    pub(super) fn n_things(&self) -> usize {
        self.links.len()
    }

    /// Those of one thing, if there is one of this number.
    pub(super) fn get(&self, thing: usize) -> Option<&Links> {
        self.links.get(thing)
    }

    pub(super) fn get_mut(&mut self, thing: usize) -> Option<&mut Links> {
        self.links.get_mut(thing)
    }

    /// How each of them is.
    pub(super) fn states(&self) -> impl Iterator<Item = LinkState> {
        self.links.iter().map(Links::state)
    }

    /// Whether the solver of a thing answers.
    pub(super) fn is_ready(&self, thing: usize) -> bool {
        matches!(self.links[thing].state(), LinkState::Ready(_))
    }

    /// Whether an answer is on its way.
    pub(super) fn owe_answer(&self) -> bool {
        self.links.iter().any(Links::owes_answer)
    }

    /// Asks for fields as long as this is true.
    pub(super) fn show_fields(&mut self, wanted: Arc<AtomicBool>) {
        self.wants_fields = wanted;
    }

    /// A hand that rests sends nothing new: what it does now is asked once more, with fields.
    pub(super) fn hear_of_fields(&mut self) {
        let are_wanted = self.wants_fields.load(Ordering::Relaxed);
        if are_wanted && !self.asks_for_fields {
            self.links.iter_mut().for_each(Links::ask_again_with_fields);
        }
        self.asks_for_fields = are_wanted;
    }

    /// Submits a touch. Returns a used touch whose memory can be used again, if there is one.
    pub(super) fn submit(&mut self, thing: usize, mut touch: Touch) -> Option<Touch> {
        touch.wants_fields = self.asks_for_fields;
        self.links[thing].submit(touch)
    }

    /// What has come for a thing since this was last asked.
    pub(super) fn take(&mut self, thing: usize) -> io::Result<Option<FromSolver>> {
        self.links[thing].take()
    }

    /// Does what the table has found to be done.
    pub(super) fn do_chores(&mut self, chores: Vec<Chore>) -> io::Result<()> {
        for chore in chores {
            match chore {
                Chore::Keep { thing, shape, spec, known } => {
                    self.links[thing].keep(shape, spec, known)?;
                }
                Chore::Start { spec } => {
                    self.links.push(Links::start_elsewhere(&self.place, spec, &self.bell)?);
                }
                Chore::Prepare { thing, shape, spec, is_as_left } => {
                    self.links[thing].prepare(shape, spec, is_as_left)?;
                }
                Chore::Rest { thing } => self.links[thing].rest(),
            }
        }
        Ok(())
    }

    /// Each thing goes on with its solver until it is ready with the other one.
    pub(super) fn move_to(&mut self, place: Solvers, things: &[Thing]) -> io::Result<()> {
        for (links, thing) in self.links.iter_mut().zip(things) {
            let (shape, spec) = thing.shape();
            links.move_to(&place, *shape, spec)?;
        }
        self.place = place;
        Ok(())
    }

    /// Touches are answered again, by all of them.
    pub(super) fn thaw(&mut self) {
        self.links.iter_mut().for_each(Links::thaw);
    }

    /// A recording begins: where matter is now, it goes back to when another place is sought.
    pub(super) fn begin_here(&mut self) {
        self.links.iter_mut().for_each(Links::begin_here);
    }

    /// All matter goes back to where it was when a recording began.
    pub(super) fn go_back_to_beginning(&mut self) {
        self.links.iter_mut().for_each(Links::go_back_to_beginning);
    }
}
