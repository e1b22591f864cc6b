//! Force feedback: threads at 1 kHz that send contact forces to the devices on the hands.
//!
//! - [`Feedback`]: the thread of one hand's output: a glove with servos or vibrators, or a
//!   headset's controller or glove; the device's own thread takes the newest output;
//! - [`push_device`]: the thread of a kinaesthetic device, which it reads and pushes itself;
//! - [`glove_outputs`]: outputs of gloves, on the gloves' own threads.

pub mod glove_outputs;
pub mod push_device;

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use engine::Mailbox;
use haptics::{HandFelt, HandLoop, HandOutput, LoopThread, Wake};

pub use push_device::PushDevice;

/// Time for which a force is held.
pub const PERIOD: Duration = Duration::from_millis(1);

/// Longest time between two outputs, also of equal ones: a device frees a finger if none come.
const REPEAT: Duration = Duration::from_millis(10);

/// Time between two looks at a device that feels nothing.
const IDLE: Duration = Duration::from_millis(100);

/// Longest wait of a loop that ends for the device's thread to take that nothing is felt.
const LAST: Duration = Duration::from_millis(100);

/// Newest output for a device, taken by the device's thread.
pub type OutputMailbox = Arc<Mailbox<HandOutput>>;

/// What one hand feels, and the thread that makes outputs of it. Dropping it frees the hand.
pub struct Feedback {
    is_wanted: Arc<AtomicBool>,
    felt: Arc<Mailbox<Option<HandFelt>>>,
    thread: LoopThread,
}

/// The thread's part of an output.
struct HandTurn<P: FnMut(HandOutput) -> bool> {
    is_wanted: Arc<AtomicBool>,
    felt: Arc<Mailbox<Option<HandFelt>>>,
    newest: Option<HandFelt>,
    hand: HandLoop,
    put: P,
    sent: HandOutput,
    since: Duration,
}

impl Feedback {
    /// Starts a thread whose outputs `put` brings to a device. It returns false if it could not at
    /// once; it must not wait.
    pub fn start(
        name: &str,
        put: impl FnMut(HandOutput) -> bool + Send + 'static,
    ) -> io::Result<Self> {
        Self::start_if(name, Arc::new(AtomicBool::new(true)), put)
    }

    /// Same as [`start`](Self::start), for a device that perhaps feels nothing: outputs come while
    /// `is_wanted`.
    pub fn start_if(
        name: &str,
        is_wanted: Arc<AtomicBool>,
        put: impl FnMut(HandOutput) -> bool + Send + 'static,
    ) -> io::Result<Self> {
        let felt = Arc::new(Mailbox::default());
        let mut turn = HandTurn {
            is_wanted: Arc::clone(&is_wanted),
            felt: Arc::clone(&felt),
            newest: None,
            hand: HandLoop::default(),
            put,
            sent: HandOutput::default(),
            since: Duration::ZERO,
        };
        let thread = LoopThread::start(name, PERIOD, move |wake| {
            turn.turn(wake);
            ControlFlow::Continue(())
        })?;
        Ok(Self { is_wanted, felt, thread })
    }

    /// True if the device can make the hand feel something.
    pub fn is_wanted(&self) -> bool {
        self.is_wanted.load(Ordering::Relaxed)
    }

    /// True if the thread has ended by itself: it has panicked, and the hand is free.
    pub fn has_ended(&self) -> bool {
        self.thread.has_ended()
    }

    /// Sets what the hand feels from now on; `None` for nothing.
    pub fn feel(&self, felt: Option<HandFelt>) {
        self.felt.put(felt);
    }
}

impl<P: FnMut(HandOutput) -> bool> HandTurn<P> {
    fn turn(&mut self, wake: Wake) {
        if !self.is_wanted.load(Ordering::Relaxed) {
            // No finger waits for this thread.
            std::thread::sleep(IDLE);
            return;
        }
        if let Some(newest) = self.felt.take_at_once() {
            self.newest = newest;
        }
        let passed = PERIOD * wake.n_periods;
        let output = self.hand.step(self.newest.as_ref(), wake.now, passed.as_secs_f64());
        self.since += passed;
        if (output != self.sent || self.since >= REPEAT) && (self.put)(output) {
            (self.sent, self.since) = (output, Duration::ZERO);
        }
    }
}

impl<P: FnMut(HandOutput) -> bool> Drop for HandTurn<P> {
    fn drop(&mut self) {
        // The loop is over: another thread may be waited for now, but not one that never ends. Its
        // device frees the hand by itself, as nothing comes any more.
        let end = Instant::now() + LAST;
        while !(self.put)(HandOutput::default()) && Instant::now() < end {
            std::thread::yield_now();
        }
    }
}

#[cfg(test)]
mod tests {
    use haptics::FingerFelt;

    use super::*;

    fn wait_for(mailbox: &OutputMailbox, is_so: impl Fn(&HandOutput) -> bool) {
        let deadline = Instant::now() + Duration::from_secs(40);
        while !mailbox.take().is_some_and(|output| is_so(&output)) {
            assert!(Instant::now() < deadline, "the output does not come");
            std::thread::park_timeout(PERIOD);
        }
    }

    #[test]
    fn a_device_that_takes_nothing_does_not_hold_up_the_end() {
        // Would wait for ever.
        drop(Feedback::start("test-feedback", |_| false).unwrap());
    }

    #[test]
    fn a_loop_that_panics_has_ended() {
        let feedback = Feedback::start("test-feedback", |output| {
            assert!(output.is_none(), "on purpose");
            true
        });
        let feedback = feedback.unwrap();
        assert!(!feedback.has_ended());
        let mut fingers = [FingerFelt::NONE; 5];
        fingers[2].held = 0.5;
        let sampled = Instant::now() + Duration::from_secs(100);
        feedback.feel(Some(HandFelt { fingers, sampled }));
        let deadline = Instant::now() + Duration::from_secs(40);
        while !feedback.has_ended() {
            assert!(Instant::now() < deadline, "the loop goes on");
            std::thread::park_timeout(PERIOD);
        }
    }

    #[test]
    fn outputs_come_again_and_again_and_the_last_one_is_none() {
        let mailbox = OutputMailbox::default();
        let to = Arc::clone(&mailbox);
        let feedback = Feedback::start("test-feedback", move |output| to.put_at_once(output));
        let feedback = feedback.unwrap();
        let now = Instant::now();
        let mut fingers = [FingerFelt::NONE; 5];
        fingers[2].held = 0.5;
        // A sample of the future: it stays fresh for the length of this test.
        let sampled = now + Duration::from_secs(100);
        feedback.feel(Some(HandFelt { fingers, sampled }));
        let is_held = |output: &HandOutput| output.hold == [0.0, 0.0, 0.5, 0.0, 0.0];
        (0..3).for_each(|_| wait_for(&mailbox, is_held));
        feedback.feel(None);
        wait_for(&mailbox, HandOutput::is_none);
        feedback.feel(Some(HandFelt { fingers, sampled }));
        wait_for(&mailbox, is_held);
        drop(feedback);
        assert!(mailbox.take().is_some_and(|last| last.is_none()));
    }
}
