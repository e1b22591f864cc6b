//! Work that nobody waits for: done piece by piece on the workshop's threads, the newest first.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use physics::IdleWork;

use crate::workshop::Workshop;

/// The idle work of one object. A new offer replaces what is left of the last one.
#[derive(Default)]
pub(crate) struct Idle(Mutex<State>);

#[derive(Default)]
struct State {
    next: Option<IdleWork>,
    is_running: bool,
    is_ended: bool,
}

impl Idle {
    /// Work to be done as soon as a thread is idle.
    pub(crate) fn offer(self: &Arc<Self>, work: IdleWork, workshop: &Workshop) {
        let mut state = self.lock();
        state.next = Some(work);
        let was_running = std::mem::replace(&mut state.is_running, true);
        drop(state);
        if !was_running {
            let idle = Arc::clone(self);
            workshop.spawn(move || idle.run());
        }
    }

    /// No more pieces, from now on.
    pub(crate) fn end(&self) {
        let mut state = self.lock();
        state.is_ended = true;
        state.next = None;
    }

    fn run(&self) {
        let mut work: Option<IdleWork> = None;
        loop {
            {
                let mut state = self.lock();
                if let Some(newer) = state.next.take() {
                    work = Some(newer);
                }
                if state.is_ended || work.is_none() {
                    state.is_running = false;
                    return;
                }
            }
            let has_more = work.as_mut().is_some_and(|piece| piece());
            if !has_more {
                work = None;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
