//! Where the hands of a run come from: devices, a recording, mouse and keys, or a headset that sees
//! them. Another source can take over while the run goes on (`change_source`); what
//! the source has to say goes the way of `sample_path` (`take_poses`).

mod change_source;
mod take_poses;

use std::sync::Arc;
use std::time::{Duration, Instant};

use drivers::Side;
use drivers::replay::ReplayClock;
use emulators::Emulator;
use engine::Mailbox;

use super::Summary;
use super::hand_loss::loss_reason;
use super::health::{PartHealth, WatchedPart};
use crate::input::{DeviceState, HeadsetHands, MouseHand, Pairing, PosePlayer, SamplePair};
use crate::vr::HeadsetState;

/// Where hands come from.
pub enum HandSource {
    /// A glove and a tracker for each hand.
    Devices(GloveHands),
    /// Mouse and keys.
    Mouse(Box<MouseHand>),
    /// Bare hands, by a headset.
    Headset(HeadsetHands),
    /// What hands did in a recorded run of which no device's bytes were kept.
    Recorded(PosePlayer),
}

/// Hands that are seen by devices.
pub struct GloveHands {
    /// One for each hand, two at most.
    pub hands: Vec<GloveHand>,
    /// Of recorded hands; started as soon as there is something to touch.
    pub replay: Option<ReplayClock>,
    /// They live as long as the hands that they are the devices of.
    pub emulators: Vec<Emulator>,
}

/// One hand's devices.
pub struct GloveHand {
    pub pairing: Pairing,
    /// Where to send what the fingers feel, if the glove can be felt.
    pub forces: Option<Arc<Mailbox<[f32; 5]>>>,
}

/// The hands of a session.
pub(super) struct ActiveHands {
    source: HandSource,
    /// Which hand each pair of devices was on when it last said something.
    last: Vec<Option<(Side, Instant)>>,
    /// The side that mouse and keys moved last, and how many poses that were in all.
    last_mouse_side: Option<Side>,
    n_mouse_poses: u64,
    /// What the sources before this one have counted.
    past: Counts,
}

/// What sources of hands count.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    n_pairs: u64,
    /// Samples and damaged records of gloves and of trackers; nothing if there was no device.
    n_device_samples: Option<[u64; 2]>,
    n_lost: [u64; 2],
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

    /// These hands after others, whose counts are not forgotten.
    fn after(source: HandSource, before: &Self) -> Self {
        Self { past: before.counts(), ..Self::of(source) }
    }

    /// How long to wait for something to happen, if nothing needs more haste than `patience`.
    pub(super) fn patience(&self, patience: Duration) -> Duration {
        match &self.source {
            HandSource::Devices(_) | HandSource::Headset(_) => patience,
            HandSource::Mouse(hand) => hand.patience(Instant::now()).min(patience),
            HandSource::Recorded(hands) => hands.patience(patience),
        }
    }

    /// Hands whose devices have been silent for longer than `patience`, in seconds, and why; each
    /// once.
    pub(super) fn absent(&mut self, patience: f64) -> Vec<(Side, String)> {
        let devices = match &mut self.source {
            HandSource::Devices(devices) => devices,
            HandSource::Headset(hands) => return hands.absent(patience),
            HandSource::Mouse(_) | HandSource::Recorded(_) => return Vec::new(),
        };
        // A hand that is stopped is still there, and when it goes on its devices need a moment to
        // say something.
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

    /// There is something to touch: a recording may begin.
    pub(super) fn begin(&self) {
        match &self.source {
            HandSource::Devices(devices) => devices.replay.iter().for_each(ReplayClock::start),
            HandSource::Recorded(hands) => hands.clock().start(),
            HandSource::Mouse(_) | HandSource::Headset(_) => {}
        }
    }

    /// How far the fingers of a hand are closed that mouse and keys drive.
    pub(super) fn mouse_hand(&self) -> Option<&MouseHand> {
        match &self.source {
            HandSource::Devices(_) | HandSource::Headset(_) | HandSource::Recorded(_) => None,
            HandSource::Mouse(hand) => Some(hand),
        }
    }

    /// The hands that a headset sees, if it is that.
    pub(super) fn headset_hands(&self) -> Option<&HeadsetHands> {
        match &self.source {
            HandSource::Devices(_) | HandSource::Mouse(_) | HandSource::Recorded(_) => None,
            HandSource::Headset(hands) => Some(hands),
        }
    }

    /// The devices of each hand, and which hand it was when it last said something.
    pub(super) fn device_hands(
        &self,
    ) -> impl Iterator<Item = (&GloveHand, Option<(Side, Instant)>)> {
        self.parts().iter().zip(self.last.iter().copied())
    }

    /// How the devices are, and how many samples each has sent.
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
            states.push((tracker, health(&pairing.tracker().state())));
            counts.extend([pairing.glove().n_samples(), pairing.tracker().n_samples()]);
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
                (false, false) => PartHealth::Good("as it was recorded".to_owned()),
            };
            states.push((WatchedPart::Hand, health));
        }
        (states, counts)
    }

    /// Adds what the devices have counted to a summary.
    pub(super) fn count(&self, summary: &mut Summary) {
        let Counts { n_pairs, n_device_samples, n_lost } = self.counts();
        summary.n_pairs += n_pairs;
        summary.n_device_samples = n_device_samples;
        summary.n_lost = n_lost;
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
            n_samples[1] += pairing.tracker().n_samples();
            counts.n_lost[0] += pairing.glove().n_lost();
            counts.n_lost[1] += pairing.tracker().n_lost();
        }
        counts
    }

    /// Whether they come from a recording that stands still.
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

    /// The devices of a hand, the first or the second, have just said something of this one.
    pub(super) fn have_seen(&mut self, index: usize, side: Side) {
        if let Some(last) = self.last.get_mut(index) {
            *last = Some((side, Instant::now()));
        }
    }

    /// The next pair of each hand's devices that has one.
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

/// Without the headset there are no hands either.
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
