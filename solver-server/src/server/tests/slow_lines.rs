//! Slow lines, in a time of their own: hours pass at once when all wait.

use proto::v1::session_reply::Reply;
use proto::v1::session_request::Request;
use proto::v1::solver_client::SolverClient;
use proto::v1::{SessionReply, SessionRequest};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};
use tonic::{Code, Status};

use super::*;

/// A line to the server that carries 20 kB/s, and nothing more after `most` bytes.
async fn slow_line(server: SocketAddr, most: usize) -> SocketAddr {
    const PIECE: usize = 1000;
    const PAUSE: Duration = Duration::from_millis(50);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (client, _) = listener.accept().await.unwrap();
        let (mut from_client, mut to_client) = client.into_split();
        let (mut from_server, mut to_server) =
            TcpStream::connect(server).await.unwrap().into_split();
        tokio::spawn(async move { copy(&mut from_server, &mut to_client).await });
        let mut piece = [0; PIECE];
        let mut n_carried = 0;
        while let Ok(n @ 1..) = from_client.read(&mut piece).await {
            sleep(PAUSE).await;
            n_carried += n;
            if n_carried > most || to_server.write_all(&piece[..n]).await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    });
    address
}

/// An object of 480 kB: one tetrahedron and many nodes without elements.
fn large() -> Object {
    let Object { family: Some(object::Family::Solid(mut solid)) } = tetrahedron(1e4) else {
        panic!("a tetrahedron is a solid");
    };
    let mut points = solid.rest_positions.to_vec();
    points.resize(24 * 20_000, 0);
    solid.rest_positions = points.into();
    Object { family: Some(object::Family::Solid(solid)) }
}

/// Opens an object over a slow line. Returns the time until the first frame, or the refusal.
async fn time_to_open(most: usize) -> Result<Duration, Status> {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let resources = SolverResources::new(Some(1), MemoryBudget::default()).unwrap();
    let limits = Limits { sessions: 1, nodes: 20_000 };
    let never = std::future::pending();
    let server = serve(listener, resources, limits, Access::on_loopback(), never, Duration::ZERO);
    let server = tokio::spawn(server);

    let url = format!("http://{}", slow_line(address, most).await);
    let mut solver = SolverClient::connect(url).await.unwrap();
    let start = Instant::now();
    let open = SessionRequest { request: Some(Request::Open(large())), options: None };
    // The client sends no end: a session goes on.
    let requests =
        tokio_stream::StreamExt::chain(tokio_stream::once(open), tokio_stream::pending());
    let mut replies = solver.session(requests).await?.into_inner();
    let opened = loop {
        match replies.message().await?.and_then(|SessionReply { reply }| reply) {
            Some(Reply::Frame(_)) => break start.elapsed(),
            Some(_) => {}
            None => panic!("the server ended the session"),
        }
    };
    server.abort();
    Ok(opened)
}

#[tokio::test(start_paused = true)]
async fn an_upload_that_takes_long_is_served_and_one_that_stops_is_told_why() {
    let opened = time_to_open(usize::MAX).await;
    // 480 kB at 20 kB/s.
    assert!(opened.is_ok_and(|time| time > Duration::from_secs(20)));
    let stopped = time_to_open(40_000).await.unwrap_err();
    assert_eq!(stopped.code(), Code::DeadlineExceeded, "{stopped:?}");
    assert!(!engine::remote::gives_up(&stopped), "another attempt may succeed");
}
