//! Errors of a real server, each as another client sees it and as ours does.

use std::io::Write;
use std::sync::Mutex;

use proto::v1::session_request::Request;
use proto::v1::solver_client::SolverClient;
use proto::v1::{Known, SessionRequest, SolveRequest, Touch, solve_request};
use tonic::{Code, Status};
use tracing_subscriber::fmt::MakeWriter;

use super::*;
use crate::access::PassCheck;

const LIMITS: Limits = Limits { sessions: 64, nodes: 50 };

fn server_with(factor_bytes: usize) -> ServerThread {
    let mut budget = MemoryBudget::default();
    budget.object.factor_bytes = factor_bytes;
    let resources = SolverResources::new(Some(1), budget).unwrap();
    ServerThread::start(0, resources, LIMITS).unwrap()
}

fn open(change: impl FnOnce(&mut Solid)) -> Request {
    let mut object = tetrahedron(1e4);
    let Some(object::Family::Solid(solid)) = &mut object.family else { panic!("it is a solid") };
    change(solid);
    Request::Open(object)
}

fn supports(nodes: &[u32]) -> impl FnOnce(&mut Solid) {
    let nodes: Vec<u8> = nodes.iter().flat_map(|node| node.to_le_bytes()).collect();
    move |solid| solid.supports = nodes.into()
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

/// The error that ends a session of these requests.
fn error_of_session(server: &ServerThread, requests: Vec<Request>) -> Status {
    let requests =
        requests.into_iter().map(|it| SessionRequest { request: Some(it), options: None });
    let requests: Vec<SessionRequest> = requests.collect();
    let url = format!("http://{}", server.address());
    block_on(async {
        let mut solver = SolverClient::connect(url).await.unwrap();
        let requests =
            tokio_stream::StreamExt::chain(tokio_stream::iter(requests), tokio_stream::pending());
        let mut replies = match solver.session(requests).await {
            Ok(replies) => replies.into_inner(),
            Err(status) => return status,
        };
        loop {
            match replies.message().await {
                Ok(Some(_)) => {}
                Ok(None) => panic!("the session ended without a word"),
                Err(status) => return status,
            }
        }
    })
}

/// The error that a single solve of a tetrahedron gets.
fn error_of_solve(server: &ServerThread, change: impl FnOnce(&mut SolveRequest)) -> Status {
    let Request::Open(object) = open(supports(&[0, 1, 2])) else { panic!("it opens an object") };
    let mut request = SolveRequest {
        object: Some(object),
        algorithm: solve_request::Algorithm::Factorise.into(),
        ..SolveRequest::default()
    };
    change(&mut request);
    let url = format!("http://{}", server.address());
    block_on(async {
        let mut solver = SolverClient::connect(url).await.unwrap();
        let mut replies = match solver.solve(request).await {
            Ok(replies) => replies.into_inner(),
            Err(status) => return status,
        };
        loop {
            match replies.message().await {
                Ok(Some(_)) => {}
                Ok(None) => panic!("the solve has an answer"),
                Err(status) => return status,
            }
        }
    })
}

/// Requests that are wrong whatever the server's state is, and those that are too large for it.
#[test]
fn faults_of_a_request_are_told_apart_from_limits_of_the_server() {
    let server = server_with(1 << 20);
    let small = server_with(0);
    let session = |requests: Vec<Request>| error_of_session(&server, requests);
    let plain = || open(|_| {});
    let large_touch = || {
        let known = Known { displacements: vec![0; 300_000].into(), ..Known::default() };
        Request::Touch(Touch { known: Some(known), ..Touch::default() })
    };
    let too_many = open(|solid| solid.rest_positions = vec![0; 24 * 51].into());
    let too_long = open(|solid| solid.supports = vec![0; proto::LEAST_LIMIT as usize].into());
    let bad_known = |request: &mut SolveRequest| {
        request.known = Some(Known {
            nodes: 7_u32.to_le_bytes().to_vec().into(),
            displacements: vec![0; 24].into(),
            axes: vec![7].into(),
        });
    };
    use Code::{InvalidArgument, OutOfRange, ResourceExhausted};
    for (code, text, status) in [
        (InvalidArgument, "must open an object", session(vec![Request::Touch(Touch::default())])),
        (InvalidArgument, "one object only", session(vec![plain(), plain()])),
        (
            InvalidArgument,
            "world_from_object",
            session(vec![plain(), Request::Touch(Touch::default())]),
        ),
        (InvalidArgument, "poisson", session(vec![open(|solid| solid.poisson = 0.7)])),
        (InvalidArgument, "supports do not hold", session(vec![open(supports(&[0, 1]))])),
        (OutOfRange, "51 nodes", session(vec![too_many])),
        (OutOfRange, "expected at most 67108864", session(vec![too_long])),
        (OutOfRange, "a touch needs much less", session(vec![plain(), large_touch()])),
        (ResourceExhausted, "--memory-mb", error_of_session(&small, vec![plain()])),
        (ResourceExhausted, "--memory-mb", error_of_solve(&small, |_| {})),
        (InvalidArgument, "node 7 does not exist", error_of_solve(&server, bad_known)),
        (InvalidArgument, "the object", error_of_solve(&server, |request| request.object = None)),
        (InvalidArgument, "algorithm", error_of_solve(&server, |request| request.algorithm = 0)),
    ] {
        assert_eq!(status.code(), code, "{status:?}");
        assert!(status.message().to_lowercase().contains(text), "{text:?} is not in {status:?}");
        assert!(engine::remote::gives_up(&status), "it would come again: {status:?}");
    }
}

/// A link to an object that cannot be solved fails; one to a server in trouble tries again.
#[test]
fn our_client_gives_up_or_tries_again_as_the_error_says() {
    let solid = |change| {
        let Request::Open(object) = open(change) else { panic!("it opens an object") };
        ObjectSpec::try_from(object).unwrap()
    };
    let loose = || solid(Box::new(supports(&[0, 1])) as Box<dyn FnOnce(&mut Solid)>);
    let loose_spec = loose();
    let (_, state) = opened(&server_with(1 << 20), loose_spec);
    assert!(matches!(&state, LinkState::Failed(why) if why.contains("supports")), "{state:?}");
    let (_, state) = opened(&server_with(0), spec(1e4));
    assert!(matches!(&state, LinkState::Failed(why) if why.contains("--memory-mb")), "{state:?}");

    let panicking = |_: &_| panic!("this is what the test is about");
    let resources = SolverResources::making(Some(1), MemoryBudget::default(), panicking).unwrap();
    let (_, state) = opened(&ServerThread::start(0, resources, LIMITS).unwrap(), spec(1e4));
    assert!(matches!(&state, LinkState::Lost(why) if why.contains("panicked")), "{state:?}");
}

#[test]
fn our_client_checks_the_limits_before_it_sends_an_object() {
    let server = server(Limits { sessions: 0, nodes: 3 });
    // With no place at all, a request that is sent is refused as one too many.
    let (_, state) = opened(&server, spec(1e4));
    let LinkState::Failed(why) = state else { panic!("{state:?}") };
    assert!(why.contains("4 nodes and 1 elements, the server accepts at most 3 and 36"), "{why}");
    let question = SolveRequest {
        object: Some(tetrahedron(1e4)),
        algorithm: solve_request::Algorithm::Factorise.into(),
        ..SolveRequest::default()
    };
    let asked = engine::ask(&url(&server), &question.try_into().unwrap(), |_| {}).unwrap_err();
    assert!(asked.to_string().contains("the server accepts at most 3"), "{asked}");
}

/// With more nodes, objects and answers with stresses are larger than the least limit.
#[test]
fn messages_may_be_as_large_as_the_largest_object_needs() {
    let check = |nodes: usize, expected: u64| {
        let limits = Limits { sessions: 1, nodes };
        assert_eq!(limits.message_bytes(), expected, "{nodes} nodes");
    };
    check(1000, proto::LEAST_LIMIT);
    let million = proto::ClaimedSize { n_nodes: 1_000_000, n_elements: 12_000_000 };
    check(1_000_000, proto::question_bytes(million));
    assert!(proto::question_bytes(million) > 3 * proto::LEAST_LIMIT);
    check(usize::MAX, proto::MOST_BYTES);
}

/// A link that broke for a moment must not factorise again.
#[test]
fn a_model_outlives_its_client_for_the_time_of_the_lease() {
    let budget =
        MemoryBudget { idle_models: 0, lease: Duration::from_secs(600), ..MemoryBudget::default() };
    let resources = SolverResources::new(Some(1), budget).unwrap();
    let server = ServerThread::start(0, Arc::clone(&resources), LIMITS).unwrap();
    let (link, state) = opened(&server, spec(1e4));
    assert!(matches!(state, LinkState::Ready(_)), "{state:?}");
    drop(link);
    let deadline = Instant::now() + PATIENCE;
    while engine::info(&url(&server)).unwrap().n_sessions > 0 {
        assert!(Instant::now() < deadline, "the session never ends");
    }
    let again = resources.models().request(&spec(1e4));
    assert!(again.is_ready(), "the model would be made again");
}

/// Lines of a log.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Lines {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

#[test]
fn wrong_passes_and_a_full_house_are_logged_with_the_client_and_not_too_often() {
    let lines = Lines::default();
    let log = tracing_subscriber::fmt().with_ansi(false).with_writer(lines.clone()).finish();
    let _log = tracing::subscriber::set_default(log);
    block_on(async {
        let start = async |pass_check| {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let url = format!("http://{}", listener.local_addr().unwrap());
            let resources = SolverResources::new(Some(1), MemoryBudget::default()).unwrap();
            let limits = Limits { sessions: 0, nodes: 50 };
            let access = Access { pass_check, tls: None };
            let never = std::future::pending();
            tokio::spawn(serve(listener, resources, limits, access, never, Duration::ZERO));
            SolverClient::connect(url).await.unwrap()
        };
        let mut strict = start(PassCheck::wanting("Bearer 01")).await;
        let mut full = start(Access::on_loopback().pass_check).await;
        for _ in 0..3 {
            let refused = strict.info(proto::v1::InfoRequest {}).await.unwrap_err();
            assert_eq!(refused.code(), Code::Unauthenticated);
            let refused = full.solve(SolveRequest::default()).await.unwrap_err();
            assert_eq!(refused.code(), Code::ResourceExhausted);
        }
    });
    let log = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    for text in ["refused a client at 127.0.0.1:", "wrong pass", "all 0 sessions are taken"] {
        assert!(log.contains(text), "{text:?} is not in {log}");
    }
    assert_eq!(log.matches(" WARN ").count(), 2, "{log}");
}
