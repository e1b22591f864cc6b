//! The gRPC service: sessions and single solves.
//!
//! A session has one object, and a stepper thread between the stream of requests and the stream of
//! replies.

use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use engine::model_cache::WorkHandle;
use engine::single_solve::SolveQuestion;
use engine::{
    FrameContent, Inbox, ObjectSpec, Snapshot, SolverResources, Stepper, Topology, Touch,
};
use proto::v1::session_reply::Reply;
use proto::v1::session_request::Request as Asked;
use proto::v1::solve_reply::Reply as SolveNews;
use proto::v1::solver_server::{Solver, SolverServer};
use proto::v1::{
    InfoReply, InfoRequest, Object, Preparing, SessionOptions, SessionReply, SessionRequest,
    SolveReply, SolveRequest,
};
use proto::{ClaimedSize, FAMILIES, PROTOCOL, WireError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot, watch};
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Request, Response, Status, Streaming};

use crate::connections::{address_of, shown};
use crate::machine;
use crate::newest_frame::NewestFrame;
use crate::once_until::OnceUntil;
use crate::refusal::{Refusal, status};
use crate::server::off_the_network;
use crate::upload::{FirstMessage, WatchedUploads};

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
    pub(crate) fn elements(&self) -> usize {
        self.nodes.saturating_mul(12)
    }

    /// Size of the largest message: a question about the largest object.
    pub(crate) fn message_bytes(&self) -> u64 {
        let largest = ClaimedSize { n_nodes: self.nodes, n_elements: self.elements() };
        proto::question_bytes(largest).clamp(proto::LEAST_LIMIT, proto::MOST_BYTES)
    }
}

/// Implements `palpate.solver.v1.Solver`.
pub(crate) struct SolverService {
    resources: Arc<SolverResources>,
    places: Arc<Semaphore>,
    limits: Limits,
    /// Description of the server, but for the number of its sessions.
    info: InfoReply,
    /// True once the server is being stopped.
    stopping: watch::Receiver<bool>,
    full_house: OnceUntil,
}

type Replies = mpsc::Sender<Result<SessionReply, Status>>;

impl SolverService {
    pub(crate) fn new(
        resources: Arc<SolverResources>,
        limits: Limits,
        stopping: watch::Receiver<bool>,
    ) -> Self {
        let info = InfoReply {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            protocol: PROTOCOL,
            families: FAMILIES.iter().map(|&family| family.to_owned()).collect(),
            limits: Some(proto::v1::Limits {
                sessions: saturated(limits.sessions),
                nodes: saturated(limits.nodes),
                elements: saturated(limits.elements()),
                message_bytes: limits.message_bytes(),
                factor_bytes: resources.budget().object.factor_bytes as u64,
            }),
            sessions: 0,
            threads: saturated(resources.threads()),
            machine: Some(machine::this()),
        };
        let places = Arc::new(Semaphore::new(limits.sessions));
        Self { resources, places, limits, info, stopping, full_house: OnceUntil::default() }
    }

    /// Places of sessions and single solves. All are free when no work is left.
    pub(crate) fn places(&self) -> Arc<Semaphore> {
        Arc::clone(&self.places)
    }

    pub(crate) fn into_server(self) -> WatchedUploads<SolverServer<Self>> {
        let most = self.limits.message_bytes();
        WatchedUploads::new(SolverServer::new(self), most)
    }

    /// Waits for the first request and returns the object that it opens, if the object is not too
    /// large. The session's own thread unpacks the object.
    async fn opened(
        &self,
        first: Option<FirstMessage>,
        requests: &mut Streaming<SessionRequest>,
    ) -> Result<(Object, SessionOptions, FrameContent), Status> {
        let mut stopping = self.stopping.clone();
        let arrived = tokio::select! {
            arrived = requests.message() => arrived?,
            _ = stopping.wait_for(|&it| it) => return Err(status(Refusal::Stopping)),
        };
        let first = match arrived {
            Some(_) => FirstMessage::read::<SessionRequest>(first)?,
            None => return Err(status(Refusal::NothingOpened)),
        };
        let Some(Asked::Open(object)) = first.request else {
            return Err(status(Refusal::NothingOpened));
        };
        self.check_size(&object)?;
        let options = first.options.unwrap_or_default();
        let content = proto::content(&options).map_err(|e| status(Refusal::Nonsense(e)))?;
        Ok((object, options, content))
    }

    fn check_size(&self, object: &Object) -> Result<(), Status> {
        let size = ClaimedSize::of(object);
        if size.n_nodes > self.limits.nodes || size.n_elements > self.limits.elements() {
            return Err(status(Refusal::TooLarge { size, limits: self.limits }));
        }
        Ok(())
    }

    fn check_answer(&self, size: ClaimedSize, wants_stresses: bool) -> Result<(), Status> {
        let bytes = proto::answer_bytes(size, wants_stresses);
        if bytes > proto::MOST_BYTES {
            return Err(status(Refusal::AnswerTooLarge { bytes }));
        }
        Ok(())
    }

    fn place(&self, client: Option<SocketAddr>) -> Result<OwnedSemaphorePermit, Status> {
        if *self.stopping.borrow() {
            return Err(status(Refusal::Stopping));
        }
        match Arc::clone(&self.places).try_acquire_owned() {
            Ok(place) => {
                self.full_house.end();
                Ok(place)
            }
            Err(_) => {
                if self.full_house.is_first() {
                    tracing::warn!(
                        "refused a client at {}: all {} sessions are taken (--max-sessions); \
                         further refusals are not logged until one ends",
                        shown(client),
                        self.limits.sessions
                    );
                }
                Err(status(Refusal::Full(self.limits)))
            }
        }
    }
}

fn saturated(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[tonic::async_trait]
impl Solver for SolverService {
    type SolveStream = Pin<Box<dyn Stream<Item = Result<SolveReply, Status>> + Send>>;
    type SessionStream = Pin<Box<dyn Stream<Item = Result<SessionReply, Status>> + Send>>;

    async fn info(&self, _: Request<InfoRequest>) -> Result<Response<InfoReply>, Status> {
        let n_taken = self.limits.sessions - self.places.available_permits();
        Ok(Response::new(InfoReply { sessions: saturated(n_taken), ..self.info.clone() }))
    }

    async fn solve(
        &self,
        request: Request<SolveRequest>,
    ) -> Result<Response<Self::SolveStream>, Status> {
        let place = self.place(address_of(&request))?;
        let request = FirstMessage::read::<SolveRequest>(FirstMessage::of(&request))?;
        let size = request.object.as_ref().map(ClaimedSize::of).unwrap_or_default();
        if let Some(object) = &request.object {
            self.check_size(object)?;
            self.check_answer(size, request.wants_stresses)?;
            tracing::info!(n_nodes = size.n_nodes, "solving one touch");
        }
        let resources = self.resources.at_most(request.threads as usize);
        let preparing = Preparing {
            n_nodes: size.n_nodes as u32,
            threads: resources.threads() as u32,
            share: 0.0,
            bytes_for_double: 0,
        };
        let handle = Arc::new(WorkHandle::default());
        let for_work = Arc::clone(&handle);
        let work = move || {
            // Held until the work ends, even if the client has gone before.
            let _place = place;
            let question = SolveQuestion::try_from(request).map_err(Refusal::Nonsense)?;
            let answer = engine::single_solve::answer(&question, &resources, &for_work)
                .map_err(Refusal::NoAnswer)?;
            tracing::info!(residual = answer.solution.residual, "solved");
            // Packed here, because the network thread serves all sessions.
            Ok(SolveNews::Answer((&answer).into()))
        };
        let (answer, answered) = oneshot::channel();
        let answer_once = move || {
            // A panic must not leave the client waiting for a reply.
            let answered = catch_unwind(AssertUnwindSafe(work));
            // Fails only if the server has ended.
            let _ = answer.send(answered.unwrap_or(Err(Refusal::Panicked)));
        };
        std::thread::Builder::new()
            .name("solve".to_owned())
            .spawn(answer_once)
            .map_err(|e| status(Refusal::NoThread(e)))?;
        let (replies, replies_out) = mpsc::channel(2);
        tokio::spawn(write_answer(preparing, handle, answered, replies));
        Ok(Response::new(Box::pin(ReceiverStream::new(replies_out))))
    }

    async fn session(
        &self,
        request: Request<Streaming<SessionRequest>>,
    ) -> Result<Response<Self::SessionStream>, Status> {
        let place = self.place(address_of(&request))?;
        let first = FirstMessage::of(&request);
        let mut requests = request.into_inner();
        let (object, options, content) = self.opened(first, &mut requests).await?;
        let resources = self.resources.at_most(options.threads as usize);
        let preparing = Preparing {
            n_nodes: ClaimedSize::of(&object).n_nodes as u32,
            threads: resources.threads() as u32,
            share: 0.0,
            bytes_for_double: 0,
        };
        tracing::info!(n_nodes = preparing.n_nodes, "session opened");

        // A short queue: later frames wait in `NewestFrame`, where newer ones replace them.
        let (replies, replies_out) = mpsc::channel(2);
        let frames = Arc::new(NewestFrame::default());
        let inbox = Arc::new(Inbox::default());
        let handle = Arc::new(WorkHandle::default());
        let stepping = Stepping {
            object,
            content,
            resources,
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
        let ending = Ending { inbox, handle: Arc::clone(&handle) };
        tokio::spawn(read_requests(requests, ending, self.stopping.clone(), replies.clone()));
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
    mut answered: oneshot::Receiver<Result<SolveNews, Refusal>>,
    replies: mpsc::Sender<Result<SolveReply, Status>>,
) {
    let reply = |news: SolveNews| SolveReply { reply: Some(news) };
    let done = loop {
        tokio::select! {
            done = &mut answered => break done,
            () = tokio::time::sleep(BETWEEN_NEWS) => {
                let news = SolveNews::Preparing(Preparing { share: handle.share(), ..preparing });
                // A client that does not read misses progress messages only.
                let _ = replies.try_send(Ok(reply(news)));
            }
            () = replies.closed() => {
                handle.cancel();
                break answered.await;
            }
        }
    };
    let answer = match done {
        Ok(Ok(answer)) => Ok(reply(answer)),
        Ok(Err(refusal)) => {
            let status = status(refusal);
            tracing::info!("not solved: {}", status.message());
            Err(status)
        }
        // The thread answers in any case; it ended without one only with the process.
        Err(_) => Err(status(Refusal::Panicked)),
    };
    // Fails only if the client has gone.
    let _ = replies.send(answer).await;
}

/// Session thread: unpacks, prepares and steps the object.
struct Stepping {
    object: Object,
    content: FrameContent,
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
        let (replies, frames) = (self.replies.clone(), Arc::clone(&self.frames));
        // A panic must not leave the client waiting for a reply.
        let ended = catch_unwind(AssertUnwindSafe(|| self.step_until_closed()));
        if let Err(refusal) = ended.unwrap_or(Err(Refusal::Panicked)) {
            // Fails only if the client has gone.
            let _ = replies.blocking_send(Err(status(refusal)));
        }
        frames.close();
        tracing::info!("session closed");
    }

    fn step_until_closed(self) -> Result<(), Refusal> {
        // The message is gone when the object is unpacked, and the unpacked object when its model
        // is found in the cache.
        let spec = ObjectSpec::try_from(self.object).map_err(Refusal::Nonsense)?;
        if self.inbox.is_closed() {
            return Ok(());
        }
        let request = self.handle.request_model(self.resources.models(), &spec);
        drop(spec);
        let model = match self.resources.prepare(&request) {
            Ok(model) => model,
            // The client has gone.
            Err(e) if e.is_cancelled() => return Ok(()),
            Err(e) => return Err(Refusal::CannotPrepare(e)),
        };
        Stepper::new(self.resources.object(&model))
            .carrying(self.content)
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
        // The model may leave the cache: to give gigabytes back takes long.
        let handle = Arc::clone(&self.handle);
        if !off_the_network(move || handle.cancel()) {
            self.handle.cancel();
        }
    }
}

/// Passes requests to the stepper until the client ends the stream, disconnects or sends an invalid
/// request.
///
/// Dropping `ending` ends the stepper, too, on every way out of this function.
async fn read_requests(
    mut requests: Streaming<SessionRequest>,
    ending: Ending,
    mut stopping: watch::Receiver<bool>,
    replies: Replies,
) {
    let refusal = loop {
        let asked = tokio::select! {
            message = requests.message() => match message {
                Ok(Some(message)) => message.request,
                Ok(None) => break None,
                Err(why) if why.code() == Code::Internal => {
                    break Some(status(Refusal::Unreadable(why.message().to_owned())));
                }
                // The message was too large, or the client has gone.
                Err(why) => break Some(why),
            },
            () = replies.closed() => break None,
            _ = stopping.wait_for(|&it| it) => break Some(status(Refusal::Stopping)),
        };
        let missing = || Err(Refusal::Nonsense(WireError::Missing("the request")));
        if let Err(refusal) = asked.map_or_else(missing, |asked| follow(asked, &ending.inbox)) {
            break Some(status(refusal));
        }
    };
    drop(ending);
    if let Some(status) = refusal {
        let _ = replies.send(Err(status)).await;
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
    if let Some(bytes) = handle.bytes_for_double() {
        let preparing = Preparing { share: 1.0, bytes_for_double: bytes as u64, ..preparing };
        // Fails only if the client has gone, which the next message finds.
        let _ = send(Reply::Preparing(preparing)).await;
    }
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
