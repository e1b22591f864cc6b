//! Idle work: optional work for threads that have nothing else to do.
//!
//! The idle thread of the resources does it piece by piece, and takes the objects in turn.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use physics::IdleWork;

use crate::resources::SolverResources;

/// Idle work of one object. A new offer replaces the rest of the last one.
#[derive(Default)]
pub(crate) struct IdleQueue(Mutex<State>);

#[derive(Default)]
struct State {
    next: Option<IdleWork>,
    is_running: bool,
    is_ended: bool,
}

impl IdleQueue {
    /// Offers work, to be done as soon as the idle thread is free.
    pub(crate) fn offer(self: &Arc<Self>, work: IdleWork, resources: &Arc<SolverResources>) {
        let mut state = self.lock();
        state.next = Some(work);
        let was_running = std::mem::replace(&mut state.is_running, true);
        drop(state);
        if !was_running {
            self.go_on(resources);
        }
    }

    /// Drops the work that is left. A piece that is running is completed.
    pub(crate) fn end(&self) {
        let mut state = self.lock();
        state.is_ended = true;
        state.next = None;
    }

    /// Queues one piece. The next piece is queued behind the work of the other objects.
    fn go_on(self: &Arc<Self>, resources: &Arc<SolverResources>) {
        let (queue, at) = (Arc::clone(self), Arc::downgrade(resources));
        resources.spawn_idle(move || {
            let work = queue.lock().next.take();
            let rest = work.and_then(|mut work| work().then_some(work));
            let mut state = queue.lock();
            if state.next.is_none() {
                state.next = rest;
            }
            state.is_running = state.next.is_some() && !state.is_ended;
            let is_running = state.is_running;
            drop(state);
            if let Some(resources) = at.upgrade().filter(|_| is_running) {
                queue.go_on(&resources);
            }
        });
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
