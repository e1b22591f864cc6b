//! The clock of the script, which gives the present moment of the motion.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Converts real time into seconds of a script. Copies of one clock always agree.
#[derive(Debug, Clone, Copy)]
pub struct ScriptClock {
    origin: Instant,
    seconds_at_origin: f64,
    /// Seconds of the script per second of real time.
    rate: f64,
}

impl ScriptClock {
    /// A script that begins at `origin`. Give both emulators the same clock to synchronise them.
    pub fn since(origin: Instant) -> Self {
        Self { origin, seconds_at_origin: 0.0, rate: 1.0 }
    }

    /// A script that began with Unix time. As motions are periodic, this synchronises emulators in
    /// different processes without any connection between them.
    pub fn wall() -> Self {
        // For a clock that is set before 1970 any origin is as good.
        let unix = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { origin: Instant::now(), seconds_at_origin: unix.as_secs_f64(), rate: 1.0 }
    }

    /// The same clock with `rate` seconds of the script per second of real time, from 0.1 to 100.
    ///
    /// Hand and devices go faster together, so that a procedure of minutes can be tested in
    /// seconds.
    pub fn hurried(self, rate: f64) -> Self {
        Self { rate: if rate.is_nan() { 1.0 } else { rate.clamp(0.1, 100.0) }, ..self }
    }

    /// Seconds of the script per second of real time.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// The script's time at `now`.
    pub fn seconds_at(&self, now: Instant) -> f64 {
        let after = now.saturating_duration_since(self.origin).as_secs_f64();
        let before = self.origin.saturating_duration_since(now).as_secs_f64();
        self.seconds_at_origin + self.rate * (after - before)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_script_begins_at_its_origin() {
        let origin = Instant::now();
        let clock = ScriptClock::since(origin);
        assert_eq!(clock.seconds_at(origin + Duration::from_millis(1500)), 1.5);
    }

    #[test]
    fn a_hurried_script_passes_sooner() {
        let origin = Instant::now();
        let clock = ScriptClock::since(origin).hurried(8.0);
        assert_eq!(clock.seconds_at(origin + Duration::from_millis(1500)), 12.0);
        assert_eq!(clock.hurried(f64::NAN).rate(), 1.0);
    }

    #[test]
    fn wall_clocks_made_at_different_times_agree() {
        let (first, second) = (ScriptClock::wall(), ScriptClock::wall());
        let now = Instant::now();
        assert!((first.seconds_at(now) - second.seconds_at(now)).abs() < 0.05);
    }
}
