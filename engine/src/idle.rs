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
    /// Work to be done as soon as the thread for it is idle.
    pub(crate) fn offer(self: &Arc<Self>, work: IdleWork, workshop: &Arc<Workshop>) {
        let mut state = self.lock();
        state.next = Some(work);
        let was_running = std::mem::replace(&mut state.is_running, true);
        drop(state);
        if !was_running {
            self.go_on(workshop);
        }
    }

    /// No more pieces, from now on.
    pub(crate) fn end(&self) {
        let mut state = self.lock();
        state.is_ended = true;
        state.next = None;
    }

    /// One piece, then the other objects' turn.
    fn go_on(self: &Arc<Self>, workshop: &Arc<Workshop>) {
        let (idle, at) = (Arc::clone(self), Arc::downgrade(workshop));
        workshop.spawn_idle(move || {
            let work = idle.lock().next.take();
            let rest = work.and_then(|mut work| work().then_some(work));
            let mut state = idle.lock();
            if state.next.is_none() {
                state.next = rest;
            }
            state.is_running = state.next.is_some() && !state.is_ended;
            let is_running = state.is_running;
            drop(state);
            if let Some(workshop) = at.upgrade().filter(|_| is_running) {
                idle.go_on(&workshop);
            }
        });
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
