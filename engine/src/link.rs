//! The port to a solver, wherever it runs.

use std::sync::Arc;

use physics::{Snapshot, SurfaceFrame, Touch};

/// One object in a solver. Nothing here ever waits.
pub trait SolverLink: Send {
    /// Hands over what the hand does now. Newest wins: an older touch that the solver has not looked at
    /// yet is forgotten. Gives back an older one that nobody needs any more, if there is one, so that its memory
    /// can be used again.
    fn submit(&mut self, touch: Touch) -> Option<Touch>;

    /// The newest finished frame, once; `None` if there is none since the last call. The first frame is
    /// the object at rest and needs no touch.
    fn latest(&mut self) -> Option<Arc<SurfaceFrame>>;

    /// The object goes on from this state. Touches that the solver has not looked at are forgotten; a
    /// frame of the snapshot's sample tells when it is done.
    fn restore(&mut self, snapshot: Arc<Snapshot>);

    /// How the solver is.
    fn state(&self) -> LinkState;
}

/// How a solver is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkState {
    /// Not there yet; the text says what is under way.
    Preparing(String),
    /// Answers touches; the text says where and with what.
    Ready(String),
    /// Does not answer; the text says why. The link keeps trying.
    Lost(String),
    /// Will not answer, however often it is tried; the text says why.
    Failed(String),
}

/// What to say while an object is being prepared, of which this share is done.
pub(crate) fn preparing(share: f64) -> String {
    format!("preparing the object, {:.0} %", 100.0 * share)
}
