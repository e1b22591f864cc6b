//! The solver behind gRPC, as a library: the program `solver-server` is its command line.
//!
//! - [`service`]: one session is an object and a stepper between two streams; single questions;
//! - [`outbox`]: frames on their way to the line;
//! - [`door`]: TLS and the pass; [`connections`]: how many there may be, and how idle;
//! - [`listening`]: all of it on one socket.

pub(crate) mod connections;
pub mod door;
pub mod listening;
mod outbox;
pub mod service;

pub use door::Door;
pub use listening::{Listening, serve};
pub use service::Limits;
