//! Clients of a server that is newer than they are.

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};

use engine::SurfaceFrame;
use proto::v1::session_reply::Reply;
use proto::v1::solver_server::Solver;
use proto::v1::{self, InfoReply, InfoRequest, SessionReply, SolveReply, StepReport, Topology};
use tokio_stream::{Stream, StreamExt};
use tonic::{Request, Response, Status, Streaming};

use super::*;

/// A server that sends one frame of one triangle.
struct NewerServer {
    grip: i32,
    outcome: i32,
    n_sessions: Arc<AtomicUsize>,
}

fn numbers<T, const N: usize>(numbers: &[T], bytes: fn(T) -> [u8; N]) -> bytes::Bytes
where
    T: Copy,
{
    numbers.iter().flat_map(|&number| bytes(number)).collect()
}

type Replies<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

#[tonic::async_trait]
impl Solver for NewerServer {
    type SolveStream = Replies<SolveReply>;
    type SessionStream = Replies<SessionReply>;

    async fn info(&self, _: Request<InfoRequest>) -> Result<Response<InfoReply>, Status> {
        let info = InfoReply { version: "9.8.7".to_owned(), protocol: 99, ..InfoReply::default() };
        Ok(Response::new(info))
    }

    async fn solve(
        &self,
        _: Request<v1::SolveRequest>,
    ) -> Result<Response<Self::SolveStream>, Status> {
        Err(Status::unimplemented("not asked for"))
    }

    async fn session(
        &self,
        _: Request<Streaming<v1::SessionRequest>>,
    ) -> Result<Response<Self::SessionStream>, Status> {
        self.n_sessions.fetch_add(1, Ordering::Relaxed);
        let points = numbers(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0], f32::to_le_bytes);
        let topology = Topology {
            grip: self.grip,
            nodes: numbers(&[0, 1, 2], u32::to_le_bytes),
            rest_positions: points.clone(),
            triangles: numbers(&[0, 1, 2], u32::to_le_bytes),
            ..Topology::default()
        };
        let report = StepReport {
            outcome: self.outcome,
            detail: "it melted".to_owned(),
            ..Default::default()
        };
        let frame =
            v1::SurfaceFrame { positions: points, report: Some(report), ..Default::default() };
        // The first reply is of a kind that this version does not know.
        let replies = [None, Some(Reply::Topology(topology)), Some(Reply::Frame(frame))];
        let replies = tokio_stream::iter(replies.map(|reply| Ok(SessionReply { reply })));
        Ok(Response::new(Box::pin(replies.chain(tokio_stream::pending()))))
    }
}

/// What a client gets from a newer server: its frame, its state, and the number of sessions.
fn met(grip: i32, outcome: i32) -> (Option<Arc<SurfaceFrame>>, LinkState, usize) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let url: ServerUrl = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
    let n_sessions = Arc::new(AtomicUsize::new(0));
    let service = NewerServer { grip, outcome, n_sessions: Arc::clone(&n_sessions) };
    let (stop, stopped) = oneshot::channel::<()>();
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name("newer server".to_owned())
            .spawn_scoped(scope, move || {
                let served = Server::builder()
                    .add_service(SolverServer::new(service))
                    .serve_with_incoming(TcpIncoming::from(listener));
                runtime.block_on(async {
                    tokio::select! { _ = served => {}, _ = stopped => {} }
                });
            })
            .unwrap();
        let bell = Arc::new(Bell::default());
        let mut link = RemoteLink::start(url, spec(1e4), Arc::clone(&bell)).unwrap();
        let deadline = Instant::now() + PATIENCE;
        while matches!(link.state(), LinkState::Preparing(_)) {
            assert!(Instant::now() < deadline, "{:?}", link.state());
            bell.wait_for(Duration::from_millis(5));
        }
        let met = (link.latest(), link.state(), n_sessions.load(Ordering::Relaxed));
        drop(link);
        drop(stop);
        met
    })
}

#[test]
fn a_frame_of_a_newer_server_is_shown_even_if_its_outcome_is_unknown() {
    let nodes = v1::topology::Grip::Nodes.into();
    let (frame, state, _) = met(nodes, 77);
    assert!(matches!(state, LinkState::Ready(_)), "{state:?}");
    let outcome = format!("{:?}", frame.unwrap().report.outcome);
    assert!(outcome.starts_with("Refused") && outcome.contains("77: it melted"), "{outcome}");
}

#[test]
fn a_surface_that_only_a_newer_client_can_hold_ends_the_link_and_names_both_versions() {
    let (_, state, n_sessions) = met(9, 1);
    let LinkState::Failed(why) = state else { panic!("{state:?}: it would upload for ever") };
    assert!(why.contains("unknown grip 9") && why.contains("version 9.8.7"), "{why}");
    assert_eq!(n_sessions, 1);
}
