//! Delays of samples from stage to stage, measured over the last second.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use interaction::scene::Latency;
use physics::SampleId;

/// Length of the measured time.
const WINDOW: Duration = Duration::from_secs(1);
/// Period of updates; figures that change faster cannot be read.
const RENEWED_EVERY: Duration = Duration::from_millis(500);
/// Greatest number of stored durations, more than any device sends in a second.
const MOST: usize = 4096;

/// Durations of the last second.
#[derive(Debug, Default)]
pub struct RecentDurations(VecDeque<(Instant, f64)>);

impl RecentDurations {
    /// Takes a duration, in seconds, that was measured at `now`.
    pub fn add(&mut self, now: Instant, seconds: f64) {
        self.forget(now);
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        self.0.push_back((now, seconds));
    }

    /// The median of the durations that are recent at `now`.
    pub fn median(&mut self, now: Instant) -> Option<f64> {
        self.forget(now);
        let mut sorted: Vec<f64> = self.0.iter().map(|(_, seconds)| *seconds).collect();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied()
    }

    fn forget(&mut self, now: Instant) {
        let is_old = |then: &Instant| now.saturating_duration_since(*then) > WINDOW;
        while self.0.front().is_some_and(|(then, _)| is_old(then)) {
            self.0.pop_front();
        }
    }
}

/// Delays of the stages that the hand loop can measure.
#[derive(Debug, Default)]
pub(super) struct StageLatencies {
    to_pair: RecentDurations,
    to_touch: RecentDurations,
    to_frame: RecentDurations,
    /// Touches that have not come back as a frame yet, oldest first.
    under_way: VecDeque<(SampleId, Instant)>,
    shown: Latency,
    renewed: Option<Instant>,
}

impl StageLatencies {
    /// Notes a new pair at `now` whose glove sample arrived at `arrival`.
    pub(super) fn paired(&mut self, now: Instant, arrival: Instant) {
        self.to_pair.add(now, now.saturating_duration_since(arrival).as_secs_f64());
    }

    /// Notes that the touch of a pair was submitted now.
    pub(super) fn submitted(&mut self, sample: SampleId, paired: Instant) {
        let now = Instant::now();
        self.to_touch.add(now, now.saturating_duration_since(paired).as_secs_f64());
        // A lost solver does not answer.
        if self.under_way.len() == MOST {
            self.under_way.pop_front();
        }
        self.under_way.push_back((sample, now));
    }

    /// Notes the answer to this sample; earlier touches will not be answered any more.
    pub(super) fn frame_came(&mut self, sample: SampleId) {
        let now = Instant::now();
        while let Some((asked, submitted)) =
            self.under_way.front().copied().filter(|(asked, _)| *asked <= sample)
        {
            self.under_way.pop_front();
            if asked == sample {
                self.to_frame.add(now, now.saturating_duration_since(submitted).as_secs_f64());
            }
        }
    }

    /// Medians of the last second, updated slowly enough to be read.
    pub(super) fn medians(&mut self) -> Latency {
        let now = Instant::now();
        if self.renewed.is_none_or(|then| now.saturating_duration_since(then) >= RENEWED_EVERY) {
            self.renewed = Some(now);
            self.shown = Latency {
                to_pair: self.to_pair.median(now),
                to_touch: self.to_touch.median(now),
                to_frame: self.to_frame.median(now),
            };
        }
        self.shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_of_the_last_second_only() {
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        let mut recent = RecentDurations::default();
        assert_eq!(recent.median(start), None);
        for (ms, seconds) in [(0, 9.0), (10, 9.0), (20, 9.0), (700, 1.0), (800, 3.0), (900, 2.0)] {
            recent.add(at(ms), seconds);
        }
        assert_eq!(recent.median(at(900)), Some(9.0));
        assert_eq!(recent.median(at(1100)), Some(2.0));
        assert_eq!(recent.median(at(5000)), None);
    }

    #[test]
    fn a_frame_answers_its_own_sample_and_ends_the_wait_for_older_ones() {
        let mut stages = StageLatencies::default();
        let now = Instant::now();
        for sample in 1..=3 {
            stages.submitted(SampleId(sample), now);
        }
        stages.frame_came(SampleId(2));
        assert_eq!(stages.to_frame.0.len(), 1);
        assert_eq!(stages.under_way.len(), 1);
        stages.frame_came(SampleId(2));
        assert_eq!(stages.to_frame.0.len(), 1);
    }
}
