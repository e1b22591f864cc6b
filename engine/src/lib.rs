//! Runs deformable objects in real time behind one port, [`SolverLink`].
//!
//! - [`solver_link`]: the port: submit a touch, take the newest frame, read the solver's state;
//! - [`embedded`]: the link to a solver thread of this process;
//! - [`remote`]: the link to a `solver-server` over gRPC (feature `remote`);
//! - [`backoff`]: pauses between attempts to reconnect;
//! - [`solver_location`]: the choice between the two: new links, and single solves;
//! - [`single_solve`]: one exact solve of one touch, for scripts;
//! - [`stepper`]: the loop that steps an object, used by this process and by the server;
//! - [`inbox`], [`mailbox`]: how touches reach that loop and frames leave it;
//! - [`resources`]: threads, memory budget and models of a process;
//! - [`model_cache`]: prepared models, shared by content;
//! - `fair_share`: turns and cores of long work, so that frames stay in time beside it;
//! - `idle_work`: optional work for threads that have nothing else to do;
//! - `single_precision`: words about an object that the memory limit made slower;
//! - `stage_times`: how long each stage of a preparation takes.
//!
//! The same touches give the same frames through every link, bit for bit, on the same kind of
//! processor.

pub mod backoff;
pub mod embedded;
mod fair_share;
mod idle_work;
pub mod inbox;
pub mod mailbox;
pub mod model_cache;
#[cfg(feature = "remote")]
pub mod remote;
pub mod resources;
mod single_precision;
pub mod single_solve;
pub mod solver_link;
pub mod solver_location;
mod stage_times;
pub mod stepper;

pub use backoff::Backoff;
pub use embedded::EmbeddedLink;
pub use inbox::Inbox;
pub use mailbox::{Bell, Mailbox};
pub use physics::{
    BuildError, FrameContent, MemoryLimits, NodalDisplacements, ObjectSpec, Snapshot, SurfaceFrame,
    Topology, Touch,
};
#[cfg(feature = "remote")]
pub use remote::{
    AskError, Pass, PassError, RemoteLink, ServerInfo, ServerMachine, ServerUrl, UrlError, ask,
    ask_on, info, reach,
};
pub use resources::{MemoryBudget, PrepareError, SolverResources, ThreadsError};
pub use solver_link::{LinkOptions, LinkState, SolverLink};
pub use solver_location::{AnswerError, SolverLocation};
pub use stepper::Stepper;
