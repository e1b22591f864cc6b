//! Pairing of each glove sample with the newest tracker sample.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use calibration::GloveData;
use drivers::recording::DeviceId;
use drivers::{Side, TrackerSample};
use nalgebra::Isometry3;
use physics::SampleId;

use super::feed::{DeviceState, Feed, NumberedReading};
use super::input_device::GloveReading;

/// A glove sample and a tracker sample of about the same time.
#[derive(Debug, Clone)]
pub struct SamplePair {
    pub id: SampleId,
    pub hand: Side,
    pub glove: GloveData,
    pub source_from_sensor: Isometry3<f64>,
    /// Arrival of the glove's last byte.
    pub arrival: Instant,
    /// Records of the samples, if there is a recording.
    pub from: Option<PairedRecords>,
}

/// The records of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairedRecords {
    pub glove: DeviceRecord,
    pub tracker: DeviceRecord,
}

/// A record of a device in a recording; all records of the driver count, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceRecord {
    pub device: DeviceId,
    pub number: u64,
}

/// Joins each glove sample with the newest tracker sample.
pub struct Pairing {
    glove: Feed<GloveReading>,
    tracker: Feed<TrackerSample>,
    newest_tracker: Option<NumberedReading<TrackerSample>>,
    /// Device ids of glove and tracker in the recording.
    recorded_as: Option<[DeviceId; 2]>,
    n_pairs: u64,
    /// Side of the glove, as soon as it is known.
    side: Arc<Mutex<Option<Side>>>,
    /// Side of the first hand's glove, if this is the second hand.
    first_side: Option<Arc<Mutex<Option<Side>>>>,
    /// Side of the glove, if it is the same as the first hand's.
    clash: Option<Side>,
}

/// Greatest age of a tracker sample in a pair; older ones do not show where the hand is now.
pub(super) const OLDEST: Duration = Duration::from_millis(250);

impl Pairing {
    pub fn new(glove: Feed<GloveReading>, tracker: Feed<TrackerSample>) -> Self {
        Self {
            glove,
            tracker,
            newest_tracker: None,
            recorded_as: None,
            n_pairs: 0,
            side: Arc::default(),
            first_side: None,
            clash: None,
        }
    }

    /// Makes this the pairing of a person's second hand. A glove of the first hand's side gives no
    /// pairs, and its state tells why.
    pub fn beside(self, first: &Self) -> Self {
        Self { first_side: Some(Arc::clone(&first.side)), ..self }
    }

    /// Makes this a pairing of recorded devices: pairs name their records.
    pub fn recorded_as(self, glove: DeviceId, tracker: DeviceId) -> Self {
        Self { recorded_as: Some([glove, tracker]), ..self }
    }

    pub fn glove(&self) -> &Feed<GloveReading> {
        &self.glove
    }

    pub fn tracker(&self) -> &Feed<TrackerSample> {
        &self.tracker
    }

    /// State of the glove, with a clash of sides.
    pub fn glove_state(&self) -> DeviceState {
        match (self.glove.state(), self.clash) {
            (DeviceState::Live(_) | DeviceState::Late, Some(Side::Left)) => DeviceState::Faulty(
                "it is a left glove, as the first one is; a second hand needs a right one",
            ),
            (DeviceState::Live(_) | DeviceState::Late, Some(Side::Right)) => DeviceState::Faulty(
                "it is a right glove, as the first one is; a second hand needs a left one",
            ),
            (state, _) => state,
        }
    }

    pub fn n_pairs(&self) -> u64 {
        self.n_pairs
    }

    /// The next pair, or `None` without a new glove sample.
    pub fn next_pair(&mut self) -> Option<SamplePair> {
        let NumberedReading { number, reading: glove } = self.glove.take_numbered()?;
        *lock(&self.side) = Some(glove.hand);
        let first_side = self.first_side.as_ref().and_then(|first| *lock(first));
        self.clash = first_side.filter(|side| *side == glove.hand);
        if self.clash.is_some() {
            return None;
        }
        if let Some(newest) = self.tracker.take_numbered() {
            self.newest_tracker = Some(newest);
        }
        let newest = self.newest_tracker.as_ref()?;
        let tracker = &newest.reading;
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
            from: self.recorded_as.map(|[of_glove, of_tracker]| PairedRecords {
                glove: DeviceRecord { device: of_glove, number },
                tracker: DeviceRecord { device: of_tracker, number: newest.number },
            }),
        })
    }
}

fn lock(side: &Mutex<Option<Side>>) -> std::sync::MutexGuard<'_, Option<Side>> {
    side.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use calibration::GloveData;
    use drivers::{Condition, Sensor, SensorCounts};

    use super::*;
    use crate::input::scripted::{feeds, until};

    fn glove_reading(hand: Side, arrival: Instant) -> GloveReading {
        let data = GloveData::Counts(SensorCounts::from_slots([1; Sensor::ALL.len()]));
        GloveReading { hand, data, arrival }
    }

    fn tracker_sample(station: u8, metres: f64, arrival: Instant) -> TrackerSample {
        TrackerSample {
            station,
            source_from_sensor: Isometry3::translation(metres, 0.0, 0.0),
            condition: Condition::Good,
            stylus: None,
            arrival,
        }
    }

    /// Checks the places of the pairs of two gloves on these hands that share one tracker. Returns
    /// the state of the second glove.
    fn check(hands: [Side; 2], want: [Option<f64>; 2]) -> DeviceState {
        let ([glove], gloves) = feeds(1);
        let ([second_glove], second_gloves) = feeds(1);
        let ([tracker, second_tracker], stations) = feeds(2);
        let mut first = Pairing::new(glove, tracker);
        let mut second = Pairing::new(second_glove, second_tracker).beside(&first);
        // One moment for all samples: on a busy machine the threads that carry them may take longer
        // than a tracker sample stays valid.
        let arrival = Instant::now();
        for (part, metres) in [(0, 0.1), (1, 0.2)] {
            stations.send((part, Ok(tracker_sample(part as u8 + 1, metres, arrival)))).unwrap();
        }
        until(|| second.tracker().n_samples() == 1 && first.tracker().n_samples() == 1);
        gloves.send((0, Ok(glove_reading(hands[0], arrival)))).unwrap();
        until(|| first.glove().n_samples() == 1);
        let place = |pair: SamplePair| pair.source_from_sensor.translation.x;
        let places_of_first = first.next_pair().map(place);
        second_gloves.send((0, Ok(glove_reading(hands[1], arrival)))).unwrap();
        until(|| second.glove().n_samples() == 1);
        assert_eq!([places_of_first, second.next_pair().map(place)], want);
        match second.glove_state() {
            // This thread was stopped for a second: the state says nothing about sides.
            DeviceState::Silent => check(hands, want),
            state => state,
        }
    }

    #[test]
    fn each_hand_is_where_its_own_receiver_is() {
        let state = check([Side::Right, Side::Left], [Some(0.1), Some(0.2)]);
        assert!(matches!(state, DeviceState::Live(_) | DeviceState::Late), "{state:?}");
    }

    #[test]
    fn nobody_has_two_right_hands() {
        let state = check([Side::Right, Side::Right], [Some(0.1), None]);
        let DeviceState::Faulty(why) = state else { panic!("{state:?}") };
        assert!(why.contains("a right glove") && why.contains("needs a left one"), "{why}");
        let state = check([Side::Left, Side::Left], [Some(0.1), None]);
        assert!(matches!(state, DeviceState::Faulty(why) if why.contains("needs a right one")));
    }
}
