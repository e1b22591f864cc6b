//! Who moves the hands: devices, a recording, mouse and keys, or a headset that sees them.

use std::sync::Arc;

use drivers::Hand as Side;
use drivers::recorder::Recorder;
use drivers::recording::Existing;
use emulators::Motion;
use engine::{Bell, Mailbox};
use nalgebra::{Point3, Vector3};
use physics::ObjectSpec;

use super::devices::{self, HandDevices};
use super::{HandFrom, script};
use crate::command_line::{Mover, Source, Squeeze};
use crate::input::{DrivenHand, Pairing, SeenHands, Steering};
use crate::session::{DeviceHands, EmulatedDevice, HandParts, HandSource, ThingParts};
use crate::vr::Headset;

/// Hands, and what comes with them.
pub(super) struct Hands {
    pub(super) source: HandSource,
    /// Where the hand is at first, if mouse and keys move it.
    pub(super) driven: Option<Steering>,
    pub(super) recorder: Option<Recorder>,
    /// Which of the devices are emulated, and what they do.
    pub(super) emulated: Vec<EmulatedDevice>,
    /// The beginning of a sentence that ends with what is squeezed.
    pub(super) description: String,
}

/// The hands that the command line asks for.
pub(super) fn first(
    hand: HandFrom<'_>,
    things: &[ThingParts],
    steering: &Arc<Mailbox<Steering>>,
    headset: Option<&Headset>,
    bell: &Arc<Bell>,
) -> anyhow::Result<Hands> {
    match (hand, headset) {
        (HandFrom::Devices(squeeze), Some(headset)) if squeeze.hand == Mover::Openxr => {
            seen(squeeze, headset)
        }
        _ => without_headset(hand, things, steering, bell),
    }
}

/// Bare hands that the headset sees.
fn seen(squeeze: &Squeeze, headset: &Headset) -> anyhow::Result<Hands> {
    let record = squeeze.record.as_deref().map(|path| devices::recorder(path, Existing::Keep));
    let source = HandSource::Seen(SeenHands::new(Arc::clone(headset.link())));
    let (recorder, description) =
        (record.transpose()?, "bare hands, seen by the headset, squeeze".to_owned());
    Ok(Hands { source, driven: None, recorder, emulated: Vec::new(), description })
}

fn without_headset(
    hand: HandFrom<'_>,
    things: &[ThingParts],
    steering: &Arc<Mailbox<Steering>>,
    bell: &Arc<Bell>,
) -> anyhow::Result<Hands> {
    match hand {
        HandFrom::Devices(squeeze) if squeeze.hand == Mover::Mouse => {
            driven(squeeze, things, steering)
        }
        HandFrom::Devices(squeeze) => {
            let record = squeeze.record.as_deref().map(|path| (path, Existing::Keep));
            let is_real = |source: &Option<Source>| matches!(source, Some(Source::Port(_)));
            let given = &squeeze.devices;
            // Nobody performs for devices that are there.
            let script = match is_real(&given.glove) && is_real(&given.tracker) {
                true => Motion::grasp_and_squeeze(),
                false => script(things)?,
            };
            let devices = devices::live_hands(given, &squeeze.second, record, &script, bell)?;
            Ok(Hands::seen_by(devices, "squeeze"))
        }
        HandFrom::Recording(replay) => {
            Ok(Hands::seen_by(devices::recorded(replay, bell)?, "squeezes"))
        }
    }
}

/// A hand that mouse and keys move, open above the first thing.
fn driven(
    squeeze: &Squeeze,
    things: &[ThingParts],
    steering: &Arc<Mailbox<Steering>>,
) -> anyhow::Result<Hands> {
    let record = squeeze.record.as_deref().map(|path| (path, Existing::Keep));
    let recorder = record.map(|(path, existing)| devices::recorder(path, existing)).transpose()?;
    let start = above_first(squeeze.side.into(), things);
    let hand = DrivenHand::new(Arc::clone(steering), start);
    let description = format!("mouse and keys move a {} hand to squeeze", start.side.name());
    let source = HandSource::Driven(Box::new(hand));
    Ok(Hands { source, driven: Some(start), recorder, emulated: Vec::new(), description })
}

/// Where a hand waits for the first of these things to be taken.
fn above_first(side: Side, things: &[ThingParts]) -> Steering {
    let middle = things.first().map_or_else(Point3::origin, middle);
    Steering::above(side, &middle)
}

/// Of the box around a thing, in the world.
fn middle(thing: &ThingParts) -> Point3<f64> {
    let ObjectSpec::Solid(solid) = &*thing.spec;
    let (mut low, mut high) = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
    for x in solid.mesh().rest_positions() {
        let x = (thing.home * x).coords;
        (low, high) = (low.inf(&x), high.sup(&x));
    }
    ((low + high) / 2.0).into()
}

impl Hands {
    fn seen_by(devices: HandDevices, verb: &str) -> Self {
        let description = format!("{} {verb}", devices.description);
        let [of_glove, of_tracker] = devices.ids;
        let first = Pairing::new(devices.glove, devices.tracker).recorded_as(of_glove, of_tracker);
        let second = devices.second.map(|second| {
            let [of_glove, of_tracker] = second.ids;
            let pairing = Pairing::new(second.glove, second.tracker).beside(&first);
            HandParts { pairing: pairing.recorded_as(of_glove, of_tracker), forces: second.forces }
        });
        let first = HandParts { pairing: first, forces: devices.forces };
        let source = HandSource::Devices(DeviceHands {
            hands: std::iter::once(first).chain(second).collect(),
            replay: devices.replay,
            emulators: devices.emulators,
        });
        let (recorder, emulated) = (devices.recorder, devices.emulated);
        Self { source, driven: None, recorder, emulated, description }
    }
}
