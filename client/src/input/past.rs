//! What hands did in a recording before a moment: for whoever begins in the middle of it.

use std::collections::VecDeque;
use std::path::Path;
use std::time::{Duration, Instant};

use drivers::recording::{DeviceSummary, RecordingError};
use drivers::{Fastrak, Hand, TrackerSample};
use physics::SampleId;

use super::pair::{OLDEST, SamplePair};
use super::played::PlayedPose;
use super::reel::{Decoded, GloveReel, Records, Reel};
use super::source::GloveReading;

/// What hands did, moment by moment, decoded as it is asked for.
pub struct PastHands {
    until: Duration,
    told: Told,
    /// Which hand the first one is, as soon as that is known.
    first_side: Option<Hand>,
}

/// One thing that a hand did.
#[derive(Debug, Clone)]
pub struct PastMoment {
    /// Since the recording began.
    pub at: Duration,
    pub doing: Doing,
}

/// What it was.
#[derive(Debug, Clone)]
pub enum Doing {
    /// The devices of the first hand or the second said this.
    Said { line: usize, pair: SamplePair },
    /// A hand was there, or was lost.
    Did(PlayedPose),
}

enum Told {
    /// By the devices of each hand.
    Devices(Vec<PastDevices>),
    /// By a journal.
    Poses(VecDeque<PlayedPose>),
}

/// One hand's devices.
pub struct PastDevices {
    glove: GloveReel,
    tracker: Reel<Fastrak>,
    /// Which of the tracker's stations is on this hand.
    station: usize,
    /// The tracker's last sample before the glove's, and the first after it, each with its moment.
    newest: Option<(Duration, TrackerSample)>,
    coming: Option<(Duration, TrackerSample)>,
    next: Next,
    n_pairs: u64,
}

/// What a hand's devices say next.
enum Next {
    Unknown,
    Pair(Duration, SamplePair),
    Nothing,
}

impl PastHands {
    /// Hands of these devices, the first hand's first.
    pub fn seen_by(hands: Vec<PastDevices>, until: Duration) -> Self {
        Self { until, told: Told::Devices(hands), first_side: None }
    }

    /// Hands of which these poses are known, one after the other.
    pub fn with_poses(poses: &[PlayedPose], until: Duration) -> Self {
        let before = poses.iter().take_while(|pose| pose.at < until);
        Self { until, told: Told::Poses(before.copied().collect()), first_side: None }
    }

    /// The moment that they lead to.
    pub fn until(&self) -> Duration {
        self.until
    }

    /// What was done next, unless that is not past any more.
    pub fn next_moment(&mut self) -> Option<PastMoment> {
        let hands = match &mut self.told {
            Told::Devices(hands) => hands,
            Told::Poses(poses) => {
                let pose = poses.pop_front()?;
                return Some(PastMoment { at: pose.at, doing: Doing::Did(pose) });
            }
        };
        loop {
            let next = hands.iter_mut().map(|hand| hand.next_at(self.until)).enumerate();
            let (_, line) = next.filter_map(|(line, at)| Some((at?, line))).min()?;
            let Next::Pair(at, pair) = std::mem::replace(&mut hands[line].next, Next::Unknown)
            else {
                return None;
            };
            match line {
                0 => self.first_side = Some(pair.hand),
                // Nobody has two right hands.
                _ if self.first_side == Some(pair.hand) => continue,
                _ => {}
            }
            return Some(PastMoment { at, doing: Doing::Said { line, pair } });
        }
    }
}

impl PastDevices {
    /// `None` if this is no glove.
    pub fn open(
        file: &Path,
        glove: &DeviceSummary,
        tracker: &DeviceSummary,
        station: usize,
    ) -> Result<Option<Self>, RecordingError> {
        let Some(glove) = GloveReel::open(file, glove.device, &glove.kind)? else {
            return Ok(None);
        };
        let tracker = Reel::open(file, tracker.device)?;
        let (newest, coming, next) = (None, None, Next::Unknown);
        Ok(Some(Self { glove, tracker, station, newest, coming, next, n_pairs: 0 }))
    }

    /// When they say the next pair, if that is before `until`.
    fn next_at(&mut self, until: Duration) -> Option<Duration> {
        // Nothing is decoded for whoever begins at the beginning.
        if matches!(self.next, Next::Unknown) && !until.is_zero() {
            self.next = self.next_pair().map_or(Next::Nothing, |(at, pair)| Next::Pair(at, pair));
        }
        match &self.next {
            Next::Pair(at, _) if *at < until => Some(*at),
            Next::Pair(..) | Next::Unknown | Next::Nothing => None,
        }
    }

    fn next_pair(&mut self) -> Option<(Duration, SamplePair)> {
        loop {
            let Decoded { at, reading, .. } = self.glove.next_record()?;
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
            let Decoded { at, part, reading } = decoded;
            if let (true, Ok(sample)) = (part == Some(self.station), reading) {
                self.coming = Some((at, sample));
            }
        }
    }
}
