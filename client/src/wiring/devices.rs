//! Where the hand comes from: ports, emulators or a recording.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, bail};
use drivers::keeper::{Device, Keeper, Lines, PortLines};
use drivers::opengloves::OpenGloveOptions;
use drivers::polhemus::TrackerOptions;
use drivers::ports::SystemPorts;
use drivers::recorder::Recorder;
use drivers::recording::{DeviceId, Existing, RecordingReader};
use drivers::replay::{ReplayClock, ReplayLines};
use drivers::{CyberGlove, Fastrak, GloveOptions, OpenGlove, TrackerSample};
use emulators::{Emulator, Motion, ScriptClock};
use engine::{Bell, Mailbox};

use super::emulated::performing;
use crate::command_line::{Devices, EmulatedDevice, GloveModel, Replay, Source};
use crate::input::{Feed, GloveReading};

/// Shares of full force for each finger, thumb first, on their way to a glove that can be felt.
pub type FingerForces = Arc<Mailbox<[f32; 5]>>;

/// Glove and tracker, being read.
pub struct HandDevices {
    pub glove: Feed<GloveReading>,
    pub tracker: Feed<TrackerSample>,
    pub forces: Option<FingerForces>,
    pub recorder: Option<Recorder>,
    /// Of a recording; to be started when all is ready.
    pub replay: Option<ReplayClock>,
    /// Live as long as the feeds.
    pub emulators: Vec<Emulator>,
    /// In words.
    pub description: String,
}

/// The devices' numbers in our recordings.
const GLOVE: u8 = 0;
const TRACKER: u8 = 1;

/// One device's place: what to open, and with what.
struct Place {
    path: String,
    lines: Box<dyn Lines>,
}

/// Devices on ports, or emulated ones that perform `script`; recorded if a file is given.
pub fn live(
    devices: &Devices,
    record: Option<(&Path, Existing)>,
    script: &Motion,
    bell: &Arc<Bell>,
) -> anyhow::Result<HandDevices> {
    // Before a file is made.
    sources(devices)?;
    let recorder = record
        .map(|(path, existing)| {
            let program = concat!("palpate ", env!("CARGO_PKG_VERSION"));
            Recorder::start(path, program, existing)
        })
        .transpose()?;
    let clock = ScriptClock::since(Instant::now());
    let mut emulators = Vec::new();
    let mut place = |source: &Source, device: EmulatedDevice, number: u8| {
        let path = match source {
            Source::Port(path) => path.clone(),
            Source::Emulated => {
                let emulator = performing(device, script.clone(), clock)?;
                let path = emulator.path().to_owned();
                emulators.push(emulator);
                path
            }
        };
        let lines: Box<dyn Lines> = Box::new(PortLines);
        let lines = match &recorder {
            Some(recorder) => recorder.listen(device_id(number), lines),
            None => lines,
        };
        anyhow::Ok(Place { path, lines })
    };
    let emulated_glove = match devices.glove_model {
        GloveModel::Cyberglove => EmulatedDevice::Glove,
        GloveModel::Opengloves => EmulatedDevice::Lucidglove,
    };
    let (glove_at, tracker_at) = sources(devices)?;
    let glove = place(&glove_at, emulated_glove, GLOVE)?;
    let tracker = place(&tracker_at, EmulatedDevice::Tracker, TRACKER)?;
    let description = format!(
        "{} and {}",
        in_words("glove", &glove_at, &glove.path),
        in_words("tracker", &tracker_at, &tracker.path)
    );
    let (glove, forces) = glove_feed(devices.glove_model, glove, devices.glove_baud, bell)?;
    let tracker = tracker_feed(tracker, devices.tracker_baud, bell)?;
    Ok(HandDevices { glove, tracker, forces, recorder, replay: None, emulators, description })
}

/// Both are emulated if neither is given. A real one and an emulated one together make no hand that anybody
/// would mean without saying so.
fn sources(devices: &Devices) -> anyhow::Result<(Source, Source)> {
    match (&devices.glove, &devices.tracker) {
        (Some(Source::Port(glove)), Some(Source::Port(tracker))) if glove == tracker => {
            bail!("glove and tracker cannot both be at {glove}")
        }
        (Some(glove), Some(tracker)) => Ok((glove.clone(), tracker.clone())),
        (None, None) | (Some(Source::Emulated), None) | (None, Some(Source::Emulated)) => {
            Ok((Source::Emulated, Source::Emulated))
        }
        (Some(Source::Port(_)), None) => {
            bail!("--glove needs a --tracker with it: a port, or `emulated`")
        }
        (None, Some(Source::Port(_))) => {
            bail!("--tracker needs a --glove with it: a port, or `emulated`")
        }
    }
}

/// The devices of a recording.
pub(super) fn recorded(replay: &Replay, bell: &Arc<Bell>) -> anyhow::Result<HandDevices> {
    let file = &replay.file;
    let in_file = || format!("cannot replay {}", file.display());
    let summary =
        RecordingReader::open(file).and_then(RecordingReader::summary).with_context(in_file)?;
    let numbered = |kinds: &[&str]| {
        let is_one = |kind: &String| kinds.contains(&kind.as_str());
        summary.devices.iter().find(|device| is_one(&device.kind))
    };
    let glove = numbered(&[CyberGlove::KIND, OpenGlove::KIND]);
    let tracker = numbered(&[Fastrak::KIND]);
    let (Some(glove), Some(tracker)) = (glove, tracker) else {
        let kinds: Vec<&str> = summary.devices.iter().map(|d| d.kind.as_str()).collect();
        bail!("{} holds [{}], expected a glove and a tracker", file.display(), kinds.join(", "));
    };
    let model = match glove.kind == OpenGlove::KIND {
        true => GloveModel::Opengloves,
        false => GloveModel::Cyberglove,
    };
    let clock = ReplayClock::new(replay.speed).context("the speed must be positive")?;
    let place = |device: DeviceId| {
        let lines = ReplayLines::open(file, device, clock.clone()).with_context(in_file)?;
        anyhow::Ok(Place { path: file.display().to_string(), lines: Box::new(lines) })
    };
    let description = format!("the hand recorded in {}", file.display());
    let any_baud = 115_200;
    // Nobody is there to feel forces.
    let (glove, _) = glove_feed(model, place(glove.device)?, any_baud, bell)?;
    let tracker = tracker_feed(place(tracker.device)?, any_baud, bell)?;
    let (forces, recorder, emulators, replay) = (None, None, Vec::new(), Some(clock));
    Ok(HandDevices { glove, tracker, forces, recorder, replay, emulators, description })
}

fn glove_feed(
    model: GloveModel,
    place: Place,
    baud: u32,
    bell: &Arc<Bell>,
) -> anyhow::Result<(Feed<GloveReading>, Option<FingerForces>)> {
    let bell = Arc::clone(bell);
    let started = match model {
        GloveModel::Cyberglove => {
            let keeper = keeper::<CyberGlove>(place, GloveOptions::at_baud(baud));
            Feed::start(keeper, bell, |_| {}).map(|feed| (feed, None))
        }
        GloveModel::Opengloves => {
            let forces = FingerForces::default();
            let to_send = Arc::clone(&forces);
            let options = OpenGloveOptions { baud, ..OpenGloveOptions::default() };
            let feel = move |glove: &mut OpenGlove| {
                if let Some(shares) = to_send.take()
                    && let Err(error) = glove.send_forces(shares)
                {
                    // A glove that is gone shows when it is read.
                    tracing::debug!(%error, "the forces could not be sent");
                }
            };
            Feed::start(keeper::<OpenGlove>(place, options), bell, feel)
                .map(|feed| (feed, Some(forces)))
        }
    };
    started.context("cannot start the glove's thread")
}

fn tracker_feed(place: Place, baud: u32, bell: &Arc<Bell>) -> anyhow::Result<Feed<TrackerSample>> {
    let options = TrackerOptions { baud, ..TrackerOptions::default() };
    Feed::start(keeper::<Fastrak>(place, options), Arc::clone(bell), |_| {})
        .context("cannot start the tracker's thread")
}

fn keeper<D: Device>(place: Place, options: D::Options) -> Keeper<D> {
    Keeper::new(&place.path, options, Box::new(SystemPorts), place.lines)
}

fn device_id(number: u8) -> DeviceId {
    DeviceId::new(number).expect("there are fewer than 32 of them")
}

fn in_words(device: &str, source: &Source, path: &str) -> String {
    match source {
        Source::Emulated => format!("an emulated {device} ({path})"),
        Source::Port(path) => format!("the {device} at {path}"),
    }
}
