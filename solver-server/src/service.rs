//! One session: an object and a stepper thread between two streams.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use engine::{Mailbox, ObjectSpec, Stepper, SurfaceFrame, Touch};
use proto::v1::session_reply::Reply;
use proto::v1::session_request::Request as Asked;
use proto::v1::solver_server::{Solver, SolverServer};
use proto::v1::{Preparing, SessionReply, SessionRequest};
use proto::{MAX_MESSAGE_BYTES, WireError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};

/// What the server lends to its clients at the most.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) sessions: usize,
    pub(crate) nodes: usize,
}

/// Answers `palpate.solver.v1.Solver`.
pub(crate) struct SolverService {
    pool: Arc<engine::ThreadPool>,
    places: Arc<Semaphore>,
    limits: Limits,
}

/// Why a session is refused or ended.
#[derive(Debug)]
enum Refusal {
    Full(Limits),
    TooLarge { n_nodes: usize, limits: Limits },
    NothingOpened,
    Nonsense(WireError),
    OpenedTwice,
    CannotPrepare(engine::BuildError),
    NoThread(std::io::Error),
    SolverEnded,
}

/// The one place where a `Status` is made.
fn status(refusal: Refusal) -> Status {
    match refusal {
        Refusal::Full(limits) => Status::resource_exhausted(format!(
            "all {} sessions are taken; try again later or start the server with --max-sessions",
            limits.sessions
        )),
        Refusal::TooLarge { n_nodes, limits } => Status::resource_exhausted(format!(
            "the object has {n_nodes} nodes, this server takes at most {} (--max-nodes)",
            limits.nodes
        )),
        Refusal::NothingOpened => {
            Status::invalid_argument("the first request must open an object, within 10 seconds")
        }
        Refusal::Nonsense(why) => Status::invalid_argument(why.to_string()),
        Refusal::OpenedTwice => Status::invalid_argument("a session opens one object, once"),
        Refusal::CannotPrepare(why) => Status::invalid_argument(why.to_string()),
        Refusal::NoThread(why) => Status::internal(format!("cannot start a solver thread: {why}")),
        Refusal::SolverEnded => Status::internal("the solver thread has ended"),
    }
}

type Replies = mpsc::Sender<Result<SessionReply, Status>>;

impl SolverService {
    pub(crate) fn new(pool: Arc<engine::ThreadPool>, limits: Limits) -> Self {
        Self { pool, places: Arc::new(Semaphore::new(limits.sessions)), limits }
    }

    pub(crate) fn into_server(self) -> SolverServer<Self> {
        SolverServer::new(self)
            .max_decoding_message_size(MAX_MESSAGE_BYTES)
            .max_encoding_message_size(MAX_MESSAGE_BYTES)
    }

    async fn opened(&self, requests: &mut Streaming<SessionRequest>) -> Result<ObjectSpec, Status> {
        const PATIENCE: Duration = Duration::from_secs(10);
        let first = tokio::time::timeout(PATIENCE, requests.message())
            .await
            .map_err(|_| status(Refusal::NothingOpened))??;
        let Some(SessionRequest { request: Some(Asked::Open(object)) }) = first else {
            return Err(status(Refusal::NothingOpened));
        };
        let spec = ObjectSpec::try_from(object).map_err(|e| status(Refusal::Nonsense(e)))?;
        let n_nodes = spec.n_nodes();
        if n_nodes > self.limits.nodes {
            return Err(status(Refusal::TooLarge { n_nodes, limits: self.limits }));
        }
        Ok(spec)
    }
}

#[tonic::async_trait]
impl Solver for SolverService {
    type SessionStream = Pin<Box<dyn Stream<Item = Result<SessionReply, Status>> + Send>>;

    async fn session(
        &self,
        request: Request<Streaming<SessionRequest>>,
    ) -> Result<Response<Self::SessionStream>, Status> {
        let place = Arc::clone(&self.places)
            .try_acquire_owned()
            .map_err(|_| status(Refusal::Full(self.limits)))?;
        let mut requests = request.into_inner();
        let spec = self.opened(&mut requests).await?;
        let preparing = Preparing {
            n_nodes: spec.n_nodes() as u32,
            threads: self.pool.current_num_threads() as u32,
        };
        tracing::info!(n_nodes = preparing.n_nodes, "session opened");

        // A few replies deep: what piles up beyond that is overtaken in the watch channel instead.
        let (replies, replies_out) = mpsc::channel(2);
        let (frames, frames_out) = watch::channel(None);
        let touches = Arc::new(Mailbox::default());
        start_stepper(spec, Arc::clone(&self.pool), Arc::clone(&touches), frames, replies.clone())
            .map_err(|e| status(Refusal::NoThread(e)))?;
        tokio::spawn(read_touches(requests, touches, replies.clone()));
        tokio::spawn(write_replies(preparing, frames_out, replies, place));
        Ok(Response::new(Box::pin(ReceiverStream::new(replies_out))))
    }
}

/// Prepares and steps the object on a thread of its own until `touches` is closed.
fn start_stepper(
    spec: ObjectSpec,
    pool: Arc<engine::ThreadPool>,
    touches: Arc<Mailbox<Touch>>,
    frames: watch::Sender<Option<Arc<SurfaceFrame>>>,
    replies: Replies,
) -> std::io::Result<()> {
    std::thread::Builder::new().name("session".to_owned()).spawn(move || {
        match Stepper::prepare(&spec, pool) {
            Ok(stepper) => stepper.run(&touches, |frame| {
                frames.send_replace(Some(Arc::new(frame)));
            }),
            Err(e) => {
                // Refused only if the client is gone already.
                let _ = replies.blocking_send(Err(status(Refusal::CannotPrepare(e))));
            }
        }
    })?;
    Ok(())
}

/// Feeds the stepper until the client stops, goes away or talks nonsense.
async fn read_touches(
    mut requests: Streaming<SessionRequest>,
    touches: Arc<Mailbox<Touch>>,
    replies: Replies,
) {
    let refusal = loop {
        let asked = tokio::select! {
            message = requests.message() => match message {
                Ok(Some(message)) => message.request,
                Ok(None) | Err(_) => break None,
            },
            () = replies.closed() => break None,
        };
        match asked.map(read_touch) {
            Some(Ok(touch)) => touches.put(touch),
            Some(Err(refusal)) => break Some(refusal),
            None => break Some(Refusal::Nonsense(WireError::Missing("the request"))),
        }
    };
    touches.close();
    if let Some(refusal) = refusal {
        let _ = replies.send(Err(status(refusal))).await;
    }
}

fn read_touch(asked: Asked) -> Result<Touch, Refusal> {
    match asked {
        Asked::Touch(touch) => touch.try_into().map_err(Refusal::Nonsense),
        Asked::Open(_) => Err(Refusal::OpenedTwice),
    }
}

/// Sends the newest frame whenever the line is free, and the topology before it when that changed.
async fn write_replies(
    preparing: Preparing,
    mut frames: watch::Receiver<Option<Arc<SurfaceFrame>>>,
    replies: Replies,
    _place: OwnedSemaphorePermit,
) {
    let send = async |reply: Reply| replies.send(Ok(SessionReply { reply: Some(reply) })).await;
    if send(Reply::Preparing(preparing)).await.is_err() {
        return;
    }
    let mut sent_topology = None;
    while frames.changed().await.is_ok() {
        let Some(frame) = frames.borrow_and_update().clone() else { continue };
        if sent_topology != Some(frame.topology.version) {
            sent_topology = Some(frame.topology.version);
            if send(Reply::Topology((&*frame.topology).into())).await.is_err() {
                break;
            }
        }
        if send(Reply::Frame((&*frame).into())).await.is_err() {
            break;
        }
    }
    // The stepper is gone: because the client is, or else it must be told.
    let _ = replies.send(Err(status(Refusal::SolverEnded))).await;
    tracing::info!("session closed");
}
