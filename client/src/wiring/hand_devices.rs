//! Opens the devices of hands: ports, emulators or a recording.

mod device_places;
mod device_sources;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, bail};
use drivers::device::Device;
use drivers::line_source::LineSource;
use drivers::opengloves::OpenGloveOptions;
use drivers::polhemus::TrackerOptions;
use drivers::ports::SystemPorts;
use drivers::reconnect::ReconnectingDevice;
use drivers::recorder::{Recorder, RecorderError};
use drivers::recording::{DeviceId, DeviceSummary, Existing, RecordingReader, RecordingSummary};
use drivers::replay::{ReplayClock, ReplayLines};
use drivers::{CyberGlove, Fastrak, GloveOptions, OpenGlove, TrackerSample};
use emulators::{Emulator, Motion};
use engine::Bell;

use crate::command_line::{DeviceOptions, GloveModel, SecondHand};
use crate::feedback::glove_outputs::{hold_fingers, vibrate};
use crate::feedback::{Feedback, OutputMailbox};
use crate::input::{Feed, GloveReading, HandHistory, RecordedPairing};
use crate::session::{EmulatedDevice, JOURNAL};
use device_places::{DevicePlaces, DeviceRole, StartedEmulators};
use device_sources::device_sources;

/// Running gloves and trackers.
pub struct HandDevices {
    pub glove: Feed<GloveReading>,
    /// `None` for a glove without a tracker.
    pub tracker: Option<Feed<TrackerSample>>,
    pub feedback: Option<Feedback>,
    pub second: Option<SecondDevices>,
    pub recorder: Option<Recorder>,
    /// Clock of a recording; started when all is ready.
    pub replay: Option<ReplayClock>,
    /// Device numbers of glove and tracker in a recording.
    pub ids: [DeviceId; 2],
    /// Emulators, kept alive as long as the feeds.
    pub emulators: Vec<Emulator>,
    /// Motion of the emulators, to change later.
    pub emulated: Vec<EmulatedDevice>,
    /// Description.
    pub description: String,
}

/// Devices of a second hand.
pub struct SecondDevices {
    pub glove: Feed<GloveReading>,
    /// A separate tracker, or the second station of the first hand's tracker.
    pub tracker: Feed<TrackerSample>,
    pub feedback: Option<Feedback>,
    /// Device numbers of glove and tracker in a recording.
    pub ids: [DeviceId; 2],
}

/// One device: its port and its driver.
struct DevicePlace {
    path: String,
    lines: Box<dyn LineSource>,
}

/// The ports of all devices, and their drivers.
struct HandPlaces {
    glove: (GloveModel, DevicePlace),
    tracker: Option<DevicePlace>,
    second: Option<SecondHandPlaces>,
    glove_baud: u32,
    tracker_baud: u32,
}

struct SecondHandPlaces {
    glove: (GloveModel, DevicePlace),
    /// `None` for the second station of the first hand's tracker.
    tracker: Option<DevicePlace>,
}

/// Running feeds.
struct DeviceFeeds {
    glove: Feed<GloveReading>,
    tracker: Option<Feed<TrackerSample>>,
    feedback: Option<Feedback>,
    second: Option<SecondDevices>,
}

/// Opens one hand's devices on ports, or emulated ones that perform `script`. Records them if a
/// file is given.
pub fn live(
    devices: &DeviceOptions,
    record: Option<(&Path, Existing)>,
    script: &Motion,
    bell: &Arc<Bell>,
) -> anyhow::Result<HandDevices> {
    live_hands(devices, &SecondHand::default(), record, script, bell)
}

/// Opens the devices of one hand, and those of a second hand if there are any.
pub fn live_hands(
    devices: &DeviceOptions,
    second: &SecondHand,
    record: Option<(&Path, Existing)>,
    script: &Motion,
    bell: &Arc<Bell>,
) -> anyhow::Result<HandDevices> {
    // Checked before the file is created.
    let sources = device_sources(devices, second)?;
    let recorder = record.map(|(path, existing)| recorder(path, existing)).transpose()?;
    let model = devices.glove_model;
    let mut device_places = DevicePlaces::new(&sources, model, script, recorder.as_ref());
    let glove = (model, device_places.place(DeviceRole::Glove, &sources.glove)?);
    let tracker = sources.tracker.as_ref();
    let tracker = tracker.map(|at| device_places.place(DeviceRole::Tracker, at)).transpose()?;
    let mut second = None;
    if let Some(at) = &sources.second {
        let glove = (model, device_places.place(DeviceRole::SecondGlove, &at.glove)?);
        let own = at.tracker.as_ref().map(|at| device_places.place(DeviceRole::SecondTracker, at));
        second = Some(SecondHandPlaces { glove, tracker: own.transpose()? });
    }
    let StartedEmulators { emulators, emulated, description } = device_places.finish();
    let (glove_baud, tracker_baud) = (devices.glove_baud, devices.tracker_baud);
    let places = HandPlaces { glove, tracker, second, glove_baud, tracker_baud };
    let DeviceFeeds { glove, tracker, feedback, second } = places.read(bell)?;
    Ok(HandDevices {
        glove,
        tracker,
        feedback,
        second,
        recorder,
        replay: None,
        ids: [DeviceRole::Glove.id(), DeviceRole::Tracker.id()],
        emulators,
        emulated,
        description,
    })
}

/// Starts a recording.
pub(crate) fn recorder(path: &Path, existing: Existing) -> Result<Recorder, RecorderError> {
    Recorder::start(path, concat!("palpate ", env!("CARGO_PKG_VERSION")), existing)
}

/// Contents of a recording.
pub(super) enum RecordingContents {
    Devices {
        devices: Box<HandDevices>,
        /// Duration of the recording.
        length: Duration,
        /// Samples before the first moment of the clock.
        past: HandHistory,
    },
    /// Poses of hands without bytes of devices.
    OnlyJournal,
}

/// Devices of one hand in a recording.
struct RecordedHandDevices<'a> {
    glove: &'a DeviceSummary,
    /// `None` for a glove that was recorded without a tracker.
    tracker: Option<&'a DeviceSummary>,
    /// The tracker's station on this hand.
    station: usize,
}

/// The devices of a recording.
pub(super) fn recorded(
    file: &Path,
    clock: &ReplayClock,
    bell: &Arc<Bell>,
) -> anyhow::Result<RecordingContents> {
    let summary = RecordingReader::open(file).and_then(RecordingReader::summary);
    let summary = summary.with_context(|| cannot_replay(file))?;
    let hands = hands_of(file, &summary)?;
    let [first, others @ ..] = &hands[..] else { return Ok(RecordingContents::OnlyJournal) };
    let place = |device: &DeviceSummary| {
        let lines = ReplayLines::open(file, device.device, clock.clone());
        let lines = Box::new(lines.with_context(|| cannot_replay(file))?);
        anyhow::Ok(DevicePlace { path: file.display().to_string(), lines })
    };
    let glove_place = |device: &DeviceSummary| {
        let model = match device.kind == OpenGlove::KIND {
            true => GloveModel::Opengloves,
            false => GloveModel::Cyberglove,
        };
        anyhow::Ok((model, place(device)?))
    };
    let second = |hand: &RecordedHandDevices<'_>| {
        let own = hand.tracker.filter(|_| hand.station == 0);
        let tracker = own.map(place).transpose()?;
        anyhow::Ok(SecondHandPlaces { glove: glove_place(hand.glove)?, tracker })
    };
    let any_baud = 115_200;
    let places = HandPlaces {
        glove: glove_place(first.glove)?,
        tracker: first.tracker.map(place).transpose()?,
        second: others.first().map(second).transpose()?,
        glove_baud: any_baud,
        tracker_baud: any_baud,
    };
    let DeviceFeeds { glove, tracker, second, .. } = places.read(bell)?;
    // A recording feels nothing.
    let second = second.map(|second| SecondDevices { feedback: None, ..second });
    let words = if second.is_some() { "hands" } else { "hand" };
    let devices = HandDevices {
        glove,
        tracker,
        feedback: None,
        second,
        recorder: None,
        replay: Some(clock.clone()),
        ids: [DeviceRole::Glove.id(), DeviceRole::Tracker.id()],
        emulators: Vec::new(),
        emulated: Vec::new(),
        description: format!("the {words} recorded in {}", file.display()),
    };
    let past = |hand: &RecordedHandDevices<'_>| {
        RecordedPairing::open(file, hand.glove, hand.tracker?, hand.station).transpose()
    };
    let past = hands.iter().filter_map(past).collect::<Result<_, _>>();
    let past =
        HandHistory::of_devices(past.with_context(|| cannot_replay(file))?, clock.position());
    Ok(RecordingContents::Devices { devices: Box::new(devices), length: summary.duration, past })
}

fn cannot_replay(file: &Path) -> String {
    format!("cannot replay {}", file.display())
}

/// Returns the hands of a recording in order; none if it holds only a journal.
fn hands_of<'a>(
    file: &Path,
    summary: &'a RecordingSummary,
) -> anyhow::Result<Vec<RecordedHandDevices<'a>>> {
    // Sorted by device number: the first hand's devices come first.
    let of_kind = |kinds: &'static [&str]| {
        summary.devices.iter().filter(|device| kinds.contains(&device.kind.as_str()))
    };
    let mut gloves = of_kind(&[CyberGlove::KIND, OpenGlove::KIND]);
    let mut trackers = of_kind(&[Fastrak::KIND]);
    let kinds: Vec<&str> = summary.devices.iter().map(|d| d.kind.as_str()).collect();
    let (glove, tracker) = match (gloves.next(), trackers.next()) {
        // The journal knows where mouse and keys or the headset moved the hand.
        (_, None) if kinds.contains(&JOURNAL) => return Ok(Vec::new()),
        (Some(glove), tracker) => (glove, tracker),
        (None, _) => bail!("{} holds [{}], expected a glove", file.display(), kinds.join(", ")),
    };
    if glove.device == DeviceRole::SecondGlove.id() {
        bail!("{} holds a second hand without a first: its glove sent nothing", file.display());
    }
    let second = gloves.next().map(|glove| match trackers.next() {
        Some(own) => RecordedHandDevices { glove, tracker: Some(own), station: 0 },
        None => RecordedHandDevices { glove, tracker, station: 1 },
    });
    Ok(std::iter::once(RecordedHandDevices { glove, tracker, station: 0 }).chain(second).collect())
}

impl HandPlaces {
    /// Starts a thread for each device.
    fn read(self, bell: &Arc<Bell>) -> anyhow::Result<DeviceFeeds> {
        let baud = self.tracker_baud;
        let (glove, feedback) = glove_feed(self.glove.0, self.glove.1, self.glove_baud, bell)?;
        let (tracker, second) = match (self.tracker, self.second) {
            (Some(tracker), Some(second)) => (tracker, second),
            (tracker, _) => {
                let tracker = tracker.map(|place| tracker_feeds(place, baud, bell)).transpose()?;
                let tracker = tracker.map(|[tracker]| tracker);
                return Ok(DeviceFeeds { glove, tracker, feedback, second: None });
            }
        };
        let ([tracker, second_tracker], of_tracker) = match second.tracker {
            None => (tracker_feeds(tracker, baud, bell)?, DeviceRole::Tracker),
            Some(own) => {
                let [tracker] = tracker_feeds(tracker, baud, bell)?;
                let [own] = tracker_feeds(own, baud, bell)?;
                ([tracker, own], DeviceRole::SecondTracker)
            }
        };
        let (second_glove, second_feedback) =
            glove_feed(second.glove.0, second.glove.1, self.glove_baud, bell)?;
        let second = SecondDevices {
            glove: second_glove,
            tracker: second_tracker,
            feedback: second_feedback,
            ids: [DeviceRole::SecondGlove.id(), of_tracker.id()],
        };
        Ok(DeviceFeeds { glove, tracker: Some(tracker), feedback, second: Some(second) })
    }
}

fn glove_feed(
    model: GloveModel,
    place: DevicePlace,
    baud: u32,
    bell: &Arc<Bell>,
) -> anyhow::Result<(Feed<GloveReading>, Option<Feedback>)> {
    let bell = Arc::clone(bell);
    let outputs = OutputMailbox::default();
    let to_send = Arc::clone(&outputs);
    // Of a CyberGlove, only the glove itself knows if it has vibrators.
    let is_wanted = Arc::new(AtomicBool::new(model == GloveModel::Opengloves));
    let started = match model {
        GloveModel::Cyberglove => {
            let has_vibrators = Arc::clone(&is_wanted);
            let feel = move |glove: &mut CyberGlove| vibrate(glove, &to_send, &has_vibrators);
            let reconnecting =
                reconnecting_device::<CyberGlove>(place, GloveOptions::at_baud(baud));
            Feed::start(reconnecting, bell, feel)
        }
        GloveModel::Opengloves => {
            let feel = move |glove: &mut OpenGlove| hold_fingers(glove, &to_send);
            let options = OpenGloveOptions { baud, ..OpenGloveOptions::default() };
            Feed::start(reconnecting_device::<OpenGlove>(place, options), bell, feel)
        }
    };
    let feed = started.context("cannot start the glove's thread")?;
    let put = move |output| outputs.put_at_once(output);
    let feedback = Feedback::start_if("glove-feedback", is_wanted, put);
    Ok((feed, Some(feedback.context("cannot start the thread of force feedback")?)))
}

/// Starts one thread that reads the tracker, with a feed for each of its first stations.
fn tracker_feeds<const N_STATIONS: usize>(
    place: DevicePlace,
    baud: u32,
    bell: &Arc<Bell>,
) -> anyhow::Result<[Feed<TrackerSample>; N_STATIONS]> {
    let options = TrackerOptions { baud, ..TrackerOptions::default() };
    Feed::start_each(reconnecting_device::<Fastrak>(place, options), Arc::clone(bell), |_| {})
        .context("cannot start the tracker's thread")
}

fn reconnecting_device<D: Device>(
    place: DevicePlace,
    options: D::Options,
) -> ReconnectingDevice<D> {
    ReconnectingDevice::new(&place.path, options, Box::new(SystemPorts), place.lines)
}

#[cfg(test)]
mod tests;
