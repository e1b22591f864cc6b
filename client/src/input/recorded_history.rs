//! History of the hands in a recording up to a moment, for a seek to that moment.

use std::collections::VecDeque;
use std::path::Path;
use std::time::{Duration, Instant};

use drivers::recording::{DeviceSummary, RecordingError};
use drivers::{Fastrak, Side, TrackerSample};
use physics::SampleId;

use super::input_device::GloveReading;
use super::pair::{HandPlace, OLDEST, SamplePair};
use super::recorded_device::{DecodedRecord, RecordedDevice, RecordedGlove, Records};
use super::recorded_poses::RecordedPose;

/// History of hands, moment by moment, decoded when it is requested.
pub struct HandHistory {
    until: Duration,
    source: HistorySource,
    /// Side of the first hand, as soon as it is known.
    first_side: Option<Side>,
}

/// One moment of a hand's history.
#[derive(Debug, Clone)]
pub struct HistoryMoment {
    /// Time since the recording began.
    pub at: Duration,
    pub event: HistoryEvent,
}

/// Event in a hand's history.
#[derive(Debug, Clone)]
pub enum HistoryEvent {
    /// The devices with this index gave a pair; the first hand's devices have index 0.
    Devices { index: usize, pair: SamplePair },
    /// A hand had a pose, or was lost.
    Pose(RecordedPose),
}

enum HistorySource {
    /// From the devices of each hand.
    Devices(Vec<RecordedPairing>),
    /// From a journal.
    Poses(VecDeque<RecordedPose>),
}

/// One hand's devices.
pub struct RecordedPairing {
    glove: RecordedGlove,
    tracker: RecordedDevice<Fastrak>,
    /// Index of this hand's station of the tracker.
    station: usize,
    /// Last tracker sample before the glove's, with its time.
    newest: Option<(Duration, TrackerSample)>,
    /// First tracker sample after the glove's, with its time.
    coming: Option<(Duration, TrackerSample)>,
    next: NextPair,
    n_pairs: u64,
}

/// Next pair of a hand's devices.
enum NextPair {
    Unknown,
    Pair(Duration, SamplePair),
    Nothing,
}

impl HandHistory {
    /// History of the hands of these devices, the first hand's devices first.
    pub fn of_devices(hands: Vec<RecordedPairing>, until: Duration) -> Self {
        Self { until, source: HistorySource::Devices(hands), first_side: None }
    }

    /// History of hands with these poses, in order.
    pub fn of_poses(poses: &[RecordedPose], until: Duration) -> Self {
        let before = poses.iter().take_while(|pose| pose.at < until);
        Self { until, source: HistorySource::Poses(before.copied().collect()), first_side: None }
    }

    /// End of the history, since the recording began.
    pub fn until(&self) -> Duration {
        self.until
    }

    /// The next moment, or `None` at the end of the history.
    pub fn next_moment(&mut self) -> Option<HistoryMoment> {
        let hands = match &mut self.source {
            HistorySource::Devices(hands) => hands,
            HistorySource::Poses(poses) => {
                let pose = poses.pop_front()?;
                return Some(HistoryMoment { at: pose.at, event: HistoryEvent::Pose(pose) });
            }
        };
        loop {
            let next = hands.iter_mut().map(|hand| hand.next_at(self.until)).enumerate();
            let (_, index) = next.filter_map(|(index, at)| Some((at?, index))).min()?;
            let NextPair::Pair(at, pair) =
                std::mem::replace(&mut hands[index].next, NextPair::Unknown)
            else {
                return None;
            };
            match index {
                0 => self.first_side = Some(pair.hand),
                // A person has only one hand of each side.
                _ if self.first_side == Some(pair.hand) => continue,
                _ => {}
            }
            return Some(HistoryMoment { at, event: HistoryEvent::Devices { index, pair } });
        }
    }
}

impl RecordedPairing {
    /// Opens the devices of a hand; `None` if the first one is no glove.
    pub fn open(
        file: &Path,
        glove: &DeviceSummary,
        tracker: &DeviceSummary,
        station: usize,
    ) -> Result<Option<Self>, RecordingError> {
        let Some(glove) = RecordedGlove::open(file, glove.device, &glove.kind)? else {
            return Ok(None);
        };
        let tracker = RecordedDevice::open(file, tracker.device)?;
        let (newest, coming, next) = (None, None, NextPair::Unknown);
        Ok(Some(Self { glove, tracker, station, newest, coming, next, n_pairs: 0 }))
    }

    /// Time of the next pair, if it is before `until`.
    fn next_at(&mut self, until: Duration) -> Option<Duration> {
        // A history that ends at the beginning decodes nothing.
        if matches!(self.next, NextPair::Unknown) && !until.is_zero() {
            self.next =
                self.next_pair().map_or(NextPair::Nothing, |(at, pair)| NextPair::Pair(at, pair));
        }
        match &self.next {
            NextPair::Pair(at, _) if *at < until => Some(*at),
            NextPair::Pair(..) | NextPair::Unknown | NextPair::Nothing => None,
        }
    }

    fn next_pair(&mut self) -> Option<(Duration, SamplePair)> {
        loop {
            let DecodedRecord { at, reading, .. } = self.glove.next_record()?;
            let Ok(GloveReading { hand, data: glove, .. }) = reading else { continue };
            self.follow(at);
            let Some((seen, tracker)) = &self.newest else { continue };
            if at - *seen > OLDEST {
                continue;
            }
            self.n_pairs += 1;
            let pair = SamplePair {
                id: SampleId(self.n_pairs),
                hand,
                glove,
                place: HandPlace::Tracked(tracker.source_from_sensor),
                // The time of its decoding; the caller sets the arrival.
                arrival: Instant::now(),
                from: None,
            };
            return Some((at, pair));
        }
    }

    /// Reads the tracker up to the glove's time.
    fn follow(&mut self, glove: Duration) {
        loop {
            match self.coming.take() {
                Some(later) if later.0 > glove => {
                    self.coming = Some(later);
                    return;
                }
                Some(newest) => self.newest = Some(newest),
                None => {}
            }
            let Some(decoded) = self.tracker.next_record() else { return };
            let DecodedRecord { at, part, reading, .. } = decoded;
            if let (true, Ok(sample)) = (part == Some(self.station), reading) {
                self.coming = Some((at, sample));
            }
        }
    }
}
