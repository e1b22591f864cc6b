//! One session: an object and a stepper thread between two streams.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use engine::cache::Wish;
use engine::solve::{Answer, Question, QuestionError};
use engine::{Inbox, ObjectSpec, Snapshot, Stepper, Topology, Touch, Workshop};
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

use crate::outbox::Outbox;

/// What the server lends to its clients at the most.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Objects that are open at the same time.
    pub sessions: usize,
    /// Of one object.
    pub nodes: usize,
}

impl Limits {
    /// Good meshes have five to six elements for each node; twice that leaves room for bad ones.
    fn elements(&self) -> usize {
        self.nodes.saturating_mul(12)
    }
}

/// Answers `palpate.solver.v1.Solver`.
pub(crate) struct SolverService {
    workshop: Arc<Workshop>,
    places: Arc<Semaphore>,
    limits: Limits,
}

/// Why a session is refused or ended.
#[derive(Debug)]
pub(crate) enum Refusal {
    Stranger,
    Full(Limits),
    TooLarge { size: ClaimedSize, limits: Limits },
    NothingOpened,
    Nonsense(WireError),
    OpenedTwice,
    CannotPrepare(engine::DeliveryError),
    NoThread(std::io::Error),
    NoWorkers(engine::ThreadsError),
    NoAnswer(QuestionError),
    Broken(tokio::task::JoinError),
    Panicked,
}

/// The one place where a `Status` is made.
pub(crate) fn status(refusal: Refusal) -> Status {
    match refusal {
        Refusal::Stranger => Status::unauthenticated(
            "this is not the pass that the server was started with (solver-server --pass); fetch its file again",
        ),
        Refusal::Full(limits) => Status::resource_exhausted(format!(
            "all {} sessions are taken; try again later or start the server with --max-sessions",
            limits.sessions
        )),
        Refusal::TooLarge { size, limits } => Status::invalid_argument(format!(
            "the object has {} nodes and {} elements, this server takes at most {} and {} (--max-nodes)",
            size.n_nodes,
            size.n_elements,
            limits.nodes,
            limits.elements()
        )),
        Refusal::NothingOpened => {
            Status::invalid_argument("the first request must open an object, within 10 seconds")
        }
        Refusal::Nonsense(why) => Status::invalid_argument(why.to_string()),
        Refusal::OpenedTwice => Status::invalid_argument("a session opens one object, once"),
        Refusal::CannotPrepare(why) => Status::invalid_argument(why.to_string()),
        Refusal::NoAnswer(why) => Status::invalid_argument(why.to_string()),
        Refusal::NoWorkers(why) => Status::internal(why.to_string()),
        Refusal::Panicked => Status::internal("the solver broke down"),
        Refusal::Broken(why) => Status::internal(format!("the solve broke down: {why}")),
        Refusal::NoThread(why) => Status::internal(format!("cannot start a solver thread: {why}")),
    }
}

type Replies = mpsc::Sender<Result<SessionReply, Status>>;

impl SolverService {
    pub(crate) fn new(workshop: Arc<Workshop>, limits: Limits) -> Self {
        Self { workshop, places: Arc::new(Semaphore::new(limits.sessions)), limits }
    }

    pub(crate) fn into_server(self) -> SolverServer<Self> {
        SolverServer::new(self)
            .max_decoding_message_size(MAX_MESSAGE_BYTES)
            .max_encoding_message_size(MAX_MESSAGE_BYTES)
    }

    /// The object that the client opens, if it is not too large. It is not unpacked yet: that is work for
    /// the session's own thread.
    async fn opened(&self, requests: &mut Streaming<SessionRequest>) -> Result<Object, Status> {
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
        let workshop = Arc::clone(&self.workshop);
        let preparing = Preparing {
            n_nodes: size.n_nodes as u32,
            threads: workshop.threads() as u32,
            share: 0.0,
        };
        let wish = Arc::new(Wish::default());
        let wished = Arc::clone(&wish);
        let work = move || {
            // Held as long as the work goes on, even if the client is gone before it is done.
            let _place = place;
            let question = Question::try_from(request).map_err(Refusal::Nonsense)?;
            engine::solve::answer(&question, &workshop, &wished).map_err(Refusal::NoAnswer)
        };
        let (replies, replies_out) = mpsc::channel(2);
        let work = tokio::task::spawn_blocking(work);
        tokio::spawn(write_answer(preparing, wish, work, replies));
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
            threads: self.workshop.threads() as u32,
            share: 0.0,
        };
        tracing::info!(n_nodes = preparing.n_nodes, "session opened");

        // A few replies deep: what piles up beyond that is overtaken in the outbox instead.
        let (replies, replies_out) = mpsc::channel(2);
        let frames = Arc::new(Outbox::default());
        let inbox = Arc::new(Inbox::default());
        let wish = Arc::new(Wish::default());
        let stepping = Stepping {
            object,
            workshop: Arc::clone(&self.workshop),
            wish: Arc::clone(&wish),
            inbox: Arc::clone(&inbox),
            frames: Arc::clone(&frames),
            replies: replies.clone(),
            _place: place,
        };
        std::thread::Builder::new()
            .name("session".to_owned())
            .spawn(move || stepping.run())
            .map_err(|e| status(Refusal::NoThread(e)))?;
        tokio::spawn(read_orders(requests, inbox, Arc::clone(&wish), replies.clone()));
        tokio::spawn(write_replies(preparing, wish, frames, replies));
        Ok(Response::new(Box::pin(ReceiverStream::new(replies_out))))
    }
}

/// How often a client hears how its object is coming along.
const BETWEEN_NEWS: Duration = Duration::from_millis(200);

/// Says how the work on one touch goes, then sends the answer. A client that is gone wants none.
async fn write_answer(
    preparing: Preparing,
    wish: Arc<Wish>,
    mut work: JoinHandle<Result<Answer, Refusal>>,
    replies: mpsc::Sender<Result<SolveReply, Status>>,
) {
    let reply = |news: SolveNews| SolveReply { reply: Some(news) };
    let done = loop {
        tokio::select! {
            done = &mut work => break done,
            () = tokio::time::sleep(BETWEEN_NEWS) => {
                let news = SolveNews::Preparing(Preparing { share: wish.share(), ..preparing });
                // A client that does not read need not know.
                let _ = replies.try_send(Ok(reply(news)));
            }
            () = replies.closed() => {
                wish.give_up();
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
    // Refused only if the client is gone already.
    let _ = replies.send(answer).await;
}

/// The part of a session that works: unpacks, prepares and steps the object on a thread of its own.
struct Stepping {
    object: Object,
    workshop: Arc<Workshop>,
    /// For the object's model.
    wish: Arc<Wish>,
    inbox: Arc<Inbox>,
    frames: Arc<Outbox>,
    replies: Replies,
    /// Held as long as the work goes on, even if the client is gone before it is done.
    _place: OwnedSemaphorePermit,
}

impl Stepping {
    fn run(self) {
        // A bug of ours must not leave the client waiting in silence.
        let ended = catch_unwind(AssertUnwindSafe(|| self.step_until_closed()));
        if let Err(refusal) = ended.unwrap_or(Err(Refusal::Panicked)) {
            // Refused only if the client is gone already.
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
        let order = self.wish.place(self.workshop.models(), &spec);
        let model = match self.workshop.deliver(&order) {
            Ok(model) => model,
            // The client is gone.
            Err(e) if e.is_cancelled() => return Ok(()),
            Err(e) => return Err(Refusal::CannotPrepare(e)),
        };
        Stepper::new(self.workshop.object(&model))
            .run(&self.workshop, &self.inbox, |frame| self.frames.put(frame), drop)
            .map_err(Refusal::NoWorkers)
    }
}

/// Ends the stepper and the preparation of its object when it is dropped.
struct Ending {
    inbox: Arc<Inbox>,
    wish: Arc<Wish>,
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.inbox.close();
        self.wish.give_up();
    }
}

/// Feeds the stepper until the client stops, goes away or talks nonsense.
async fn read_orders(
    mut requests: Streaming<SessionRequest>,
    inbox: Arc<Inbox>,
    wish: Arc<Wish>,
    replies: Replies,
) {
    // However this ends, the stepper ends as well.
    let ending = Ending { inbox: Arc::clone(&inbox), wish };
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

/// Says how the preparation goes, then sends the newest frame whenever the line is free, and the topology before it when that changed.
async fn write_replies(
    preparing: Preparing,
    wish: Arc<Wish>,
    frames: Arc<Outbox>,
    replies: Replies,
) {
    let send = async |reply: Reply| replies.send(Ok(SessionReply { reply: Some(reply) })).await;
    let mut next = loop {
        let share = wish.share();
        if send(Reply::Preparing(Preparing { share, ..preparing })).await.is_err() {
            return;
        }
        if let Ok(first) = tokio::time::timeout(BETWEEN_NEWS, frames.next()).await {
            break first;
        }
    };
    let mut sent_topology: Option<Arc<Topology>> = None;
    while let Some(frame) = next {
        // Not by its version: an object that was put back may tear elsewhere under the same number.
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
