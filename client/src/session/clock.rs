//! The time of a run, the names of what happens in it, and time that passes without a hand.

use std::io;
use std::time::{Duration, Instant};

use physics::SampleId;

use super::Session;

/// Between two moments that are brought to things without a hand: about as often as a glove would.
pub(super) const TIME_STEP: Duration = Duration::from_millis(10);
/// Times that differ by less than this, in seconds, are the same: sums of steps are rounded.
pub(super) const ROUNDING: f64 = 1e-6;

/// The time of a run.
pub(super) struct RunClock {
    begun: Instant,
    /// When time on the table began. A recording that leaps moves it.
    start: Instant,
    /// When time last passed for things without a hand, on the table.
    last_pass: f64,
    n_samples: u64,
    /// The time on the table while it stands still, as another place of a recording is sought.
    held: Option<f64>,
}

impl RunClock {
    pub(super) fn start() -> Self {
        let now = Instant::now();
        Self { begun: now, start: now, last_pass: 0.0, n_samples: 0, held: None }
    }

    /// Since the run began.
    pub(super) fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// The time on the table, in seconds.
    pub(super) fn now(&self) -> f64 {
        self.held.unwrap_or_else(|| self.start.elapsed().as_secs_f64())
    }

    /// The same of a moment.
    pub(super) fn time_of(&self, moment: Instant) -> f64 {
        let time = || moment.saturating_duration_since(self.start).as_secs_f64();
        self.held.unwrap_or_else(time)
    }

    /// Holds the time on the table, in seconds, until it is set again or let go: what is done again
    /// is done at the same times, however busy the machine is.
    pub(super) fn hold(&mut self, seconds: f64) {
        self.held = Some(seconds);
    }

    /// The same, with nothing passed before it.
    pub(super) fn hold_anew(&mut self, seconds: f64) {
        (self.held, self.last_pass) = (Some(seconds), seconds);
    }

    /// Time goes on from where it was held.
    pub(super) fn let_go(&mut self) {
        if let Some(seconds) = self.held.take() {
            self.set(seconds);
        }
    }

    /// Sets the time on the table, in seconds. It must not lie before the last event.
    fn set(&mut self, seconds: f64) {
        let now = Instant::now();
        let since = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        self.start = now.checked_sub(since).unwrap_or(now);
    }

    /// Takes a pause out of the time: playback was stopped, too.
    pub(super) fn skip_pause(&mut self, pause: Duration) {
        (self.start, self.begun) = (self.start + pause, self.begun + pause);
    }

    /// Whether time has to pass again for things without a hand, `between` after the last time; if
    /// so, gives the time on the table.
    pub(super) fn take_pass(&mut self, between: Duration) -> Option<f64> {
        let time = self.now();
        if time + ROUNDING < self.last_pass + between.as_secs_f64() {
            return None;
        }
        self.last_pass = time;
        Some(time)
    }

    /// A name for what happens next.
    pub(super) fn next_sample(&mut self) -> SampleId {
        self.n_samples += 1;
        SampleId(self.n_samples)
    }

    /// The name of what happened last.
    pub(super) fn last_sample(&self) -> SampleId {
        SampleId(self.n_samples)
    }
}

impl Session {
    /// Lets time pass for what was let go and for what moves; says whether there is something new
    /// to see.
    pub(super) fn let_time_pass(&mut self) -> io::Result<bool> {
        if self.tabletop.needs_time()
            && let Some(time) = self.clock.take_pass(TIME_STEP)
        {
            let sample = self.clock.next_sample();
            self.log.passed(sample, time);
            self.tabletop.pass_time(sample, time, &mut self.effects);
            self.tell_grasps(time)?;
            self.submit();
            return Ok(true);
        }
        Ok(false)
    }
}
