//! A server that is being stopped, and one that has no place left.

use std::sync::{Condvar, Mutex};

use proto::v1::session_request::Request;
use proto::v1::solver_client::SolverClient;
use proto::v1::{InfoRequest, SessionRequest};
use tonic::transport::Channel;
use tonic::{Code, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus as Health;
use tonic_health::pb::health_client::HealthClient;

use super::*;

/// Opens a tetrahedron on a shared connection, and returns the error that ends the session.
async fn error_of_session(channel: &Channel) -> Status {
    let open = SessionRequest { request: Some(Request::Open(tetrahedron(1e4))), options: None };
    let requests =
        tokio_stream::StreamExt::chain(tokio_stream::once(open), tokio_stream::pending());
    let mut replies = match SolverClient::new(channel.clone()).session(requests).await {
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
}

async fn health(channel: &Channel, service: &str) -> Health {
    let request = HealthCheckRequest { service: service.to_owned() };
    let reply = HealthClient::new(channel.clone()).check(request).await.unwrap();
    reply.into_inner().status()
}

/// Waits until `n` places are taken.
async fn until_taken(channel: &Channel, n: u32) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let info = SolverClient::new(channel.clone()).info(InfoRequest {}).await.unwrap();
        if info.into_inner().sessions == n {
            return;
        }
        assert!(Instant::now() < deadline, "there are never {n} sessions");
        tokio::task::yield_now().await;
    }
}

/// Steps of making the object of a server.
#[derive(PartialEq)]
enum Making {
    NotBegun,
    Begun,
    MayEnd,
}

static MAKING: (Mutex<Making>, Condvar) = (Mutex::new(Making::NotBegun), Condvar::new());

#[test]
fn clients_on_one_connection_hear_that_the_house_is_full() {
    let server = server(Limits { sessions: 2, nodes: 50 });
    let url = format!("http://{}", server.address());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let channel = Channel::from_shared(url).unwrap().connect().await.unwrap();
        for _ in 0..2 {
            let channel = channel.clone();
            tokio::spawn(async move { error_of_session(&channel).await });
        }
        until_taken(&channel, 2).await;
        // Without free streams, these would wait for ever.
        for _ in 0..3 {
            let refused = error_of_session(&channel).await;
            assert_eq!(refused.code(), Code::ResourceExhausted, "{refused:?}");
            assert!(refused.message().contains("all 2 sessions are taken"), "{refused:?}");
        }
        for service in ["", SOLVER] {
            assert_eq!(health(&channel, service).await, Health::Serving);
        }
    });
}

#[tokio::test]
async fn a_server_that_is_stopped_says_so_and_lets_work_end() {
    let resources = SolverResources::making(Some(1), MemoryBudget::default(), |model| {
        let mut making = MAKING.0.lock().unwrap();
        *making = Making::Begun;
        drop(MAKING.1.wait_while(making, |making| *making != Making::MayEnd).unwrap());
        model.object()
    });
    let resources = resources.unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (stop, is_stopped) = oneshot::channel::<()>();
    let is_stopped = async { drop(is_stopped.await) };
    let limits = Limits { sessions: 2, nodes: 50 };
    let access = Access::on_loopback();
    let server = tokio::spawn(serve(listener, resources, limits, access, is_stopped, PATIENCE));
    let channel = Channel::from_shared(url).unwrap().connect().await.unwrap();
    let session = tokio::spawn({
        let channel = channel.clone();
        async move { error_of_session(&channel).await }
    });
    let deadline = Instant::now() + PATIENCE;
    while *MAKING.0.lock().unwrap() == Making::NotBegun {
        assert!(Instant::now() < deadline, "the object is never made");
        assert_eq!(health(&channel, SOLVER).await, Health::Serving);
    }

    drop(stop);
    let told = session.await.unwrap();
    assert_eq!(told.code(), Code::Unavailable, "{told:?}");
    assert!(told.message().contains("being stopped"), "{told:?}");
    // The session's thread is still at work.
    for service in ["", SOLVER] {
        assert_eq!(health(&channel, service).await, Health::NotServing);
    }
    let refused = error_of_session(&channel).await;
    assert_eq!(refused.code(), Code::Unavailable, "{refused:?}");
    until_taken(&channel, 1).await;
    assert!(!server.is_finished());
    *MAKING.0.lock().unwrap() = Making::MayEnd;
    MAKING.1.notify_all();
    drop(channel);
    server.await.unwrap().unwrap();
}
