//! Where objects are solved, here or elsewhere: new links, and single answers.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use physics::ObjectSpec;

use crate::cache::Wish;
use crate::embedded::EmbeddedLink;
use crate::link::SolverLink;
use crate::mailbox::Bell;
#[cfg(feature = "remote")]
use crate::remote::{AskError, RemoteLink, ServerUrl, ask, ask_within};
use crate::solve::{Answer, Question, QuestionError, answer};
use crate::workshop::Workshop;

/// A place where objects are solved. Both give the same frames and the same answers.
#[derive(Clone)]
pub enum Solvers {
    /// In this process.
    Embedded(Arc<Workshop>),
    /// By a server.
    #[cfg(feature = "remote")]
    Remote(ServerUrl),
}

/// Why a single question has no answer.
#[derive(Debug, thiserror::Error)]
pub enum AnswerError {
    /// Here.
    #[error(transparent)]
    Embedded(#[from] QuestionError),
    /// There.
    #[cfg(feature = "remote")]
    #[error(transparent)]
    Remote(#[from] AskError),
}

impl Solvers {
    /// Starts to prepare an object and returns at once; `bell` rings for every frame.
    pub fn link(&self, spec: &ObjectSpec, bell: Arc<Bell>) -> io::Result<Box<dyn SolverLink>> {
        Ok(match self {
            Self::Embedded(workshop) => {
                Box::new(EmbeddedLink::start(spec, Arc::clone(workshop), bell)?)
            }
            #[cfg(feature = "remote")]
            Self::Remote(url) => Box::new(RemoteLink::start(url.clone(), spec.clone(), bell)?),
        })
    }

    /// Answers a small question to show that this works. A server has so long for it.
    pub fn try_out(&self, question: &Question, patience: Duration) -> Result<(), AnswerError> {
        match self {
            Self::Embedded(_) => self.answer(question).map(drop),
            #[cfg(feature = "remote")]
            Self::Remote(url) => Ok(ask_within(url, question, patience).map(drop)?),
        }
    }

    /// Answers one question. Takes its time.
    pub fn answer(&self, question: &Question) -> Result<Answer, AnswerError> {
        Ok(match self {
            Self::Embedded(workshop) => answer(question, workshop, &Wish::default())?,
            #[cfg(feature = "remote")]
            Self::Remote(url) => ask(url, question, |_| {})?,
        })
    }
}
