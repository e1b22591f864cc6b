//! Solver link over gRPC: to a `solver-server` on this machine, or on another one with TLS and a
//! pass.
//!
//! One thread with its own small tokio runtime keeps one stream open. When the stream breaks, the
//! thread opens it again with the same object. No asynchronous code exists outside this module.

mod broken;
mod connection;
mod pass;
mod questions;
mod server_info;
mod server_url;

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use physics::{
    FrameContent, Grip, NodalDisplacements, ObjectSpec, SampleId, Snapshot, SurfaceFrame, Touch,
};
use proto::v1::session_reply::Reply;
use proto::v1::session_request::Request;
use proto::v1::{self, SessionReply, SessionRequest};
use proto::{CONTACT_PROTOCOL, FrameAssembler};
use tokio::sync::{mpsc, watch};
use tokio_stream::wrappers::ReceiverStream;
use tonic::Streaming;

use crate::backoff::Backoff;
use crate::embedded::publish;
use crate::mailbox::{Bell, Mailbox};
use crate::single_precision;
use crate::solver_link::{LinkOptions, LinkState, SolverLink, preparing};

use broken::Broken;
pub use broken::gives_up;
use connection::{client, description, leave};
pub use pass::{Pass, PassError};
pub use questions::{AskError, ask, ask_on, info, reach, reach_within};
pub use server_info::{ServerInfo, ServerLimits, ServerMachine};
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

/// Object to open in every session of a link, and how.
struct Opening {
    spec: ObjectSpec,
    options: LinkOptions,
}

impl Opening {
    fn request(&self) -> SessionRequest {
        let LinkOptions { content, threads } = self.options;
        let content = v1::session_options::Content::from(content).into();
        SessionRequest {
            request: Some(Request::Open((&self.spec).into())),
            options: Some(v1::SessionOptions { content, threads: saturated(threads) }),
        }
    }
}

fn saturated(threads: usize) -> u32 {
    u32::try_from(threads).unwrap_or(u32::MAX)
}

impl RemoteLink {
    /// Starts to connect and returns at once. [`SolverLink::state`] reports the progress; `bell`
    /// rings for every frame.
    pub fn start(url: ServerUrl, spec: ObjectSpec, bell: Arc<Bell>) -> io::Result<Self> {
        Self::open(url, spec, LinkOptions::default(), bell)
    }

    /// [`start`](Self::start) with options.
    pub fn open(
        url: ServerUrl,
        spec: ObjectSpec,
        options: LinkOptions,
        bell: Arc<Bell>,
    ) -> io::Result<Self> {
        let opening = Opening { spec, options };
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
                runtime.block_on(keep_connected(&url, &opening, wanted_out, stopped, &for_thread));
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

impl Shared {
    fn was_ready(&self) -> bool {
        matches!(*self.state.lock().unwrap_or_else(PoisonError::into_inner), LinkState::Ready(_))
    }

    /// Reports that the object is being sent, which takes long on a slow line. While the link is
    /// lost, the reason stays.
    fn report_sending(&self, url: &ServerUrl, bytes: u64) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*state, LinkState::Preparing(_)) {
            let megabytes = bytes as f64 / 1e6;
            *state = LinkState::Preparing(format!("{url}: sending the object, {megabytes:.1} MB"));
        }
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
    opening: &Opening,
    wanted: watch::Receiver<Wanted>,
    mut stopped: watch::Receiver<()>,
    shared: &Shared,
) {
    let mut backoff = Backoff::default();
    loop {
        let ended = tokio::select! {
            ended = one_session(url, opening, wanted.clone(), shared) => ended,
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
    opening: &Opening,
    wanted: watch::Receiver<Wanted>,
    shared: &Shared,
) -> Result<(), Broken> {
    let mut client = client(url, proto::frame_bytes(opening.spec.n_nodes())).await?;
    let info = description(&mut client).await?;
    if opening.spec.grip() == Grip::Contact && info.protocol < CONTACT_PROTOCOL {
        return Err(Broken::NoContact { version: info.version, protocol: info.protocol });
    }
    let open = opening.request();
    let bytes = proto::encoded_bytes(&open);
    info.limits.check((&opening.spec).into(), bytes)?;
    shared.report_sending(url, bytes);
    // Capacity 1: the newest request is always the next one that is sent.
    let (requests, requests_out) = mpsc::channel(1);
    let sending = send_requests(open, wanted, shared, requests);
    let session = client.session(ReceiverStream::new(requests_out));
    tokio::select! {
        ended = read_replies(url, session, opening.options.content, shared) => ended.map_err(|broken| match broken {
            Broken::Wire(why) => Broken::wire(why, &info),
            broken => broken,
        }),
        () = sending => Err(Broken::Ended),
    }
}

/// Opens the object, restores its newest known state, and sends the touches and restores.
async fn send_requests(
    open: SessionRequest,
    mut wanted: watch::Receiver<Wanted>,
    shared: &Shared,
    requests: mpsc::Sender<SessionRequest>,
) {
    let send = async |request: Request| {
        requests.send(SessionRequest { request: Some(request), options: None }).await.is_ok()
    };
    let n_restored = |wanted: &Wanted| wanted.restore.as_ref().map(|(n, _)| *n);
    let mut restored = n_restored(&wanted.borrow());
    if requests.send(open).await.is_err() {
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
            let request = Some(Request::Restore((&*snapshot).into()));
            room.send(SessionRequest { request, options: None });
            if let Some(touch) = next.touch
                && !send(Request::Touch((&touch).into())).await
            {
                return;
            }
        } else if let Some(touch) = next.touch {
            let request = Some(Request::Touch((&touch).into()));
            room.send(SessionRequest { request, options: None });
        }
    }
    // The link is dropped; the caller ends this future.
    std::future::pending().await
}

/// Publishes frames until the stream ends.
async fn read_replies(
    url: &ServerUrl,
    session: impl Future<Output = Result<tonic::Response<Streaming<SessionReply>>, tonic::Status>>,
    wanted: FrameContent,
    shared: &Shared,
) -> Result<(), Broken> {
    let mut replies = session.await?.into_inner();
    let mut assembler = FrameAssembler::default();
    let mut ready = url.to_string();
    while let Some(SessionReply { reply }) = replies.message().await? {
        // A newer server has other replies. They are not needed for frames.
        let Some(reply) = reply else { continue };
        match reply {
            // Sent once, just before the first frame.
            Reply::Preparing(it) if it.bytes_for_double > 0 => {
                let bytes = usize::try_from(it.bytes_for_double).unwrap_or(usize::MAX);
                let remark = single_precision::remark(bytes, "server: --memory-mb");
                ready = single_precision::with_remark(url.to_string(), Some(remark));
            }
            Reply::Preparing(it) => shared.set_state(LinkState::Preparing(format!(
                "{url}, {} threads: {}",
                it.threads,
                preparing(it.share)
            ))),
            Reply::Topology(topology) => assembler.take_topology(topology)?,
            Reply::Frame(frame) => {
                let frame = assembler.frame(frame)?;
                let got = frame.displacements.as_ref().map(NodalDisplacements::content);
                let got = got.unwrap_or_default();
                if got != wanted {
                    return Err(Broken::OtherContent { got, wanted });
                }
                if shared.newest().take(&frame) {
                    publish(&shared.frames, frame);
                }
                shared.set_state(LinkState::Ready(ready.clone()));
            }
        }
    }
    Ok(())
}
