//! Runs deformable objects in real time behind one port, [`SolverLink`].
//!
//! - [`link`]: the port: submit a touch, take the newest frame, see how the solver is;
//! - [`stepper`]: the loop that both modes share; [`mailbox`]: how it is fed;
//! - [`embedded`]: the solver in this process; [`remote`]: the same over gRPC (feature `remote`).
//!
//! The same touches give the same frames through every link, bit for bit, on the same kind of processor.

pub mod backoff;
pub mod embedded;
pub mod link;
pub mod mailbox;
#[cfg(feature = "remote")]
pub mod remote;
pub mod stepper;

pub use backoff::Backoff;
pub use embedded::EmbeddedLink;
pub use link::{LinkState, SolverLink};
pub use mailbox::{Bell, Mailbox};
pub use physics::{BuildError, ObjectSpec, SurfaceFrame, Touch};
#[cfg(feature = "remote")]
pub use remote::{RemoteLink, ServerUrl, UrlError};
pub use stepper::{Stepper, Threads, ThreadsError};
