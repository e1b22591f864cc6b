//! Pairing of each glove sample with the newest tracker sample, or with the place that mouse and
//! keys or a headset give to a hand without a tracker.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use calibration::GloveData;
use drivers::recording::DeviceId;
use drivers::{Side, TrackerSample};
use nalgebra::Isometry3;
use physics::SampleId;

use super::feed::{DeviceState, Feed, NumberedReading};
use super::input_device::GloveReading;
use super::wrist_placer::WristPlacer;

/// A glove sample, and the place of the hand at about the same time.
#[derive(Debug, Clone)]
pub struct SamplePair {
    pub id: SampleId,
    pub hand: Side,
    pub glove: GloveData,
    pub place: HandPlace,
    /// Arrival of the glove's last byte.
    pub arrival: Instant,
    /// Records of the samples, if there is a recording.
    pub from: Option<PairedRecords>,
}

/// Place of a hand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum HandPlace {
    /// By a tracker: its `source_from_sensor`.
    Tracked(Isometry3<f64>),
    /// Without a tracker: the wrist in the world.
    Placed(Isometry3<f64>),
}

/// The records of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairedRecords {
    pub glove: DeviceRecord,
    /// `None` for a hand without a tracker.
    pub tracker: Option<DeviceRecord>,
}

/// A record of a device in a recording; all records of the driver count, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceRecord {
    pub device: DeviceId,
    pub number: u64,
}

/// Joins each glove sample with the newest place of the hand.
pub struct Pairing {
    glove: Feed<GloveReading>,
    position: PositionSource,
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

/// Source of the place of a hand.
enum PositionSource {
    Tracker { feed: Feed<TrackerSample>, newest: Option<NumberedReading<TrackerSample>> },
    Placer(WristPlacer),
}

/// Greatest age of a tracker sample in a pair; older ones do not show where the hand is now.
pub(super) const OLDEST: Duration = Duration::from_millis(250);

impl Pairing {
    pub fn new(glove: Feed<GloveReading>, tracker: Feed<TrackerSample>) -> Self {
        Self::of(glove, PositionSource::Tracker { feed: tracker, newest: None })
    }

    /// Pairing of a glove without a tracker.
    pub fn placed(glove: Feed<GloveReading>, placer: WristPlacer) -> Self {
        Self::of(glove, PositionSource::Placer(placer))
    }

    fn of(glove: Feed<GloveReading>, position: PositionSource) -> Self {
        Self {
            glove,
            position,
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

    /// The tracker, unless the hand has none.
    pub fn tracker(&self) -> Option<&Feed<TrackerSample>> {
        match &self.position {
            PositionSource::Tracker { feed, .. } => Some(feed),
            PositionSource::Placer(_) => None,
        }
    }

    /// What places the hand, if it has no tracker.
    pub fn placer(&self) -> Option<&WristPlacer> {
        match &self.position {
            PositionSource::Tracker { .. } => None,
            PositionSource::Placer(placer) => Some(placer),
        }
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
        let (place, of_tracker) = match &mut self.position {
            PositionSource::Tracker { feed, newest } => {
                if let Some(next) = feed.take_numbered() {
                    *newest = Some(next);
                }
                let newest = newest.as_ref()?;
                let tracker = &newest.reading;
                if glove.arrival.saturating_duration_since(tracker.arrival) > OLDEST {
                    return None;
                }
                (HandPlace::Tracked(tracker.source_from_sensor), Some(newest.number))
            }
            PositionSource::Placer(placer) => {
                (HandPlace::Placed(placer.place(glove.hand, glove.arrival)?), None)
            }
        };
        self.n_pairs += 1;
        Some(SamplePair {
            id: SampleId(self.n_pairs),
            hand: glove.hand,
            glove: glove.data,
            place,
            arrival: glove.arrival,
            from: self.recorded_as.map(|[glove, tracker]| PairedRecords {
                glove: DeviceRecord { device: glove, number },
                tracker: of_tracker.map(|number| DeviceRecord { device: tracker, number }),
            }),
        })
    }
}

fn lock(side: &Mutex<Option<Side>>) -> std::sync::MutexGuard<'_, Option<Side>> {
    side.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use calibration::{GloveData, HandPose, JointAngles};
    use drivers::{Condition, Sensor, SensorCounts};
    use interaction::posture::grip_in_wrist;
    use nalgebra::{Point3, Vector3};

    use super::*;
    use crate::input::scripted::{feeds, until};
    use crate::input::{HeadsetHands, HeadsetPlacer, MouseHand, Steering};
    use crate::vr::{HeadsetLink, SeenBy, SeenHand, Stance, WorldPlacement};

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
        let n_tracked = |pairing: &Pairing| pairing.tracker().map_or(0, Feed::n_samples);
        until(|| n_tracked(&second) == 1 && n_tracked(&first) == 1);
        gloves.send((0, Ok(glove_reading(hands[0], arrival)))).unwrap();
        until(|| first.glove().n_samples() == 1);
        let place = |pair: SamplePair| match pair.place {
            HandPlace::Tracked(it) | HandPlace::Placed(it) => it.translation.x,
        };
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
    fn two_right_gloves_are_refused() {
        let state = check([Side::Right, Side::Right], [Some(0.1), None]);
        let DeviceState::Faulty(why) = state else { panic!("{state:?}") };
        assert!(why.contains("a right glove") && why.contains("needs a left one"), "{why}");
        let state = check([Side::Left, Side::Left], [Some(0.1), None]);
        assert!(matches!(state, DeviceState::Faulty(why) if why.contains("needs a right one")));
    }

    /// Checks the place of a glove of this side that mouse and keys move.
    fn check_mouse(side: Side) {
        let ([glove], gloves) = feeds(1);
        let (steering, start) = (Arc::default(), Steering::above(Side::Right, &Point3::origin()));
        let placer = WristPlacer::Mouse(Box::new(MouseHand::new(Arc::clone(&steering), start)));
        let mut pairing = Pairing::placed(glove, placer);
        let mut next = |at: Instant| {
            let n_before = pairing.glove().n_samples();
            gloves.send((0, Ok(glove_reading(side, at)))).unwrap();
            until(|| pairing.glove().n_samples() == n_before + 1);
            let pair = pairing.next_pair().unwrap();
            assert_eq!((pair.hand, pair.from), (side, None));
            let HandPlace::Placed(world_from_wrist) = pair.place else {
                panic!("{:?}", pair.place)
            };
            // The grip of a glove of this side, not of the side that the mouse was told.
            world_from_wrist * grip_in_wrist(side)
        };
        let begin = Instant::now();
        assert!((next(begin) - start.grip).norm() < 1e-12);
        let aside = Steering { grip: start.grip + Vector3::x() * 0.05, ..start };
        steering.put(aside);
        let places: Vec<Point3<f64>> =
            (1..60).map(|i| next(begin + 20 * i * Duration::from_millis(1))).collect();
        assert!((places[58] - aside.grip).norm() < 1e-3, "{}", places[58]);
        assert!(places.windows(2).all(|pair| (pair[1] - pair[0]).norm() < 0.02), "it jumps");
    }

    #[test]
    fn a_glove_without_a_tracker_is_where_mouse_and_keys_lead_it() {
        check_mouse(Side::Right);
        check_mouse(Side::Left);
    }

    #[test]
    fn a_glove_without_a_tracker_is_where_the_headset_sees_it() {
        let ([glove], gloves) = feeds(1);
        let placement = WorldPlacement { stance: Stance::Seated, scale: 1.0 };
        let link = Arc::new(HeadsetLink::new(&Arc::default(), placement));
        let hands = HeadsetHands::new(Arc::clone(&link));
        let placer = WristPlacer::Headset(Box::new(HeadsetPlacer::new(hands)));
        let mut pairing = Pairing::placed(glove, placer);
        let mut next = |at: Instant| {
            let n_before = pairing.glove().n_samples();
            gloves.send((0, Ok(glove_reading(Side::Left, at)))).unwrap();
            until(|| pairing.glove().n_samples() == n_before + 1);
            pairing.next_pair().map(|pair| pair.place)
        };
        let now = Instant::now();
        assert_eq!(next(now), None, "nothing is in sight");
        for (side, x) in [(Side::Left, 0.1), (Side::Right, 0.2)] {
            link.hands[side as usize].put(seen(side, x, now));
        }
        let place = Some(HandPlace::Placed(Isometry3::translation(0.1, 0.0, 0.0)));
        assert_eq!(next(now), place);
        assert_eq!(next(now + OLDEST), place, "the newest sighting is not too old");
        assert_eq!(next(now + 2 * OLDEST), None, "out of sight");
    }

    fn seen(side: Side, x: f64, arrival: Instant) -> SeenHand {
        let pose = HandPose {
            angles: JointAngles::default(),
            world_from_wrist: Isometry3::translation(x, 0.0, 0.0),
        };
        let (size, by, world_scale, table) = (None, SeenBy::Controller, 1.0, 0);
        SeenHand { side, pose, size, by, world_scale, arrival, table }
    }
}
