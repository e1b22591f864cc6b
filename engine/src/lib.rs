//! Runs deformable objects in real time behind one port, [`SolverLink`].
//!
//! - [`link`]: the port: submit a touch, take the newest frame, see how the solver is;
//! - [`workshop`]: threads and memory; [`cache`]: models that are ready, by content; `idle`: work
//!   for threads that have nothing else to do; `stage_clock`: when each stage of long work begins;
//! - [`stepper`]: the loop that both modes share; [`inbox`] and [`mailbox`]: how it is fed;
//! - [`embedded`]: the solver in this process; [`remote`]: the same over gRPC (feature `remote`);
//!   [`backoff`]: how long to wait before a lost thing is tried again;
//! - [`solve`]: one touch at a time, exactly, for scripts; [`solvers`]: which of these, in one
//!   place.
//!
//! The same touches give the same frames through every link, bit for bit, on the same kind of
//! processor.

pub mod backoff;
pub mod cache;
pub mod embedded;
mod idle;
pub mod inbox;
pub mod link;
pub mod mailbox;
#[cfg(feature = "remote")]
pub mod remote;
pub mod solve;
pub mod solvers;
mod stage_clock;
pub mod stepper;
pub mod workshop;

pub use backoff::Backoff;
pub use embedded::EmbeddedLink;
pub use inbox::Inbox;
pub use link::{LinkState, SolverLink};
pub use mailbox::{Bell, Mailbox};
pub use physics::{BuildError, MemoryLimits, ObjectSpec, Snapshot, SurfaceFrame, Topology, Touch};
#[cfg(feature = "remote")]
pub use remote::{AskError, Pass, PassError, RemoteLink, ServerUrl, UrlError, ask, reach};
pub use solvers::{AnswerError, Solvers};
pub use stepper::Stepper;
pub use workshop::{Budget, DeliveryError, ThreadsError, Workshop};
