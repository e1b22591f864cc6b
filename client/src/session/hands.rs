//! Where the hands of a run come from: devices, a recording of them, mouse and keys, or a headset that sees them.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use drivers::Hand as Side;
use drivers::replay::ReplayClock;
use emulators::Emulator;
use engine::Mailbox;

use super::absence::absence;
use super::status::{Health, Watched};
use super::{Session, Summary};
use crate::input::{DrivenHand, Pairing, SamplePair, SeenHands};
use crate::vr::HeadsetState;

/// Where hands come from.
pub enum HandSource {
    /// A glove and a tracker for each hand.
    Devices(DeviceHands),
    /// Mouse and keys.
    Driven(Box<DrivenHand>),
    /// Bare hands, by a headset.
    Seen(SeenHands),
}

/// Hands that are seen by devices.
pub struct DeviceHands {
    /// One for each hand, two at most.
    pub hands: Vec<HandParts>,
    /// Of recorded hands; started as soon as there is something to touch.
    pub replay: Option<ReplayClock>,
    /// They live as long as the hands that they are the devices of.
    pub emulators: Vec<Emulator>,
}

/// One hand's devices.
pub struct HandParts {
    pub pairing: Pairing,
    /// Where to send what the fingers feel, if the glove can be felt.
    pub forces: Option<Arc<Mailbox<[f32; 5]>>>,
}

/// The hands of a session.
pub(super) struct Hands {
    source: HandSource,
    /// Which hand each pair of devices was on when it last said something.
    last: Vec<Option<(Side, Instant)>>,
    /// The hand that was driven last, and how many poses that were in all.
    last_driven: Option<Side>,
    n_driven: u64,
}

impl Hands {
    pub(super) fn of(source: HandSource) -> Self {
        let n_lines = match &source {
            HandSource::Devices(devices) => devices.hands.len(),
            HandSource::Driven(_) | HandSource::Seen(_) => 0,
        };
        Self { source, last: vec![None; n_lines], last_driven: None, n_driven: 0 }
    }

    /// How long to wait for something to happen, if nothing needs more haste than `patience`.
    pub(super) fn patience(&self, patience: Duration) -> Duration {
        match &self.source {
            HandSource::Devices(_) | HandSource::Seen(_) => patience,
            HandSource::Driven(hand) => hand.patience(Instant::now()).min(patience),
        }
    }

    /// Hands whose devices have been silent for longer than `patience`, in seconds, and why; each once.
    pub(super) fn absent(&mut self, patience: f64) -> Vec<(Side, String)> {
        let devices = match &mut self.source {
            HandSource::Devices(devices) => devices,
            HandSource::Seen(hands) => return hands.absent(patience),
            HandSource::Driven(_) => return Vec::new(),
        };
        let mut absent = Vec::new();
        for (parts, last) in devices.hands.iter().zip(&mut self.last) {
            if let Some(why) = absence(parts, *last, patience)
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
            HandSource::Driven(_) | HandSource::Seen(_) => {}
        }
    }

    /// How far the fingers of a hand are closed that mouse and keys drive.
    pub(super) fn driven(&self) -> Option<&DrivenHand> {
        match &self.source {
            HandSource::Devices(_) | HandSource::Seen(_) => None,
            HandSource::Driven(hand) => Some(hand),
        }
    }

    /// The devices of each hand, and which hand it was when it last said something.
    pub(super) fn lines(&self) -> impl Iterator<Item = (&HandParts, Option<(Side, Instant)>)> {
        self.parts().iter().zip(self.last.iter().copied())
    }

    /// How the devices are, and how many samples each has sent.
    pub(super) fn health(&self) -> (Vec<(Watched, Health)>, Vec<u64>) {
        let (mut states, mut counts) = (Vec::new(), Vec::new());
        for (parts, [glove, tracker]) in self.parts().iter().zip(Watched::HANDS) {
            let pairing = &parts.pairing;
            states.push((glove, (&pairing.glove_state()).into()));
            states.push((tracker, (&pairing.tracker().state()).into()));
            counts.extend([pairing.glove().n_samples(), pairing.tracker().n_samples()]);
        }
        if let Some(hand) = self.driven() {
            let words = format!("{}, driven by mouse and keys", hand.side().name());
            states.push((Watched::Hand, Health::Good(words)));
        }
        if let HandSource::Seen(hands) = &self.source {
            states.push((Watched::Hand, health_of(hands)));
        }
        (states, counts)
    }

    /// Adds what the devices have counted to a summary.
    pub(super) fn count(&self, summary: &mut Summary) {
        summary.n_pairs += self.n_driven;
        if let HandSource::Seen(hands) = &self.source {
            summary.n_pairs += hands.n_seen();
        }
        for HandParts { pairing, .. } in self.parts() {
            summary.n_pairs += pairing.n_pairs();
            let counts = summary.n_device_samples.get_or_insert_default();
            counts[0] += pairing.glove().n_samples();
            counts[1] += pairing.tracker().n_samples();
            summary.n_lost[0] += pairing.glove().n_lost();
            summary.n_lost[1] += pairing.tracker().n_lost();
        }
    }

    fn parts(&self) -> &[HandParts] {
        match &self.source {
            HandSource::Devices(devices) => &devices.hands,
            HandSource::Driven(_) | HandSource::Seen(_) => &[],
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
fn health_of(hands: &SeenHands) -> Health {
    match (hands.in_sight(), hands.headset().state()) {
        (_, HeadsetState::Missing(why)) => Health::Missing(why),
        (_, HeadsetState::Lost(why)) => Health::Lost(why),
        (_, HeadsetState::Failed(why)) => Health::Failed(why),
        (Some(which), _) => Health::Good(which.to_owned()),
        (None, _) => Health::Waiting("no hand is in sight of the headset".to_owned()),
    }
}

impl Session {
    /// Takes what the hands have done; says whether that was anything.
    pub(super) fn take_hands(&mut self) -> io::Result<bool> {
        let pairs = self.hands.pairs();
        for pair in pairs.iter().flatten() {
            self.take_pair(pair)?;
        }
        let hand = match &mut self.hands.source {
            HandSource::Devices(_) => return Ok(pairs.iter().any(Option::is_some)),
            HandSource::Driven(hand) => hand,
            HandSource::Seen(hands) => {
                let seen = hands.take();
                let is_elsewhere =
                    seen.map(|hand| hand.is_some_and(|hand| hands.has_other_table(&hand)));
                for (hand, is_elsewhere) in seen.iter().zip(is_elsewhere) {
                    let Some(hand) = hand else { continue };
                    if is_elsewhere {
                        self.lose_hand(hand.side, "the table was put elsewhere")?;
                    }
                    self.take_pose(hand.side, &hand.pose, None, hand.arrival)?;
                }
                return Ok(seen.iter().any(Option::is_some));
            }
        };
        let now = Instant::now();
        let touching = self.tabletop.touching(hand.side());
        let Some((side, pose)) = hand.next(now, &touching) else { return Ok(false) };
        self.hands.n_driven += 1;
        if let Some(before) = self.hands.last_driven.replace(side).filter(|before| *before != side)
        {
            self.lose_hand(before, "the other hand is driven now")?;
        }
        self.take_pose(side, &pose, None, now)?;
        Ok(true)
    }
}
