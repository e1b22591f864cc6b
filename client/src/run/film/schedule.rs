//! Selects the moments of a run that become pictures of a film.

/// Largest number of pictures of a film; the names of more would have six digits.
const MOST_PICTURES: u64 = 99_999;

/// Walks through the time of a run, in seconds, and counts the pictures that are due.
#[derive(Debug)]
pub(super) struct PictureSchedule {
    /// Time of the run from one picture to the next.
    step: f64,
    /// Time of the first picture after `begin`.
    from: f64,
    /// Latest time of a picture after `begin`.
    to: f64,
    /// Time of the first moment.
    begin: Option<f64>,
    /// Time of the last moment.
    last: f64,
    n_due: u64,
}

/// Error: the film has too many pictures.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the film would have more than {MOST_PICTURES} pictures; \
     choose a part of it with --from and --to, or a smaller --fps"
)]
pub(super) struct FilmTooLong;

impl PictureSchedule {
    pub(super) fn new(fps: u16, speed: f64, from: f64, to: Option<f64>) -> Self {
        let step = speed / f64::from(fps);
        Self { step, from, to: to.unwrap_or(f64::INFINITY), begin: None, last: 0.0, n_due: 0 }
    }

    /// Sets the time of the first moment in the recording, because `from` and `to` of the command
    /// line count from the beginning of the recording.
    pub(super) fn begin_at(&mut self, seconds: f64) {
        self.from = (self.from - seconds).max(0.0);
        self.to -= seconds;
    }

    /// Returns how many pictures show the scene that was current before `time`.
    pub(super) fn until(&mut self, time: f64) -> Result<u64, FilmTooLong> {
        let begin = *self.begin.get_or_insert(time);
        self.last = self.last.max(time);
        self.take_due(|at| begin + at < time)
    }

    /// Returns how many pictures show the last scene.
    pub(super) fn end(&mut self) -> Result<u64, FilmTooLong> {
        let Some(begin) = self.begin else { return Ok(0) };
        let last = self.last;
        self.take_due(|at| begin + at <= last)
    }

    fn take_due(&mut self, is_due: impl Fn(f64) -> bool) -> Result<u64, FilmTooLong> {
        let before = self.n_due;
        loop {
            let at = self.from + self.n_due as f64 * self.step;
            // Tolerance for rounding of the last picture's time.
            if at > self.to + 1e-9 || !is_due(at) {
                return Ok(self.n_due - before);
            }
            self.n_due += 1;
            if self.n_due > MOST_PICTURES {
                return Err(FilmTooLong);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the pictures of a run that changes every 10 ms for a second, from 3.5 s on.
    fn check(mut schedule: PictureSchedule, expected: &[u64]) {
        // The hundredth of a second of each picture.
        let mut shown = Vec::new();
        for i in 0..=100 {
            let n = schedule.until(3.5 + 0.01 * f64::from(i)).unwrap();
            shown.extend((0..n).map(|_| u64::try_from(i - 1).unwrap()));
        }
        shown.extend((0..schedule.end().unwrap()).map(|_| 100));
        assert_eq!(shown, expected);
    }

    #[test]
    fn pictures_are_as_far_apart_as_the_time_of_the_run_says() {
        check(PictureSchedule::new(4, 1.0, 0.004, None), &[0, 25, 50, 75]);
        // Twice as fast: half as many pictures.
        check(PictureSchedule::new(4, 2.0, 0.004, None), &[0, 50]);
        check(PictureSchedule::new(10, 1.0, 0.504, Some(0.75)), &[50, 60, 70]);
        check(PictureSchedule::new(10, 1.0, 2.0, None), &[]);
    }

    #[test]
    fn what_is_asked_for_counts_from_the_beginning_of_the_recording() {
        let mut late = PictureSchedule::new(10, 1.0, 1.104, Some(1.35));
        late.begin_at(0.6);
        check(late, &[50, 60, 70]);
        let mut all = PictureSchedule::new(4, 1.0, 0.604, None);
        all.begin_at(0.6);
        check(all, &[0, 25, 50, 75]);
    }

    #[test]
    fn the_last_moment_is_shown_and_a_pause_is_as_long_as_it_was() {
        let mut schedule = PictureSchedule::new(10, 1.0, 0.0, None);
        assert_eq!(schedule.until(0.0), Ok(0));
        assert_eq!(schedule.until(0.95), Ok(10));
        assert_eq!(schedule.until(1.0), Ok(0));
        assert_eq!(schedule.end(), Ok(1));
        assert_eq!(schedule.end(), Ok(0));
    }

    #[test]
    fn a_film_without_end_is_refused() {
        let mut schedule = PictureSchedule::new(25, 1.0, 0.0, None);
        assert_eq!(schedule.until(0.0), Ok(0));
        assert_eq!(schedule.until(1e300), Err(FilmTooLong));
    }
}
