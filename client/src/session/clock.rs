//! Clock of a run: its time, its sample ids, and steps of time without a hand.

use std::io;
use std::time::{Duration, Instant};

use physics::SampleId;

use super::Session;

/// Time step of things without a hand, about as long as the period of a glove.
pub(super) const TIME_STEP: Duration = Duration::from_millis(10);
/// Rounding error of sums of time steps, in seconds.
pub(super) const ROUNDING: f64 = 1e-6;

/// Clock of a run.
pub(super) struct RunClock {
    begun: Instant,
    /// Start of the table's time. Setting the table's time moves it.
    start: Instant,
    /// Time on the table of the last time step without a hand, in seconds.
    last_pass: f64,
    n_samples: u64,
    /// Fixed time on the table during a seek, in seconds.
    held: Option<f64>,
}

impl RunClock {
    pub(super) fn start() -> Self {
        let now = Instant::now();
        Self { begun: now, start: now, last_pass: 0.0, n_samples: 0, held: None }
    }

    /// Time since the run began.
    pub(super) fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// The time on the table, in seconds.
    pub(super) fn now(&self) -> f64 {
        self.held.unwrap_or_else(|| self.start.elapsed().as_secs_f64())
    }

    /// The time on the table at a moment, in seconds.
    pub(super) fn time_of(&self, moment: Instant) -> f64 {
        let time = || moment.saturating_duration_since(self.start).as_secs_f64();
        self.held.unwrap_or_else(time)
    }

    /// Fixes the time on the table, in seconds, until [`let_go`](Self::let_go). A repeated event
    /// then gets its original time, even on a busy machine.
    pub(super) fn hold(&mut self, seconds: f64) {
        self.held = Some(seconds);
    }

    /// Same as [`hold`](Self::hold), with the last time step at this time.
    pub(super) fn hold_anew(&mut self, seconds: f64) {
        (self.held, self.last_pass) = (Some(seconds), seconds);
    }

    /// Lets time go on from where it was fixed.
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

    /// Removes a pause of length `pause` from the time; playback was stopped, too.
    pub(super) fn skip_pause(&mut self, pause: Duration) {
        (self.start, self.begun) = (self.start + pause, self.begun + pause);
    }

    /// Returns the time on the table if a time step without a hand is due, `between` after the last
    /// one.
    pub(super) fn take_pass(&mut self, between: Duration) -> Option<f64> {
        let time = self.now();
        if time + ROUNDING < self.last_pass + between.as_secs_f64() {
            return None;
        }
        self.last_pass = time;
        Some(time)
    }

    /// The id of the next sample.
    pub(super) fn next_sample(&mut self) -> SampleId {
        self.n_samples += 1;
        SampleId(self.n_samples)
    }

    /// The id of the last sample.
    pub(super) fn last_sample(&self) -> SampleId {
        SampleId(self.n_samples)
    }
}

impl Session {
    /// Lets time pass for released things and for things that move. Returns true if the scene may
    /// have changed.
    pub(super) fn let_time_pass(&mut self) -> io::Result<bool> {
        if self.tabletop.needs_time()
            && let Some(time) = self.clock.take_pass(TIME_STEP)
        {
            let sample = self.clock.next_sample();
            self.log.passed(sample, time);
            self.tabletop.pass_time(sample, time, &mut self.effects);
            self.report_grasps(time)?;
            self.submit();
            return Ok(true);
        }
        Ok(false)
    }
}
