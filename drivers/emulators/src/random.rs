//! Chance that can be repeated: numbers that depend on a seed and a place, never on the clock.

/// A short run of numbers for one purpose, such as the noise of record 17.
#[derive(Debug, Clone)]
pub(crate) struct Random {
    state: u64,
}

const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

impl Random {
    /// The numbers that belong to `place` under `seed`. Neighbouring places are unrelated.
    pub(crate) fn of(seed: u64, place: u64) -> Self {
        let mut random = Self { state: seed };
        let scattered = random.next();
        Self { state: scattered ^ place.wrapping_mul(STEP) }
    }

    /// All 64 bits are equally good: a Weyl sequence, scrambled.
    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// From 0 up to but not including 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// From 0 up to but not including `end`, which must not be 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub(crate) fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[0]
    }

    /// Mean 0, deviation 1, never beyond 6: the sum of twelve uniform numbers.
    pub(crate) fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_and_place_give_the_same_numbers() {
        let numbers = |seed, place| {
            let mut random = Random::of(seed, place);
            [random.next(), random.next()]
        };
        assert_eq!(numbers(1, 2), numbers(1, 2));
        assert_ne!(numbers(1, 2), numbers(1, 3));
        assert_ne!(numbers(1, 2), numbers(2, 2));
    }

    #[test]
    fn noise_has_mean_0_and_deviation_1() {
        let n_samples = 20_000;
        let samples: Vec<f64> = (0..n_samples).map(|place| Random::of(7, place).normal()).collect();
        let mean = samples.iter().sum::<f64>() / n_samples as f64;
        let variance = samples.iter().map(|sample| sample * sample).sum::<f64>() / n_samples as f64;
        assert!(mean.abs() < 0.05, "mean {mean}");
        assert!((variance - 1.0).abs() < 0.05, "variance {variance}");
    }
}
