//! Messages of clients as they arrive: limits of their size and of the silence before their end.
//!
//! gRPC's own decoder keeps its buffer for as long as a stream is open, and a session's first
//! message is a whole object. So the first message of each call is collected here, and the decoder
//! gets an empty one in its place. [`FirstMessage::read`] returns the real one.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::Frame;
use prost::Message;
use tokio::time::{Instant, Sleep, sleep};
use tonic::body::Body;
use tonic::codegen::{Service, http};
use tonic::server::NamedService;
use tonic::{Request, Status};

use crate::refusal::{Refusal, status};

/// Longest silence before the end of a message. Slow messages may take any time.
const PATIENCE: Duration = Duration::from_secs(10);

/// Length of what precedes a message: a flag and the message's length.
const PREFIX: usize = 5;

/// Service whose calls are watched while their messages arrive.
#[derive(Clone)]
pub(crate) struct WatchedUploads<S> {
    service: S,
    /// Size of the largest first message.
    most: u64,
}

/// First message of a call. It can be read once.
#[derive(Clone, Default)]
pub(crate) struct FirstMessage(Arc<Mutex<Option<Bytes>>>);

impl<S> WatchedUploads<S> {
    pub(crate) fn new(service: S, most: u64) -> Self {
        Self { service, most }
    }
}

impl<S: NamedService> NamedService for WatchedUploads<S> {
    const NAME: &'static str = S::NAME;
}

impl<S: Service<http::Request<Body>>> Service<http::Request<Body>> for WatchedUploads<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.service.poll_ready(context)
    }

    fn call(&mut self, request: http::Request<Body>) -> S::Future {
        let first = FirstMessage::default();
        let (mut parts, body) = request.into_parts();
        parts.extensions.insert(first.clone());
        let body = WatchedBody::new(body, first, self.most);
        self.service.call(http::Request::from_parts(parts, Body::new(body)))
    }
}

impl FirstMessage {
    /// Place of the first message of this call.
    pub(crate) fn of<T>(request: &Request<T>) -> Option<Self> {
        request.extensions().get::<Self>().cloned()
    }

    /// Decodes the first message, once the decoder of gRPC has returned the empty one.
    pub(crate) fn read<M: Message + Default>(first: Option<Self>) -> Result<M, Status> {
        let taken = |it: Self| it.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let bytes = first.and_then(taken).unwrap_or_default();
        M::decode(bytes).map_err(|why| status(Refusal::Unreadable(why.to_string())))
    }

    fn put(self, message: Vec<u8>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(message.into());
    }
}

/// Body of a request.
struct WatchedBody {
    body: Body,
    /// Counts only before the end of a message.
    is_silent_at: Pin<Box<Sleep>>,
    part: Part,
    /// First message so far; `None` once it is complete.
    first: Option<(FirstMessage, Vec<u8>)>,
    /// Size of the largest first message.
    most: u64,
    /// Data for the decoder.
    ready: VecDeque<Bytes>,
}

/// Part of a message that arrives next.
enum Part {
    /// The prefix, with its bytes so far.
    Prefix(Vec<u8>),
    /// The message, with the number of bytes that are missing.
    Message { missing: usize },
}

impl WatchedBody {
    fn new(body: Body, first: FirstMessage, most: u64) -> Self {
        Self {
            body,
            is_silent_at: Box::pin(sleep(PATIENCE)),
            part: Part::Prefix(Vec::new()),
            first: Some((first, Vec::new())),
            most,
            ready: VecDeque::new(),
        }
    }

    /// Takes data that have arrived.
    fn take(&mut self, mut data: Bytes) -> Result<(), Status> {
        while !data.is_empty() {
            match &mut self.part {
                Part::Prefix(prefix) => {
                    prefix.extend_from_slice(&data.split_to(data.len().min(PREFIX - prefix.len())));
                    if let &[flag, a, b, c, d] = &prefix[..] {
                        self.begin(flag, u32::from_be_bytes([a, b, c, d]))?;
                    }
                }
                Part::Message { missing } => {
                    let piece = data.split_to(data.len().min(*missing));
                    *missing -= piece.len();
                    let is_complete = *missing == 0;
                    match &mut self.first {
                        Some((_, message)) => message.extend_from_slice(&piece),
                        None => self.ready.push_back(piece),
                    }
                    if is_complete {
                        self.end();
                    }
                }
            }
        }
        Ok(())
    }

    /// Begins a message of this length.
    fn begin(&mut self, flag: u8, length: u32) -> Result<(), Status> {
        let most = if self.first.is_some() { self.most } else { proto::TOUCH_BYTES };
        let bytes = u64::from(length);
        if bytes > most {
            return Err(status(Refusal::MessageTooLarge { bytes, most }));
        }
        if flag != 0 {
            let why = "it is compressed, expected a message as it is".to_owned();
            return Err(status(Refusal::Unreadable(why)));
        }
        match &mut self.first {
            Some((_, message)) => message
                .try_reserve_exact(length as usize)
                .map_err(|_| status(Refusal::NoMemory { bytes }))?,
            None => self.ready.push_back(prefix(length)),
        }
        self.part = Part::Message { missing: length as usize };
        if length == 0 {
            self.end();
        }
        Ok(())
    }

    /// Ends a message.
    fn end(&mut self) {
        if let Some((first, message)) = self.first.take() {
            first.put(message);
            self.ready.push_back(prefix(0));
        }
        self.part = Part::Prefix(Vec::new());
    }

    /// True if the client owes the rest of a message.
    fn is_owed(&self) -> bool {
        self.first.is_some() || !matches!(&self.part, Part::Prefix(prefix) if prefix.is_empty())
    }
}

/// What precedes a message of this length.
fn prefix(length: u32) -> Bytes {
    let [a, b, c, d] = length.to_be_bytes();
    Bytes::copy_from_slice(&[0, a, b, c, d])
}

impl http_body::Body for WatchedBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        loop {
            if let Some(data) = self.ready.pop_front() {
                return Poll::Ready(Some(Ok(Frame::data(data))));
            }
            let arrived = match Pin::new(&mut self.body).poll_frame(context) {
                Poll::Ready(Some(Ok(frame))) => frame,
                Poll::Ready(ended) => return Poll::Ready(ended),
                Poll::Pending if self.is_owed() => {
                    ready!(self.is_silent_at.as_mut().poll(context));
                    return Poll::Ready(Some(Err(status(Refusal::Silent))));
                }
                Poll::Pending => return Poll::Pending,
            };
            match arrived.into_data() {
                Ok(data) => {
                    self.take(data)?;
                    if self.is_owed() {
                        self.is_silent_at.as_mut().reset(Instant::now() + PATIENCE);
                    }
                }
                Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
            }
        }
    }
}

#[cfg(test)]
mod tests;
