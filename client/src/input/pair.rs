//! Each glove sample with the newest tracker sample.

use std::time::{Duration, Instant};

use calibration::GloveData;
use drivers::{Hand, TrackerSample};
use nalgebra::Isometry3;
use physics::SampleId;

use super::feed::Feed;
use super::source::GloveReading;

/// What both devices said at about the same time.
#[derive(Debug, Clone)]
pub struct SamplePair {
    pub id: SampleId,
    pub hand: Hand,
    pub glove: GloveData,
    pub source_from_sensor: Isometry3<f64>,
    /// When the glove's last byte arrived.
    pub arrival: Instant,
}

/// Joins each glove sample with the newest tracker sample.
pub struct Pairing {
    glove: Feed<GloveReading>,
    tracker: Feed<TrackerSample>,
    newest_tracker: Option<TrackerSample>,
    n_pairs: u64,
}

/// A tracker sample older than this says nothing about where the hand is now.
const OLDEST: Duration = Duration::from_millis(250);

impl Pairing {
    pub fn new(glove: Feed<GloveReading>, tracker: Feed<TrackerSample>) -> Self {
        Self { glove, tracker, newest_tracker: None, n_pairs: 0 }
    }

    pub fn glove(&self) -> &Feed<GloveReading> {
        &self.glove
    }

    pub fn tracker(&self) -> &Feed<TrackerSample> {
        &self.tracker
    }

    pub fn n_pairs(&self) -> u64 {
        self.n_pairs
    }

    /// The next pair, or `None` if the glove has nothing new to say.
    pub fn next_pair(&mut self) -> Option<SamplePair> {
        let glove = self.glove.take()?;
        if let Some(sample) = self.tracker.take() {
            self.newest_tracker = Some(sample);
        }
        let tracker = self.newest_tracker.as_ref()?;
        if glove.arrival.saturating_duration_since(tracker.arrival) > OLDEST {
            return None;
        }
        self.n_pairs += 1;
        Some(SamplePair {
            id: SampleId(self.n_pairs),
            hand: glove.hand,
            glove: glove.data,
            source_from_sensor: tracker.source_from_sensor,
            arrival: glove.arrival,
        })
    }
}
