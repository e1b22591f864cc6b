//! A filter for damaged records whose form is still valid: their counts jump.

use crate::cyberglove::sensor::SensorCounts;

/// Treatment of a record in which most sensors jump.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum JumpRule {
    /// Accept it. This is the default, because a hand may really be that fast.
    #[default]
    Keep,
    /// Drop it once. If the next record is also far away, the hand is really there.
    DropOnce,
}

/// Largest change of a sensor's count between two records that is not a jump.
const JUMP: u8 = 60;

#[derive(Debug)]
pub(super) struct JumpFilter {
    rule: JumpRule,
    /// The counts that were accepted last.
    last: Option<SensorCounts>,
    has_dropped: bool,
}

impl JumpFilter {
    pub(super) fn new(rule: JumpRule) -> Self {
        Self { rule, last: None, has_dropped: false }
    }

    pub(super) fn is_credible(&mut self, counts: &SensorCounts) -> bool {
        match self.rule {
            JumpRule::Keep => return true,
            JumpRule::DropOnce => {}
        }
        let is_jump = self.last.is_some_and(|last| most_sensors_jump(&last, counts));
        if is_jump && !self.has_dropped {
            self.has_dropped = true;
            return false;
        }
        self.has_dropped = false;
        self.last = Some(*counts);
        true
    }

    /// Accepts any pose in the next record, because the records before it were discarded.
    pub(super) fn forget(&mut self) {
        self.last = None;
        self.has_dropped = false;
    }
}

fn most_sensors_jump(last: &SensorCounts, next: &SensorCounts) -> bool {
    let (mut n_sensors, mut n_jumps) = (0, 0);
    for ((_, last), (_, next)) in last.iter().zip(next.iter()) {
        n_sensors += 1;
        n_jumps += usize::from(last.abs_diff(next) > JUMP);
    }
    2 * n_jumps > n_sensors
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cyberglove::SensorMask;

    /// A hand of 22 sensors: the first `n_moved` show `count`, the others 100.
    fn hand(n_moved: usize, count: u8) -> SensorCounts {
        let mut values = [100; 22];
        values[..n_moved].fill(count);
        SensorCounts::from_values(SensorMask::GLOVE_22, &values)
    }

    fn check(rule: JumpRule, hands: &[SensorCounts], want: &[bool]) {
        let mut filter = JumpFilter::new(rule);
        let got: Vec<_> = hands.iter().map(|counts| filter.is_credible(counts)).collect();
        assert_eq!(got, want);
    }

    #[test]
    fn only_a_jump_of_most_sensors_is_dropped() {
        let still = hand(0, 0);
        check(JumpRule::DropOnce, &[still, hand(12, 161), still], &[true, false, true]);
        check(JumpRule::DropOnce, &[still, hand(12, 39), still], &[true, false, true]);
        check(JumpRule::DropOnce, &[still, hand(12, 160), still], &[true, true, true]);
        check(JumpRule::DropOnce, &[still, hand(11, 255), still], &[true, true, true]);
        check(JumpRule::Keep, &[still, hand(22, 255), still], &[true, true, true]);
    }

    #[test]
    fn a_hand_that_stays_away_is_believed() {
        let (here, away) = (hand(0, 0), hand(22, 200));
        let hands = [here, away, away, away, here, here];
        check(JumpRule::DropOnce, &hands, &[true, false, true, true, false, true]);
    }

    #[test]
    fn a_new_beginning_is_no_jump() {
        let mut filter = JumpFilter::new(JumpRule::DropOnce);
        assert!(filter.is_credible(&hand(0, 0)));
        filter.forget();
        assert!(filter.is_credible(&hand(22, 200)));
    }
}
