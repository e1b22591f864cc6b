//! What hands did in a recording before a moment: for whoever begins in the middle of it.

use std::collections::VecDeque;
use std::path::Path;
use std::time::{Duration, Instant};

use drivers::recording::{DeviceSummary, RecordingError};
use drivers::{Fastrak, Side, TrackerSample};
use physics::SampleId;

use super::input_device::GloveReading;
use super::pair::{OLDEST, SamplePair};
use super::recorded_device::{DecodedRecord, RecordedDevice, RecordedGlove, Records};
use super::recorded_poses::RecordedPose;

/// What hands did, moment by moment, decoded as it is asked for.
pub struct HandHistory {
    until: Duration,
    source: HistorySource,
    /// Which hand the first one is, as soon as that is known.
    first_side: Option<Side>,
}

/// One thing that a hand did.
#[derive(Debug, Clone)]
pub struct HistoryMoment {
    /// Since the recording began.
    pub at: Duration,
    pub event: HistoryEvent,
}

/// What it was.
#[derive(Debug, Clone)]
pub enum HistoryEvent {
    /// The devices of the first hand or the second said this.
    Devices { index: usize, pair: SamplePair },
    /// A hand was there, or was lost.
    Pose(RecordedPose),
}

enum HistorySource {
    /// By the devices of each hand.
    Devices(Vec<RecordedPairing>),
    /// By a journal.
    Poses(VecDeque<RecordedPose>),
}

/// One hand's devices.
pub struct RecordedPairing {
    glove: RecordedGlove,
    tracker: RecordedDevice<Fastrak>,
    /// Which of the tracker's stations is on this hand.
    station: usize,
    /// The tracker's last sample before the glove's, and the first after it, each with its moment.
    newest: Option<(Duration, TrackerSample)>,
    coming: Option<(Duration, TrackerSample)>,
    next: NextPair,
    n_pairs: u64,
}

/// What a hand's devices say next.
enum NextPair {
    Unknown,
    Pair(Duration, SamplePair),
    Nothing,
}

impl HandHistory {
    /// Hands of these devices, the first hand's first.
    pub fn of_devices(hands: Vec<RecordedPairing>, until: Duration) -> Self {
        Self { until, source: HistorySource::Devices(hands), first_side: None }
    }

    /// Hands of which these poses are known, one after the other.
    pub fn of_poses(poses: &[RecordedPose], until: Duration) -> Self {
        let before = poses.iter().take_while(|pose| pose.at < until);
        Self { until, source: HistorySource::Poses(before.copied().collect()), first_side: None }
    }

    /// The moment that they lead to.
    pub fn until(&self) -> Duration {
        self.until
    }

    /// What was done next, unless that is not past any more.
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
                // Nobody has two right hands.
                _ if self.first_side == Some(pair.hand) => continue,
                _ => {}
            }
            return Some(HistoryMoment { at, event: HistoryEvent::Devices { index, pair } });
        }
    }
}

impl RecordedPairing {
    /// `None` if this is no glove.
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

    /// When they say the next pair, if that is before `until`.
    fn next_at(&mut self, until: Duration) -> Option<Duration> {
        // Nothing is decoded for whoever begins at the beginning.
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
                source_from_sensor: tracker.source_from_sensor,
                // It arrives when somebody takes it.
                arrival: Instant::now(),
                from: None,
            };
            return Some((at, pair));
        }
    }

    /// Lets the tracker catch up with the glove.
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
            let DecodedRecord { at, part, reading } = decoded;
            if let (true, Ok(sample)) = (part == Some(self.station), reading) {
                self.coming = Some((at, sample));
            }
        }
    }
}
