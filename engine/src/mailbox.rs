//! Mailbox with one place between two threads. The newest value wins, and putting one in never
//! waits.
//!
//! A bell wakes a loop that reads several mailboxes.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

/// Connects two loops that run at their own pace.
#[derive(Debug)]
pub struct Mailbox<T> {
    slot: Mutex<Slot<T>>,
    changed: Condvar,
    /// Rung when a value is put in.
    bell: Option<Arc<Bell>>,
}

#[derive(Debug)]
struct Slot<T> {
    value: Option<T>,
    is_closed: bool,
}

impl<T> Default for Mailbox<T> {
    fn default() -> Self {
        Self {
            slot: Mutex::new(Slot { value: None, is_closed: false }),
            changed: Condvar::new(),
            bell: None,
        }
    }
}

impl<T> Mailbox<T> {
    /// Creates a mailbox that rings `bell` whenever a value is put in.
    pub fn ringing(bell: Arc<Bell>) -> Self {
        Self { bell: Some(bell), ..Self::default() }
    }

    /// Puts in a value. Returns the older value that was not taken, if there is one.
    pub fn put(&self, value: T) -> Option<T> {
        let before = self.lock().value.replace(value);
        self.changed.notify_one();
        if let Some(bell) = &self.bell {
            bell.ring();
        }
        before
    }

    /// Puts in the value that `next` makes of the waiting one, if there is one.
    pub fn put_after(&self, next: impl FnOnce(Option<T>) -> T) {
        let mut slot = self.lock();
        slot.value = Some(next(slot.value.take()));
        drop(slot);
        self.changed.notify_one();
        if let Some(bell) = &self.bell {
            bell.ring();
        }
    }

    /// Puts in a value unless another thread is just using the mailbox, so that no lock is waited
    /// for. Returns true if it was put in.
    pub fn put_at_once(&self, value: T) -> bool {
        let Some(mut slot) = self.lock_at_once() else { return false };
        slot.value = Some(value);
        drop(slot);
        self.changed.notify_one();
        if let Some(bell) = &self.bell {
            bell.ring();
        }
        true
    }

    /// Takes the value if there is one, unless another thread is just using the mailbox: no lock is
    /// waited for.
    pub fn take_at_once(&self) -> Option<T> {
        self.lock_at_once()?.value.take()
    }

    /// Takes the value if there is one.
    pub fn take(&self) -> Option<T> {
        self.lock().value.take()
    }

    /// Waits for a value. Returns `None` once the mailbox is closed.
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

    /// Closes the mailbox: `wait` returns `None` from now on.
    pub fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// True if the mailbox is closed.
    pub fn is_closed(&self) -> bool {
        self.lock().is_closed
    }

    /// Locks the slot unless another thread has locked it, also after a panic elsewhere.
    fn lock_at_once(&self) -> Option<MutexGuard<'_, Slot<T>>> {
        match self.slot.try_lock() {
            Ok(slot) => Some(slot),
            Err(TryLockError::Poisoned(slot)) => Some(slot.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Locks the slot, also after a panic elsewhere: the slot is consistent at every moment.
    fn lock(&self) -> MutexGuard<'_, Slot<T>> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Wakes one loop. Several rings between two waits count as one.
#[derive(Debug, Default)]
pub struct Bell {
    has_rung: Mutex<bool>,
    rung: Condvar,
}

impl Bell {
    /// Wakes the waiting loop. If no loop waits, the next wait returns at once.
    pub fn ring(&self) {
        *self.has_rung.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.rung.notify_one();
    }

    /// Waits until the bell rings, at most for `patience`.
    pub fn wait_for(&self, patience: Duration) {
        let has_rung = self.has_rung.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut has_rung, _) = self
            .rung
            .wait_timeout_while(has_rung, patience, |has_rung| !*has_rung)
            .unwrap_or_else(PoisonError::into_inner);
        *has_rung = false;
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
    fn a_mailbox_in_use_is_not_waited_for() {
        let mailbox = Mailbox::default();
        assert!(mailbox.put_at_once(1));
        let in_use = mailbox.lock();
        assert!(!mailbox.put_at_once(2));
        assert_eq!(mailbox.take_at_once(), None);
        drop(in_use);
        assert_eq!(mailbox.take_at_once(), Some(1));
    }

    #[test]
    fn a_mailbox_works_on_after_a_panic() {
        let mailbox = Mailbox::default();
        let panicked = std::thread::scope(|scope| {
            scope.spawn(|| mailbox.put_after(|_| panic!("on purpose"))).join().is_err()
        });
        assert!(panicked);
        assert!(mailbox.put_at_once(1));
        assert_eq!(mailbox.take_at_once(), Some(1));
        mailbox.put(2);
        assert_eq!(mailbox.take(), Some(2));
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

    #[test]
    fn a_ring_before_the_wait_ends_the_wait() {
        let bell = Arc::new(Bell::default());
        let mailbox = Mailbox::ringing(Arc::clone(&bell));
        mailbox.put(3);
        // Waits for ever if the ring is lost.
        bell.wait_for(Duration::MAX);
        assert_eq!(mailbox.take(), Some(3));
    }
}
