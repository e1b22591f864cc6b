//! The speed limit of a line: one byte after the other, ten bits per byte.

use std::time::{Duration, Instant};

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct BaudLimit {
    /// Time of one byte on the line. `None`: no limit.
    byte_time: Option<Duration>,
    /// Time at which the line had sent its last byte.
    free_since: Option<Instant>,
}

impl BaudLimit {
    pub(super) fn new(baud: Option<u32>) -> Self {
        Self { byte_time: baud.map(byte_time), free_since: None }
    }

    pub(super) fn set_baud(&mut self, baud: u32) {
        if self.byte_time.is_some() {
            self.byte_time = Some(byte_time(baud));
        }
    }

    /// Notes that bytes come to an idle line at `now`: they cannot be sent earlier.
    pub(super) fn begin(&mut self, now: Instant) {
        self.free_since = self.free_since.max(Some(now));
    }

    /// Number of bytes that the line has had time to send until `now`.
    pub(super) fn n_allowed(&self, now: Instant) -> usize {
        match (self.byte_time, self.free_since) {
            (Some(byte_time), Some(free_since)) => {
                let elapsed = now.saturating_duration_since(free_since);
                (elapsed.as_nanos() / byte_time.as_nanos()) as usize
            }
            (Some(_), None) => 0,
            (None, _) => usize::MAX,
        }
    }

    /// Time at which the line will have sent `n_bytes`.
    pub(super) fn done_at(&self, n_bytes: usize, now: Instant) -> Instant {
        let free_since = self.free_since.unwrap_or(now);
        free_since + self.byte_time.unwrap_or_default() * n_bytes as u32
    }

    /// Notes that `n_bytes` have been sent.
    pub(super) fn remove(&mut self, n_bytes: usize) {
        if let (Some(byte_time), Some(free_since)) = (self.byte_time, &mut self.free_since) {
            *free_since += byte_time * n_bytes as u32;
        }
    }
}

/// Time of one byte: start bit, eight data bits, stop bit.
fn byte_time(baud: u32) -> Duration {
    Duration::from_nanos(10_000_000_000 / u64::from(baud.max(1)))
}
