//! Verdict on a recording: whether it can be used.
//!
//! - Good: no gap in any device, at most `SOME_DAMAGED` of its records damaged, and the file whole.
//! - Cannot be used: every hand is without data for more than `MOST_MISSING` of the time, or a
//!   device of it gave no usable sample, or lost more than `MOST_DAMAGED` of its records to damage.
//! - Usable with gaps: all other recordings.

use std::fmt;
use std::time::Duration;

use drivers::recording::{Ending, RecordingSummary};

use crate::input::{DeviceCoverage, GapCause, HandCoverage};

/// Share of the time without data of a hand, beyond which a recording cannot be used.
const MOST_MISSING: f64 = 0.5;
/// Share of a device's records lost to damage, beyond which a recording cannot be used.
const MOST_DAMAGED: f64 = 0.5;
/// Share of a device's records lost to damage that a good recording may have.
pub(super) const SOME_DAMAGED: f64 = 0.01;

/// Verdict on a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    Good,
    /// With the reason.
    WithGaps(String),
    /// With the reason.
    Unusable(String),
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Good => write!(f, "good"),
            Self::WithGaps(why) => write!(f, "usable with gaps: {why}"),
            Self::Unusable(why) => write!(f, "cannot be used: {why}"),
        }
    }
}

impl Verdict {
    /// Verdict on a recording of these hands. A recording with a journal but no devices keeps the
    /// poses of its hands there.
    pub(super) fn of(
        summary: &RecordingSummary,
        hands: &[HandCoverage],
        has_journal: bool,
    ) -> Self {
        if hands.is_empty() && !has_journal {
            return Self::Unusable("it holds no glove".to_owned());
        }
        let length = summary.duration;
        if !hands.is_empty() && hands.iter().all(|hand| is_unusable(hand, length)) {
            let whys = hands.iter().flat_map(|hand| troubles(hand, length)).collect::<Vec<_>>();
            return Self::Unusable(whys.join("; "));
        }
        let mut whys: Vec<String> = hands.iter().flat_map(|hand| troubles(hand, length)).collect();
        if summary.n_damaged_places > 0 {
            whys.push("a part of the file is damaged".to_owned());
        }
        if summary.n_missing_events > 0 {
            whys.push(format!("{} events are missing", summary.n_missing_events));
        }
        if matches!(summary.ending, Ending::Cut { .. }) {
            whys.push("its end is missing".to_owned());
        }
        if whys.is_empty() { Self::Good } else { Self::WithGaps(whys.join("; ")) }
    }
}

fn is_unusable(hand: &HandCoverage, length: Duration) -> bool {
    share(hand.time_without(), length) > MOST_MISSING
        || hand
            .devices
            .iter()
            .any(|device| device.n_samples == 0 || device.damaged_share() > MOST_DAMAGED)
}

/// Share of a recording's length, from 0 to 1. All of an empty recording is missing.
fn share(time: Duration, length: Duration) -> f64 {
    if length.is_zero() { 1.0 } else { time.as_secs_f64() / length.as_secs_f64() }
}

fn troubles(hand: &HandCoverage, length: Duration) -> impl Iterator<Item = String> {
    hand.devices.iter().flat_map(move |device| trouble(device, length))
}

/// What is wrong with a device.
fn trouble(device: &DeviceCoverage, length: Duration) -> Vec<String> {
    let mut words = Vec::new();
    let name = device.name;
    if let Some(longest) = device.gaps.iter().max_by_key(|gap| gap.length()) {
        let (without, of) = (device.time_without().as_secs_f64(), length.as_secs_f64());
        let why = in_words(longest.cause);
        words.push(match device.n_samples {
            0 => format!("the {name} gave no usable sample: {why}"),
            _ => format!("the {name} gave nothing usable for {without:.1} of {of:.1} s: {why}"),
        });
    }
    let damaged = device.damaged_share();
    if damaged > SOME_DAMAGED {
        let (n, of) = (device.n_damaged, device.n_damaged + device.n_records);
        words.push(format!("the {name} lost {n} of {of} records to damage"));
    }
    words
}

/// Cause of a gap, as the end of a sentence.
pub(super) fn in_words(cause: GapCause) -> &'static str {
    match cause {
        GapCause::Silent => "it was silent",
        GapCause::NotConnected => "it was not connected",
        GapCause::Damaged => "only damaged data came",
        GapCause::Unusable(why) => why,
    }
}

#[cfg(test)]
mod tests {
    use drivers::recording::{DeviceId, RecordingHeader};

    use super::*;
    use crate::input::Gap;

    /// A recording of ten seconds.
    fn summary() -> RecordingSummary {
        RecordingSummary {
            header: RecordingHeader { began_unix_ms: 0, program: String::new() },
            duration: Duration::from_secs(10),
            n_events: 0,
            n_marks: 0,
            n_missing_events: 0,
            devices: Vec::new(),
            n_damaged_places: 0,
            n_damaged_bytes: 0,
            first_damage_at_byte: None,
            ending: Ending::Clean,
        }
    }

    /// A device with gaps between these seconds, and this number of 1000 records damaged.
    fn device(name: &'static str, gaps: &[(u64, u64)], n_damaged: u64) -> DeviceCoverage {
        let second = Duration::from_secs;
        let gap = |(from, to): &(u64, u64)| Gap {
            from: second(*from),
            to: second(*to),
            cause: GapCause::NotConnected,
        };
        DeviceCoverage {
            device: DeviceId::new(0).unwrap(),
            name,
            n_samples: 1000 - n_damaged,
            n_doubtful: 0,
            n_records: 1000 - n_damaged,
            n_damaged,
            gaps: gaps.iter().map(gap).collect(),
        }
    }

    fn verdict(devices: Vec<DeviceCoverage>) -> Verdict {
        Verdict::of(&summary(), &[HandCoverage { devices }], false)
    }

    #[test]
    fn a_recording_without_loss_is_good_and_a_little_damage_does_not_matter() {
        let devices = || vec![device("glove", &[], 10), device("tracker", &[], 0)];
        assert_eq!(verdict(devices()), Verdict::Good);
        let cut = RecordingSummary { ending: Ending::Cut { at_byte: 1 }, ..summary() };
        let hands = [HandCoverage { devices: devices() }];
        let of_cut = Verdict::of(&cut, &hands, false).to_string();
        assert_eq!(of_cut, "usable with gaps: its end is missing");
        assert_eq!(Verdict::of(&summary(), &[], true), Verdict::Good, "poses are in the journal");
    }

    #[test]
    fn a_gap_and_damaged_records_are_reported_with_their_device() {
        let said = verdict(vec![device("glove", &[(2, 4)], 0), device("tracker", &[], 204)]);
        let want = "usable with gaps: the glove gave nothing usable for 2.0 of 10.0 s: it was not \
                    connected; the tracker lost 204 of 1000 records to damage";
        assert_eq!(said.to_string(), want);
    }

    #[test]
    fn a_recording_that_lacks_its_hand_for_most_of_the_time_cannot_be_used() {
        let is_unusable = |devices| matches!(verdict(devices), Verdict::Unusable(_));
        assert!(is_unusable(vec![device("glove", &[(1, 9)], 0), device("tracker", &[], 0)]));
        // Together they are missing for too long.
        let apart = vec![device("glove", &[(0, 4)], 0), device("tracker", &[(6, 9)], 0)];
        assert!(is_unusable(apart));
        let together = vec![device("glove", &[(0, 4)], 0), device("tracker", &[(0, 4)], 0)];
        assert!(!is_unusable(together));
        assert!(is_unusable(vec![device("glove", &[], 501)]));
        let none = verdict(vec![DeviceCoverage { n_samples: 0, ..device("glove", &[(0, 10)], 0) }]);
        assert_eq!(
            none.to_string(),
            "cannot be used: the glove gave no usable sample: it was not connected"
        );
        let nothing = Verdict::of(&summary(), &[], false).to_string();
        assert_eq!(nothing, "cannot be used: it holds no glove");
    }

    #[test]
    fn a_lost_second_hand_leaves_the_first_usable() {
        let hand = |gaps: &[(u64, u64)]| HandCoverage { devices: vec![device("glove", gaps, 0)] };
        let hands = [hand(&[]), hand(&[(0, 10)])];
        assert!(matches!(Verdict::of(&summary(), &hands, false), Verdict::WithGaps(_)));
    }
}
