//! gRPC server for the solver, as a library. The program `solver-server` is its command line.
//!
//! - [`server`]: a server on one socket, also on a thread of another program;
//! - [`service`]: the service: sessions and single solves;
//! - [`arguments`]: the command line of the program;
//! - `refusal`: the errors that the server answers, with their status codes;
//! - `upload`: messages as they arrive: limits of size and of silence;
//! - `newest_frame`: the next frame to send in a session;
//! - [`access`]: TLS and the pass;
//! - `connections`: limits of connections;
//! - `once_until`: conditions that are logged once;
//! - [`machine`]: the description of this machine.

pub mod access;
pub mod arguments;
pub(crate) mod connections;
pub mod machine;
mod newest_frame;
mod once_until;
mod refusal;
pub mod server;
pub mod service;
mod upload;

pub use access::Access;
pub use arguments::Arguments;
pub use server::{ServerThread, serve};
pub use service::Limits;
