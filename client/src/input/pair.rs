//! Glove and tracker samples, paired by time.

use std::time::{Duration, Instant};

use drivers::{Condition, GloveSample, SensorCounts, TrackerSample};
use nalgebra::Isometry3;
use physics::SampleId;

use super::feed::Feed;

/// What both devices said at about the same time.
#[derive(Debug, Clone)]
pub struct SamplePair {
    pub id: SampleId,
    pub counts: SensorCounts,
    pub source_from_sensor: Isometry3<f64>,
    /// When the glove's last byte arrived.
    pub arrival: Instant,
}

/// Joins each glove sample with the newest tracker sample.
pub struct Pairing {
    glove: Feed<GloveSample>,
    tracker: Feed<TrackerSample>,
    newest_tracker: Option<TrackerSample>,
    n_pairs: u64,
}

/// A tracker sample older than this says nothing about where the hand is now.
const OLDEST: Duration = Duration::from_millis(250);

impl Pairing {
    pub fn new(glove: Feed<GloveSample>, tracker: Feed<TrackerSample>) -> Self {
        Self { glove, tracker, newest_tracker: None, n_pairs: 0 }
    }

    pub fn glove(&self) -> &Feed<GloveSample> {
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
        if let Some(sample) = self.tracker.take().filter(|s| is_usable(s.condition)) {
            self.newest_tracker = Some(sample);
        }
        let tracker = self.newest_tracker.as_ref()?;
        let apart = glove.arrival.saturating_duration_since(tracker.arrival);
        if apart > OLDEST || !glove.conditions.is_plugged_in {
            return None;
        }
        self.n_pairs += 1;
        Some(SamplePair {
            id: SampleId(self.n_pairs),
            counts: glove.counts,
            source_from_sensor: tracker.source_from_sensor,
            arrival: glove.arrival,
        })
    }
}

fn is_usable(condition: Condition) -> bool {
    match condition {
        Condition::Good | Condition::Warning(_) | Condition::Degraded(_) => true,
        Condition::Invalid(_) => false,
    }
}
