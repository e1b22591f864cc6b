//! Server on one socket, on the network loop of the program or on a thread of its own.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::Context;
use engine::SolverResources;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;

use crate::access::Access;
use crate::connections;
use crate::service::{Limits, SolverService};

/// Number of connections in addition to those of the sessions: for single solves, for clients that
/// wait for a session, and for clients whose pass is not checked yet.
const WITHOUT_SESSION: usize = 32;

/// Serves the connections of `listener` until it is dropped.
pub async fn serve(
    listener: TcpListener,
    resources: Arc<SolverResources>,
    limits: Limits,
    access: Access,
) -> anyhow::Result<()> {
    let service = SolverService::new(resources, limits);
    // With Nagle's algorithm a surface of 100 kB takes 40 ms.
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    let connections = connections::limited(incoming, limits.sessions + WITHOUT_SESSION);
    let mut server = Server::builder();
    if let Some(tls) = access.tls {
        server = server.tls_config(tls).context("the pass and its private key do not match")?;
    }
    let n_streams = u32::try_from(limits.sessions).unwrap_or(u32::MAX);
    server
        // Frees the place of a client that vanished without closing the connection.
        .http2_keepalive_interval(Some(Duration::from_secs(5)))
        .http2_keepalive_timeout(Some(Duration::from_secs(10)))
        .max_concurrent_streams(Some(n_streams))
        .add_service(InterceptedService::new(service.into_server(), access.pass_check))
        .serve_with_incoming(connections)
        .await
        .context("the server failed")
}

/// Server on a thread of this process, on loopback only. Dropping it ends the server: its clients
/// see a broken stream, as if a server program had been killed.
pub struct ServerThread {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl ServerThread {
    /// Starts to listen on `port` of 127.0.0.1; 0 picks a free port.
    pub fn start(port: u16, resources: Arc<SolverResources>, limits: Limits) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind(("127.0.0.1", port)))?;
        let address = listener.local_addr()?;
        let (stop, stopped) = oneshot::channel();
        let thread =
            std::thread::Builder::new().name("solver-server".to_owned()).spawn(move || {
                runtime.block_on(async {
                    tokio::select! {
                        served = serve(listener, resources, limits, Access::on_loopback()) => {
                            if let Err(why) = served {
                                tracing::error!("{why:#}");
                            }
                        }
                        _ = stopped => {}
                    }
                });
                // Do not wait for sessions.
                runtime.shutdown_background();
            })?;
        Ok(Self { address, stop: Some(stop), thread: Some(thread) })
    }

    /// Address on which the server listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for ServerThread {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the server's thread panicked");
        }
    }
}
