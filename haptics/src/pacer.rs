//! Wakes a loop in every period, and keeps account of how late it woke.

use std::time::{Duration, Instant};

/// Periods of a loop, counted from its start: a late one does not delay those after it.
#[derive(Debug)]
pub struct Pacer {
    period: Duration,
    next: Instant,
    lateness: Lateness,
}

/// A wake-up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wake {
    /// The moment.
    pub now: Instant,
    /// Periods that have passed since the wake-up before: more than one if the loop was late.
    pub n_periods: u32,
}

/// How late a loop woke: a count for each microsecond up to 32 ms.
#[derive(Debug, Clone)]
pub struct Lateness {
    counts: Box<[u32]>,
    n: u64,
    n_missed: u64,
    largest: Duration,
}

impl Pacer {
    /// The first period ends one period from now.
    pub fn start(period: Duration) -> Self {
        let next = Instant::now() + period;
        Self { period, next, lateness: Lateness::default() }
    }

    /// How late the wake-ups were so far.
    pub fn lateness(&self) -> &Lateness {
        &self.lateness
    }

    /// Sleeps until the present period ends.
    pub fn wait(&mut self) -> Wake {
        let left = self.next.saturating_duration_since(Instant::now());
        if !left.is_zero() {
            std::thread::sleep(left);
        }
        let now = Instant::now();
        let late = now.saturating_duration_since(self.next);
        let n_missed = (late.as_nanos() / self.period.as_nanos().max(1)) as u32;
        self.next += self.period * (n_missed + 1);
        self.lateness.note(late, n_missed);
        Wake { now, n_periods: n_missed + 1 }
    }
}

impl Default for Lateness {
    fn default() -> Self {
        let counts = vec![0; Self::MICROSECONDS].into_boxed_slice();
        Self { counts, n: 0, n_missed: 0, largest: Duration::ZERO }
    }
}

impl Lateness {
    /// Number of microseconds that are told apart.
    const MICROSECONDS: usize = 32_768;

    fn note(&mut self, late: Duration, n_missed: u32) {
        let at = (late.as_micros() as usize).min(Self::MICROSECONDS - 1);
        self.counts[at] += 1;
        self.n += 1;
        self.n_missed += u64::from(n_missed);
        self.largest = self.largest.max(late);
    }

    /// Number of wake-ups.
    pub fn n(&self) -> u64 {
        self.n
    }

    /// Number of periods without a wake-up.
    pub fn n_missed(&self) -> u64 {
        self.n_missed
    }

    /// Largest lateness.
    pub fn largest(&self) -> Duration {
        self.largest
    }

    /// Lateness that a share of the wake-ups does not exceed, to a microsecond and at most 32 ms;
    /// zero without a wake-up.
    pub fn quantile(&self, share: f64) -> Duration {
        let wanted = (share.clamp(0.0, 1.0) * self.n as f64).ceil() as u64;
        let mut n = 0;
        for (at, count) in self.counts.iter().enumerate() {
            n += u64::from(*count);
            if n >= wanted && n > 0 {
                return Duration::from_micros(at as u64);
            }
        }
        Duration::ZERO
    }
}

/// Lets the calling thread wake as close to the asked time as the system can: within a microsecond
/// instead of 50, and before ordinary threads if this user may have that.
pub fn wake_closely() {
    #[cfg(target_os = "linux")]
    {
        /// Nice value of a thread for which others wait.
        const NICE: i32 = -11;
        // Both are wishes: without them the loop is later, and counts it.
        let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
        let _ = rustix::process::setpriority_process(None, NICE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_wake_ups() {
        let mut lateness = Lateness::default();
        assert_eq!(lateness.quantile(0.5), Duration::ZERO);
        for micros in 0..1000 {
            lateness.note(Duration::from_micros(micros), 0);
        }
        lateness.note(Duration::from_millis(7), 6);
        assert_eq!(lateness.quantile(0.5), Duration::from_micros(500));
        assert_eq!(lateness.quantile(0.999), Duration::from_micros(999));
        assert_eq!(lateness.quantile(1.0), Duration::from_millis(7));
        assert_eq!((lateness.n(), lateness.n_missed()), (1001, 6));
        assert_eq!(lateness.largest(), Duration::from_millis(7));
    }

    #[test]
    fn periods_are_counted_from_the_start() {
        let period = Duration::from_micros(200);
        let mut pacer = Pacer::start(period);
        let first = pacer.next;
        let mut n = 0;
        while n < 50 {
            let wake = pacer.wait();
            n += wake.n_periods;
            // It wakes in the period that it counts.
            assert!(wake.now >= first + period * (n - 1), "{n}");
            assert!(pacer.next == first + period * n);
        }
        assert!(pacer.lateness().n() <= 50);
    }
}
