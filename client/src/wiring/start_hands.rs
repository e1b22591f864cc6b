//! Opens a source of hands: devices, a recording, mouse and keys, or a headset.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use drivers::Side;
use drivers::recorder::Recorder;
use drivers::recording::Existing;
use drivers::replay::ReplayClock;
use emulators::Motion;
use interaction::thing::ThingParts;
use nalgebra::Point3;

use super::hand_choice::{
    EmulatedPerformance, HandChoice, HandSourceContext, OpenedHands, Playback, RecordingChoice,
};
use super::hand_devices::{self, HandDevices, RecordingContents};
use super::{emulated_devices, script};
use crate::command_line::{DeviceOptions, DeviceSource, HandPosition};
use crate::input::{
    DeviceState, Feed, HandHistory, HeadsetHands, HeadsetPlacer, MouseHand, Pairing, PosePlayer,
    Steering, WristPlacer,
};
use crate::session::{EmulatedDevice, GloveHand, GloveHands, HandSource, RecordedJournal};

/// Opened hands with their controls.
pub(super) struct StartedHands {
    pub(super) source: HandSource,
    /// Initial pose of the hand, if mouse and keys move it.
    pub(super) driven: Option<Steering>,
    pub(super) playback: Option<Playback>,
    /// Events of a recording before the playback position.
    past: Option<HandHistory>,
    pub(super) recorder: Option<Recorder>,
    /// Emulated devices and their motions.
    pub(super) emulated: Vec<EmulatedDevice>,
    /// Beginning of a sentence that ends with the object.
    pub(super) description: String,
}

/// Time limit for the first sample of a device.
const PATIENCE: Duration = Duration::from_secs(15);
/// Time limit until a released port can be opened again.
const UNTIL_FREE: Duration = Duration::from_secs(5);

/// Time at which devices are expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DevicesExpected {
    Now,
    /// As soon as the hand that uses their ports has released them.
    WhenFree,
    /// At any time later.
    SomeTime,
}

/// Opens the first hands of a run, and records them if a file is given. Devices may appear later.
pub(super) fn start_first(
    choice: &HandChoice,
    first: Option<&ThingParts>,
    hand_context: &HandSourceContext,
    record: Option<(&Path, Existing)>,
) -> anyhow::Result<StartedHands> {
    let recorder =
        || record.map(|(path, existing)| hand_devices::recorder(path, existing)).transpose();
    match choice {
        HandChoice::Emulated(EmulatedPerformance { script, devices, second }) => {
            let motion = performed(script.as_deref(), first)?;
            let placer = placer(devices, first, hand_context)?;
            let devices =
                hand_devices::live_hands(devices, second, record, &motion, &hand_context.bell)?;
            Ok(StartedHands::seen_by(devices, placer))
        }
        HandChoice::Ports { devices, second } => {
            let is_real =
                |source: &Option<DeviceSource>| matches!(source, Some(DeviceSource::Port(_)));
            // Real devices have no script.
            let motion = match is_real(&devices.glove) && is_real(&devices.tracker) {
                true => Motion::grasp_and_squeeze(),
                false => performed(None, first)?,
            };
            let placer = placer(devices, first, hand_context)?;
            let devices =
                hand_devices::live_hands(devices, second, record, &motion, &hand_context.bell)?;
            Ok(StartedHands::seen_by(devices, placer))
        }
        HandChoice::Mouse(side) => {
            let start = above_first(*side, first);
            let hand = MouseHand::new(Arc::clone(&hand_context.steering), start);
            let description = format!("mouse and keys move a {} hand to squeeze", side.name());
            let source = HandSource::Mouse(Box::new(hand));
            Ok(StartedHands {
                driven: Some(start),
                recorder: recorder()?,
                ..StartedHands::of(source, description)
            })
        }
        HandChoice::Headset => {
            let Some(headset) = &hand_context.headset else {
                bail!(no_headset_hands("--hand openxr"));
            };
            let source = HandSource::Headset(HeadsetHands::new(Arc::clone(headset)));
            let description = "bare hands, seen by the headset, squeeze".to_owned();
            Ok(StartedHands { recorder: recorder()?, ..StartedHands::of(source, description) })
        }
        HandChoice::Recording(to_play) => played(to_play, first, hand_context),
    }
}

/// Opens hands of another source during a run. Waits for devices according to `expected`, until
/// `stop`.
pub fn open(
    choice: &HandChoice,
    thing: Option<&ThingParts>,
    hand_context: &HandSourceContext,
    expected: DevicesExpected,
    stop: &AtomicBool,
) -> anyhow::Result<OpenedHands> {
    let StartedHands { source, driven, playback, past, .. } =
        start_first(choice, thing, hand_context, None)?;
    if let (HandSource::Devices(devices), None) = (&source, &playback) {
        let now = Instant::now();
        let free = match expected {
            DevicesExpected::Now => Some(now),
            DevicesExpected::WhenFree => Some(now + UNTIL_FREE),
            DevicesExpected::SomeTime => None,
        };
        if let Some(free) = free {
            DeviceWait { free, deadline: now + PATIENCE, stop }.wait_for(devices)?;
        }
    }
    Ok(OpenedHands { source, driven, playback, past })
}

/// Conditions of waiting for devices.
struct DeviceWait<'a> {
    /// Time at which all ports are free; until then a failed opening is retried.
    free: Instant,
    deadline: Instant,
    /// True if the caller no longer needs the devices.
    stop: &'a AtomicBool,
}

impl DeviceWait<'_> {
    /// Waits until all devices have sent a sample.
    fn wait_for(&self, devices: &GloveHands) -> anyhow::Result<()> {
        for GloveHand { pairing, .. } in &devices.hands {
            self.wait_for_device("glove", pairing.glove())?;
            if let Some(tracker) = pairing.tracker() {
                self.wait_for_device("tracker", tracker)?;
            }
        }
        Ok(())
    }

    fn wait_for_device<R: Send + 'static>(&self, name: &str, feed: &Feed<R>) -> anyhow::Result<()> {
        const BETWEEN_LOOKS: Duration = Duration::from_millis(10);
        loop {
            if self.stop.load(Ordering::Relaxed) {
                bail!("waiting for the {name} was cancelled");
            }
            if feed.n_samples() > 0 {
                return Ok(());
            }
            let now = Instant::now();
            match feed.state() {
                DeviceState::Missing(_) if now < self.free => {}
                DeviceState::Missing(why) | DeviceState::Lost(why) => bail!("no {name}: {why}"),
                DeviceState::Faulty(why) => bail!("the {name} cannot be used: {why}"),
                DeviceState::Opening
                | DeviceState::Live(_)
                | DeviceState::Doubtful(_)
                | DeviceState::Late
                | DeviceState::Silent
                | DeviceState::Garbled
                | DeviceState::Ended => {}
            }
            if now > self.deadline {
                let what = if feed.n_lost() > 0 { "only damaged data" } else { "nothing" };
                bail!("the {name} has sent {what} for {} s", PATIENCE.as_secs());
            }
            std::thread::sleep(BETWEEN_LOOKS);
        }
    }
}

/// Returns the motion of emulated devices for this object.
fn performed(name_or_file: Option<&str>, thing: Option<&ThingParts>) -> anyhow::Result<Motion> {
    match name_or_file {
        Some(name_or_file) => emulated_devices::script(name_or_file),
        None => script(thing),
    }
}

/// Opens a recording: through the drivers if it has the devices' bytes, else pose by pose.
fn played(
    to_play: &RecordingChoice,
    first: Option<&ThingParts>,
    hand_context: &HandSourceContext,
) -> anyhow::Result<StartedHands> {
    let RecordingChoice { file, from, speed, is_paused, .. } = to_play;
    let clock = ReplayClock::new(*speed).context("the speed must be positive")?;
    let clock = clock.beginning_at(*from);
    if *is_paused {
        clock.pause();
    }
    let playback = |length| Some(Playback { file: file.clone(), clock: clock.clone(), length });
    match hand_devices::recorded(file, &clock, &hand_context.bell)? {
        RecordingContents::Devices { devices, length, past } => {
            let (playback, past) = (playback(length), Some(past));
            // A glove that was recorded alone: mouse and keys move its hand.
            let placer = mouse_placer(first, hand_context);
            Ok(StartedHands { playback, past, ..StartedHands::seen_by(*devices, placer) })
        }
        RecordingContents::OnlyJournal => {
            let in_file = || format!("cannot replay {}", file.display());
            let poses =
                RecordedJournal::read(file).with_context(in_file)?.poses().with_context(in_file)?;
            let Some(last) = poses.last() else { bail!("no hand is in {}", file.display()) };
            let length = last.at;
            let past = Some(HandHistory::of_poses(&poses, *from));
            let source = HandSource::Recorded(PosePlayer::new(poses, clock.clone()));
            let description = format!("the hand recorded in {} squeezes", file.display());
            Ok(StartedHands {
                playback: playback(length),
                past,
                ..StartedHands::of(source, description)
            })
        }
    }
}

/// Returns what moves a hand that has no tracker, and the first command of mouse and keys.
fn placer(
    devices: &DeviceOptions,
    first: Option<&ThingParts>,
    hand_context: &HandSourceContext,
) -> anyhow::Result<(WristPlacer, Option<Steering>)> {
    match (devices.position, &hand_context.headset) {
        (Some(HandPosition::Mouse) | None, _) => Ok(mouse_placer(first, hand_context)),
        (Some(HandPosition::Headset), Some(headset)) => {
            let hands = HeadsetHands::new(Arc::clone(headset));
            Ok((WristPlacer::Headset(Box::new(HeadsetPlacer::new(hands))), None))
        }
        (Some(HandPosition::Headset), None) => {
            bail!(no_headset_hands("--glove PORT --hand-position headset"))
        }
    }
}

/// Says that no headset tracks hands, and with which `flags` one does.
fn no_headset_hands(flags: &str) -> String {
    format!("no headset tracks hands; `palpate squeeze {flags}` starts with one that does")
}

fn mouse_placer(
    first: Option<&ThingParts>,
    hand_context: &HandSourceContext,
) -> (WristPlacer, Option<Steering>) {
    // The glove tells which side it is; mouse and keys move either.
    let start = above_first(Side::Right, first);
    let hand = MouseHand::new(Arc::clone(&hand_context.steering), start);
    (WristPlacer::Mouse(Box::new(hand)), Some(start))
}

/// Returns the pose at which a hand waits before an object.
fn above_first(side: Side, first: Option<&ThingParts>) -> Steering {
    let middle = first.map_or_else(Point3::origin, middle);
    Steering::above(side, &middle)
}

/// Returns the corners of the box around an object, in the world.
fn middle(thing: &ThingParts) -> Point3<f64> {
    thing.spec.bounds(&thing.home).middle()
}

impl StartedHands {
    fn of(source: HandSource, description: String) -> Self {
        let (driven, playback, past, recorder, emulated) = (None, None, None, None, Vec::new());
        Self { source, driven, playback, past, recorder, emulated, description }
    }

    /// Hands of devices. `placer` moves the first hand if it has no tracker.
    fn seen_by(devices: HandDevices, placer: (WristPlacer, Option<Steering>)) -> Self {
        let description = match (&devices.replay, &devices.tracker, &placer.0) {
            (Some(_), Some(_), _) => format!("{} squeezes", devices.description),
            (None, Some(_), _) => format!("{} squeeze", devices.description),
            (_, None, WristPlacer::Mouse(_)) => {
                format!("{}, moved by mouse and keys, squeezes", devices.description)
            }
            (_, None, WristPlacer::Headset(_)) => {
                format!("{}, moved by the headset, squeezes", devices.description)
            }
        };
        let [of_glove, of_tracker] = devices.ids;
        let (mut first, driven) = match devices.tracker {
            Some(tracker) => (Pairing::new(devices.glove, tracker), None),
            None => (Pairing::placed(devices.glove, placer.0), placer.1),
        };
        let is_recorded = devices.recorder.is_some();
        if is_recorded {
            first = first.recorded_as(of_glove, of_tracker);
        }
        let second = devices.second.map(|second| {
            let [of_glove, of_tracker] = second.ids;
            let mut pairing = Pairing::new(second.glove, second.tracker).beside(&first);
            if is_recorded {
                pairing = pairing.recorded_as(of_glove, of_tracker);
            }
            GloveHand { pairing, feedback: second.feedback }
        });
        let first = GloveHand { pairing: first, feedback: devices.feedback };
        let source = HandSource::Devices(GloveHands {
            hands: std::iter::once(first).chain(second).collect(),
            replay: devices.replay,
            emulators: devices.emulators,
        });
        let (recorder, emulated) = (devices.recorder, devices.emulated);
        Self { driven, recorder, emulated, ..Self::of(source, description) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_line::ProfilesFolder;

    #[test]
    fn waiting_for_devices_ends_when_the_window_closes() {
        let hand_context = HandSourceContext {
            bell: Arc::default(),
            steering: Arc::default(),
            headset: None,
            profiles: ProfilesFolder::default(),
        };
        let choice = HandChoice::Emulated(EmulatedPerformance::default());
        let is_over = AtomicBool::new(true);
        let opened = open(&choice, None, &hand_context, DevicesExpected::Now, &is_over);
        let why = opened.err().expect("it was given up").to_string();
        assert!(why.contains("was cancelled"), "{why}");
        // Devices that may appear later cause no wait.
        assert!(open(&choice, None, &hand_context, DevicesExpected::SomeTime, &is_over).is_ok());
    }
}
