//! Pseudo-random numbers that are the same on every run.

/// SplitMix64 generator. Any seeds are good, also consecutive ones.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Random number below `end`. `end` must be positive and far below 2^32.
    pub(super) fn below(&mut self, end: usize) -> usize {
        (((self.number() >> 32) * end as u64) >> 32) as usize
    }

    pub(super) fn shuffle(&mut self, items: &mut [u32]) {
        for k in (1..items.len()).rev() {
            items.swap(k, self.below(k + 1));
        }
    }
}
