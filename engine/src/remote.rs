//! Solver link over gRPC: to a `solver-server` on this machine, or on another one with TLS and a
//! pass.
//!
//! One thread with its own small tokio runtime keeps one stream open. When the stream breaks, the
//! thread opens it again with the same object. No asynchronous code exists outside this file.

mod pass;
mod server_url;

use std::error::Error;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use physics::family::solid::{SolveAnswer, SolveQuestion};
use physics::{ObjectSpec, SampleId, Snapshot, SurfaceFrame, Touch};
use proto::v1::session_reply::Reply;
use proto::v1::session_request::Request;
use proto::v1::solver_client::SolverClient;
use proto::v1::{self, SessionReply, SessionRequest};
use proto::{FrameAssembler, MAX_MESSAGE_BYTES, WireError};
use tokio::sync::{mpsc, watch};
use tokio_stream::wrappers::ReceiverStream;
use tonic::Streaming;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint};

use crate::backoff::Backoff;
use crate::embedded::publish;
use crate::mailbox::{Bell, Mailbox};
use crate::solver_link::{LinkState, SolverLink, preparing};

pub use pass::{Pass, PassError};
pub use server_url::{ServerUrl, UrlError};

/// Link to a solver in another process.
pub struct RemoteLink {
    wanted: watch::Sender<Wanted>,
    /// Dropped to end the thread.
    stop: Option<watch::Sender<()>>,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    frames: Mailbox<Arc<SurfaceFrame>>,
    state: Mutex<LinkState>,
    newest: Mutex<Newest>,
}

/// Newest known state of the object. After a lost connection, the server continues from it.
#[derive(Default)]
struct Newest {
    snapshot: Option<Arc<Snapshot>>,
    /// Sample of a state that was sent to the server and is not confirmed yet. Frames that arrive
    /// before the confirmation show what the restore undoes.
    pending: Option<SampleId>,
}

impl Newest {
    /// Reads a frame's history. Returns false for a frame to ignore: one from before a pending
    /// restore.
    fn take(&mut self, frame: &SurfaceFrame) -> bool {
        let restored = frame.history.restored.as_ref().map(|snapshot| snapshot.sample);
        if self.pending.is_some() && restored != self.pending {
            return false;
        }
        self.pending = None;
        if let Some(snapshot) = &frame.history.snapshot {
            self.snapshot = Some(Arc::clone(snapshot));
        }
        true
    }

    /// Returns the state that a new session must restore, if there is one, and marks it as pending.
    fn begin(&mut self) -> Option<Arc<Snapshot>> {
        let is_asked = self.pending.is_some();
        // Matter without memory needs no state.
        let is_needed = |snapshot: &Arc<Snapshot>| is_asked || !snapshot.matter.is_empty();
        let snapshot = self.snapshot.clone().filter(is_needed);
        self.pending = snapshot.as_ref().map(|snapshot| snapshot.sample);
        snapshot
    }
}

/// Next request to the server.
#[derive(Debug, Default, Clone)]
struct Wanted {
    touch: Option<Touch>,
    /// State to restore, and the number of restores before it.
    restore: Option<(u64, Arc<Snapshot>)>,
}

/// One stream ended.
#[derive(Debug, thiserror::Error)]
enum Broken {
    #[error("cannot connect: {}", root_cause(.0))]
    Connect(#[from] tonic::transport::Error),
    #[error("{}", said(.0))]
    Status(#[from] tonic::Status),
    #[error("cannot read what the server sent: {0}")]
    Wire(#[from] WireError),
    #[error("the server ended the session")]
    Ended,
    #[error("the server has not answered within {} s: is it busy?", .0.as_secs())]
    Late(Duration),
}

impl RemoteLink {
    /// Starts to connect and returns at once. [`SolverLink::state`] reports the progress; `bell`
    /// rings for every frame.
    pub fn start(url: ServerUrl, spec: ObjectSpec, bell: Arc<Bell>) -> io::Result<Self> {
        let (wanted, wanted_out) = watch::channel(Wanted::default());
        let (stop, stopped) = watch::channel(());
        let shared = Arc::new(Shared {
            frames: Mailbox::ringing(bell),
            state: Mutex::new(LinkState::Preparing(format!("connecting to {url}"))),
            newest: Mutex::default(),
        });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let for_thread = Arc::clone(&shared);
        let thread =
            std::thread::Builder::new().name("solver-link".to_owned()).spawn(move || {
                runtime.block_on(keep_connected(&url, &spec, wanted_out, stopped, &for_thread));
                leave(runtime);
            })?;
        Ok(Self { wanted, stop: Some(stop), shared, thread: Some(thread) })
    }
}

impl SolverLink for RemoteLink {
    fn submit(&mut self, touch: Touch) -> Option<Touch> {
        // The link's own thread copies the touch, so the previous one can be returned.
        let mut older = None;
        self.wanted.send_modify(|wanted| older = wanted.touch.replace(touch));
        older
    }

    fn restore(&mut self, snapshot: Arc<Snapshot>) {
        let mut newest = self.shared.newest();
        newest.pending = Some(snapshot.sample);
        newest.snapshot = Some(Arc::clone(&snapshot));
        drop(newest);
        self.wanted.send_modify(|wanted| {
            let n = wanted.restore.as_ref().map_or(0, |(n, _)| n + 1);
            *wanted = Wanted { touch: None, restore: Some((n, snapshot)) };
        });
    }

    fn latest(&mut self) -> Option<Arc<SurfaceFrame>> {
        self.shared.frames.take()
    }

    fn state(&self) -> LinkState {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for RemoteLink {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the solver link's thread panicked");
        }
    }
}

/// Asks a server for one solve and waits for the answer. `on_share` gets the share of the work that
/// is done, between 0 and 1.
pub fn ask(
    url: &ServerUrl,
    question: &SolveQuestion,
    on_share: impl Fn(f64),
) -> Result<SolveAnswer, AskError> {
    wait(asked(url, question, on_share))
}

/// [`ask`] with a time limit of `patience`.
pub fn ask_within(
    url: &ServerUrl,
    question: &SolveQuestion,
    patience: Duration,
) -> Result<SolveAnswer, AskError> {
    wait(within(patience, asked(url, question, |_| {})))
}

/// Checks that a server answers and accepts the pass. Call it before long work that relies on the
/// server.
pub fn reach(url: &ServerUrl) -> Result<(), AskError> {
    /// Time limit. The server has nothing to compute.
    const PATIENCE: Duration = Duration::from_secs(10);
    wait(within(PATIENCE, async {
        // The request is empty: a server that understands it answers `InvalidArgument`.
        match client(url).await?.solve(v1::SolveRequest::default()).await {
            Ok(_) => Ok(()),
            Err(status) if status.code() == tonic::Code::InvalidArgument => Ok(()),
            Err(status) => Err(Broken::Status(status)),
        }
    }))
}

async fn asked(
    url: &ServerUrl,
    question: &SolveQuestion,
    on_share: impl Fn(f64),
) -> Result<SolveAnswer, Broken> {
    let mut replies =
        client(url).await?.solve(v1::SolveRequest::from(question)).await?.into_inner();
    while let Some(reply) = replies.message().await? {
        match reply.reply {
            Some(v1::solve_reply::Reply::Preparing(preparing)) => on_share(preparing.share),
            Some(v1::solve_reply::Reply::Answer(answer)) => return Ok(answer.try_into()?),
            None => return Err(WireError::Missing("the reply").into()),
        }
    }
    Err(Broken::Ended)
}

async fn within<T>(
    patience: Duration,
    answer: impl Future<Output = Result<T, Broken>>,
) -> Result<T, Broken> {
    let answer = tokio::time::timeout(patience, answer).await;
    answer.unwrap_or(Err(Broken::Late(patience)))
}

/// Runs a network request to its end on a runtime of its own.
fn wait<T>(answer: impl Future<Output = Result<T, Broken>>) -> Result<T, AskError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let answer = runtime.block_on(answer);
    leave(runtime);
    Ok(answer?)
}

/// Ends a runtime without waiting for a host name that is still being looked up.
fn leave(runtime: tokio::runtime::Runtime) {
    runtime.shutdown_background();
}

/// A server did not answer a question.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct AskError(String);

impl From<io::Error> for AskError {
    fn from(e: io::Error) -> Self {
        Self(format!("cannot start the network loop: {e}"))
    }
}

impl From<Broken> for AskError {
    fn from(broken: Broken) -> Self {
        Self(broken.to_string())
    }
}

impl Broken {
    /// True if the server would refuse the same object again.
    fn is_final(&self) -> bool {
        match self {
            Self::Status(status) => {
                matches!(status.code(), tonic::Code::InvalidArgument | tonic::Code::Unauthenticated)
            }
            Self::Connect(_) | Self::Wire(_) | Self::Ended | Self::Late(_) => false,
        }
    }
}

impl Shared {
    fn was_ready(&self) -> bool {
        matches!(*self.state.lock().unwrap_or_else(PoisonError::into_inner), LinkState::Ready(_))
    }

    fn newest(&self) -> MutexGuard<'_, Newest> {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_state(&self, state: LinkState) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }
}

/// Opens the stream, again after every loss, until the link is dropped or an error is final.
async fn keep_connected(
    url: &ServerUrl,
    spec: &ObjectSpec,
    wanted: watch::Receiver<Wanted>,
    mut stopped: watch::Receiver<()>,
    shared: &Shared,
) {
    let mut backoff = Backoff::default();
    loop {
        let ended = tokio::select! {
            ended = one_session(url, spec, wanted.clone(), shared) => ended,
            _ = stopped.changed() => return,
        };
        let broken = ended.err().unwrap_or(Broken::Ended);
        if shared.was_ready() {
            backoff.reset();
        }
        let reason = format!("{url}: {broken}");
        if broken.is_final() {
            shared.set_state(LinkState::Failed(reason));
            return;
        }
        shared.set_state(LinkState::Lost(reason));
        tokio::select! {
            () = tokio::time::sleep(backoff.pause()) => {}
            _ = stopped.changed() => return,
        }
    }
}

/// Runs one stream from its opening to its end.
async fn one_session(
    url: &ServerUrl,
    spec: &ObjectSpec,
    wanted: watch::Receiver<Wanted>,
    shared: &Shared,
) -> Result<(), Broken> {
    let mut client = client(url).await?;
    // Capacity 1: the newest request is always the next one that is sent.
    let (requests, requests_out) = mpsc::channel(1);
    let sending = send_requests(spec, wanted, shared, requests);
    let session = client.session(ReceiverStream::new(requests_out));
    tokio::select! {
        ended = read_replies(url, session, shared) => ended,
        () = sending => Err(Broken::Ended),
    }
}

/// Opens the object, restores its newest known state, and sends the touches and restores.
async fn send_requests(
    spec: &ObjectSpec,
    mut wanted: watch::Receiver<Wanted>,
    shared: &Shared,
    requests: mpsc::Sender<SessionRequest>,
) {
    let send = async |request: Request| {
        requests.send(SessionRequest { request: Some(request) }).await.is_ok()
    };
    let n_restored = |wanted: &Wanted| wanted.restore.as_ref().map(|(n, _)| *n);
    let mut restored = n_restored(&wanted.borrow());
    if !send(Request::Open(spec.into())).await {
        return;
    }
    let begins_with = shared.newest().begin();
    if let Some(snapshot) = begins_with
        && !send(Request::Restore((&*snapshot).into())).await
    {
        return;
    }
    while wanted.changed().await.is_ok() {
        let Ok(room) = requests.reserve().await else { return };
        let next = wanted.borrow_and_update().clone();
        if n_restored(&next) != restored
            && let Some((n, snapshot)) = next.restore
        {
            restored = Some(n);
            room.send(SessionRequest { request: Some(Request::Restore((&*snapshot).into())) });
            if let Some(touch) = next.touch
                && !send(Request::Touch((&touch).into())).await
            {
                return;
            }
        } else if let Some(touch) = next.touch {
            room.send(SessionRequest { request: Some(Request::Touch((&touch).into())) });
        }
    }
    // The link is dropped; the caller ends this future.
    std::future::pending().await
}

/// Publishes frames until the stream ends.
async fn read_replies(
    url: &ServerUrl,
    session: impl Future<Output = Result<tonic::Response<Streaming<SessionReply>>, tonic::Status>>,
    shared: &Shared,
) -> Result<(), Broken> {
    let mut replies = session.await?.into_inner();
    let mut assembler = FrameAssembler::default();
    while let Some(SessionReply { reply }) = replies.message().await? {
        match reply.ok_or(WireError::Missing("the reply"))? {
            Reply::Preparing(it) => shared.set_state(LinkState::Preparing(format!(
                "{url}, {} threads: {}",
                it.threads,
                preparing(it.share)
            ))),
            Reply::Topology(topology) => assembler.take_topology(topology)?,
            Reply::Frame(frame) => {
                let frame = assembler.frame(frame)?;
                if shared.newest().take(&frame) {
                    publish(&shared.frames, frame);
                }
                shared.set_state(LinkState::Ready(url.to_string()));
            }
        }
    }
    Ok(())
}

/// Adds the pass to every request, if the server needs one.
struct PassInterceptor(Option<MetadataValue<Ascii>>);

impl Interceptor for PassInterceptor {
    fn call(
        &mut self,
        mut request: tonic::Request<()>,
    ) -> Result<tonic::Request<()>, tonic::Status> {
        if let Some(authorization) = &self.0 {
            request.metadata_mut().insert("authorization", authorization.clone());
        }
        Ok(request)
    }
}

async fn client(
    url: &ServerUrl,
) -> Result<SolverClient<InterceptedService<Channel, PassInterceptor>>, tonic::transport::Error> {
    let mut endpoint = Endpoint::from_shared(url.to_string())?
        .connect_timeout(Duration::from_secs(3))
        // With Nagle's algorithm a surface of 100 kB takes 40 ms.
        .tcp_nodelay(true)
        // Detects within 5 s a server that vanished without closing the connection.
        .http2_keep_alive_interval(Duration::from_secs(2))
        .keep_alive_timeout(Duration::from_secs(3))
        .keep_alive_while_idle(true);
    let mut introduction = PassInterceptor(None);
    if let Some(pass) = url.pass() {
        // Trusts this certificate only, not the certificate authorities of the system.
        let tls = ClientTlsConfig::new()
            .ca_certificate(Certificate::from_pem(pass.certificate()))
            .domain_name(Pass::SERVER_NAME);
        endpoint = endpoint.tls_config(tls)?;
        let authorization = pass.authorization().parse();
        let mut secret: MetadataValue<Ascii> = authorization.expect("hexadecimal digits are ASCII");
        secret.set_sensitive(true);
        introduction = PassInterceptor(Some(secret));
    }
    let channel = endpoint.connect().await?;
    Ok(SolverClient::with_interceptor(channel, introduction)
        .max_decoding_message_size(MAX_MESSAGE_BYTES)
        .max_encoding_message_size(MAX_MESSAGE_BYTES))
}

/// Text of the innermost cause: a transport error hides it ("connection refused") behind its own
/// name.
fn root_cause(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = error.to_string();
        cause = error.source();
    }
    text
}

/// Error text of a status: the server's message, or the transport error behind the status.
fn said(status: &tonic::Status) -> String {
    match status.source() {
        Some(cause) => format!("the connection broke: {}", root_cause(cause)),
        None => format!("the server says: {}", status.message()),
    }
}
