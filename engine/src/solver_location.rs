//! Choice of the solver, in this process or on a server: makes links and answers single questions.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use physics::ObjectSpec;

use crate::embedded::EmbeddedLink;
use crate::mailbox::Bell;
use crate::model_cache::WorkHandle;
#[cfg(feature = "remote")]
use crate::remote::{AskError, RemoteLink, ServerUrl, ask, ask_within};
use crate::resources::SolverResources;
use crate::single_solve::{QuestionError, SolveAnswer, SolveQuestion, answer};
use crate::solver_link::SolverLink;

/// Place where objects are solved. Both places give the same frames and the same answers.
#[derive(Clone)]
pub enum SolverLocation {
    /// In this process.
    Embedded(Arc<SolverResources>),
    /// On a server.
    #[cfg(feature = "remote")]
    Remote(ServerUrl),
}

/// A single question has no answer.
#[derive(Debug, thiserror::Error)]
pub enum AnswerError {
    /// Error of the solver in this process.
    #[error(transparent)]
    Embedded(#[from] QuestionError),
    /// Error of the server, or of the way to it.
    #[cfg(feature = "remote")]
    #[error(transparent)]
    Remote(#[from] AskError),
}

impl SolverLocation {
    /// Creates a link to a new object and returns at once. `bell` rings for every frame.
    pub fn link(&self, spec: &ObjectSpec, bell: Arc<Bell>) -> io::Result<Box<dyn SolverLink>> {
        Ok(match self {
            Self::Embedded(resources) => {
                Box::new(EmbeddedLink::start(spec, Arc::clone(resources), bell)?)
            }
            #[cfg(feature = "remote")]
            Self::Remote(url) => Box::new(RemoteLink::start(url.clone(), spec.clone(), bell)?),
        })
    }

    /// Answers a small question to check that the solver works. A server must answer within
    /// `patience`.
    pub fn try_out(&self, question: &SolveQuestion, patience: Duration) -> Result<(), AnswerError> {
        match self {
            Self::Embedded(_) => self.answer(question).map(drop),
            #[cfg(feature = "remote")]
            Self::Remote(url) => Ok(ask_within(url, question, patience).map(drop)?),
        }
    }

    /// Answers one question. Waits for the answer.
    pub fn answer(&self, question: &SolveQuestion) -> Result<SolveAnswer, AnswerError> {
        Ok(match self {
            Self::Embedded(resources) => answer(question, resources, &WorkHandle::default())?,
            #[cfg(feature = "remote")]
            Self::Remote(url) => ask(url, question, |_| {})?,
        })
    }
}
