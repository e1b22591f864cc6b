//! The solver in this process, on its own thread.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use physics::{ObjectSpec, SurfaceFrame, Touch};

use crate::link::{LinkState, SolverLink};
use crate::mailbox::{Bell, Mailbox};
use crate::stepper::{Stepper, Threads};

/// A link to a solver thread of this process.
pub struct EmbeddedLink {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    touches: Mailbox<Touch>,
    frames: Mailbox<Arc<SurfaceFrame>>,
    state: Mutex<LinkState>,
}

impl Shared {
    fn set_state(&self, state: LinkState) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }
}

impl EmbeddedLink {
    /// Starts to prepare the object at once and returns; [`SolverLink::state`] tells when it is ready, and
    /// `bell` rings for every frame.
    pub fn start(spec: ObjectSpec, threads: Arc<Threads>, bell: Arc<Bell>) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            touches: Mailbox::default(),
            frames: Mailbox::ringing(bell),
            state: Mutex::new(LinkState::Preparing("factorising the object".to_owned())),
        });
        let solver = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("solver".to_owned()).spawn(move || {
            // Said last, so that a solver which panicked shows as failed and not as ready.
            let ended = SayFailed(&solver);
            solve(&spec, threads, &solver);
            drop(ended);
        })?;
        Ok(Self { shared, thread: Some(thread) })
    }
}

fn solve(spec: &ObjectSpec, threads: Arc<Threads>, shared: &Shared) {
    let n = threads.count();
    match Stepper::prepare(spec, threads) {
        Ok(stepper) => {
            let plural = if n == 1 { "" } else { "s" };
            shared.set_state(LinkState::Ready(format!("embedded, {n} thread{plural}")));
            stepper.run(&shared.touches, |frame| shared.frames.put(Arc::new(frame)));
        }
        Err(e) => shared.set_state(LinkState::Failed(format!("cannot prepare the object: {e}"))),
    }
}

/// Turns a state that is not yet an end into one when the thread goes, however it goes.
struct SayFailed<'a>(&'a Shared);

impl Drop for SayFailed<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !matches!(*state, LinkState::Failed(_)) {
            *state = LinkState::Failed("the solver thread has ended".to_owned());
        }
    }
}

impl SolverLink for EmbeddedLink {
    fn submit(&mut self, touch: Touch) {
        self.shared.touches.put(touch);
    }

    fn latest(&mut self) -> Option<Arc<SurfaceFrame>> {
        self.shared.frames.take()
    }

    fn state(&self) -> LinkState {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for EmbeddedLink {
    fn drop(&mut self) {
        self.shared.touches.close();
        // A factorisation cannot be interrupted. Nobody should wait for one that is no longer wanted; the
        // thread ends by itself.
        let is_preparing = matches!(self.state(), LinkState::Preparing(_));
        if let Some(thread) = self.thread.take().filter(|_| !is_preparing)
            && thread.join().is_err()
        {
            tracing::error!("the solver thread panicked");
        }
    }
}
