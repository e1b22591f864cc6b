//! The sample period: two words whose product is a number of ticks of the unit's clock.

/// Ticks per second of the unit's sample clock.
const TICKS_PER_SECOND: f64 = 115_200.0;

/// Time between two records of a stream. A counter runs down from the first word; the second word
/// is the number of times that it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SamplePeriod {
    words: [u16; 2],
}

/// Error for a rate that no sample period has.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error(
    "cannot sample at {hz} Hz, expected {} to {} Hz",
    SamplePeriod::SLOWEST_HZ,
    TICKS_PER_SECOND
)]
pub struct PeriodError {
    hz: f64,
}

impl SamplePeriod {
    /// No pause: the unit sends a record as soon as the last one is out.
    pub const FASTEST: Self = Self { words: [0, 0] };

    /// The lowest rate that two words can express.
    pub const SLOWEST_HZ: f64 = TICKS_PER_SECOND / (u16::MAX as f64 * u16::MAX as f64);

    /// The period nearest to `hz` records per second.
    ///
    /// The unit may be too slow for this rate; each record then says so
    /// ([`is_too_fast`](crate::cyberglove::Conditions::is_too_fast)).
    pub fn from_hz(hz: f64) -> Result<Self, PeriodError> {
        // Also false if `hz` is not a number.
        if !(Self::SLOWEST_HZ..=TICKS_PER_SECOND).contains(&hz) {
            return Err(PeriodError { hz });
        }
        let ticks = TICKS_PER_SECOND / hz;
        let n_rounds = (ticks / f64::from(u16::MAX)).ceil().max(1.0);
        let n_ticks = (ticks / n_rounds).round();
        // Both are at least 1 and at most 65535 by the check above.
        Ok(Self { words: [n_ticks as u16, n_rounds as u16] })
    }

    /// Records per second; `None` for the fastest possible stream.
    pub fn hz(self) -> Option<f64> {
        let [n_ticks, n_rounds] = self.words.map(f64::from);
        let ticks = n_ticks * n_rounds;
        (ticks > 0.0).then(|| TICKS_PER_SECOND / ticks)
    }

    pub const fn from_words(words: [u16; 2]) -> Self {
        Self { words }
    }

    pub const fn words(self) -> [u16; 2] {
        self.words
    }

    /// Decodes both words from the wire, the high byte of each first.
    pub const fn from_wire([w1_high, w1_low, w2_high, w2_low]: [u8; 4]) -> Self {
        let w1 = u16::from_be_bytes([w1_high, w1_low]);
        let w2 = u16::from_be_bytes([w2_high, w2_low]);
        Self { words: [w1, w2] }
    }

    pub const fn to_wire(self) -> [u8; 4] {
        let [[w1_high, w1_low], [w2_high, w2_low]] =
            [self.words[0].to_be_bytes(), self.words[1].to_be_bytes()];
        [w1_high, w1_low, w2_high, w2_low]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn rates_have_the_manuals_words() {
        let check = |hz: f64, want| {
            let period = SamplePeriod::from_hz(hz).unwrap();
            assert_eq!(period.words(), want, "{hz} Hz");
            assert_eq!(period.hz(), Some(hz));
        };
        check(1.0, [57600, 2]);
        check(2.0, [57600, 1]);
        check(10.0, [11520, 1]);
        check(15.0, [7680, 1]);
        check(30.0, [3840, 1]);
        check(45.0, [2560, 1]);
        check(60.0, [1920, 1]);
        check(75.0, [1536, 1]);
        check(80.0, [1440, 1]);
        check(100.0, [1152, 1]);
    }

    #[test]
    fn a_word_of_zero_is_as_fast_as_possible() {
        for words in [[0, 0], [1152, 0], [0, 1]] {
            assert_eq!(SamplePeriod::from_words(words).hz(), None);
        }
    }

    #[test]
    fn rates_out_of_range_are_errors() {
        for hz in [0.0, -1.0, 1e-6, 115_201.0, f64::INFINITY, f64::NAN] {
            assert!(SamplePeriod::from_hz(hz).is_err(), "{hz}");
        }
        assert_eq!(SamplePeriod::from_hz(115_200.0).unwrap().words(), [1, 1]);
        let slowest = SamplePeriod::from_hz(SamplePeriod::SLOWEST_HZ).unwrap();
        assert_eq!(slowest.words(), [u16::MAX, u16::MAX]);
    }

    proptest! {
        #[test]
        fn a_rate_is_met_within_half_a_tick_per_round(ticks in 1.0..4.29e9_f64) {
            let period = SamplePeriod::from_hz(TICKS_PER_SECOND / ticks).unwrap();
            let [n_ticks, n_rounds] = period.words().map(f64::from);
            prop_assert!((n_ticks * n_rounds - ticks).abs() <= 0.5001 * n_rounds);
        }

        #[test]
        fn a_period_survives_the_wire(bytes in any::<[u8; 4]>()) {
            prop_assert_eq!(SamplePeriod::from_wire(bytes).to_wire(), bytes);
        }
    }
}
