//! The faults of a plan that have a time, in order of time.

use std::time::{Duration, Instant};

use super::{Fault, FaultPlan, When};

/// A fault event that is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Happening {
    Stall(Duration),
    HangUp(Duration),
    Restart,
    Unplug(Duration),
    PlugIn,
    StickSensor(u8),
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    at: Instant,
    again_after: Option<Duration>,
    happening: Happening,
}

/// The times of a plan's faults, counted from a start.
#[derive(Debug, Clone)]
pub(crate) struct Timeline {
    entries: Vec<Entry>,
}

impl Timeline {
    pub(crate) fn new(plan: &FaultPlan, start: Instant) -> Self {
        let entry = |when: &When, happening| match when {
            When::Once(after) => Entry { at: start + *after, again_after: None, happening },
            When::Every(period) => {
                Entry { at: start + *period, again_after: Some(*period), happening }
            }
        };
        let entries = plan.faults().iter().filter_map(|fault| match fault {
            Fault::Record { .. } | Fault::LateReply { .. } | Fault::DamagedReply { .. } => None,
            Fault::Stall { lasts, when } => Some(entry(when, Happening::Stall(*lasts))),
            Fault::HangUp { lasts, when } => Some(entry(when, Happening::HangUp(*lasts))),
            Fault::Restart { when } => Some(entry(when, Happening::Restart)),
            Fault::Unplugged { lasts, when } => Some(entry(when, Happening::Unplug(*lasts))),
            Fault::StuckSensor { bit, from } => {
                Some(entry(&When::Once(*from), Happening::StickSensor(*bit)))
            }
        });
        Self { entries: entries.collect() }
    }

    pub(crate) fn add(&mut self, at: Instant, happening: Happening) {
        self.entries.push(Entry { at, again_after: None, happening });
    }

    pub(crate) fn next_due(&self) -> Option<Instant> {
        self.entries.iter().map(|entry| entry.at).min()
    }

    /// Removes and returns the earliest happening that is due; a periodic one is scheduled again.
    pub(crate) fn take_due(&mut self, now: Instant) -> Option<Happening> {
        let place = (0..self.entries.len()).min_by_key(|place| self.entries[*place].at)?;
        let entry = &mut self.entries[place];
        if entry.at > now {
            return None;
        }
        let happening = entry.happening;
        match entry.again_after {
            Some(period) => entry.at += period,
            None => {
                self.entries.remove(place);
            }
        }
        Some(happening)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_come_in_order_and_repeat() {
        let faults = ["restart@5s", "stall:1s@every2s"].map(|text| text.parse().unwrap());
        let plan = FaultPlan::new(0, faults.to_vec()).unwrap();
        let start = Instant::now();
        let mut timeline = Timeline::new(&plan, start);
        assert_eq!(timeline.take_due(start + Duration::from_millis(1999)), None);
        let later = start + Duration::from_secs(6);
        let due: Vec<_> = std::iter::from_fn(|| timeline.take_due(later)).collect();
        let stall = Happening::Stall(Duration::from_secs(1));
        assert_eq!(due, [stall, stall, Happening::Restart, stall]);
        assert_eq!(timeline.next_due(), Some(start + Duration::from_secs(8)));
    }
}
