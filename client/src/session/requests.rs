//! What the window asks of a session while it runs.

use std::io;
use std::sync::mpsc::Receiver;

use drivers::Side;
use drivers::recorder::Notes;
use engine::SolverLocation;
use interaction::tabletop::Order;

use super::journal::{Journal, JournalSettings};
use super::{HandSource, ProfilesInUse, Session};
use crate::input::HandHistory;

/// Something to do at the next turn.
pub enum Request {
    /// About the things on the table; recorded and run again.
    Order(Order),
    /// Note down what is needed to run it again, from the next moment on at which no thing is in a
    /// hand.
    Record(Notes),
    StopRecording,
    /// The hands come from elsewhere.
    Hands(Box<HandSource>),
    /// The recording that gives the hands is played on from elsewhere: all is as if it had been
    /// played up to there.
    Seek {
        source: Box<HandSource>,
        history: Box<HandHistory>,
    },
    /// The hands are somebody else's. Not while a recording says whose they were.
    Person(Box<ProfilesInUse>),
    /// Everything is solved elsewhere.
    Solvers(SolverLocation),
}

/// Requests on their way.
#[derive(Default)]
pub(super) struct PendingRequests {
    coming: Option<Receiver<Request>>,
    /// Where a recording goes that has not begun yet.
    notes: Option<Notes>,
    /// What is done when the place in a recording is found that is being sought.
    postponed: Vec<Request>,
}

impl Session {
    /// Obeys what comes this way from now on.
    pub fn listen(&mut self, requests: Receiver<Request>) {
        self.requests.coming = Some(requests);
    }

    /// Does what was asked for; says whether that was anything.
    pub(super) fn take_requests(&mut self) -> io::Result<bool> {
        let mut requests = std::mem::take(&mut self.requests.postponed);
        requests.extend(self.requests.coming.iter().flat_map(Receiver::try_iter));
        let is_any = !requests.is_empty();
        for request in requests {
            match request {
                // It would be as if it had been asked for then, in the middle of the way.
                Request::Order(_) | Request::Person(_) if self.seeking.is_some() => {
                    self.requests.postponed.push(request);
                }
                Request::Order(order) => self.obey(&order)?,
                Request::Record(notes) => self.requests.notes = Some(notes),
                Request::StopRecording => {
                    self.requests.notes = None;
                    self.solvers.thaw();
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

    pub(super) fn obey(&mut self, order: &Order) -> io::Result<()> {
        self.log.order(order);
        self.tabletop.obey(order);
        // A new thing needs a solver before anything else happens to it.
        self.run_solver_tasks()
    }

    /// Whether matter that has moved is in a state that a recording can begin with. If not, it is
    /// put into one.
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

    /// A recording that begins in the middle of a run begins with all things at rest and no hand
    /// near them, so that it can be run again from there.
    fn begin_recording(&mut self) {
        let is_busy = self.seeking.is_some() || !self.tabletop.is_at_rest();
        if self.requests.notes.is_none() {
            return;
        }
        if is_busy {
            self.solvers.thaw();
            return;
        }
        if !self.has_begun_anew() {
            return;
        }
        let Some(notes) = self.requests.notes.take() else { return };
        self.solvers.thaw();
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
            // Of hands that a headset sees, not of those that the run began with.
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
