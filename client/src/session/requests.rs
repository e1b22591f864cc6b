//! Requests of the window to a running session.

use std::io;
use std::sync::mpsc::Receiver;

use drivers::Side;
use drivers::recorder::Notes;
use engine::SolverLocation;
use interaction::tabletop::Order;

use super::journal::{Journal, JournalSettings};
use super::{HandSource, ProfilesInUse, Session};
use crate::input::HandHistory;

/// A request for the next turn.
pub enum Request {
    /// An order about the things on the table. It is written to the journal and replayed from
    /// there.
    Order(Order),
    /// Start a recording with a journal, at the next moment at which no thing is held.
    Record(Notes),
    /// Stop the recording.
    StopRecording,
    /// Switch to another source of hands.
    Hands(Box<HandSource>),
    /// Continue the recording that is played from another place, with everything as if it had been
    /// played up to there.
    Seek { source: Box<HandSource>, history: Box<HandHistory> },
    /// Switch to another person's profiles. Not possible while a recording determines the person.
    Person(Box<ProfilesInUse>),
    /// Move all solvers to another location.
    Solvers(SolverLocation),
}

/// Requests that have not been executed yet.
#[derive(Default)]
pub(super) struct PendingRequests {
    coming: Option<Receiver<Request>>,
    /// Recording that waits for its beginning.
    notes: Option<Notes>,
    /// Requests that wait for the end of a seek.
    postponed: Vec<Request>,
}

impl Session {
    /// Executes the requests of this channel from now on.
    pub fn listen(&mut self, requests: Receiver<Request>) {
        self.requests.coming = Some(requests);
    }

    /// Executes all new requests. Returns true if there were any.
    pub(super) fn take_requests(&mut self) -> io::Result<bool> {
        let mut requests = std::mem::take(&mut self.requests.postponed);
        requests.extend(self.requests.coming.iter().flat_map(Receiver::try_iter));
        let is_any = !requests.is_empty();
        for request in requests {
            match request {
                // Executed now, the request would land in the middle of the fast-forward; it waits
                // for the end of the seek.
                Request::Order(_) | Request::Person(_) if self.seeking.is_some() => {
                    self.requests.postponed.push(request);
                }
                Request::Order(order) => self.apply_order(&order)?,
                Request::Record(notes) => self.requests.notes = Some(notes),
                Request::StopRecording => {
                    self.requests.notes = None;
                    self.solvers.unfreeze();
                    self.log.set_journal(None);
                }
                Request::Hands(source) => self.change_hands(*source)?,
                Request::Seek { source, history } => self.begin_to_seek(*source, *history)?,
                Request::Person(profiles_in_use) => self.change_person(*profiles_in_use)?,
                Request::Solvers(solvers) => {
                    self.solvers.move_to(solvers, self.tabletop.things())?;
                }
            }
        }
        self.begin_recording();
        Ok(is_any)
    }

    pub(super) fn apply_order(&mut self, order: &Order) -> io::Result<()> {
        self.log.order(order);
        self.tabletop.apply_order(order);
        // A new thing needs a solver before anything else happens to it.
        self.run_solver_tasks()
    }

    /// Returns true if all matter that has moved is in a state with which a recording can begin.
    /// Otherwise starts to put the matter into one.
    fn has_begun_anew(&mut self) -> bool {
        let mut has_begun = true;
        for (i, thing) in self.tabletop.things().iter().enumerate() {
            let Some(solver) = self.solvers.get_mut(i) else { continue };
            let shown = thing.surface.as_ref();
            let is_anew = shown.is_some_and(|surface| surface.frame().is_restored());
            if solver.has_moved() && !is_anew {
                has_begun = false;
                if !solver.is_restoring() {
                    solver.begin_anew(self.clock.next_sample());
                }
            }
        }
        has_begun
    }

    /// Begins a requested recording as soon as all things are at rest with no hand near them, so
    /// that the run can be replayed from there.
    fn begin_recording(&mut self) {
        let is_busy = self.seeking.is_some() || !self.tabletop.is_at_rest();
        if self.requests.notes.is_none() {
            return;
        }
        if is_busy {
            self.solvers.unfreeze();
            return;
        }
        if !self.has_begun_anew() {
            return;
        }
        let Some(notes) = self.requests.notes.take() else { return };
        self.solvers.unfreeze();
        self.tabletop.begin_anew();
        let things = self.tabletop.parts();
        let (rules, profiles_in_use) = (self.tabletop.rules(), &self.profiles_in_use);
        let settings = JournalSettings { rules, profiles_in_use, emulated: &[], things: &things };
        let mut journal = Journal::begin(notes, &settings);
        for (i, thing) in self.tabletop.things().iter().enumerate() {
            journal.shapes(i, thing);
            let Some(surface) = &thing.surface else { continue };
            let (shape, frame) = (thing.shape().0, surface.frame());
            journal.first_frame(i, shape, frame);
        }
        journal.order(&Order::Select(self.tabletop.selected_index()));
        for side in [Side::Left, Side::Right] {
            // Sizes that a headset has measured, where they differ from the profiles.
            let size = Box::new(*self.tabletop.profiles().of(side).size());
            if *size != *self.profiles_in_use.of(side).size() {
                journal.order(&Order::Size { hand: side, size });
            }
        }
        journal.begin_after(self.clock.last_sample().0);
        self.log.set_journal(Some(journal));
        tracing::info!("recording from {:.2} s on", self.clock.now());
    }
}
