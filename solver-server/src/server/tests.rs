//! A server and its clients, without the programs around them.

mod other_versions;
mod refusals;
mod slow_lines;
mod stopping;

use std::time::{Duration, Instant};

use engine::{
    Bell, LinkState, MemoryBudget, ObjectSpec, RemoteLink, ServerUrl, SolverLink, SolverLocation,
};
use proto::v1::{Known, Object, Solid, object};

use super::*;

/// Nothing takes longer than this here.
const PATIENCE: Duration = Duration::from_secs(60);

/// One tetrahedron of this stiffness.
fn tetrahedron(young: f64) -> Object {
    let points: [f64; 12] = [0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.1];
    let solid = Solid {
        rest_positions: points.into_iter().flat_map(f64::to_le_bytes).collect(),
        elements: (0..4_u32).flat_map(u32::to_le_bytes).collect(),
        young,
        poisson: 0.4,
        ..Solid::default()
    };
    Object { family: Some(object::Family::Solid(solid)) }
}

fn spec(young: f64) -> ObjectSpec {
    tetrahedron(young).try_into().unwrap()
}

fn server(limits: Limits) -> ServerThread {
    server_on(1, limits)
}

fn server_on(threads: usize, limits: Limits) -> ServerThread {
    let resources = SolverResources::new(Some(threads), MemoryBudget::default()).unwrap();
    ServerThread::start(0, resources, limits).unwrap()
}

fn url(server: &ServerThread) -> ServerUrl {
    format!("http://{}", server.address()).parse().unwrap()
}

/// Opens an object, and waits for its first frame or its failure.
fn opened(server: &ServerThread, spec: ObjectSpec) -> (RemoteLink, LinkState) {
    let bell = Arc::new(Bell::default());
    let link = RemoteLink::start(url(server), spec, Arc::clone(&bell)).unwrap();
    let deadline = Instant::now() + PATIENCE;
    loop {
        match link.state() {
            LinkState::Preparing(_) => bell.wait_for(Duration::from_millis(5)),
            state => return (link, state),
        }
        assert!(Instant::now() < deadline, "{:?}", link.state());
    }
}

/// A full server is there: programs that look for one must find it.
#[test]
fn a_full_server_can_still_be_reached_and_describes_itself() {
    let server = server(Limits { sessions: 1, nodes: 50 });
    let url = url(&server);
    assert_eq!(engine::info(&url).unwrap().n_sessions, 0);
    let (_link, state) = opened(&server, spec(1e4));
    assert!(matches!(state, LinkState::Ready(_)), "{state:?}");
    let (_refused, state) = opened(&server, spec(2e4));
    assert!(
        matches!(&state, LinkState::Lost(why) if why.contains("1 sessions are taken")),
        "{state:?}"
    );

    engine::reach(&url).unwrap();
    let info = engine::info(&url).unwrap();
    assert_eq!((info.n_sessions, info.threads, info.protocol), (1, 1, proto::PROTOCOL));
    assert_eq!((info.limits.sessions, info.limits.nodes, info.limits.elements), (1, 50, 600));
    assert_eq!(info.families, ["solid"]);
    assert_eq!(info.version, env!("CARGO_PKG_VERSION"));
    assert_eq!(info.machine.name, crate::machine::host_name());
    assert!(info.machine.n_hyper_threads >= info.machine.n_cores);
    let question = engine::single_solve::SolveQuestion::try_from(proto::v1::SolveRequest {
        object: Some(tetrahedron(1e4)),
        algorithm: proto::v1::solve_request::Algorithm::Factorise.into(),
        ..Default::default()
    });
    SolverLocation::Remote(url).try_out(&question.unwrap(), PATIENCE).unwrap();
}

/// A client asks for threads, for example to compare numbers of them; the server has the last word.
#[test]
fn a_client_gets_the_threads_that_it_wishes_up_to_those_of_the_server() {
    let server = server_on(3, Limits { sessions: 1, nodes: 50 });
    let known = Known {
        nodes: (0..4_u32).flat_map(u32::to_le_bytes).collect(),
        displacements: vec![0; 4 * 24].into(),
        axes: vec![7; 4].into(),
    };
    let question = engine::single_solve::SolveQuestion::try_from(proto::v1::SolveRequest {
        object: Some(tetrahedron(1e4)),
        known: Some(known),
        algorithm: proto::v1::solve_request::Algorithm::Factorise.into(),
        ..Default::default()
    });
    let question = question.unwrap();
    for (wish, expected) in [(0, 3), (1, 1), (2, 2), (3, 3), (99, 3)] {
        let answer = engine::ask_on(&url(&server), &question, wish, |_| {}).unwrap();
        assert_eq!(answer.threads, expected, "wish {wish}");
    }
}
