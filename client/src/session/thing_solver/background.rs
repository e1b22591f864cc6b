//! Work on threads of their own, so that the hand does not wait for it.

use std::io;
use std::sync::Arc;

use engine::{Bell, Mailbox};

/// Where a thread of its own puts what it has found.
pub(super) type Answers<T> = Arc<Mailbox<Result<T, String>>>;

/// Works on a thread of this name, and rings the bell when that is done.
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

/// Drops what takes a while to end: a link waits for its solver.
pub(super) fn drop_in_background(old: impl Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().name("farewell".to_owned()).spawn(move || drop(old)).map(drop)
}

/// What was found, said when this is dropped.
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
