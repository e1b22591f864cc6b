//! Server on one socket, on the network loop of the program or on a thread of its own.

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::Context;
use engine::SolverResources;
use proto::v1::solver_server::SolverServer;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, oneshot, watch};
use tonic::server::NamedService;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic_health::ServingStatus;

use crate::access::Access;
use crate::connections;
use crate::service::{Limits, SolverService};

/// Number of connections in addition to those of the sessions: for single solves, for clients that
/// wait for a session, and for clients whose pass is not checked yet.
const WITHOUT_SESSION: usize = 32;

/// Bytes that a client may send ahead. On a line of 50 kB/s they take less than the three seconds
/// that clients wait for the answer to a ping, which the line carries after them.
const UPLOAD_WINDOW: u32 = 128 << 10;

/// Time for the last messages to reach clients after all work has ended.
const LAST_WORDS: Duration = Duration::from_secs(3);

/// Time between two searches for models whose lease has ended.
const BETWEEN_CLEARINGS: Duration = Duration::from_secs(20);

/// Serves the connections of `listener` until it is dropped, or until `stop`.
///
/// After `stop`, health says NOT_SERVING, sessions end, new work is refused, and single solves have
/// the time `drain` to end.
pub async fn serve(
    listener: TcpListener,
    resources: Arc<SolverResources>,
    limits: Limits,
    access: Access,
    stop: impl Future<Output = ()>,
    drain: Duration,
) -> anyhow::Result<()> {
    let (stopping, is_stopping) = watch::channel(false);
    let service = SolverService::new(Arc::clone(&resources), limits, is_stopping);
    let places = service.places();
    let (health, health_service) = tonic_health::server::health_reporter();
    health.set_service_status(SOLVER, ServingStatus::Serving).await;
    let [v1, v1alpha] = [(); 2].map(|()| reflection());
    let (v1, v1alpha) = (v1.build_v1()?, v1alpha.build_v1alpha()?);

    // With Nagle's algorithm a surface of 100 kB takes 40 ms.
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    let connections = connections::limited(incoming, limits.sessions + WITHOUT_SESSION);
    let mut server = Server::builder();
    if let Some(tls) = access.tls {
        server = server.tls_config(tls).context("the pass and its private key do not match")?;
    }
    // Clients that share one connection hear that all places are taken, instead of waiting for a
    // free stream, and health checks have streams left.
    let n_streams = u32::try_from(limits.sessions + WITHOUT_SESSION).unwrap_or(u32::MAX);
    let pass_check = access.pass_check;
    let (finish, is_finished) = oneshot::channel::<()>();
    let served = server
        // Frees the place of a client that vanished without closing the connection.
        .http2_keepalive_interval(Some(Duration::from_secs(5)))
        .http2_keepalive_timeout(Some(Duration::from_secs(10)))
        .max_concurrent_streams(Some(n_streams))
        .initial_stream_window_size(Some(UPLOAD_WINDOW))
        .initial_connection_window_size(Some(UPLOAD_WINDOW))
        .add_service(InterceptedService::new(service.into_server(), pass_check.clone()))
        .add_service(InterceptedService::new(health_service, pass_check.clone()))
        .add_service(InterceptedService::new(v1, pass_check.clone()))
        .add_service(InterceptedService::new(v1alpha, pass_check))
        .serve_with_incoming_shutdown(connections, async {
            // An error says that the sender is dropped, which is the signal.
            let _ = is_finished.await;
        });
    let mut served = pin!(served);
    tokio::select! {
        served = &mut served => return served.context("the server failed"),
        () = clear_idle_models(&resources) => {}
        () = stop => {}
    }

    let n_taken = limits.sessions - places.available_permits();
    tracing::info!("stopping: {n_taken} sessions and solves are open");
    for name in ["", SOLVER] {
        health.set_service_status(name, ServingStatus::NotServing).await;
    }
    stopping.send_replace(true);
    tokio::select! {
        served = &mut served => return served.context("the server failed"),
        drained = tokio::time::timeout(drain, all_free(&places, limits.sessions)) => {
            if drained.is_err() {
                tracing::warn!("work was left after {} s", drain.as_secs());
            }
        }
    }
    drop(finish);
    // The library waits for all streams, and some have no end.
    let _ = tokio::time::timeout(LAST_WORDS, served).await;
    Ok(())
}

/// Waits until all places are free. Does not acquire them, so that `Info` counts the work.
async fn all_free(places: &Semaphore, n_places: usize) {
    while places.available_permits() < n_places {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Full name of the solver's service.
const SOLVER: &str = <SolverServer<SolverService> as NamedService>::NAME;

/// Describes all services and messages of this server.
fn reflection() -> tonic_reflection::server::Builder<'static> {
    tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(proto::DESCRIPTORS)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
}

/// Drops idle models when their lease has ended. Never returns.
async fn clear_idle_models(resources: &Arc<SolverResources>) {
    loop {
        tokio::time::sleep(BETWEEN_CLEARINGS).await;
        let resources = Arc::clone(resources);
        off_the_network(move || resources.models().clear_idle());
    }
}

/// Starts work that may take long, such as giving gigabytes back, beside the network thread.
/// Returns false if there is no thread for it.
pub(crate) fn off_the_network(work: impl FnOnce() + Send + 'static) -> bool {
    std::thread::Builder::new().name("clearing".to_owned()).spawn(work).is_ok()
}

#[cfg(test)]
mod tests;

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
                    let (access, never) = (Access::on_loopback(), std::future::pending());
                    let served = serve(listener, resources, limits, access, never, Duration::ZERO);
                    tokio::select! {
                        served = served => {
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
