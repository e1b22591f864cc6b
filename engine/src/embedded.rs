//! Solver link to a thread of this process.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use physics::{FrameContent, ObjectSpec, Snapshot, SurfaceFrame, Touch};

use crate::inbox::Inbox;
use crate::mailbox::{Bell, Mailbox};
use crate::model_cache::ModelRequest;
use crate::resources::SolverResources;
use crate::single_precision;
use crate::solver_link::{LinkOptions, LinkState, SolverLink, preparing};
use crate::stepper::Stepper;

/// Link to a solver thread of this process.
pub struct EmbeddedLink {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    inbox: Inbox,
    /// Touches that were solved, kept so that their memory is used again. At most `MOST_ANSWERED`.
    answered: Mutex<Vec<Touch>>,
    frames: Mailbox<Arc<SurfaceFrame>>,
    state: Mutex<LinkState>,
    request: ModelRequest,
}

/// Largest number of solved touches that are kept.
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
    /// Starts to prepare the object and returns at once. [`SolverLink::state`] reports when the
    /// object is ready; `bell` rings for every frame.
    pub fn start(
        spec: &ObjectSpec,
        resources: Arc<SolverResources>,
        bell: Arc<Bell>,
    ) -> io::Result<Self> {
        Self::open(spec, LinkOptions::default(), &resources, bell)
    }

    /// [`start`](Self::start) with options.
    pub fn open(
        spec: &ObjectSpec,
        options: LinkOptions,
        resources: &Arc<SolverResources>,
        bell: Arc<Bell>,
    ) -> io::Result<Self> {
        let resources = resources.at_most(options.threads);
        let shared = Arc::new(Shared {
            inbox: Inbox::default(),
            answered: Mutex::new(Vec::with_capacity(MOST_ANSWERED)),
            frames: Mailbox::ringing(bell),
            state: Mutex::new(LinkState::Preparing("preparing the object".to_owned())),
            request: resources.models().request(spec),
        });
        let solver = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("solver".to_owned()).spawn(move || {
            // Dropped last, so that a solver that panicked has the state `Failed`, not `Ready`.
            let ended = SayFailed(&solver);
            solve(&resources, options.content, &solver);
            drop(ended);
        })?;
        Ok(Self { shared, thread: Some(thread) })
    }
}

fn solve(resources: &Arc<SolverResources>, content: FrameContent, shared: &Shared) {
    let failed = |why: String| shared.set_state(LinkState::Failed(why));
    let model = match resources.prepare(&shared.request) {
        Ok(model) => model,
        Err(e) => return failed(format!("cannot prepare the object: {e}")),
    };
    let n = resources.threads();
    let plural = if n == 1 { "" } else { "s" };
    let remark = |bytes| single_precision::remark(bytes, "--memory-mb");
    let text = format!("embedded, {n} thread{plural}");
    let text = single_precision::with_remark(text, model.bytes_for_double().map(remark));
    shared.set_state(LinkState::Ready(text));
    let publish = |frame| publish(&shared.frames, frame);
    let answered = |touch| shared.keep_answered(touch);
    let stepper = Stepper::new(resources.object(&model)).carrying(content);
    if let Err(e) = stepper.run(resources, &shared.inbox, publish, answered) {
        failed(e.to_string());
    }
}

/// Publishes a frame. It takes over the history of an older frame that was not taken.
pub(crate) fn publish(frames: &Mailbox<Arc<SurfaceFrame>>, mut frame: SurfaceFrame) {
    frames.put_after(|waiting| {
        if let Some(older) = waiting {
            frame.overtake(Arc::unwrap_or_clone(older));
        }
        Arc::new(frame)
    });
}

/// Sets the state to `Failed` when the solver thread ends, also when it panics.
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
            LinkState::Preparing(_) => LinkState::Preparing(preparing(self.shared.request.share())),
            other => other,
        }
    }
}

impl Drop for EmbeddedLink {
    fn drop(&mut self) {
        self.shared.inbox.close();
        self.shared.request.withdraw();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the solver thread panicked");
        }
    }
}
