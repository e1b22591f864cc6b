//! A solver that listens: on the network loop of the program, or on a thread of its own.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::Context;
use engine::Workshop;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;

use crate::connections;
use crate::door::Door;
use crate::service::{Limits, SolverService};

/// Connections beside those of the sessions: of single questions, of those who wait for a place, and of strangers who have
/// not been asked for their pass yet.
const WITHOUT_SESSION: usize = 32;

/// Serves the connections of `listener` until it is dropped.
pub async fn serve(
    listener: TcpListener,
    workshop: Arc<Workshop>,
    limits: Limits,
    door: Door,
) -> anyhow::Result<()> {
    let service = SolverService::new(workshop, limits);
    // Without it a surface of 100 kB takes 40 ms.
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    let connections = connections::limited(incoming, limits.sessions + WITHOUT_SESSION);
    let mut server = Server::builder();
    if let Some(tls) = door.tls {
        server =
            server.tls_config(tls).context("the pass and its private key do not go together")?;
    }
    let n_streams = u32::try_from(limits.sessions).unwrap_or(u32::MAX);
    server
        // A client that has died or stopped without a word gives its place back.
        .http2_keepalive_interval(Some(Duration::from_secs(5)))
        .http2_keepalive_timeout(Some(Duration::from_secs(10)))
        .max_concurrent_streams(Some(n_streams))
        .add_service(InterceptedService::new(service.into_server(), door.keeper))
        .serve_with_incoming(connections)
        .await
        .context("the server broke down")
}

/// A server on a thread of this process, for loopback alone. It ends when this is dropped: its clients
/// see a broken stream, as if a server program had been killed.
pub struct Listening {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Listening {
    /// Starts to listen on this port of 127.0.0.1; 0 picks a free one.
    pub fn start(port: u16, workshop: Arc<Workshop>, limits: Limits) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind(("127.0.0.1", port)))?;
        let address = listener.local_addr()?;
        let (stop, stopped) = oneshot::channel();
        let thread =
            std::thread::Builder::new().name("solver-server".to_owned()).spawn(move || {
                runtime.block_on(async {
                    tokio::select! {
                        served = serve(listener, workshop, limits, Door::on_loopback()) => {
                            if let Err(why) = served {
                                tracing::error!("{why:#}");
                            }
                        }
                        _ = stopped => {}
                    }
                });
                // Sessions do not hold up the end.
                runtime.shutdown_background();
            })?;
        Ok(Self { address, stop: Some(stop), thread: Some(thread) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the server's thread panicked");
        }
    }
}
