//! How much of the processor other programs take: all that is done, without what this program does.

use std::fs;
use std::time::Instant;

/// From when on it is asked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Others {
    begun: Instant,
    /// In seconds of one core.
    all: f64,
    own: f64,
}

/// Linux counts in hundredths of a second for every program that asks, whatever its own clock does.
const TICK: f64 = 0.01;

impl Others {
    /// From now on; `None` where the system does not tell.
    pub(crate) fn since_now() -> Option<Self> {
        let begun = Instant::now();
        Some(Self { begun, all: all_seconds()?, own: own_seconds()? })
    }

    /// How many cores they have kept busy since then, on average.
    pub(crate) fn busy_cores(&self) -> Option<f64> {
        let elapsed = self.begun.elapsed().as_secs_f64();
        let theirs = (all_seconds()? - self.all) - (own_seconds()? - self.own);
        // Less than a few ticks says nothing.
        (elapsed > 10.0 * TICK).then(|| (theirs / elapsed).max(0.0))
    }
}

/// What all programs have used, and what a host took away from a virtual machine.
fn all_seconds() -> Option<f64> {
    all_of(&fs::read_to_string("/proc/stat").ok()?)
}

fn all_of(stat: &str) -> Option<f64> {
    let line = stat.lines().find(|line| line.starts_with("cpu "))?;
    let ticks: Vec<f64> = line.split_whitespace().skip(1).map_while(|n| n.parse().ok()).collect();
    // user, nice, system, idle, waiting for disks, interrupts, soft interrupts, stolen; guests count as user.
    const IS_BUSY: [bool; 8] = [true, true, true, false, false, true, true, true];
    let busy = ticks.iter().zip(IS_BUSY).filter(|(_, is_busy)| *is_busy);
    (ticks.len() >= IS_BUSY.len()).then(|| TICK * busy.map(|(ticks, _)| ticks).sum::<f64>())
}

/// What this program and the servers that it started and ended have used.
fn own_seconds() -> Option<f64> {
    own_of(&fs::read_to_string("/proc/self/stat").ok()?)
}

fn own_of(stat: &str) -> Option<f64> {
    // The name may hold anything, also brackets.
    let (_, fields) = stat.rsplit_once(')')?;
    let times = fields.split_whitespace().skip(11).take(4);
    let times: Vec<f64> = times.map_while(|n| n.parse().ok()).collect();
    (times.len() == 4).then(|| TICK * times.iter().sum::<f64>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_linux_tells_is_read() {
        let stat = "cpu  100 10 50 900 30 1 2 3 7 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n";
        assert!((all_of(stat).unwrap() - 1.66).abs() < 1e-12);
        let own = "42 (a) b) R 1 2 3 4 5 6 7 8 9 10 200 30 4 1 20 0 8";
        assert!((own_of(own).unwrap() - 2.35).abs() < 1e-12);
        assert_eq!((all_of("cpu 1 2"), all_of(""), own_of("1 (x) R 2")), (None, None, None));
    }

    /// What this program does itself is not other programs' doing.
    #[test]
    fn own_work_is_not_blamed_on_others() {
        let Some(others) = Others::since_now() else { return };
        let own = || own_seconds().unwrap();
        let before = own();
        while own() - before < 0.3 {
            std::hint::black_box((0..10_000).map(f64::from).sum::<f64>());
        }
        let all = all_seconds().unwrap() - others.all;
        let elapsed = others.begun.elapsed().as_secs_f64();
        let theirs = others.busy_cores().unwrap();
        // Other tests of this machine may be at work meanwhile: only what is ours must be missing.
        assert!(theirs <= (all - 0.25) / elapsed, "{theirs} of {}", all / elapsed);
    }
}
