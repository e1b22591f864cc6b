//! gRPC server for the solver, as a library. The program `solver-server` is its command line.
//!
//! - [`server`]: a server on one socket, also on a thread of another program;
//! - [`service`]: the service: sessions and single solves;
//! - `newest_frame`: the next frame to send in a session;
//! - [`access`]: TLS and the pass;
//! - `connections`: limits of connections.

pub mod access;
pub(crate) mod connections;
mod newest_frame;
pub mod server;
pub mod service;

pub use access::Access;
pub use server::{ServerThread, serve};
pub use service::Limits;
