//! Coverage of a recording: for each device, the samples that its bytes give, and the times without
//! any. The bytes are decoded once more, as for a replay.

use std::path::Path;
use std::time::Duration;

use drivers::device::Device;
use drivers::recording::{
    DeviceId, DeviceSummary, EventKind, RecordingError, RecordingReader, RecordingSummary,
};
use drivers::{CyberGlove, Fastrak, OpenGlove};

use super::pair::OLDEST;
use super::recorded_device::{RecordedDevice, RecordedGlove, Records};

/// Time without a usable sample from which it counts as a gap: older samples do not show where the
/// hand is now.
const SHORTEST_GAP: Duration = OLDEST;
/// Time until the first sample that does not count as a gap: devices are set up in it.
const START_UP: Duration = Duration::from_secs(3);
/// Silence at the end of a recording that does not count as a gap: devices are stopped and put back
/// in it.
const PUTTING_BACK: Duration = Duration::from_millis(1500);
/// Dropped bytes from which a gap is put down to damage.
const DAMAGED_BYTES: u64 = 200;

/// Cause of a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GapCause {
    /// The line was open, and nothing came.
    Silent,
    /// The device was not connected, or did not answer.
    NotConnected,
    /// Only damaged records came.
    Damaged,
    /// Samples came that could not be used, for this reason.
    Unusable(&'static str),
}

/// A time without usable samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    pub from: Duration,
    pub to: Duration,
    pub cause: GapCause,
}

/// Coverage of one device, or of one station of a tracker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceCoverage {
    /// The device's number in the recording.
    pub device: DeviceId,
    /// Name for people, such as "glove" or "tracker 2".
    pub name: &'static str,
    /// Usable samples.
    pub n_samples: u64,
    /// Usable samples that are doubtful, by what the device says about them.
    pub n_doubtful: u64,
    /// Records of the whole device, usable or not.
    pub n_records: u64,
    /// Records of the whole device that were lost to damage.
    pub n_damaged: u64,
    /// Gaps, in order.
    pub gaps: Vec<Gap>,
}

/// Coverage of the devices of one hand: a glove, and a tracker if it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandCoverage {
    pub devices: Vec<DeviceCoverage>,
}

/// Times at which a device was not connected.
type Absences = Vec<(Duration, Duration)>;

impl Gap {
    pub fn length(&self) -> Duration {
        self.to.saturating_sub(self.from)
    }
}

impl DeviceCoverage {
    /// Time without usable samples.
    pub fn time_without(&self) -> Duration {
        self.gaps.iter().map(Gap::length).sum()
    }

    /// Share of the records that were lost to damage, from 0 to 1.
    pub fn damaged_share(&self) -> f64 {
        self.n_damaged as f64 / (self.n_records + self.n_damaged).max(1) as f64
    }
}

impl HandCoverage {
    /// Time in which at least one device of the hand gave no usable sample.
    pub fn time_without(&self) -> Duration {
        let mut gaps: Vec<&Gap> = self.devices.iter().flat_map(|device| &device.gaps).collect();
        gaps.sort_by_key(|gap| gap.from);
        let (mut sum, mut reached) = (Duration::ZERO, Duration::ZERO);
        for gap in gaps {
            sum += gap.to.saturating_sub(gap.from.max(reached));
            reached = reached.max(gap.to);
        }
        sum
    }
}

/// Decodes the devices of a recording and returns the coverage of each hand, the first hand first.
/// Devices that the recording expects but never opened have no samples.
pub fn covered_hands(
    file: &Path,
    summary: &RecordingSummary,
) -> Result<Vec<HandCoverage>, RecordingError> {
    let of_kind = |kinds: &'static [&str], numbers: [u8; 2]| {
        summary.devices.iter().filter(move |device| match device.kind.as_str() {
            // A device that was never opened: its number tells its use.
            "" => numbers.contains(&device.device.number()),
            kind => kinds.contains(&kind),
        })
    };
    let gloves: Vec<_> = of_kind(&[CyberGlove::KIND, OpenGlove::KIND], [0, 2]).collect();
    let trackers: Vec<_> = of_kind(&[Fastrak::KIND], [1, 3]).collect();
    let absences = absences(file)?;
    let mut hands = Vec::new();
    for (i, glove) in gloves.iter().enumerate().take(2) {
        let name = if i == 0 { "glove" } else { "glove 2" };
        let mut devices = vec![covered(file, glove, 0, name, summary, &absences)?];
        // One tracker may serve both hands, with a station for each.
        let (tracker, station) = match (trackers.get(i), trackers.first()) {
            (Some(own), _) => (Some(own), 0),
            (None, shared) => (shared, i),
        };
        if let Some(tracker) = tracker {
            let name = if i == 0 { "tracker" } else { "tracker 2" };
            devices.push(covered(file, tracker, station, name, summary, &absences)?);
        }
        hands.push(HandCoverage { devices });
    }
    Ok(hands)
}

/// Times at which each device was not connected, by number. While a silent device is woken, it is
/// connected.
fn absences(file: &Path) -> Result<[Absences; DeviceId::COUNT], RecordingError> {
    let mut absences = [const { Absences::new() }; DeviceId::COUNT];
    let mut since = [Some(Duration::ZERO); DeviceId::COUNT];
    let mut last = Duration::ZERO;
    // Damage is part of the summary.
    for event in RecordingReader::open(file)?.flatten() {
        last = last.max(event.at);
        let is_wake = event.what.is_wake();
        match event.what {
            EventKind::Opened { device, .. } => {
                let i = usize::from(device.number());
                absences[i].extend(since[i].take().map(|since| (since, event.at)));
            }
            EventKind::Lost { device, .. } if !is_wake => {
                since[usize::from(device.number())].get_or_insert(event.at);
            }
            EventKind::Lost { .. }
            | EventKind::Received { .. }
            | EventKind::Sent { .. }
            | EventKind::Mark { .. }
            | EventKind::Ended => {}
        }
    }
    for (absences, since) in absences.iter_mut().zip(since) {
        absences.extend(since.map(|since| (since, last)));
    }
    Ok(absences)
}

fn covered(
    file: &Path,
    device: &DeviceSummary,
    part: usize,
    name: &'static str,
    summary: &RecordingSummary,
    absences: &[Absences; DeviceId::COUNT],
) -> Result<DeviceCoverage, RecordingError> {
    let id = device.device;
    let finder = GapFinder::new(id, name, &absences[usize::from(id.number())]);
    let end = summary.duration;
    Ok(if device.kind == Fastrak::KIND {
        finder.look_through(RecordedDevice::<Fastrak>::open(file, id)?, part, end)
    } else if let Some(glove) = RecordedGlove::open(file, id, &device.kind)? {
        finder.look_through(glove, part, end)
    } else {
        finder.finish(end)
    })
}

/// Finds the gaps of a device while its records go by.
struct GapFinder<'a> {
    found: DeviceCoverage,
    absences: &'a [(Duration, Duration)],
    /// Time of the last usable sample; `None` before the first.
    last: Option<Duration>,
    /// Reason why a record since then could not be used.
    unusable: Option<&'static str>,
    /// Bytes that were dropped before the last usable sample, and until now.
    dropped: [u64; 2],
}

impl<'a> GapFinder<'a> {
    fn new(device: DeviceId, name: &'static str, absences: &'a [(Duration, Duration)]) -> Self {
        let found = DeviceCoverage {
            device,
            name,
            n_samples: 0,
            n_doubtful: 0,
            n_records: 0,
            n_damaged: 0,
            gaps: Vec::new(),
        };
        Self { found, absences, last: None, unusable: None, dropped: [0; 2] }
    }

    fn look_through(
        mut self,
        mut records: impl Records,
        part: usize,
        end: Duration,
    ) -> DeviceCoverage {
        while let Some(record) = records.next_record() {
            self.dropped[1] = records.counts().dropped_bytes;
            if record.part != Some(part) {
                continue;
            }
            match record.reading {
                Ok(_) => {
                    self.found.n_doubtful += u64::from(record.is_doubtful);
                    self.take(record.at);
                }
                Err(why) => self.unusable = Some(why),
            }
        }
        let counts = records.counts();
        (self.found.n_records, self.found.n_damaged) = (counts.records, counts.dropped_records);
        self.dropped[1] = counts.dropped_bytes;
        self.finish(end)
    }

    /// Takes the time of a usable sample.
    fn take(&mut self, at: Duration) {
        self.found.n_samples += 1;
        self.close_gap(at);
        (self.last, self.unusable) = (Some(at), None);
        self.dropped[0] = self.dropped[1];
    }

    /// Notes the gap that ends at `to`, if it is long enough.
    fn close_gap(&mut self, to: Duration) {
        let (from, allowed) = match self.last {
            Some(last) => (last, SHORTEST_GAP),
            None => (Duration::ZERO, START_UP),
        };
        if to.saturating_sub(from) > allowed {
            let cause = self.cause(from, to);
            self.found.gaps.push(Gap { from, to, cause });
        }
    }

    fn cause(&self, from: Duration, to: Duration) -> GapCause {
        let within = |(since, until): &(Duration, Duration)| {
            until.min(&to).saturating_sub(*since.max(&from))
        };
        let absent: Duration = self.absences.iter().map(within).sum();
        match self.unusable {
            _ if 2 * absent >= to - from => GapCause::NotConnected,
            Some(why) => GapCause::Unusable(why),
            None if self.dropped[1] - self.dropped[0] > DAMAGED_BYTES => GapCause::Damaged,
            None => GapCause::Silent,
        }
    }

    fn finish(mut self, end: Duration) -> DeviceCoverage {
        match self.last {
            Some(last) if end.saturating_sub(last) <= PUTTING_BACK => {}
            Some(_) => self.close_gap(end),
            // Without any sample, the whole recording is a gap, however short it is.
            None => {
                let cause = self.cause(Duration::ZERO, end);
                self.found.gaps.push(Gap { from: Duration::ZERO, to: end, cause });
            }
        }
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn finder(absences: &[(Duration, Duration)]) -> GapFinder<'_> {
        GapFinder::new(DeviceId::new(0).unwrap(), "glove", absences)
    }

    /// Gaps of a device with usable samples at these times.
    fn gaps(absences: &[(Duration, Duration)], samples: &[u64], end: u64) -> Vec<Gap> {
        let mut finder = finder(absences);
        samples.iter().for_each(|at| finder.take(ms(*at)));
        finder.finish(ms(end)).gaps
    }

    #[test]
    fn a_gap_is_longer_than_the_age_at_which_samples_are_dropped() {
        assert_eq!(gaps(&[], &[2900, 3100, 3350], 3500), []);
        let cause = GapCause::Silent;
        let late = Gap { from: ms(0), to: ms(3001), cause };
        assert_eq!(gaps(&[], &[3001], 3100), [late], "it was set up for too long");
        let [middle, last] =
            [(500, 751), (751, 2500)].map(|(from, to)| Gap { from: ms(from), to: ms(to), cause });
        assert_eq!(gaps(&[], &[500, 751], 2500), [middle, last]);
        assert_eq!(gaps(&[], &[500, 751], 2000), [middle], "the device was put back at the end");
    }

    #[test]
    fn a_gap_has_the_cause_that_lasted() {
        let absences = [(ms(0), ms(100)), (ms(1000), ms(1700))];
        let gaps = gaps(&absences, &[200, 1000, 2000], 4000);
        let causes: Vec<_> = gaps.iter().map(|gap| gap.cause).collect();
        assert_eq!(causes, [GapCause::Silent, GapCause::NotConnected, GapCause::Silent]);
        let never = finder(&[(ms(0), ms(900))]).finish(ms(900));
        assert_eq!(never.gaps[0].cause, GapCause::NotConnected);
        let mut unplugged = finder(&[]);
        unplugged.take(ms(100));
        unplugged.unusable = Some("unplugged");
        unplugged.dropped[1] = 1000;
        assert_eq!(unplugged.cause(ms(100), ms(900)), GapCause::Unusable("unplugged"));
        unplugged.unusable = None;
        assert_eq!(unplugged.cause(ms(100), ms(900)), GapCause::Damaged);
    }

    #[test]
    fn a_hand_is_missing_while_either_of_its_devices_is() {
        let device = |gaps: &[(u64, u64)]| DeviceCoverage {
            device: DeviceId::new(0).unwrap(),
            name: "glove",
            n_samples: 0,
            n_doubtful: 0,
            n_records: 97,
            n_damaged: 3,
            gaps: gaps
                .iter()
                .map(|(from, to)| Gap { from: ms(*from), to: ms(*to), cause: GapCause::Silent })
                .collect(),
        };
        let devices =
            vec![device(&[(0, 1000), (5000, 6000)]), device(&[(500, 2000), (5200, 5400)])];
        assert_eq!(HandCoverage { devices }.time_without(), ms(3000));
        assert!((device(&[]).damaged_share() - 0.03).abs() < 1e-12);
    }
}
