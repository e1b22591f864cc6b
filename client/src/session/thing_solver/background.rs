//! Work on background threads, so that the hand does not wait.

use std::io;
use std::sync::Arc;

use engine::{Bell, Mailbox};

/// Mailbox for the result of a background thread.
pub(super) type Answers<T> = Arc<Mailbox<Result<T, String>>>;

/// Runs `work` on a thread of this name, and rings the bell when it is done.
pub(super) fn in_background<T: Send + 'static>(
    name: &str,
    bell: &Arc<Bell>,
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> io::Result<Answers<T>> {
    let answers: Answers<T> = Arc::new(Mailbox::ringing(Arc::clone(bell)));
    let to = Arc::clone(&answers);
    std::thread::Builder::new().name(name.to_owned()).spawn(move || {
        // Dropping the answer delivers it, also if the work panics.
        let mut answer = Answer { to, found: None };
        answer.found = Some(work());
    })?;
    Ok(answers)
}

/// Drops a value on a background thread: a link waits for its solver to end.
pub(super) fn drop_in_background(old: impl Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().name("farewell".to_owned()).spawn(move || drop(old)).map(drop)
}

/// Result of the work, delivered when this is dropped.
struct Answer<T> {
    to: Answers<T>,
    found: Option<Result<T, String>>,
}

impl<T> Drop for Answer<T> {
    fn drop(&mut self) {
        let panicked = || Err("the solver panicked".to_owned());
        self.to.put(self.found.take().unwrap_or_else(panicked));
    }
}
