//! Processor time used by other programs: the total, minus the time of this program.

use std::fs;
use std::time::Instant;

/// Measurement that begins at its creation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OtherPrograms {
    begun: Instant,
    used: Used,
}

/// Processor times, in seconds of one core.
#[derive(Debug, Clone, Copy)]
struct Used {
    all: f64,
    own: f64,
}

/// Unit of Linux' processor times, in seconds; the same for all programs and kernels.
const TICK: f64 = 0.01;
/// Largest error of sums of rounded times, in seconds.
const FEW_TICKS: f64 = 10.0 * TICK;

impl OtherPrograms {
    /// Begins a measurement; `None` if the system does not provide the times.
    pub(crate) fn since_now() -> Option<Self> {
        Some(Self { begun: Instant::now(), used: Used::now()? })
    }

    /// Number of cores that other programs have kept busy since then, on average.
    pub(crate) fn busy_cores(&self) -> Option<f64> {
        Used::now()?.by_others_since(&self.used, self.begun.elapsed().as_secs_f64())
    }
}

impl Used {
    fn now() -> Option<Self> {
        // The own time is read first, so that it is never more than the total.
        let own = own_of(&fs::read_to_string("/proc/self/stat").ok()?)?;
        let all = all_of(&fs::read_to_string("/proc/stat").ok()?)?;
        Some(Self { all, own })
    }

    /// Number of cores that other programs have kept busy, on average over `elapsed` seconds.
    fn by_others_since(&self, before: &Self, elapsed: f64) -> Option<f64> {
        let theirs = (self.all - before.all) - (self.own - before.own);
        // A few ticks are within rounding; if the difference is clearly negative, the two times are
        // not comparable.
        (elapsed > FEW_TICKS && theirs > -FEW_TICKS).then(|| theirs.max(0.0) / elapsed)
    }
}

/// Time of all programs, including time that a host took away from a virtual machine.
fn all_of(stat: &str) -> Option<f64> {
    let line = stat.lines().find(|line| line.starts_with("cpu "))?;
    let ticks: Vec<f64> = line.split_whitespace().skip(1).map_while(|n| n.parse().ok()).collect();
    // user, nice, system, idle, waiting for disks, interrupts, soft interrupts, stolen; guests
    // count as user.
    const IS_BUSY: [bool; 8] = [true, true, true, false, false, true, true, true];
    let busy = ticks.iter().zip(IS_BUSY).filter(|(_, is_busy)| *is_busy);
    (ticks.len() >= IS_BUSY.len()).then(|| TICK * busy.map(|(ticks, _)| ticks).sum::<f64>())
}

/// Time of this program and of the servers that it started and ended.
fn own_of(stat: &str) -> Option<f64> {
    // The name may contain anything, even brackets.
    let (_, fields) = stat.rsplit_once(')')?;
    let times = fields.split_whitespace().skip(11).take(4);
    let times: Vec<f64> = times.map_while(|n| n.parse().ok()).collect();
    (times.len() == 4).then(|| TICK * times.iter().sum::<f64>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_in_proc_stat_are_read() {
        let stat = "cpu  100 10 50 900 30 1 2 3 7 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n";
        assert!((all_of(stat).unwrap() - 1.66).abs() < 1e-12);
        let own = "42 (a) b) R 1 2 3 4 5 6 7 8 9 10 200 30 4 1 20 0 8";
        assert!((own_of(own).unwrap() - 2.35).abs() < 1e-12);
        assert_eq!((all_of("cpu 1 2"), all_of(""), own_of("1 (x) R 2")), (None, None, None));
    }

    /// The work of this program does not count as that of other programs.
    #[test]
    fn own_work_is_not_blamed_on_others() {
        let before = Used { all: 100.0, own: 10.0 };
        let by_others = |all, own, elapsed| Used { all, own }.by_others_since(&before, elapsed);
        assert_eq!(by_others(103.0, 12.0, 2.0), Some(0.5));
        assert_eq!(by_others(102.0, 12.0, 2.0), Some(0.0));
        assert_eq!(by_others(101.96, 12.0, 2.0), Some(0.0), "both are rounded");
        assert_eq!(by_others(101.0, 12.0, 2.0), None, "more than there was");
        assert_eq!(by_others(100.05, 10.0, 0.05), None, "too soon");
    }

    #[test]
    fn this_system_has_the_times() {
        assert!(!cfg!(target_os = "linux") || Used::now().is_some_and(|used| used.all > 0.0));
    }
}
