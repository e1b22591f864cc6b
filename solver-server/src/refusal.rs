//! Errors that the server answers, each with a status code of gRPC.
//!
//! Errors of the connection have no row: a connection is closed without an answer if all of the
//! server's connections are taken, or if it has sent no valid request within ten seconds. Palpate
//! tries again then.
//!
//! "Gives up" means that another attempt would end in the same way: the solver is shown as failed,
//! with the text of the error. "Tries again" means that the last shape stays on screen, and that
//! the session is opened again after a pause of half a second at first and five seconds at most,
//! shortened by chance. A server forbids other clients to try again by
//! `grpc-retry-pushback-ms: -1` in the trailers, as gRPC has it.
//!
//! Palpate calls neither health nor reflection. They answer `NOT_FOUND` for names that they do not
//! know.
//!
//! | Error | Status | Palpate |
//! |---|---|---|
//! | the pass is missing, or is not the server's | `UNAUTHENTICATED` | gives up |
//! | the object has more nodes or elements than `--max-nodes` allows | `OUT_OF_RANGE` | gives up |
//! | a message is larger than the server accepts | `OUT_OF_RANGE` | gives up |
//! | the answer would be larger than a message of gRPC can be | `OUT_OF_RANGE` | gives up |
//! | the first request of a session opens no object | `INVALID_ARGUMENT` | gives up |
//! | a request opens a second object | `INVALID_ARGUMENT` | gives up |
//! | a request cannot be read, or has wrong values | `INVALID_ARGUMENT` | gives up |
//! | the object's mesh or supports cannot be solved | `INVALID_ARGUMENT` | gives up |
//! | the known displacements of a single solve have no solution | `INVALID_ARGUMENT` | gives up |
//! | the object needs more than `--memory-mb` | `RESOURCE_EXHAUSTED`, never again | gives up |
//! | all places of sessions are taken | `RESOURCE_EXHAUSTED` | tries again |
//! | the machine has no memory left | `RESOURCE_EXHAUSTED` | tries again |
//! | an unfinished message falls silent for ten seconds | `DEADLINE_EXCEEDED` | tries again |
//! | the machine starts no more threads | `UNAVAILABLE` | tries again |
//! | the server is being stopped | `UNAVAILABLE` | tries again |
//! | the client has gone before the answer | `CANCELLED` | tries again |
//! | the solver failed, which is a fault of the server | `INTERNAL` | tries again |
//! | the call does not exist, or its encoding is unknown | `UNIMPLEMENTED` | gives up |

use engine::single_solve::QuestionError;
use engine::{PrepareError, ThreadsError};
use proto::{ClaimedSize, WireError};
use tonic::Status;
use tonic::metadata::MetadataValue;

use crate::service::Limits;

/// Reason for refusing or ending a session or a single solve.
#[derive(Debug)]
pub(crate) enum Refusal {
    Stranger,
    Full(Limits),
    Stopping,
    TooLarge { size: ClaimedSize, limits: Limits },
    MessageTooLarge { bytes: u64, most: u64 },
    AnswerTooLarge { bytes: u64 },
    NoMemory { bytes: u64 },
    Silent,
    NothingOpened,
    OpenedTwice,
    Nonsense(WireError),
    Unreadable(String),
    CannotPrepare(PrepareError),
    NoAnswer(QuestionError),
    NoThread(std::io::Error),
    NoWorkers(ThreadsError),
    Panicked,
}

/// Makes the gRPC status of a refusal. No other code makes a `Status`.
pub(crate) fn status(refusal: Refusal) -> Status {
    match refusal {
        Refusal::Stranger => Status::unauthenticated(
            "this is not the pass that the server was started with (solver-server --pass); \
             copy the server's pass file again",
        ),
        Refusal::Full(limits) => Status::resource_exhausted(format!(
            "all {} sessions are taken; try again later or start the server with --max-sessions",
            limits.sessions
        )),
        Refusal::Stopping => {
            Status::unavailable("the server is being stopped; try again when it is back")
        }
        Refusal::TooLarge { size, limits } => Status::out_of_range(format!(
            "the object has {} nodes and {} elements, this server accepts at most {} and {} \
             (--max-nodes)",
            size.n_nodes,
            size.n_elements,
            limits.nodes,
            limits.elements()
        )),
        Refusal::MessageTooLarge { bytes, most } => Status::out_of_range(format!(
            "the message has {bytes} bytes, expected at most {most} (--max-nodes sets how large \
             an object may be; a touch needs much less)"
        )),
        Refusal::AnswerTooLarge { bytes } => Status::out_of_range(format!(
            "the answer would have {bytes} bytes, gRPC sends at most {}; ask without stresses or \
             for a smaller object",
            proto::MOST_BYTES
        )),
        Refusal::NoMemory { bytes } => Status::resource_exhausted(format!(
            "this machine has no memory left for a message of {bytes} bytes; try again later"
        )),
        Refusal::Silent => Status::deadline_exceeded(
            "the message stopped in the middle: nothing arrived for 10 seconds",
        ),
        Refusal::NothingOpened => {
            Status::invalid_argument("the first request of a session must open an object")
        }
        Refusal::OpenedTwice => Status::invalid_argument("a session can open one object only"),
        Refusal::Nonsense(why) => Status::invalid_argument(why.to_string()),
        Refusal::Unreadable(why) => {
            Status::invalid_argument(format!("cannot read the request: {why}"))
        }
        Refusal::CannotPrepare(why) => not_prepared(&why),
        Refusal::NoAnswer(QuestionError::Prepare(why)) => not_prepared(&why),
        Refusal::NoAnswer(QuestionError::Solve(why)) if why.is_cancelled() => {
            Status::cancelled(why.to_string())
        }
        Refusal::NoAnswer(QuestionError::Solve(why)) if why.is_over_budget() => {
            never_again(Status::resource_exhausted(format!("{why} (--memory-mb)")))
        }
        Refusal::NoAnswer(QuestionError::Solve(why)) => Status::invalid_argument(why.to_string()),
        Refusal::NoThread(why) => {
            Status::unavailable(format!("cannot start a solver thread: {why}"))
        }
        Refusal::NoWorkers(why) => Status::unavailable(why.to_string()),
        Refusal::Panicked => Status::internal("the solver panicked"),
    }
}

/// Status for an object that cannot be prepared: the server's shortage, or a fault of the object.
fn not_prepared(why: &PrepareError) -> Status {
    let build = match why {
        PrepareError::Threads(why) => return Status::unavailable(why.to_string()),
        PrepareError::Build(build) => build,
    };
    if build.is_cancelled() {
        Status::cancelled(build.to_string())
    } else if build.is_over_budget() {
        never_again(Status::resource_exhausted(format!("{build} (--memory-mb)")))
    } else if build.is_out_of_memory() {
        Status::resource_exhausted(build.to_string())
    } else {
        Status::invalid_argument(build.to_string())
    }
}

/// Forbids clients to repeat the call.
fn never_again(mut status: Status) -> Status {
    status.metadata_mut().insert("grpc-retry-pushback-ms", MetadataValue::from_static("-1"));
    status
}

#[cfg(test)]
mod tests;
