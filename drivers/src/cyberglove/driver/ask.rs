//! One request and its reply on a line that is otherwise silent.

use std::time::{Duration, Instant};

use crate::cyberglove::protocol::{ErrorReply, Query, Reply, ReplyProgress, Request};
use crate::serial::{DeviceError, SerialLine};

/// Silence that proves that the unit has stopped sending.
pub(super) const QUIET: Duration = Duration::from_millis(100);
/// Longest wait for an ordinary answer.
pub(super) const ANSWER: Duration = Duration::from_millis(500);
/// The unit collects its description before it sends it.
const DESCRIPTION: Duration = Duration::from_millis(1500);
/// A restart takes about 1.75 s.
pub(super) const RESTART: Duration = Duration::from_secs(3);
/// More than this is no reply; bounds what is kept of a unit that chatters.
const MAX_RECEIVED: usize = 8192;
/// As many bytes of a wrong answer are worth showing.
const MAX_SHOWN: usize = 64;
pub(super) const ABORT: u8 = 0x03;

/// Why a request was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The unit understood enough to say no.
    #[error("{path} refused {request}: {error}")]
    Refused { path: String, request: String, error: ErrorReply },
    /// Nothing was sent.
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

/// How often to ask, and how long to wait each time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    pub(super) tries: usize,
    pub(super) answer: Duration,
}

impl Patience {
    /// Three tries: a byte may be lost on the way. A restart must not happen twice.
    pub(super) fn with(request: &Request) -> Self {
        match request {
            Request::Restart | Request::Reinitialise => Self { tries: 1, answer: RESTART },
            Request::Ask(Query::Description) => Self { tries: 1, answer: DESCRIPTION },
            _ => Self { tries: 3, answer: ANSWER },
        }
    }
}

/// Sends `request` and reads its reply, trying again if nothing or nonsense comes.
///
/// Before it tries again it ends what the unit may still be waiting for: if one byte of a setting
/// was lost, the first byte of the next request would otherwise complete it.
pub(super) fn ask(
    line: &mut SerialLine,
    request: &Request,
    n_values: usize,
    patience: Patience,
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
            Heard::Reply(reply) => return Ok(reply),
            Heard::Refusal(error) => {
                let path = line.path().to_owned();
                return Err(RequestError::Refused { path, request: said(request), error });
            }
            Heard::Nothing => {}
        }
    }
    Err(failure(line, request, &received, patience).into())
}

/// Asks a question whose answer is a `T`.
pub(super) fn query<T: TryFrom<Reply, Error = Reply>>(
    line: &mut SerialLine,
    query: Query,
    n_values: usize,
    patience: Patience,
) -> Result<T, RequestError> {
    let request = Request::Ask(query);
    let reply = ask(line, &request, n_values, patience)?;
    reply.try_into().map_err(|other: Reply| {
        let (path, request) = (line.path().to_owned(), said(&request));
        let (got, want) = (format!("{other:?}"), "an answer of the kind that was asked for");
        DeviceError::UnexpectedAnswer { path, request, got, want }.into()
    })
}

/// `None` instead of an error that only says that the unit does not answer to this.
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

enum Heard {
    Reply(Reply),
    Refusal(ErrorReply),
    Nothing,
}

/// Waits for the reply to `request`. What comes before it is skipped up to a NUL: a late answer, a
/// last record of a stream.
fn listen(
    line: &mut SerialLine,
    request: &Request,
    n_values: usize,
    within: Duration,
    received: &mut Vec<u8>,
) -> Result<Heard, DeviceError> {
    let deadline = Instant::now() + within;
    let mut n_skipped = 0;
    loop {
        let mut wait = deadline.saturating_duration_since(Instant::now());
        let mut if_silent = Heard::Nothing;
        match request.read_reply(n_values, &received[n_skipped..]) {
            ReplyProgress::Complete(reply) => return Ok(Heard::Reply(reply)),
            ReplyProgress::Refused(error) => return Ok(Heard::Refusal(error)),
            ReplyProgress::Incomplete => {}
            ReplyProgress::Enough(reply) => {
                if_silent = Heard::Reply(reply);
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
        if arrival.is_none() && matches!(if_silent, Heard::Reply(_)) {
            return Ok(if_silent);
        }
    }
}

fn failure(
    line: &SerialLine,
    request: &Request,
    received: &[u8],
    patience: Patience,
) -> DeviceError {
    if received.is_empty() {
        return line.no_answer(said(request), patience.tries as u32 * patience.answer);
    }
    let shown = &received[..received.len().min(MAX_SHOWN)];
    DeviceError::UnexpectedAnswer {
        path: line.path().to_owned(),
        request: said(request),
        got: shown.escape_ascii().to_string(),
        want: "an echo of the request, its bytes and a NUL",
    }
}

/// A request as it goes over the line.
fn said(request: &Request) -> String {
    format!("`{}`", request.encode().escape_ascii())
}
