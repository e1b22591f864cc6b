//! Repeatable random numbers, which depend on a seed and an index, never on the clock.

/// A short sequence of numbers for one purpose, such as the noise of record 17.
#[derive(Debug, Clone)]
pub(crate) struct Random {
    state: u64,
}

const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

impl Random {
    /// The numbers of index `place` under `seed`. Neighbouring indices are not correlated.
    pub(crate) fn of(seed: u64, place: u64) -> Self {
        let mut random = Self { state: seed };
        let scattered = random.next();
        Self { state: scattered ^ place.wrapping_mul(STEP) }
    }

    /// The next number, with 64 good bits: a scrambled Weyl sequence.
    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// A number from 0 (included) to 1 (excluded).
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number from 0 (included) to `end` (excluded), which must not be 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub(crate) fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[0]
    }

    /// A number with mean 0, standard deviation 1 and largest size 6: a sum of twelve uniform
    /// numbers.
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
