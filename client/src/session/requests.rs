//! What the window asks of a session while it runs.

use std::io;
use std::sync::mpsc::Receiver;

use drivers::Hand as Side;
use drivers::recorder::Notes;
use engine::Solvers;
use interaction::tabletop::Order;

use super::journal::{Journal, Settings};
use super::{Fitting, HandSource, Session};
use crate::input::PastHands;

/// Something to do at the next turn.
pub enum Request {
    /// About the things on the table; recorded and run again.
    Order(Order),
    /// Note down what is needed to run it again, from the next moment on at which no thing is in a hand.
    Record(Notes),
    StopRecording,
    /// The hands come from elsewhere.
    Hands(Box<HandSource>),
    /// The recording that gives the hands is played on from elsewhere: all is as if it had been played up to there.
    Seek {
        source: Box<HandSource>,
        past: Box<PastHands>,
    },
    /// The hands are somebody else's. Not while a recording says whose they were.
    Person(Box<Fitting>),
    /// Everything is solved elsewhere.
    Solvers(Solvers),
}

/// Requests on their way.
#[derive(Default)]
pub(super) struct Requests {
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
                    self.journal = None;
                }
                Request::Hands(source) => self.change_hands(*source)?,
                Request::Seek { source, past } => self.begin_to_seek(*source, *past)?,
                Request::Person(fitting) => self.change_person(*fitting)?,
                Request::Solvers(solvers) => self.change_solvers(solvers)?,
            }
        }
        self.begin_recording();
        Ok(is_any)
    }

    /// Each thing goes on with its solver until it is ready with the other one.
    fn change_solvers(&mut self, solvers: Solvers) -> io::Result<()> {
        for (links, thing) in self.links.iter_mut().zip(self.tabletop.things()) {
            let (shape, spec) = thing.shape();
            links.move_to(&solvers, *shape, spec)?;
        }
        self.solvers = solvers;
        Ok(())
    }

    pub(super) fn obey(&mut self, order: &Order) -> io::Result<()> {
        if let Some(journal) = &mut self.journal {
            journal.order(order);
        }
        self.tabletop.obey(order);
        // A new thing needs a solver before anything else happens to it.
        self.do_chores()
    }

    /// A recording that begins in the middle of a run begins with all things at rest and no hand near them, so
    /// that it can be run again from there.
    fn begin_recording(&mut self) {
        let is_busy = self.seeking.is_some() || !self.tabletop.is_at_rest();
        if self.requests.notes.is_none() || is_busy {
            return;
        }
        let Some(notes) = self.requests.notes.take() else { return };
        self.tabletop.begin_anew();
        let things = self.tabletop.parts();
        let (rules, fitting) = (self.tabletop.rules(), &self.fitting);
        let settings = Settings { rules, fitting, emulated: &[], things: &things };
        let mut journal = Journal::begin(notes, &settings);
        for (i, thing) in self.tabletop.things().iter().enumerate() {
            journal.shapes(i, thing);
            if let Some(surface) = &thing.surface {
                journal.frame_at_rest(i, thing.shape().0, surface.frame());
            }
        }
        journal.order(&Order::Select(self.tabletop.selected_index()));
        for side in [Side::Left, Side::Right] {
            // Of hands that a headset sees, not of those that the run began with.
            let size = Box::new(*self.tabletop.profiles().of(side).size());
            if *size != *self.fitting.of(side).size() {
                journal.order(&Order::Size { hand: side, size });
            }
        }
        journal.begin_after(self.n_samples);
        self.journal = Some(journal);
        tracing::info!("recording from {:.2} s on", self.start.elapsed().as_secs_f64());
    }
}
