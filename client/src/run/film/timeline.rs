//! Which moments of a run become pictures of a film.

/// More than these nobody looks at, and their names would have six digits.
const MOST_PICTURES: u64 = 99_999;

/// Walks through the time of a run, in seconds, and says when a picture is due.
#[derive(Debug)]
pub(super) struct Timeline {
    /// From one picture to the next, as the run passed.
    step: f64,
    /// The first and the last moment, from the beginning of the run.
    from: f64,
    to: f64,
    begin: Option<f64>,
    /// The last moment that was heard of.
    last: f64,
    n_due: u64,
}

/// The film would never end.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the film would have more than {MOST_PICTURES} pictures; --from and --to take a part of it, --fps fewer"
)]
pub(super) struct TooLong;

impl Timeline {
    pub(super) fn new(fps: u16, speed: f64, from: f64, to: Option<f64>) -> Self {
        let step = speed / f64::from(fps);
        Self { step, from, to: to.unwrap_or(f64::INFINITY), begin: None, last: 0.0, n_due: 0 }
    }

    /// The first moment is so late in the recording: what was asked for counts from the recording's beginning.
    pub(super) fn begin_at(&mut self, seconds: f64) {
        self.from = (self.from - seconds).max(0.0);
        self.to -= seconds;
    }

    /// At `time` something changes: how many pictures show what was until then?
    pub(super) fn until(&mut self, time: f64) -> Result<u64, TooLong> {
        let begin = *self.begin.get_or_insert(time);
        self.last = self.last.max(time);
        self.take_due(|at| begin + at < time)
    }

    /// Nothing changes any more: how many pictures show the last moment?
    pub(super) fn end(&mut self) -> Result<u64, TooLong> {
        let Some(begin) = self.begin else { return Ok(0) };
        let last = self.last;
        self.take_due(|at| begin + at <= last)
    }

    fn take_due(&mut self, is_due: impl Fn(f64) -> bool) -> Result<u64, TooLong> {
        let before = self.n_due;
        loop {
            let at = self.from + self.n_due as f64 * self.step;
            // A hair's breadth for what rounding adds to the last one.
            if at > self.to + 1e-9 || !is_due(at) {
                return Ok(self.n_due - before);
            }
            self.n_due += 1;
            if self.n_due > MOST_PICTURES {
                return Err(TooLong);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What changes every 10 ms for a second, from 3.5 s on.
    fn check(mut timeline: Timeline, expected: &[u64]) {
        // By the hundredths of a second that each picture shows.
        let mut shown = Vec::new();
        for i in 0..=100 {
            let n = timeline.until(3.5 + 0.01 * f64::from(i)).unwrap();
            shown.extend((0..n).map(|_| u64::try_from(i - 1).unwrap()));
        }
        shown.extend((0..timeline.end().unwrap()).map(|_| 100));
        assert_eq!(shown, expected);
    }

    #[test]
    fn pictures_are_as_far_apart_as_the_time_of_the_run_says() {
        check(Timeline::new(4, 1.0, 0.004, None), &[0, 25, 50, 75]);
        // Twice as fast: half as many.
        check(Timeline::new(4, 2.0, 0.004, None), &[0, 50]);
        check(Timeline::new(10, 1.0, 0.504, Some(0.75)), &[50, 60, 70]);
        check(Timeline::new(10, 1.0, 2.0, None), &[]);
    }

    #[test]
    fn what_is_asked_for_counts_from_the_beginning_of_the_recording() {
        let mut late = Timeline::new(10, 1.0, 1.104, Some(1.35));
        late.begin_at(0.6);
        check(late, &[50, 60, 70]);
        let mut all = Timeline::new(4, 1.0, 0.604, None);
        all.begin_at(0.6);
        check(all, &[0, 25, 50, 75]);
    }

    #[test]
    fn the_last_moment_is_shown_and_a_pause_is_as_long_as_it_was() {
        let mut timeline = Timeline::new(10, 1.0, 0.0, None);
        assert_eq!(timeline.until(0.0), Ok(0));
        assert_eq!(timeline.until(0.95), Ok(10));
        assert_eq!(timeline.until(1.0), Ok(0));
        assert_eq!(timeline.end(), Ok(1));
        assert_eq!(timeline.end(), Ok(0));
    }

    #[test]
    fn a_film_without_end_is_refused() {
        let mut timeline = Timeline::new(25, 1.0, 0.0, None);
        assert_eq!(timeline.until(0.0), Ok(0));
        assert_eq!(timeline.until(1e300), Err(TooLong));
    }
}
