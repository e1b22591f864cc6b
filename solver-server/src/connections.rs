//! Limits of connections: their number, and the time until a first valid request.
//!
//! When all places are taken, a new connection is closed before anything is read. A connection
//! without an admitted request is closed after `LONGEST_WITHOUT_REQUEST`.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Sleep, sleep};
use tokio_stream::{Stream, StreamExt};
use tonic::transport::server::{Connected, TcpIncoming, TlsConnectInfo};
use tonic::{Extensions, Request};

use crate::once_until::OnceUntil;

/// Longest time from connecting to the first admitted request. It includes the TLS handshake.
const LONGEST_WITHOUT_REQUEST: Duration = Duration::from_secs(10);

/// A connection. It frees its place when it ends.
pub(crate) struct Connection {
    stream: TcpStream,
    client: Client,
    /// Time limit for the first admitted request; `None` once the limit has passed.
    waits_until: Option<Pin<Box<Sleep>>>,
    /// Held until the connection ends.
    _place: OwnedSemaphorePermit,
}

/// Client of a connection.
#[derive(Debug, Clone, Default)]
pub(crate) struct Client {
    /// `None` if the connection has ended already.
    address: Option<SocketAddr>,
    is_in: Arc<AtomicBool>,
    strangeness: Arc<OnceUntil>,
}

impl Client {
    /// Lifts the time limit of the connection.
    pub(crate) fn admit(&self) {
        self.is_in.store(true, Ordering::Relaxed);
    }

    /// Logs that a request of the client has the wrong pass, once for each connection.
    pub(crate) fn report_wrong_pass(&self) {
        if self.strangeness.is_first() {
            tracing::warn!("refused a client at {}: wrong pass, or none", shown(self.address));
        }
    }
}

/// Client that sent a request.
pub(crate) fn client_of(extensions: &Extensions) -> Option<&Client> {
    let encrypted = extensions.get::<TlsConnectInfo<Client>>().map(TlsConnectInfo::get_ref);
    encrypted.or_else(|| extensions.get::<Client>())
}

/// Address of the client that sent a request.
pub(crate) fn address_of<T>(request: &Request<T>) -> Option<SocketAddr> {
    client_of(request.extensions()).and_then(|client| client.address)
}

/// Text of a client's address.
pub(crate) fn shown(address: Option<SocketAddr>) -> String {
    address.map_or_else(|| "an unknown address".to_owned(), |address| address.to_string())
}

/// Limits incoming connections to `n_places` at the same time.
pub(crate) fn limited(
    incoming: TcpIncoming,
    n_places: usize,
) -> impl Stream<Item = io::Result<Connection>> {
    let places = Arc::new(Semaphore::new(n_places));
    let full_house = OnceUntil::default();
    incoming.filter_map(move |accepted| match accepted {
        Ok(stream) => match Arc::clone(&places).try_acquire_owned() {
            Ok(place) => {
                full_house.end();
                let address = stream.peer_addr().ok();
                Some(Ok(Connection {
                    stream,
                    client: Client { address, ..Client::default() },
                    waits_until: Some(Box::pin(sleep(LONGEST_WITHOUT_REQUEST))),
                    _place: place,
                }))
            }
            Err(_) => {
                if full_house.is_first() {
                    tracing::warn!(
                        "closed a new connection from {}: all {n_places} connections are taken; \
                         further ones are not logged until one ends",
                        shown(stream.peer_addr().ok())
                    );
                }
                None
            }
        },
        Err(error) => Some(Err(error)),
    })
}

impl Connection {
    /// True if the time limit has passed without an admitted request.
    fn must_go(&mut self, context: &mut Context<'_>) -> bool {
        let Some(waits_until) = &mut self.waits_until else { return false };
        if waits_until.as_mut().poll(context).is_pending() {
            return false;
        }
        self.waits_until = None;
        !self.client.is_in.load(Ordering::Relaxed)
    }
}

impl Connected for Connection {
    type ConnectInfo = Client;

    fn connect_info(&self) -> Client {
        self.client.clone()
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.must_go(context) {
            tracing::debug!("closed a connection without a valid request");
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
