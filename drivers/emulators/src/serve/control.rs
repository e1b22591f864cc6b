//! Shared state of the handle and the serving thread: requests and their results.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::device_event::{DeviceEvent, Feedback};
use crate::emulator::EmulatorError;

/// Passes requests from the handle to the thread, and results back.
#[derive(Debug)]
pub(crate) struct EmulatorControl {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) is_plugged: bool,
    /// Number of the port's name, from 1.
    pub(super) name_number: u32,
}

#[derive(Debug)]
struct State {
    should_end: bool,
    has_ended: bool,
    wanted: Wanted,
    /// The terminal's own path, while plugged in.
    terminal: Option<String>,
    /// The port's stable path, or the error; `None` until the thread has tried to plug in.
    outcome: Option<Result<String, EmulatorError>>,
    events: VecDeque<DeviceEvent>,
    feedback: Feedback,
}

impl EmulatorControl {
    pub(crate) fn new(terminal: &str) -> Self {
        let state = State {
            should_end: false,
            has_ended: false,
            wanted: Wanted { is_plugged: true, name_number: 1 },
            terminal: Some(terminal.to_owned()),
            outcome: None,
            events: VecDeque::new(),
            feedback: Feedback::default(),
        };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    pub(crate) fn terminal(&self) -> Option<String> {
        self.state().terminal.clone()
    }

    pub(crate) fn feedback(&self) -> Feedback {
        self.state().feedback
    }

    pub(crate) fn end(&self) {
        self.state().should_end = true;
        self.changed.notify_all();
    }

    pub(crate) fn happen(&self, event: DeviceEvent) {
        let mut state = self.state();
        state.events.push_back(event);
        self.changed.notify_all();
        drop(self.wait_while(state, |state| !state.events.is_empty()));
    }

    pub(crate) fn unplug(&self) {
        let mut state = self.state();
        state.wanted.is_plugged = false;
        self.changed.notify_all();
        drop(self.wait_while(state, |state| state.terminal.is_some()));
    }

    /// Plugs the device in, and returns the port's path.
    pub(crate) fn plug_in(&self, name_number: u32) -> Result<String, EmulatorError> {
        let mut state = self.state();
        state.wanted = Wanted { is_plugged: true, name_number };
        state.outcome = None;
        self.changed.notify_all();
        let mut state = self.wait_while(state, |state| state.outcome.is_none());
        match state.outcome.take() {
            Some(Err(error)) => {
                // Otherwise the thread would try again by itself.
                state.wanted.is_plugged = false;
                Err(error)
            }
            Some(Ok(path)) => Ok(path),
            None => Err(EmulatorError::Ended),
        }
    }

    pub(super) fn should_end(&self) -> bool {
        self.state().should_end
    }

    pub(super) fn wanted(&self) -> Wanted {
        self.state().wanted
    }

    /// The next event, which stays in the queue until [`event_is_done`](Self::event_is_done).
    pub(super) fn next_event(&self) -> Option<DeviceEvent> {
        self.state().events.front().copied()
    }

    pub(super) fn event_is_done(&self) {
        self.state().events.pop_front();
        self.changed.notify_all();
    }

    pub(super) fn publish(&self, feedback: Feedback) {
        self.state().feedback = feedback;
    }

    /// Unplugs under the lock, so that this state is up to date when the host sees the hang-up.
    pub(super) fn unplug_by(&self, pull: impl FnOnce()) {
        let mut state = self.state();
        pull();
        if state.terminal.take().is_some() {
            self.changed.notify_all();
        }
    }

    pub(super) fn is_plugged_in(&self, terminal: Result<&str, EmulatorError>, path: &str) {
        let mut state = self.state();
        state.outcome = Some(match terminal {
            Ok(terminal) => {
                state.terminal = Some(terminal.to_owned());
                Ok(path.to_owned())
            }
            Err(error) => Err(error),
        });
        self.changed.notify_all();
    }

    pub(super) fn has_ended(&self) {
        let mut state = self.state();
        state.has_ended = true;
        state.terminal = None;
        self.changed.notify_all();
    }

    /// Sleeps until a request comes or `timeout` has passed.
    pub(super) fn wait(&self, timeout: Duration) {
        let state = self.state();
        drop(self.changed.wait_timeout(state, timeout).unwrap_or_else(PoisonError::into_inner));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until `condition` is false or the thread has ended.
    fn wait_while<'control>(
        &self,
        state: MutexGuard<'control, State>,
        condition: impl Fn(&State) -> bool,
    ) -> MutexGuard<'control, State> {
        self.changed
            .wait_while(state, |state| !state.has_ended && condition(state))
            .unwrap_or_else(PoisonError::into_inner)
    }
}
