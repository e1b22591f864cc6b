//! Port to a solver, in this process or on a server.

use std::sync::Arc;

use physics::{FrameContent, Snapshot, SurfaceFrame, Touch};

/// One object in a solver. No method waits.
pub trait SolverLink: Send {
    /// Submits the newest touch. It replaces an older touch that the solver has not taken yet.
    /// Returns an older touch that is no longer needed, if there is one, so that its memory can be
    /// used again.
    fn submit(&mut self, touch: Touch) -> Option<Touch>;

    /// Takes the newest frame; `None` if there is no new one since the last call. The first frame
    /// shows the object at rest and needs no touch.
    fn latest(&mut self) -> Option<Arc<SurfaceFrame>>;

    /// Restores a state. Touches that the solver has not taken yet are dropped. A frame with the
    /// snapshot's sample confirms the restore.
    fn restore(&mut self, snapshot: Arc<Snapshot>);

    /// State of the solver.
    fn state(&self) -> LinkState;
}

/// Wishes for a link, stated when it opens its object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LinkOptions {
    /// Content of the frames.
    pub content: FrameContent,
    /// Threads for the object; the solver takes its own number if that is smaller, or if this is
    /// zero.
    pub threads: usize,
}

/// State of a solver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkState {
    /// Not ready yet; the text says what is being done.
    Preparing(String),
    /// Answers touches; the text says where, and on how many threads.
    Ready(String),
    /// Does not answer; the text says why. The link tries again.
    Lost(String),
    /// Cannot answer; the text says why. The link does not try again.
    Failed(String),
}

/// Text of `LinkState::Preparing` for this share of the work, between 0 and 1.
pub(crate) fn preparing(share: f64) -> String {
    format!("preparing the object, {:.0} %", 100.0 * share)
}
