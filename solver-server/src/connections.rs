//! Who may be connected, and for how long without a word: whoever comes when all places are taken is turned away before
//! anything is read, and whoever asks for nothing that the doorkeeper lets in has to go.

use std::future::Future;
use std::io;
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
use tonic::transport::server::{Connected, TcpIncoming};

/// So long a visitor may stand at the door. Encryption is agreed upon in that time, too.
const LONGEST_AT_DOOR: Duration = Duration::from_secs(10);

/// A connection that gives its place back when it ends.
pub(crate) struct Connection {
    stream: TcpStream,
    visitor: Visitor,
    /// Until the visitor is let in.
    at_door: Option<Pin<Box<Sleep>>>,
    _place: OwnedSemaphorePermit,
}

/// Whoever is at the other end of a connection.
#[derive(Debug, Clone, Default)]
pub(crate) struct Visitor {
    is_in: Arc<AtomicBool>,
}

impl Visitor {
    /// May stay as long as the connection holds.
    pub(crate) fn let_in(&self) {
        self.is_in.store(true, Ordering::Relaxed);
    }
}

/// At most `n_places` of these at once.
pub(crate) fn limited(
    incoming: TcpIncoming,
    n_places: usize,
) -> impl Stream<Item = io::Result<Connection>> {
    let places = Arc::new(Semaphore::new(n_places));
    incoming.filter_map(move |accepted| match accepted {
        Ok(stream) => match Arc::clone(&places).try_acquire_owned() {
            Ok(place) => Some(Ok(Connection {
                stream,
                visitor: Visitor::default(),
                at_door: Some(Box::pin(sleep(LONGEST_AT_DOOR))),
                _place: place,
            })),
            Err(_) => {
                tracing::debug!("all {n_places} connections are taken, another one is turned away");
                None
            }
        },
        Err(error) => Some(Err(error)),
    })
}

impl Connection {
    /// Whether the visitor has stood at the door for too long.
    fn must_go(&mut self, context: &mut Context<'_>) -> bool {
        let Some(at_door) = &mut self.at_door else { return false };
        if at_door.as_mut().poll(context).is_pending() {
            return false;
        }
        self.at_door = None;
        !self.visitor.is_in.load(Ordering::Relaxed)
    }
}

impl Connected for Connection {
    type ConnectInfo = Visitor;

    fn connect_info(&self) -> Visitor {
        self.visitor.clone()
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.must_go(context) {
            tracing::debug!("a visitor has asked for nothing and has to go");
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
