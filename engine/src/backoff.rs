//! Pauses between attempts to reconnect.

use std::time::Duration;

/// Pauses that double from attempt to attempt, up to `LONGEST`.
#[derive(Debug)]
pub struct Backoff {
    next: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { next: Self::FIRST }
    }
}

impl Backoff {
    const FIRST: Duration = Duration::from_millis(500);
    const LONGEST: Duration = Duration::from_secs(5);

    /// Returns the pause before the next attempt, and doubles the one after it.
    pub fn pause(&mut self) -> Duration {
        let pause = self.next;
        self.next = (pause * 2).min(Self::LONGEST);
        pause
    }

    /// Starts again with the shortest pause. Call it after a successful attempt.
    pub fn reset(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_limit() {
        let mut backoff = Backoff::default();
        let pauses: Vec<f64> = (0..6).map(|_| backoff.pause().as_secs_f64()).collect();
        assert_eq!(pauses, [0.5, 1.0, 2.0, 4.0, 5.0, 5.0]);
        backoff.reset();
        assert_eq!(backoff.pause().as_secs_f64(), 0.5);
    }
}
