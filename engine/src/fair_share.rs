//! Turns and cores of long work, so that frames stay in time beside it.
//!
//! A lower priority alone does not suffice: the scheduler of Linux lets a thread that runs finish
//! its slice of some milliseconds before a thread of higher priority that wakes up. So some cores
//! are kept free of long work while touches arrive.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use cores::{Cores, Thread};

/// Number of nodes from which on objects are prepared one after another. Smaller ones take less
/// than half a second, and do not wait.
const LARGE: usize = 5_000;

/// Share of the cores that is kept free of long work while touches arrive; at least one core.
const FREE_SHARE: usize = 8;

/// Long work of one process.
pub(crate) struct FairShare {
    cores: Option<Cores>,
    threads: Mutex<LongThreads>,
    /// True if there are threads for long work that may still use every core.
    is_everywhere: AtomicBool,
    turns: Mutex<Turns>,
    changed: Condvar,
}

#[derive(Default)]
struct LongThreads {
    running: Vec<Thread>,
    /// True from the first touch on, until no thread is left.
    are_confined: bool,
}

#[derive(Default)]
struct Turns {
    is_taken: bool,
    /// Tickets of those that wait, in order.
    queue: VecDeque<u64>,
    next: u64,
}

/// The turn of one large preparation; ends when it is dropped.
pub(crate) struct Turn<'a>(&'a FairShare);

impl FairShare {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            cores: Cores::with_some_free(FREE_SHARE),
            threads: Mutex::default(),
            is_everywhere: AtomicBool::new(false),
            turns: Mutex::default(),
            changed: Condvar::new(),
        })
    }

    /// Waits until a preparation of this size may begin. Returns `None` if it needs no turn, or as
    /// soon as `need_not_wait` is true: the request was withdrawn, or another one made the model.
    pub(crate) fn turn(
        &self,
        n_nodes: usize,
        need_not_wait: impl Fn() -> bool,
    ) -> Option<Turn<'_>> {
        /// Time between two looks whether there is still a reason to wait.
        const PATIENCE: Duration = Duration::from_millis(50);
        if n_nodes < LARGE {
            return None;
        }
        let mut turns = lock(&self.turns);
        let ticket = turns.next;
        turns.next += 1;
        turns.queue.push_back(ticket);
        while turns.is_taken || turns.queue.front() != Some(&ticket) {
            if need_not_wait() {
                turns.queue.retain(|waiting| *waiting != ticket);
                self.changed.notify_all();
                return None;
            }
            let waited = self.changed.wait_timeout(turns, PATIENCE);
            turns = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        turns.queue.pop_front();
        turns.is_taken = true;
        Some(Turn(self))
    }

    /// Starts threads for long work, each of which calls `begin` first.
    pub(crate) fn long_work(
        self: &Arc<Self>,
        threads: ThreadPoolBuilder,
        begin: impl Fn() + Send + Sync + 'static,
    ) -> Result<ThreadPool, ThreadPoolBuildError> {
        let (entering, leaving) = (Arc::clone(self), Arc::clone(self));
        threads
            .start_handler(move |_| {
                begin();
                entering.enter();
            })
            .exit_handler(move |_| leaving.leave())
            .build()
    }

    /// Keeps this thread off the free cores for good.
    pub(crate) fn stay_off(&self) {
        if let Some(cores) = &self.cores {
            cores.confine(Thread::this());
        }
    }

    /// A touch has arrived: long work leaves some cores.
    pub(crate) fn touch_arrived(&self) {
        if !self.is_everywhere.load(Ordering::Relaxed) {
            return;
        }
        let mut threads = lock(&self.threads);
        self.is_everywhere.store(false, Ordering::Relaxed);
        threads.are_confined = true;
        if let Some(cores) = &self.cores {
            threads.running.iter().for_each(|thread| cores.confine(*thread));
        }
    }

    fn enter(&self) {
        let mut threads = lock(&self.threads);
        threads.running.push(Thread::this());
        if threads.are_confined {
            self.stay_off();
        } else {
            self.is_everywhere.store(true, Ordering::Relaxed);
        }
    }

    fn leave(&self) {
        let mut threads = lock(&self.threads);
        threads.running.retain(|thread| *thread != Thread::this());
        if threads.running.is_empty() {
            threads.are_confined = false;
            self.is_everywhere.store(false, Ordering::Relaxed);
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        lock(&self.0.turns).is_taken = false;
        self.0.changed.notify_all();
    }
}

/// Locks, also after a panic elsewhere: no code panics between two changes that belong together.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(target_os = "linux")]
mod cores {
    use rustix::thread::{CpuSet, gettid, sched_getaffinity, sched_setaffinity};

    /// A thread of this process.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub(super) struct Thread(rustix::process::Pid);

    impl Thread {
        pub(super) fn this() -> Self {
            Self(gettid())
        }
    }

    /// Cores for long work while touches arrive.
    pub(super) struct Cores(CpuSet);

    impl Cores {
        /// All cores of this process but one in `share`, and at least one; `None` if that leaves
        /// none.
        pub(super) fn with_some_free(share: usize) -> Option<Self> {
            let mut cores = sched_getaffinity(None).ok()?;
            let n_cores = cores.count() as usize;
            if n_cores < 2 {
                return None;
            }
            let last_first = (0..CpuSet::MAX_CPU).rev();
            let free: Vec<usize> =
                last_first.filter(|&i| cores.is_set(i)).take((n_cores / share).max(1)).collect();
            free.into_iter().for_each(|core| cores.unset(core));
            Some(Self(cores))
        }

        /// Keeps a thread on these cores. If the system does not allow that, it stays anywhere.
        pub(super) fn confine(&self, thread: Thread) {
            if let Err(e) = sched_setaffinity(Some(thread.0), &self.0) {
                tracing::debug!("long work may use every core: {e}");
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod cores {
    /// A thread of this process.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub(super) struct Thread(std::thread::ThreadId);

    impl Thread {
        pub(super) fn this() -> Self {
            Self(std::thread::current().id())
        }
    }

    /// Cores for long work: chosen by the system.
    pub(super) struct Cores;

    impl Cores {
        pub(super) fn with_some_free(_share: usize) -> Option<Self> {
            None
        }

        pub(super) fn confine(&self, _thread: Thread) {}
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn large_preparations_take_turns_in_order_and_small_ones_do_not_wait() {
        let share = FairShare::new();
        let first = share.turn(LARGE, || false).expect("no other preparation");
        assert!(share.turn(LARGE - 1, || false).is_none(), "a small one needs no turn");
        let (began, begins) = mpsc::sync_channel(3);
        std::thread::scope(|scope| {
            for i in 0..3 {
                let (share, began) = (&share, began.clone());
                std::thread::Builder::new()
                    .name(format!("preparation-{i}"))
                    .spawn_scoped(scope, move || {
                        let turn = share.turn(LARGE, || i == 1);
                        began.send((i, turn.is_some())).expect("the test waits");
                    })
                    .expect("a thread");
                // The next one comes after this one has queued, or has left the queue again.
                while lock(&share.turns).next < i + 2 {
                    std::thread::yield_now();
                }
            }
            assert_eq!(begins.recv(), Ok((1, false)), "a withdrawn or ready one does not wait");
            assert!(begins.try_recv().is_err(), "the first turn is not over");
            drop(first);
            assert_eq!([begins.recv(), begins.recv()], [Ok((0, true)), Ok((2, true))]);
        });
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn long_work_leaves_a_core_from_the_first_touch_on_and_until_it_ends() {
        let n_cores = || rustix::thread::sched_getaffinity(None).expect("allowed").count();
        let share = FairShare::new();
        let pool =
            || share.long_work(ThreadPoolBuilder::new().num_threads(2), || {}).expect("threads");
        let all = n_cores();
        let fewer = if all < 2 { all } else { all - (all / FREE_SHARE as u32).max(1) };
        share.touch_arrived();
        let long = pool();
        assert_eq!(long.broadcast(|_| n_cores()), [all; 2], "no touch has arrived meanwhile");
        share.touch_arrived();
        assert_eq!(long.broadcast(|_| n_cores()), [fewer; 2]);
        assert_eq!(pool().broadcast(|_| n_cores()), [fewer; 2], "also work that begins now");
        assert_eq!(n_cores(), all, "others may use every core");
        drop(long);
        while !lock(&share.threads).running.is_empty() {
            std::thread::yield_now();
        }
        assert_eq!(pool().broadcast(|_| n_cores()), [all; 2]);
    }
}
