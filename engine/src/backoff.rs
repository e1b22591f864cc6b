//! Pauses between attempts to reconnect.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// Pauses that double from attempt to attempt, up to `LONGEST`. Each is shortened by chance, so
/// that clients which lost one server do not come back at the same moment.
#[derive(Debug)]
pub struct Backoff {
    next: Duration,
    /// State of the random numbers.
    random: u64,
}

impl Default for Backoff {
    fn default() -> Self {
        // The hash of nothing under a random key.
        Self::with_seed(RandomState::new().hash_one(()))
    }
}

impl Backoff {
    const FIRST: Duration = Duration::from_millis(500);
    const LONGEST: Duration = Duration::from_secs(5);
    /// Largest share of a pause that chance takes away.
    const JITTER: f64 = 0.5;

    /// Creates pauses that are the same for the same seed.
    pub fn with_seed(seed: u64) -> Self {
        Self { next: Self::FIRST, random: seed }
    }

    /// Returns the pause before the next attempt, and doubles the one after it.
    pub fn pause(&mut self) -> Duration {
        let pause = self.next.mul_f64(1.0 - Self::JITTER * self.chance());
        self.next = (self.next * 2).min(Self::LONGEST);
        pause
    }

    /// Starts again with the shortest pause. Call it after a successful attempt.
    pub fn reset(&mut self) {
        self.next = Self::FIRST;
    }

    /// Random number between 0 and 1, by the method of Steele, Lea and Flood (SplitMix64).
    fn chance(&mut self) -> f64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.random;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        (bits >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_limit() {
        let mut backoff = Backoff::default();
        for longest in [0.5, 1.0, 2.0, 4.0, 5.0, 5.0] {
            let pause = backoff.pause().as_secs_f64();
            assert!(pause > 0.4999 * longest && pause <= longest, "{pause} of {longest}");
        }
        backoff.reset();
        assert!(backoff.pause() <= Backoff::FIRST);
    }

    #[test]
    fn clients_of_a_server_that_restarts_come_back_at_different_moments() {
        let mut arrivals: Vec<f64> = (0..8)
            .map(|client| {
                let mut backoff = Backoff::with_seed(client);
                (0..4).map(|_| backoff.pause().as_secs_f64()).sum()
            })
            .collect();
        arrivals.sort_by(f64::total_cmp);
        let between = arrivals.windows(2).filter(|pair| pair[1] - pair[0] > 0.02).count();
        assert!(between >= 5, "{arrivals:?}");
        // Every program has pauses of its own.
        let first = || Backoff::default().pause();
        assert!((0..8).any(|_| first() != first()));
    }
}
