//! A mailbox with one place: the newest value wins, nobody waits to put one in.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Connects two loops that run at their own pace.
#[derive(Debug)]
pub struct Mailbox<T> {
    slot: Mutex<Slot<T>>,
    changed: Condvar,
}

#[derive(Debug)]
struct Slot<T> {
    value: Option<T>,
    is_closed: bool,
}

impl<T> Default for Mailbox<T> {
    fn default() -> Self {
        Self { slot: Mutex::new(Slot { value: None, is_closed: false }), changed: Condvar::new() }
    }
}

impl<T> Mailbox<T> {
    /// Puts a value in, in place of one that nobody has taken.
    pub fn put(&self, value: T) {
        self.lock().value = Some(value);
        self.changed.notify_one();
    }

    /// Takes the value if there is one.
    pub fn take(&self) -> Option<T> {
        self.lock().value.take()
    }

    /// Waits for a value; `None` once the mailbox is closed.
    pub fn wait(&self) -> Option<T> {
        let mut slot = self.lock();
        loop {
            if slot.is_closed {
                return None;
            }
            match slot.value.take() {
                Some(value) => return Some(value),
                None => {
                    slot = self.changed.wait(slot).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    /// Ends all waiting, now and later.
    pub fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// Whether somebody has closed it.
    pub fn is_closed(&self) -> bool {
        self.lock().is_closed
    }

    /// The slot is whole at every moment, so a panic elsewhere does no harm to it.
    fn lock(&self) -> MutexGuard<'_, Slot<T>> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_value_wins_and_is_taken_once() {
        let mailbox = Mailbox::default();
        mailbox.put(1);
        mailbox.put(2);
        assert_eq!(mailbox.take(), Some(2));
        assert_eq!(mailbox.take(), None);
    }

    #[test]
    fn closing_ends_a_wait() {
        let mailbox = Mailbox::<u8>::default();
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| mailbox.wait());
            mailbox.close();
            assert_eq!(waiter.join().unwrap(), None);
        });
    }

    #[test]
    fn a_waiter_sees_what_is_put() {
        let mailbox = Mailbox::default();
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| mailbox.wait());
            mailbox.put(7);
            assert_eq!(waiter.join().unwrap(), Some(7));
        });
    }
}
