//! The gRPC service: sessions and single solves.
//!
//! A session has one object, and a stepper thread between the stream of requests and the stream of
//! replies.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use engine::model_cache::WorkHandle;
use engine::single_solve::{QuestionError, SolveAnswer, SolveQuestion};
use engine::{Inbox, ObjectSpec, Snapshot, SolverResources, Stepper, Topology, Touch};
use proto::v1::session_reply::Reply;
use proto::v1::session_request::Request as Asked;
use proto::v1::solve_reply::Reply as SolveNews;
use proto::v1::solver_server::{Solver, SolverServer};
use proto::v1::{Object, Preparing, SessionReply, SessionRequest, SolveReply, SolveRequest};
use proto::{ClaimedSize, MAX_MESSAGE_BYTES, WireError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};

use crate::newest_frame::NewestFrame;

/// Limits for the clients of a server.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Largest number of objects that are open at the same time.
    pub sessions: usize,
    /// Largest number of nodes of one object.
    pub nodes: usize,
}

impl Limits {
    /// Largest number of elements of one object. Good meshes have five to six elements per node;
    /// the limit is twice as high, for bad meshes.
    fn elements(&self) -> usize {
        self.nodes.saturating_mul(12)
    }
}

/// Implements `palpate.solver.v1.Solver`.
pub(crate) struct SolverService {
    resources: Arc<SolverResources>,
    places: Arc<Semaphore>,
    limits: Limits,
}

/// Reason for refusing or ending a session or a single solve.
#[derive(Debug)]
pub(crate) enum Refusal {
    Stranger,
    Full(Limits),
    TooLarge { size: ClaimedSize, limits: Limits },
    NothingOpened,
    Nonsense(WireError),
    OpenedTwice,
    CannotPrepare(engine::PrepareError),
    NoThread(std::io::Error),
    NoWorkers(engine::ThreadsError),
    NoAnswer(QuestionError),
    Broken(tokio::task::JoinError),
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
        Refusal::TooLarge { size, limits } => Status::invalid_argument(format!(
            "the object has {} nodes and {} elements, this server accepts at most {} and {} \
             (--max-nodes)",
            size.n_nodes,
            size.n_elements,
            limits.nodes,
            limits.elements()
        )),
        Refusal::NothingOpened => {
            Status::invalid_argument("the first request must open an object, within 10 seconds")
        }
        Refusal::Nonsense(why) => Status::invalid_argument(why.to_string()),
        Refusal::OpenedTwice => Status::invalid_argument("a session can open one object only"),
        Refusal::CannotPrepare(why) => Status::invalid_argument(why.to_string()),
        Refusal::NoAnswer(why) => Status::invalid_argument(why.to_string()),
        Refusal::NoWorkers(why) => Status::internal(why.to_string()),
        Refusal::Panicked => Status::internal("the solver panicked"),
        Refusal::Broken(why) => Status::internal(format!("the solve failed: {why}")),
        Refusal::NoThread(why) => Status::internal(format!("cannot start a solver thread: {why}")),
    }
}

type Replies = mpsc::Sender<Result<SessionReply, Status>>;

impl SolverService {
    pub(crate) fn new(resources: Arc<SolverResources>, limits: Limits) -> Self {
        Self { resources, places: Arc::new(Semaphore::new(limits.sessions)), limits }
    }

    pub(crate) fn into_server(self) -> SolverServer<Self> {
        SolverServer::new(self)
            .max_decoding_message_size(MAX_MESSAGE_BYTES)
            .max_encoding_message_size(MAX_MESSAGE_BYTES)
    }

    /// Waits for the first request and returns the object that it opens, if the object is not too
    /// large. The session's own thread unpacks the object.
    async fn opened(&self, requests: &mut Streaming<SessionRequest>) -> Result<Object, Status> {
        /// Time limit for the first request.
        const PATIENCE: Duration = Duration::from_secs(10);
        let first = tokio::time::timeout(PATIENCE, requests.message())
            .await
            .map_err(|_| status(Refusal::NothingOpened))??;
        let Some(SessionRequest { request: Some(Asked::Open(object)) }) = first else {
            return Err(status(Refusal::NothingOpened));
        };
        self.check_size(&object)?;
        Ok(object)
    }

    fn check_size(&self, object: &Object) -> Result<(), Status> {
        let size = ClaimedSize::of(object);
        if size.n_nodes > self.limits.nodes || size.n_elements > self.limits.elements() {
            return Err(status(Refusal::TooLarge { size, limits: self.limits }));
        }
        Ok(())
    }

    fn place(&self) -> Result<OwnedSemaphorePermit, Status> {
        Arc::clone(&self.places).try_acquire_owned().map_err(|_| status(Refusal::Full(self.limits)))
    }
}

#[tonic::async_trait]
impl Solver for SolverService {
    type SolveStream = Pin<Box<dyn Stream<Item = Result<SolveReply, Status>> + Send>>;
    type SessionStream = Pin<Box<dyn Stream<Item = Result<SessionReply, Status>> + Send>>;

    async fn solve(
        &self,
        request: Request<SolveRequest>,
    ) -> Result<Response<Self::SolveStream>, Status> {
        let place = self.place()?;
        let request = request.into_inner();
        let size = request.object.as_ref().map(ClaimedSize::of).unwrap_or_default();
        if let Some(object) = &request.object {
            self.check_size(object)?;
            tracing::info!(n_nodes = size.n_nodes, "solving one touch");
        }
        let resources = Arc::clone(&self.resources);
        let preparing = Preparing {
            n_nodes: size.n_nodes as u32,
            threads: resources.threads() as u32,
            share: 0.0,
        };
        let handle = Arc::new(WorkHandle::default());
        let for_work = Arc::clone(&handle);
        let work = move || {
            // Held until the work ends, even if the client has gone before.
            let _place = place;
            let question = SolveQuestion::try_from(request).map_err(Refusal::Nonsense)?;
            engine::single_solve::answer(&question, &resources, &for_work)
                .map_err(Refusal::NoAnswer)
        };
        let (replies, replies_out) = mpsc::channel(2);
        let work = tokio::task::spawn_blocking(work);
        tokio::spawn(write_answer(preparing, handle, work, replies));
        Ok(Response::new(Box::pin(ReceiverStream::new(replies_out))))
    }

    async fn session(
        &self,
        request: Request<Streaming<SessionRequest>>,
    ) -> Result<Response<Self::SessionStream>, Status> {
        let place = self.place()?;
        let mut requests = request.into_inner();
        let object = self.opened(&mut requests).await?;
        let preparing = Preparing {
            n_nodes: ClaimedSize::of(&object).n_nodes as u32,
            threads: self.resources.threads() as u32,
            share: 0.0,
        };
        tracing::info!(n_nodes = preparing.n_nodes, "session opened");

        // A short queue: later frames wait in `NewestFrame`, where newer ones replace them.
        let (replies, replies_out) = mpsc::channel(2);
        let frames = Arc::new(NewestFrame::default());
        let inbox = Arc::new(Inbox::default());
        let handle = Arc::new(WorkHandle::default());
        let stepping = Stepping {
            object,
            resources: Arc::clone(&self.resources),
            handle: Arc::clone(&handle),
            inbox: Arc::clone(&inbox),
            frames: Arc::clone(&frames),
            replies: replies.clone(),
            _place: place,
        };
        std::thread::Builder::new()
            .name("session".to_owned())
            .spawn(move || stepping.run())
            .map_err(|e| status(Refusal::NoThread(e)))?;
        tokio::spawn(read_requests(requests, inbox, Arc::clone(&handle), replies.clone()));
        tokio::spawn(write_replies(preparing, handle, frames, replies));
        Ok(Response::new(Box::pin(ReceiverStream::new(replies_out))))
    }
}

/// Time between two progress messages.
const BETWEEN_NEWS: Duration = Duration::from_millis(200);

/// Sends the progress of a single solve, then its answer. Cancels the work if the client has gone.
async fn write_answer(
    preparing: Preparing,
    handle: Arc<WorkHandle>,
    mut work: JoinHandle<Result<SolveAnswer, Refusal>>,
    replies: mpsc::Sender<Result<SolveReply, Status>>,
) {
    let reply = |news: SolveNews| SolveReply { reply: Some(news) };
    let done = loop {
        tokio::select! {
            done = &mut work => break done,
            () = tokio::time::sleep(BETWEEN_NEWS) => {
                let news = SolveNews::Preparing(Preparing { share: handle.share(), ..preparing });
                // A client that does not read misses progress messages only.
                let _ = replies.try_send(Ok(reply(news)));
            }
            () = replies.closed() => {
                handle.cancel();
                break work.await;
            }
        }
    };
    let answer = match done {
        Ok(Ok(answer)) => {
            tracing::info!(residual = answer.solution.residual, "solved");
            Ok(reply(SolveNews::Answer((&answer).into())))
        }
        Ok(Err(refusal)) => {
            let status = status(refusal);
            tracing::info!("not solved: {}", status.message());
            Err(status)
        }
        Err(broken) => Err(status(Refusal::Broken(broken))),
    };
    // Fails only if the client has gone.
    let _ = replies.send(answer).await;
}

/// Session thread: unpacks, prepares and steps the object.
struct Stepping {
    object: Object,
    resources: Arc<SolverResources>,
    /// Handle of the preparation of the model.
    handle: Arc<WorkHandle>,
    inbox: Arc<Inbox>,
    frames: Arc<NewestFrame>,
    replies: Replies,
    /// Held until the work ends, even if the client has gone before.
    _place: OwnedSemaphorePermit,
}

impl Stepping {
    fn run(self) {
        // A panic must not leave the client waiting for a reply.
        let ended = catch_unwind(AssertUnwindSafe(|| self.step_until_closed()));
        if let Err(refusal) = ended.unwrap_or(Err(Refusal::Panicked)) {
            // Fails only if the client has gone.
            let _ = self.replies.blocking_send(Err(status(refusal)));
        }
        self.frames.close();
        tracing::info!("session closed");
    }

    fn step_until_closed(&self) -> Result<(), Refusal> {
        let spec = ObjectSpec::try_from(self.object.clone()).map_err(Refusal::Nonsense)?;
        if self.inbox.is_closed() {
            return Ok(());
        }
        let request = self.handle.request_model(self.resources.models(), &spec);
        let model = match self.resources.prepare(&request) {
            Ok(model) => model,
            // The client has gone.
            Err(e) if e.is_cancelled() => return Ok(()),
            Err(e) => return Err(Refusal::CannotPrepare(e)),
        };
        Stepper::new(self.resources.object(&model))
            .run(&self.resources, &self.inbox, |frame| self.frames.put(frame), drop)
            .map_err(Refusal::NoWorkers)
    }
}

/// Ends the stepper and the preparation of its object when it is dropped.
struct Ending {
    inbox: Arc<Inbox>,
    handle: Arc<WorkHandle>,
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.inbox.close();
        self.handle.cancel();
    }
}

/// Passes requests to the stepper until the client ends the stream, disconnects or sends an invalid
/// request.
async fn read_requests(
    mut requests: Streaming<SessionRequest>,
    inbox: Arc<Inbox>,
    handle: Arc<WorkHandle>,
    replies: Replies,
) {
    // Ends the stepper, too, on every way out of this function.
    let ending = Ending { inbox: Arc::clone(&inbox), handle };
    let refusal = loop {
        let asked = tokio::select! {
            message = requests.message() => match message {
                Ok(Some(message)) => message.request,
                Ok(None) | Err(_) => break None,
            },
            () = replies.closed() => break None,
        };
        match asked.map(|asked| follow(asked, &inbox)) {
            Some(Ok(())) => {}
            Some(Err(refusal)) => break Some(refusal),
            None => break Some(Refusal::Nonsense(WireError::Missing("the request"))),
        }
    };
    drop(ending);
    if let Some(refusal) = refusal {
        let _ = replies.send(Err(status(refusal))).await;
    }
}

fn follow(asked: Asked, inbox: &Inbox) -> Result<(), Refusal> {
    match asked {
        Asked::Touch(touch) => {
            drop(inbox.put(Touch::try_from(touch).map_err(Refusal::Nonsense)?));
        }
        Asked::Restore(snapshot) => {
            let snapshot = Snapshot::try_from(snapshot).map_err(Refusal::Nonsense)?;
            inbox.restore(Arc::new(snapshot));
        }
        Asked::Open(_) => return Err(Refusal::OpenedTwice),
    }
    Ok(())
}

/// Sends the progress of the preparation. Then sends the newest frame whenever the line is free,
/// with a changed topology before it.
async fn write_replies(
    preparing: Preparing,
    handle: Arc<WorkHandle>,
    frames: Arc<NewestFrame>,
    replies: Replies,
) {
    let send = async |reply: Reply| replies.send(Ok(SessionReply { reply: Some(reply) })).await;
    let mut next = loop {
        let share = handle.share();
        if send(Reply::Preparing(Preparing { share, ..preparing })).await.is_err() {
            return;
        }
        if let Ok(first) = tokio::time::timeout(BETWEEN_NEWS, frames.next()).await {
            break first;
        }
    };
    let mut sent_topology: Option<Arc<Topology>> = None;
    while let Some(frame) = next {
        // Compares pointers, not versions: after a restore, an object may tear in another way under
        // the same version.
        let is_sent = |sent: &Arc<Topology>| Arc::ptr_eq(sent, &frame.topology);
        if !sent_topology.as_ref().is_some_and(is_sent) {
            sent_topology = Some(Arc::clone(&frame.topology));
            if send(Reply::Topology((&*frame.topology).into())).await.is_err() {
                break;
            }
        }
        if send(Reply::Frame((&frame).into())).await.is_err() {
            break;
        }
        next = frames.next().await;
    }
}
