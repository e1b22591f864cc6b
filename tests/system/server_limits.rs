//! Limits of the machine on which a solver server runs: threads and memory.

use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use engine::{Bell, LinkState, ObjectSpec, RemoteLink, SolverLink};
use nalgebra::Point3;
use physics::material::IsotropicElastic;
use physics::{NodeId, SolidSpec, TetMesh};

use crate::program::{PATIENCE, Program, Server, become_ours};

/// One tetrahedron, and nodes without elements that make the upload as large as wanted.
fn tetrahedron(n_nodes: usize) -> ObjectSpec {
    let mut points = vec![Point3::origin(); n_nodes];
    (0..3).for_each(|axis| points[axis + 1][axis] = 0.1);
    let mesh = TetMesh::new(points, vec![[0, 1, 2, 3].map(NodeId)]).unwrap();
    let material = IsotropicElastic::new(1e4, 0.4).unwrap();
    SolidSpec::new(mesh, material, Vec::new()).unwrap().into()
}

/// Opens an object, and waits until it is ready or refused.
fn opened(url: &str, spec: ObjectSpec) -> (RemoteLink, LinkState) {
    let bell = Arc::new(Bell::default());
    let link = RemoteLink::start(url.parse().unwrap(), spec, Arc::clone(&bell)).unwrap();
    let deadline = Instant::now() + PATIENCE;
    loop {
        match link.state() {
            LinkState::Preparing(_) => bell.wait_for(PATIENCE / 10_000),
            state => return (link, state),
        }
        assert!(Instant::now() < deadline, "{:?}", link.state());
    }
}

#[test]
fn a_server_that_cannot_start_threads_is_tried_again() {
    let mut limited = Command::new("sh");
    // In kilobytes; the stacks of a thousand threads need two gigabytes.
    limited.args(["-c", "ulimit -v 1500000 && exec \"$0\" \"$@\""]);
    become_ours(&mut limited, "solver-server");
    limited.args(["--listen", "127.0.0.1:0", "--threads", "1024"]);
    let server = Program::start("solver-server", &mut limited);
    let said = server.wait_for("listens on");
    let url = said.split_whitespace().find(|word| word.starts_with("http")).unwrap();
    let (_link, state) = opened(url.trim_end_matches(','), tetrahedron(4));
    let LinkState::Lost(why) = state else { panic!("{state:?}") };
    assert!(why.contains("cannot start 1024 solver threads"), "{why}");
}

/// Resident memory of the server, in bytes.
fn resident(server: &Server) -> usize {
    let status = format!("/proc/{}/status", server.program.id());
    let status = std::fs::read_to_string(status).unwrap();
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    1024 * kilobytes.trim().trim_end_matches(" kB").parse::<usize>().unwrap()
}

/// What a session keeps of its upload is only what the solver needs, and that once for all
/// sessions with the same object.
#[test]
fn sessions_of_one_object_share_its_memory() {
    const N_NODES: usize = 200_000;
    const UPLOAD: usize = 24 * N_NODES;
    const N_SESSIONS: usize = 6;
    let nodes = N_NODES.to_string();
    let server = Server::start_with(&["--listen", "127.0.0.1:0", "--max-nodes", &nodes]);
    let spec = tetrahedron(N_NODES);
    let open = || {
        let (link, state) = opened(&server.url, spec.clone());
        assert!(matches!(state, LinkState::Ready(_)), "{state:?}");
        link
    };
    // The first two allocate what all others use again.
    let first = [open(), open()];
    let before = resident(&server);
    let others: Vec<RemoteLink> = (0..N_SESSIONS).map(|_| open()).collect();
    let grown = || resident(&server).saturating_sub(before);
    // The messages that the last sessions came in are freed a moment after the sessions are ready.
    crate::program::until("the uploads are freed", || grown() < N_SESSIONS * UPLOAD / 4);
    let grown = grown();
    println!(
        "{N_SESSIONS} sessions more: {} kB of {} kB sent",
        grown / 1024,
        N_SESSIONS * UPLOAD / 1024
    );
    drop((first, others));
}
