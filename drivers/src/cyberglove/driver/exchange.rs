//! Sends one request and reads its reply, on a line that is otherwise silent.

use std::time::{Duration, Instant};

use crate::cyberglove::protocol::{ErrorReply, Query, Reply, ReplyProgress, Request};
use crate::serial::{DeviceError, SerialLine};

/// Length of a silence that proves that the unit has stopped sending.
pub(super) const QUIET: Duration = Duration::from_millis(100);
/// Longest wait for an ordinary answer.
pub(super) const ANSWER: Duration = Duration::from_millis(500);
/// Longest wait for the description, which the unit collects before it sends it.
const DESCRIPTION: Duration = Duration::from_millis(1500);
/// Longest wait for the answer to a restart, which takes about 1.75 s.
pub(super) const RESTART: Duration = Duration::from_secs(3);
/// Most bytes that are read for one reply; a bound for a unit that sends without end.
const MAX_RECEIVED: usize = 8192;
/// Most bytes of a wrong answer in an error text.
const MAX_SHOWN: usize = 64;
pub(super) const ABORT: u8 = 0x03;

/// Reason why a request was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The unit answered with an error.
    #[error("{path} refused {request}: {error}")]
    Refused { path: String, request: String, error: ErrorReply },
    /// The driver did not send the request.
    #[error("{request} cannot be sent to {path}: {reason}")]
    Unsuitable { path: String, request: String, reason: &'static str },
}

impl From<RequestError> for DeviceError {
    fn from(error: RequestError) -> Self {
        match error {
            RequestError::Device(error) => error,
            RequestError::Refused { path, request, error } => {
                let want = "an answer without an error";
                Self::UnexpectedAnswer { path, request, got: error.to_string(), want }
            }
            RequestError::Unsuitable { path, reason, .. } => Self::NotReady { path, reason },
        }
    }
}

/// Number of tries of a request, and the longest wait for each answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct RetryPolicy {
    pub(super) tries: usize,
    pub(super) answer: Duration,
}

impl RetryPolicy {
    /// Three tries for ordinary requests, because a byte may be lost on the line. One try for a
    /// restart, which must not happen twice.
    pub(super) fn with(request: &Request) -> Self {
        match request {
            Request::Restart | Request::Reinitialise => Self { tries: 1, answer: RESTART },
            Request::Ask(Query::Description) => Self { tries: 1, answer: DESCRIPTION },
            _ => Self { tries: 3, answer: ANSWER },
        }
    }
}

/// Sends `request` and reads its reply; tries again if no reply or a wrong one comes.
///
/// Before each further try it sends aborts, to end an incomplete command: if one byte of a setting
/// was lost, the first byte of the next request would otherwise complete that setting.
pub(super) fn ask(
    line: &mut SerialLine,
    request: &Request,
    n_values: usize,
    patience: RetryPolicy,
) -> Result<Reply, RequestError> {
    let bytes = request.encode();
    let mut received = Vec::new();
    line.drain_until_quiet(Duration::ZERO, QUIET)?;
    for attempt in 0..patience.tries {
        if attempt > 0 {
            line.write_all(&vec![ABORT; bytes.len()])?;
            line.drain_until_quiet(QUIET, 5 * QUIET)?;
        }
        received.clear();
        line.write_all(&bytes)?;
        match listen(line, request, n_values, patience.answer, &mut received)? {
            Answer::Reply(reply) => return Ok(reply),
            Answer::Refusal(error) => {
                let path = line.path().to_owned();
                return Err(RequestError::Refused { path, request: quoted(request), error });
            }
            Answer::Nothing => {}
        }
    }
    Err(failure(line, request, &received, patience).into())
}

/// Asks a question whose answer is a `T`.
pub(super) fn query<T: TryFrom<Reply, Error = Reply>>(
    line: &mut SerialLine,
    query: Query,
    n_values: usize,
    patience: RetryPolicy,
) -> Result<T, RequestError> {
    let request = Request::Ask(query);
    let reply = ask(line, &request, n_values, patience)?;
    reply.try_into().map_err(|other: Reply| {
        let (path, request) = (line.path().to_owned(), quoted(&request));
        let (got, want) = (format!("{other:?}"), "an answer to this question");
        DeviceError::UnexpectedAnswer { path, request, got, want }.into()
    })
}

/// Turns the errors of a unit that does not support a request into `None`.
pub(super) fn tolerate<T>(reply: Result<T, RequestError>) -> Result<Option<T>, DeviceError> {
    match reply {
        Ok(reply) => Ok(Some(reply)),
        Err(
            RequestError::Refused { .. }
            | RequestError::Unsuitable { .. }
            | RequestError::Device(
                DeviceError::NoAnswer { .. } | DeviceError::UnexpectedAnswer { .. },
            ),
        ) => Ok(None),
        Err(RequestError::Device(error)) => Err(error),
    }
}

/// Outcome of the wait for a reply.
enum Answer {
    Reply(Reply),
    Refusal(ErrorReply),
    Nothing,
}

/// Waits for the reply to `request`. Other bytes before it are skipped up to a NUL: a late answer,
/// or the last record of a stream.
fn listen(
    line: &mut SerialLine,
    request: &Request,
    n_values: usize,
    within: Duration,
    received: &mut Vec<u8>,
) -> Result<Answer, DeviceError> {
    let deadline = Instant::now() + within;
    let mut n_skipped = 0;
    loop {
        let mut wait = deadline.saturating_duration_since(Instant::now());
        let mut if_silent = Answer::Nothing;
        match request.read_reply(n_values, &received[n_skipped..]) {
            ReplyProgress::Complete(reply) => return Ok(Answer::Reply(reply)),
            ReplyProgress::Refused(error) => return Ok(Answer::Refusal(error)),
            ReplyProgress::Incomplete => {}
            ReplyProgress::Enough(reply) => {
                if_silent = Answer::Reply(reply);
                wait = wait.min(QUIET);
            }
            ReplyProgress::Mismatch => {
                if let Some(nul) = received[n_skipped..].iter().position(|byte| *byte == 0) {
                    n_skipped += nul + 1;
                    continue;
                }
            }
        }
        if wait.is_zero() || received.len() > MAX_RECEIVED {
            return Ok(if_silent);
        }
        let arrival = line.read_available(received, wait)?;
        if arrival.is_none() && matches!(if_silent, Answer::Reply(_)) {
            return Ok(if_silent);
        }
    }
}

fn failure(
    line: &SerialLine,
    request: &Request,
    received: &[u8],
    patience: RetryPolicy,
) -> DeviceError {
    if received.is_empty() {
        return line.no_answer(quoted(request), patience.tries as u32 * patience.answer);
    }
    let shown = &received[..received.len().min(MAX_SHOWN)];
    DeviceError::UnexpectedAnswer {
        path: line.path().to_owned(),
        request: quoted(request),
        got: shown.escape_ascii().to_string(),
        want: "an echo of the request, its bytes and a NUL",
    }
}

/// The bytes of a request as text, in backquotes.
fn quoted(request: &Request) -> String {
    format!("`{}`", request.encode().escape_ascii())
}
