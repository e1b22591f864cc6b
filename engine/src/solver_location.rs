//! Choice of the solver, in this process or on a server: makes links and answers single questions.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use physics::ObjectSpec;

use crate::embedded::EmbeddedLink;
use crate::mailbox::Bell;
use crate::model_cache::WorkHandle;
#[cfg(feature = "remote")]
use crate::remote::{AskError, RemoteLink, ServerUrl, ask, reach_within};
use crate::resources::SolverResources;
use crate::single_solve::{QuestionError, SolveAnswer, SolveQuestion, answer};
use crate::solver_link::{LinkOptions, SolverLink};

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
        self.open(spec, LinkOptions::default(), bell)
    }

    /// [`link`](Self::link) with options.
    pub fn open(
        &self,
        spec: &ObjectSpec,
        options: LinkOptions,
        bell: Arc<Bell>,
    ) -> io::Result<Box<dyn SolverLink>> {
        Ok(match self {
            Self::Embedded(resources) => {
                Box::new(EmbeddedLink::open(spec, options, resources, bell)?)
            }
            #[cfg(feature = "remote")]
            Self::Remote(url) => {
                Box::new(RemoteLink::open(url.clone(), spec.clone(), options, bell)?)
            }
        })
    }

    /// Checks that the solver works: answers a small question, or asks a server for its
    /// description, which needs no free place. The server must answer within `patience`.
    pub fn try_out(&self, question: &SolveQuestion, patience: Duration) -> Result<(), AnswerError> {
        match self {
            Self::Embedded(_) => self.answer(question).map(drop),
            #[cfg(feature = "remote")]
            Self::Remote(url) => Ok(reach_within(url, patience)?),
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
