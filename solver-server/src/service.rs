//! One session: an object and a stepper thread between two streams.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use engine::cache::Wish;
use engine::solve::{Answer, Question, QuestionError};
use engine::{Mailbox, ObjectSpec, Stepper, SurfaceFrame, Touch, Workshop};
use proto::v1::session_reply::Reply;
use proto::v1::session_request::Request as Asked;
use proto::v1::solve_reply::Reply as SolveNews;
use proto::v1::solver_server::{Solver, SolverServer};
use proto::v1::{Object, Preparing, SessionReply, SessionRequest, SolveReply, SolveRequest};
use proto::{ClaimedSize, MAX_MESSAGE_BYTES, WireError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio::task::JoinHandle;
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};

/// What the server lends to its clients at the most.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) sessions: usize,
    pub(crate) nodes: usize,
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

        // A few replies deep: what piles up beyond that is overtaken in the watch channel instead.
        let (replies, replies_out) = mpsc::channel(2);
        let (frames, frames_out) = watch::channel(None);
        let touches = Arc::new(Mailbox::default());
        let wish = Arc::new(Wish::default());
        let stepping = Stepping {
            object,
            workshop: Arc::clone(&self.workshop),
            wish: Arc::clone(&wish),
            touches: Arc::clone(&touches),
            frames,
            replies: replies.clone(),
            _place: place,
        };
        std::thread::Builder::new()
            .name("session".to_owned())
            .spawn(move || stepping.run())
            .map_err(|e| status(Refusal::NoThread(e)))?;
        tokio::spawn(read_touches(requests, touches, Arc::clone(&wish), replies.clone()));
        tokio::spawn(write_replies(preparing, wish, frames_out, replies));
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
    touches: Arc<Mailbox<Touch>>,
    frames: watch::Sender<Option<Arc<SurfaceFrame>>>,
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
        tracing::info!("session closed");
    }

    fn step_until_closed(&self) -> Result<(), Refusal> {
        let spec = ObjectSpec::try_from(self.object.clone()).map_err(Refusal::Nonsense)?;
        if self.touches.is_closed() {
            return Ok(());
        }
        let order = self.wish.place(self.workshop.models(), &spec);
        let model = match self.workshop.deliver(&order) {
            Ok(model) => model,
            // The client is gone.
            Err(e) if e.is_cancelled() => return Ok(()),
            Err(e) => return Err(Refusal::CannotPrepare(e)),
        };
        let publish = |frame| {
            self.frames.send_replace(Some(Arc::new(frame)));
        };
        Stepper::new(&model)
            .run(&self.workshop, &self.touches, publish, drop)
            .map_err(Refusal::NoWorkers)
    }
}

/// Feeds the stepper until the client stops, goes away or talks nonsense.
async fn read_touches(
    mut requests: Streaming<SessionRequest>,
    touches: Arc<Mailbox<Touch>>,
    wish: Arc<Wish>,
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
            Some(Ok(touch)) => drop(touches.put(touch)),
            Some(Err(refusal)) => break Some(refusal),
            None => break Some(Refusal::Nonsense(WireError::Missing("the request"))),
        }
    };
    touches.close();
    wish.give_up();
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

/// Says how the preparation goes, then sends the newest frame whenever the line is free, and the topology before it when that changed.
async fn write_replies(
    preparing: Preparing,
    wish: Arc<Wish>,
    mut frames: watch::Receiver<Option<Arc<SurfaceFrame>>>,
    replies: Replies,
) {
    let send = async |reply: Reply| replies.send(Ok(SessionReply { reply: Some(reply) })).await;
    loop {
        let share = wish.share();
        if send(Reply::Preparing(Preparing { share, ..preparing })).await.is_err() {
            return;
        }
        match tokio::time::timeout(BETWEEN_NEWS, frames.changed()).await {
            Ok(Ok(())) => break,
            Ok(Err(_)) => return,
            Err(_) => {}
        }
    }
    frames.mark_changed();
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
}
