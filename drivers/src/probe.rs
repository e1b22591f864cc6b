//! Identifies the device on a port, and its baud rate.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::cyberglove::{self, CyberGlove, GloveInfo, GloveOptions};
use crate::device::Device;
use crate::opengloves::{self, OpenGlove, OpenGloveIdentity, OpenGloveOptions};
use crate::polhemus::answer::Status;
use crate::polhemus::{
    self, Condition, Fastrak, FastrakInfo, Identity, TrackerOptions, TrackerSample,
};
use crate::serial::{DeviceError, SerialLine, Tap};

/// Baud rates in the order in which they are tried: the usual first.
pub const BAUD_RATES: [u32; 5] = [115_200, 38_400, 57_600, 19_200, 9_600];

/// Longest wait for an OpenGloves glove; its board may just have been reset.
const OPENGLOVES: Duration = Duration::from_millis(700);
/// Longest wait for an answer of a device that has answered too late for the usual wait.
const LATE_ANSWER: Duration = Duration::from_secs(2);
/// Silence after which no late answer is on its way any more.
const QUIET: Duration = Duration::from_secs(1);
/// Time for which samples are counted to find their rate.
const COUNTING: Duration = Duration::from_millis(600);

/// A device on a port.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbedDevice {
    pub baud: u32,
    pub what: DeviceIdentity,
}

/// Identity of a device, from its own answers.
#[derive(Debug, Clone, PartialEq)]
pub enum DeviceIdentity {
    CyberGlove(Box<GloveInfo>),
    Fastrak(Status),
    /// A LIBERTY or PATRIOT, with the text in which it describes itself.
    LaterPolhemus(String),
    OpenGlove(OpenGloveIdentity),
}

/// Identifies the device on the port at `path`: tries each of `baud_rates` until a device answers.
///
/// Sends only questions and commands that end a stream. `on_try` is called with each rate before it
/// is tried; probing ends if it returns false. An error means that the port cannot be used at all.
pub fn probe(
    path: &str,
    baud_rates: &[u32],
    on_try: &mut dyn FnMut(u32) -> bool,
) -> Result<Option<ProbedDevice>, DeviceError> {
    for &baud in baud_rates {
        if !on_try(baud) {
            break;
        }
        let line = SerialLine::open(path, baud)?;
        if let Some(what) = identify(line)? {
            return Ok(Some(ProbedDevice { baud, what }));
        }
    }
    Ok(None)
}

/// Identifies the device on `line`. If an answer comes after its question was given up, asks again
/// and waits for longer.
fn identify(mut line: SerialLine) -> Result<Option<DeviceIdentity>, DeviceError> {
    let late = Arc::new(Mutex::new(LateAnswers::default()));
    line = line.tapped(Box::new(LateTap(Arc::clone(&late))));
    if let Some(found) = identify_at_once(&mut line)? {
        return Ok(Some(found));
    }
    let late = std::mem::take(&mut *late.lock().unwrap_or_else(PoisonError::into_inner));
    if !late.is_of_glove() && !late.is_of_tracker() {
        return Ok(None);
    }
    line.drain_until_quiet(QUIET, 3 * QUIET)?;
    if late.is_of_glove()
        && let Some(info) = cyberglove::identify_within(&mut line, LATE_ANSWER)?
    {
        return Ok(Some(DeviceIdentity::CyberGlove(Box::new(info))));
    }
    if late.is_of_tracker() {
        return Ok(polhemus::identify_within(&mut line, LATE_ANSWER)?.map(of_tracker));
    }
    Ok(None)
}

fn of_tracker(identity: Identity) -> DeviceIdentity {
    match identity {
        Identity::Fastrak(status) => DeviceIdentity::Fastrak(status),
        Identity::Later(text) => DeviceIdentity::LaterPolhemus(text),
    }
}

/// The bytes that came, as far as they may be late answers.
#[derive(Default)]
struct LateAnswers(Vec<u8>);

impl LateAnswers {
    /// Most bytes that are kept.
    const MOST: usize = 4096;

    /// True if there is the beginning of a glove's answer to `?G`, which repeats the question.
    fn is_of_glove(&self) -> bool {
        self.0.windows(2).any(|bytes| bytes == b"?G")
    }

    /// True if there is the beginning of a status record.
    fn is_of_tracker(&self) -> bool {
        self.0.windows(3).any(|bytes| matches!(bytes, [b'2', b' ' | b'1'..=b'4', b'S']))
    }
}

struct LateTap(Arc<Mutex<LateAnswers>>);

impl Tap for LateTap {
    fn received(&mut self, bytes: &[u8], _at: Instant) {
        let LateAnswers(kept) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let n_free = LateAnswers::MOST.saturating_sub(kept.len());
        kept.extend(bytes.iter().take(n_free));
    }

    fn sent(&mut self, _bytes: &[u8], _at: Instant) {}
}

/// Asks for a CyberGlove first: to a CyberGlove, a tracker's question for its status is the command
/// to stream.
fn identify_at_once(line: &mut SerialLine) -> Result<Option<DeviceIdentity>, DeviceError> {
    if let Some(info) = cyberglove::identify(line)? {
        return Ok(Some(DeviceIdentity::CyberGlove(Box::new(info))));
    }
    if let Some(identity) = polhemus::identify(line)? {
        return Ok(Some(of_tracker(identity)));
    }
    // The device may be a CyberGlove that missed the first question: then it streams now.
    line.write_all(&cyberglove::Request::Abort.encode())?;
    Ok(opengloves::identify(line, OPENGLOVES)?.map(DeviceIdentity::OpenGlove))
}

/// Measured stream of a device.
#[derive(Debug, Clone, PartialEq)]
pub struct Streaming {
    /// Samples per second.
    pub hz: f64,
    /// Version, name and stations of a FASTRAK; `None` for other devices.
    pub tracker: Option<FastrakInfo>,
    /// Stations of a FASTRAK without a single good pose, with the best condition that they had:
    /// degraded or invalid.
    pub faults: Vec<(u8, Condition)>,
    /// The reason why the device could not be put back to the settings in which it was found, if it
    /// could not.
    pub left_behind: Option<String>,
}

impl Streaming {
    fn of(hz: f64) -> Self {
        Self { hz, tracker: None, faults: Vec::new(), left_behind: None }
    }
}

/// Best condition of each station, by its index.
#[derive(Default)]
struct BestConditions([Option<Condition>; 4]);

impl BestConditions {
    fn take(&mut self, sample: &TrackerSample) {
        let station = usize::from(sample.station.clamp(1, 4)) - 1;
        let trust = |condition: Condition| match condition {
            Condition::Good | Condition::Warning(_) => 2,
            Condition::Degraded(_) => 1,
            Condition::Invalid(_) => 0,
        };
        let best = &mut self.0[station];
        if best.is_none_or(|best| trust(best) < trust(sample.condition)) {
            *best = Some(sample.condition);
        }
    }

    fn faults(&self) -> Vec<(u8, Condition)> {
        let faulty = |(station, best): (u8, &Option<Condition>)| match *best {
            Some(condition @ (Condition::Degraded(_) | Condition::Invalid(_))) => {
                Some((station, condition))
            }
            Some(Condition::Good | Condition::Warning(_)) | None => None,
        };
        (1..).zip(&self.0).filter_map(faulty).collect()
    }
}

impl ProbedDevice {
    /// Lets the device stream for a moment and counts its samples. `None` for a LIBERTY or PATRIOT,
    /// of which only the name is known.
    pub fn streaming(&self, path: &str) -> Result<Option<Streaming>, DeviceError> {
        let baud = self.baud;
        match &self.what {
            DeviceIdentity::CyberGlove(_) => {
                let mut glove = open::<CyberGlove>(path, GloveOptions::at_baud(baud))?;
                let hz = count(&mut glove, |_| {})?;
                Ok(Some(Streaming::of(hz)))
            }
            DeviceIdentity::Fastrak(_) => {
                let options = TrackerOptions { baud, ..TrackerOptions::default() };
                let mut tracker = open::<Fastrak>(path, options)?;
                let mut best = BestConditions::default();
                let hz = count(&mut tracker, |sample| best.take(sample))?;
                let info = Some(tracker.info().clone());
                let left_behind = tracker.close().err().map(|error| error.to_string());
                let faults = best.faults();
                Ok(Some(Streaming { tracker: info, faults, left_behind, ..Streaming::of(hz) }))
            }
            DeviceIdentity::OpenGlove(_) => {
                let options = OpenGloveOptions { baud, ..OpenGloveOptions::default() };
                let mut glove = open::<OpenGlove>(path, options)?;
                let hz = count(&mut glove, |_| {})?;
                Ok(Some(Streaming::of(hz)))
            }
            DeviceIdentity::LaterPolhemus(_) => Ok(None),
        }
    }
}

fn open<D: Device>(path: &str, options: D::Options) -> Result<D, DeviceError> {
    D::start(SerialLine::open(path, D::baud(&options))?, &options, &mut D::Memory::default())
}

/// Measures the samples per second; `see` gets each of them.
fn count<D: Device>(device: &mut D, mut see: impl FnMut(&D::Sample)) -> Result<f64, DeviceError> {
    // The first sample may be an old one.
    device.next_sample(COUNTING)?;
    let start = Instant::now();
    let mut n_samples = 0_u32;
    while start.elapsed() < COUNTING {
        if let Some(sample) = device.next_sample(COUNTING / 10)? {
            n_samples += 1;
            see(&sample);
        }
    }
    Ok(f64::from(n_samples) / start.elapsed().as_secs_f64())
}
