//! The times at which records of a stream are due, by the device's own clock.

use std::time::{Duration, Instant};

/// The times at whole numbers of periods after a start: a late record does not delay later ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RecordSchedule {
    start: Instant,
    period_seconds: f64,
    /// Number of periods from the start to the next record.
    n_next: u64,
}

impl RecordSchedule {
    /// A schedule whose first record is due at `start`.
    pub(crate) fn new(start: Instant, period_seconds: f64) -> Self {
        Self { start, period_seconds, n_next: 0 }
    }

    pub(crate) fn next_due(&self) -> Instant {
        self.start + Duration::from_secs_f64(self.n_next as f64 * self.period_seconds)
    }

    /// Moves past `now`, and returns the number of records that were missed before the one that is
    /// sent now.
    pub(crate) fn advance(&mut self, now: Instant) -> u64 {
        let elapsed = now.saturating_duration_since(self.start).as_secs_f64();
        let n_passed = (elapsed / self.period_seconds).floor() as u64;
        let n_missed = n_passed.saturating_sub(self.n_next);
        self.n_next += n_missed + 1;
        n_missed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_record_does_not_delay_the_next() {
        let start = Instant::now();
        let mut schedule = RecordSchedule::new(start, 0.01);
        assert_eq!(schedule.advance(start + Duration::from_millis(4)), 0);
        assert_eq!(schedule.next_due(), start + Duration::from_millis(10));
    }

    #[test]
    fn missed_moments_are_counted_and_skipped() {
        let start = Instant::now();
        let mut schedule = RecordSchedule::new(start, 0.01);
        assert_eq!(schedule.advance(start + Duration::from_millis(35)), 3);
        assert_eq!(schedule.next_due(), start + Duration::from_millis(40));
    }
}
