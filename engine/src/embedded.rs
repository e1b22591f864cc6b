//! The solver in this process, on its own thread.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use physics::{ObjectSpec, Snapshot, SurfaceFrame, Touch};

use crate::cache::Order;
use crate::inbox::Inbox;
use crate::link::{LinkState, SolverLink, preparing};
use crate::mailbox::{Bell, Mailbox};
use crate::stepper::Stepper;
use crate::workshop::Workshop;

/// A link to a solver thread of this process.
pub struct EmbeddedLink {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    inbox: Inbox,
    /// Touches that were answered, for their memory.
    answered: Mutex<Vec<Touch>>,
    frames: Mailbox<Arc<SurfaceFrame>>,
    state: Mutex<LinkState>,
    order: Order,
}

/// More answered touches than this are not kept.
const MOST_ANSWERED: usize = 4;

impl Shared {
    fn answered(&self) -> MutexGuard<'_, Vec<Touch>> {
        self.answered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep_answered(&self, touch: Touch) {
        let mut answered = self.answered();
        if answered.len() < MOST_ANSWERED {
            answered.push(touch);
        }
    }

    fn set_state(&self, state: LinkState) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }
}

impl EmbeddedLink {
    /// Starts to prepare the object at once and returns; [`SolverLink::state`] tells when it is ready, and
    /// `bell` rings for every frame.
    pub fn start(spec: &ObjectSpec, workshop: Arc<Workshop>, bell: Arc<Bell>) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            inbox: Inbox::default(),
            answered: Mutex::new(Vec::with_capacity(MOST_ANSWERED)),
            frames: Mailbox::ringing(bell),
            state: Mutex::new(LinkState::Preparing("preparing the object".to_owned())),
            order: workshop.models().order(spec),
        });
        let solver = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("solver".to_owned()).spawn(move || {
            // Said last, so that a solver which panicked shows as failed and not as ready.
            let ended = SayFailed(&solver);
            solve(&workshop, &solver);
            drop(ended);
        })?;
        Ok(Self { shared, thread: Some(thread) })
    }
}

fn solve(workshop: &Arc<Workshop>, shared: &Shared) {
    let failed = |why: String| shared.set_state(LinkState::Failed(why));
    let model = match workshop.deliver(&shared.order) {
        Ok(model) => model,
        Err(e) => return failed(format!("cannot prepare the object: {e}")),
    };
    let n = workshop.threads();
    let plural = if n == 1 { "" } else { "s" };
    shared.set_state(LinkState::Ready(format!("embedded, {n} thread{plural}")));
    let publish = |frame| publish(&shared.frames, frame);
    let answered = |touch| shared.keep_answered(touch);
    if let Err(e) =
        Stepper::new(workshop.object(&model)).run(workshop, &shared.inbox, publish, answered)
    {
        failed(e.to_string());
    }
}

/// Puts a frame where its reader takes it. It tells what one that was not taken would have told.
pub(crate) fn publish(frames: &Mailbox<Arc<SurfaceFrame>>, mut frame: SurfaceFrame) {
    frames.put_after(|waiting| {
        if let Some(older) = waiting {
            frame.overtake(Arc::unwrap_or_clone(older));
        }
        Arc::new(frame)
    });
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
    fn submit(&mut self, touch: Touch) -> Option<Touch> {
        self.shared.inbox.put(touch).or_else(|| self.shared.answered().pop())
    }

    fn restore(&mut self, snapshot: Arc<Snapshot>) {
        self.shared.inbox.restore(snapshot);
    }

    fn latest(&mut self) -> Option<Arc<SurfaceFrame>> {
        self.shared.frames.take()
    }

    fn state(&self) -> LinkState {
        let state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match state {
            LinkState::Preparing(_) => LinkState::Preparing(preparing(self.shared.order.share())),
            other => other,
        }
    }
}

impl Drop for EmbeddedLink {
    fn drop(&mut self) {
        self.shared.inbox.close();
        self.shared.order.withdraw();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the solver thread panicked");
        }
    }
}
