//! Sources of a run's hands: devices, a recording, mouse and keys, or a headset. `change_source`
//! switches between sources during a run, and `take_poses` sends their poses along `sample_path`.

mod change_source;
mod take_poses;

use std::time::{Duration, Instant};

use drivers::Side;
use drivers::replay::ReplayClock;
use emulators::Emulator;

use super::Summary;
use super::hand_loss::loss_reason;
use super::health::{PartHealth, WatchedPart};
use crate::feedback::Feedback;
use crate::input::{DeviceState, Feed, HeadsetHands, MouseHand, Pairing, PosePlayer, SamplePair};
use crate::vr::HeadsetState;

/// Source of hands.
pub enum HandSource {
    /// A glove for each hand, with a tracker unless mouse or headset moves it.
    Devices(GloveHands),
    /// Mouse and keys.
    Mouse(Box<MouseHand>),
    /// Bare hands, by a headset.
    Headset(HeadsetHands),
    /// Hands of a recorded run whose file has no device bytes.
    Recorded(PosePlayer),
}

/// Hands that are tracked by gloves and trackers.
pub struct GloveHands {
    /// One for each hand, two at most.
    pub hands: Vec<GloveHand>,
    /// Clock of recorded hands; it starts as soon as there is something to touch.
    pub replay: Option<ReplayClock>,
    /// Emulators of these devices; they live as long as the hands.
    pub emulators: Vec<Emulator>,
}

/// One hand's devices.
pub struct GloveHand {
    pub pairing: Pairing,
    /// What the hand feels, for a glove that can hold fingers or vibrate.
    pub feedback: Option<Feedback>,
}

/// The hands of a session.
pub(super) struct ActiveHands {
    source: HandSource,
    /// Side and time of the last sample of each pair of devices.
    last: Vec<Option<(Side, Instant)>>,
    /// Side that mouse and keys moved last.
    last_mouse_side: Option<Side>,
    /// Number of poses of the mouse hand so far.
    n_mouse_poses: u64,
    /// Counts of earlier sources.
    past: Counts,
}

/// Counts of sources of hands.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    n_pairs: u64,
    /// Samples of gloves and of trackers; `None` if there was no device.
    n_device_samples: Option<[u64; 2]>,
    /// True if a hand had a tracker.
    has_tracker: bool,
    /// Damaged records of gloves and of trackers.
    n_lost: [u64; 2],
    /// Doubtful samples of trackers.
    n_doubtful: u64,
}

impl ActiveHands {
    pub(super) fn of(source: HandSource) -> Self {
        let n_hands = match &source {
            HandSource::Devices(devices) => devices.hands.len(),
            HandSource::Mouse(_) | HandSource::Headset(_) | HandSource::Recorded(_) => 0,
        };
        let past = Counts::default();
        Self { source, last: vec![None; n_hands], last_mouse_side: None, n_mouse_poses: 0, past }
    }

    /// Hands of a new source, with the counts of the source `before`.
    fn after(source: HandSource, before: &Self) -> Self {
        Self { past: before.counts(), ..Self::of(source) }
    }

    /// Longest time to wait for the next pose, at most `patience`.
    pub(super) fn patience(&self, patience: Duration) -> Duration {
        match &self.source {
            HandSource::Devices(_) | HandSource::Headset(_) => patience,
            HandSource::Mouse(hand) => hand.patience(Instant::now()).min(patience),
            HandSource::Recorded(hands) => hands.patience(patience),
        }
    }

    /// Hands whose devices have been silent for longer than `patience`, in seconds, with the
    /// reason; each hand is returned once.
    pub(super) fn absent(&mut self, patience: f64) -> Vec<(Side, String)> {
        let devices = match &mut self.source {
            HandSource::Devices(devices) => devices,
            HandSource::Headset(hands) => return hands.absent(patience),
            HandSource::Mouse(_) | HandSource::Recorded(_) => return Vec::new(),
        };
        // A paused hand is not lost, and when playback goes on its devices need a moment to send
        // samples.
        if devices.replay.as_ref().is_some_and(ReplayClock::is_paused) {
            let now = Instant::now();
            self.last.iter_mut().flatten().for_each(|(_, at)| *at = now);
            return Vec::new();
        }
        let mut absent = Vec::new();
        for (parts, last) in devices.hands.iter().zip(&mut self.last) {
            if let Some(why) = loss_reason(parts, *last, patience)
                && let Some((side, _)) = last.take()
            {
                absent.push((side, why));
            }
        }
        absent
    }

    /// Starts the recording, if any: there is something to touch.
    pub(super) fn begin(&self) {
        match &self.source {
            HandSource::Devices(devices) => devices.replay.iter().for_each(ReplayClock::start),
            HandSource::Recorded(hands) => hands.clock().start(),
            HandSource::Mouse(_) | HandSource::Headset(_) => {}
        }
    }

    /// The mouse hand, if it is the source.
    pub(super) fn mouse_hand(&self) -> Option<&MouseHand> {
        match &self.source {
            HandSource::Devices(_) | HandSource::Headset(_) | HandSource::Recorded(_) => None,
            HandSource::Mouse(hand) => Some(hand),
        }
    }

    /// Closing of each finger by mouse and keys, if they move a hand. A hand that a glove bends
    /// counts as open.
    pub(super) fn closed_by_mouse(&self) -> Option<[f64; 5]> {
        let has_mouse = |parts: &GloveHand| {
            parts.pairing.placer().is_some_and(|placer| placer.mouse().is_some())
        };
        let is_placed = self.parts().iter().any(has_mouse);
        self.mouse_hand().map(|hand| hand.closed()).or(is_placed.then_some([0.0; 5]))
    }

    /// The headset's hands, if they are the source.
    pub(super) fn headset_hands(&self) -> Option<&HeadsetHands> {
        match &self.source {
            HandSource::Devices(_) | HandSource::Mouse(_) | HandSource::Recorded(_) => None,
            HandSource::Headset(hands) => Some(hands),
        }
    }

    /// The devices of each hand, with side and time of their last sample.
    pub(super) fn device_hands(
        &self,
    ) -> impl Iterator<Item = (&GloveHand, Option<(Side, Instant)>)> {
        self.parts().iter().zip(self.last.iter().copied())
    }

    /// Health of the devices, and the number of samples of each.
    pub(super) fn health(&self) -> (Vec<(WatchedPart, PartHealth)>, Vec<u64>) {
        let (mut states, mut counts) = (Vec::new(), Vec::new());
        let is_paused = self.is_paused();
        for (parts, [glove, tracker]) in self.parts().iter().zip(WatchedPart::HANDS) {
            let pairing = &parts.pairing;
            let health = |state: &DeviceState| match (is_paused, state) {
                (true, DeviceState::Opening | DeviceState::Live(_) | DeviceState::Late) => {
                    PartHealth::Waiting("the recording is paused".to_owned())
                }
                _ => state.into(),
            };
            states.push((glove, health(&pairing.glove_state())));
            let of_tracker = pairing.tracker();
            if let Some(of_tracker) = of_tracker {
                states.push((tracker, health(&of_tracker.state())));
            }
            if let Some(placer) = pairing.placer() {
                let health = match placer.state() {
                    // A recording of a glove alone is over with the glove.
                    _ if pairing.glove().state() == DeviceState::Ended => PartHealth::Ended,
                    Ok(words) => PartHealth::Good(words.to_owned()),
                    Err(why) => PartHealth::Waiting(why.to_owned()),
                };
                states.push((WatchedPart::Hand, health));
            }
            let n_tracked = of_tracker.map_or(0, Feed::n_samples);
            counts.extend([pairing.glove().n_samples(), n_tracked]);
        }
        if let Some(hand) = self.mouse_hand() {
            let words = format!("{}, driven by mouse and keys", hand.side().name());
            states.push((WatchedPart::Hand, PartHealth::Good(words)));
        }
        if let HandSource::Headset(hands) = &self.source {
            states.push((WatchedPart::Hand, health_of(hands)));
        }
        if let HandSource::Recorded(hands) = &self.source {
            let health = match (hands.has_ended(), is_paused) {
                (true, _) => PartHealth::Ended,
                (false, true) => PartHealth::Waiting("the recording is paused".to_owned()),
                (false, false) => PartHealth::Good("from the recording".to_owned()),
            };
            states.push((WatchedPart::Hand, health));
        }
        (states, counts)
    }

    /// True while a device is being set up: its port is there, and it may send samples soon.
    pub(super) fn is_any_starting(&self) -> bool {
        let is_starting = |parts: &GloveHand| {
            let tracker = parts.pairing.tracker();
            parts.pairing.glove().is_starting() || tracker.is_some_and(Feed::is_starting)
        };
        self.parts().iter().any(is_starting)
    }

    /// Adds the counts of the devices to a summary.
    pub(super) fn count(&self, summary: &mut Summary) {
        let Counts { n_pairs, n_device_samples, has_tracker, n_lost, n_doubtful } = self.counts();
        summary.has_tracker = has_tracker;
        summary.n_pairs += n_pairs;
        summary.n_device_samples = n_device_samples;
        summary.n_lost = n_lost;
        summary.n_doubtful = n_doubtful;
    }

    fn counts(&self) -> Counts {
        let mut counts = self.past;
        counts.n_pairs += self.n_mouse_poses;
        match &self.source {
            HandSource::Headset(hands) => counts.n_pairs += hands.n_seen(),
            HandSource::Recorded(hands) => counts.n_pairs += hands.n_played(),
            HandSource::Devices(_) | HandSource::Mouse(_) => {}
        }
        for GloveHand { pairing, .. } in self.parts() {
            counts.n_pairs += pairing.n_pairs();
            let n_samples = counts.n_device_samples.get_or_insert_default();
            n_samples[0] += pairing.glove().n_samples();
            counts.n_lost[0] += pairing.glove().n_lost();
            if let Some(tracker) = pairing.tracker() {
                counts.has_tracker = true;
                n_samples[1] += tracker.n_samples();
                counts.n_lost[1] += tracker.n_lost();
                counts.n_doubtful += tracker.n_doubtful();
            }
        }
        counts
    }

    /// True if the source is a recording that is paused.
    fn is_paused(&self) -> bool {
        match &self.source {
            HandSource::Devices(devices) => {
                devices.replay.as_ref().is_some_and(ReplayClock::is_paused)
            }
            HandSource::Recorded(hands) => hands.clock().is_paused(),
            HandSource::Mouse(_) | HandSource::Headset(_) => false,
        }
    }

    fn parts(&self) -> &[GloveHand] {
        match &self.source {
            HandSource::Devices(devices) => &devices.hands,
            HandSource::Mouse(_) | HandSource::Headset(_) | HandSource::Recorded(_) => &[],
        }
    }

    /// Notes that the devices with this index have just sent a sample of this side.
    pub(super) fn have_seen(&mut self, index: usize, side: Side) {
        if let Some(last) = self.last.get_mut(index) {
            *last = Some((side, Instant::now()));
        }
    }

    /// The next sample pair of each hand's devices, if any.
    fn pairs(&mut self) -> [Option<SamplePair>; 2] {
        let mut pairs = [None, None];
        let HandSource::Devices(devices) = &mut self.source else { return pairs };
        let lines = devices.hands.iter_mut().zip(&mut self.last);
        for (next, (parts, last)) in pairs.iter_mut().zip(lines) {
            *next = parts.pairing.next_pair();
            if let Some(pair) = next {
                *last = Some((pair.hand, pair.arrival));
            }
        }
        pairs
    }
}

/// Health of the headset's hands; problems of the headset come first.
fn health_of(hands: &HeadsetHands) -> PartHealth {
    match (hands.in_sight(), hands.headset().state()) {
        (_, HeadsetState::Missing(why)) => PartHealth::Missing(why),
        (_, HeadsetState::Lost(why)) => PartHealth::Lost(why),
        (_, HeadsetState::Failed(why)) => PartHealth::Failed(why),
        (Some(which), _) => PartHealth::Good(which.to_owned()),
        (None, _) => PartHealth::Waiting(
            "neither a hand nor a controller is in sight of the headset".to_owned(),
        ),
    }
}
