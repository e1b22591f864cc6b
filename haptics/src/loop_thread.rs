//! A thread that runs a loop in every period until it is dropped.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::pacer::{Lateness, Pacer, Wake, wake_closely};

/// A running loop. Dropping it ends the loop and waits for it: what the loop owns is dropped on its
/// thread, so devices let go of fingers, also when the loop panics.
pub struct LoopThread {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Lateness>>,
}

impl LoopThread {
    /// Starts a thread that calls `turn` in every period, until it breaks off.
    pub fn start(
        name: &str,
        period: Duration,
        mut turn: impl FnMut(Wake) -> ControlFlow<()> + Send + 'static,
    ) -> io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopping = Arc::clone(&stop);
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(move || {
            wake_closely();
            let mut pacer = Pacer::start(period);
            while !stopping.load(Ordering::Relaxed) {
                if turn(pacer.wait()).is_break() {
                    break;
                }
            }
            // Before the thread's result: its end is seen when devices have let go.
            drop(turn);
            pacer.lateness().clone()
        })?;
        Ok(Self { stop, thread: Some(thread) })
    }

    /// True if the loop has ended by itself.
    pub fn has_ended(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Ends the loop. Returns how late it woke, or `None` if it panicked.
    pub fn end(mut self) -> Option<Lateness> {
        self.join()
    }

    fn join(&mut self) -> Option<Lateness> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take()?.join().ok()
    }
}

impl Drop for LoopThread {
    fn drop(&mut self) {
        self.join();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;

    use super::*;

    /// Device that says when it lets go.
    struct Device(std::sync::mpsc::SyncSender<&'static str>);

    impl Drop for Device {
        fn drop(&mut self) {
            self.0.send("let go").unwrap();
        }
    }

    #[test]
    fn a_loop_lets_go_at_its_end_and_when_it_panics() {
        let period = Duration::from_micros(500);
        let (to, from) = sync_channel(16);
        let device = Device(to.clone());
        let ended = LoopThread::start("test-loop", period, move |_| {
            let _ = &device;
            ControlFlow::Continue(())
        })
        .unwrap();
        assert!(ended.end().is_some());
        assert_eq!(from.try_recv(), Ok("let go"));
        let device = Device(to);
        let panicked = LoopThread::start("test-loop", period, move |wake| {
            let _ = &device;
            assert!(wake.n_periods == 0, "on purpose");
            ControlFlow::Continue(())
        })
        .unwrap();
        assert_eq!(from.recv(), Ok("let go"));
        assert!(panicked.end().is_none());
    }
}
