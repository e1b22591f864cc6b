//! Owns a glove's port: start-up, samples, forces.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::line::LineDecoder;
use super::protocol::{ForceSteps, HapticPulse, OpenGloveSettings, Request};
use super::sample::{Incoming, OpenGloveInfo, OpenGloveSample};
use crate::DecodeCounts;
use crate::cyberglove::Hand;
use crate::link::{Commands, Link};
use crate::serial::{DeviceError, SerialLine};

/// Longest wait for a first sample. Opening the port resets many boards, and they take seconds to
/// start.
const START: Duration = Duration::from_secs(3);
/// A board that starts hears nothing, so requests are made again this often.
const AGAIN: Duration = Duration::from_millis(500);
/// Forces that stay as they are are sent again after this time.
const SAY_AGAIN: Duration = Duration::from_millis(250);
/// How long after a first sample the glove may still say what it is: a glove that streams unasked
/// has samples on the line before it hears the question.
const ANSWER: Duration = Duration::from_millis(100);
/// Silence that proves that the glove has stopped sending; several times its usual period.
const QUIET: Duration = Duration::from_millis(100);

/// A glove that sends samples.
pub struct OpenGlove {
    link: Link<LineDecoder>,
    settings: OpenGloveSettings,
    info: OpenGloveInfo,
    /// Samples that came while the glove could still say what it is.
    early: VecDeque<OpenGloveSample>,
    /// What the glove was told last, and when.
    forces: ForceSteps,
    told: Instant,
    request: Vec<u8>,
}

impl OpenGlove {
    /// The rate of nearly all gloves; over Bluetooth any will do.
    pub const BAUD: u32 = 115_200;

    /// Opens the port, lets the fingers go, starts the stream and waits for a first sample.
    ///
    /// The fingers are let go because the last host may have died while it held them. A glove that
    /// streams without being asked, or that does not say what it is, is just as good.
    pub fn open(path: &str, baud: u32, settings: OpenGloveSettings) -> Result<Self, DeviceError> {
        Self::on(SerialLine::open(path, baud)?, settings)
    }

    /// The same, on a line that is open.
    pub fn on(line: SerialLine, settings: OpenGloveSettings) -> Result<Self, DeviceError> {
        let mut glove = Self::with(line, settings, OpenGloveInfo::default());
        glove.start()?;
        tracing::info!(path = glove.link.path(), info = ?glove.info, "OpenGloves glove is ready");
        Ok(glove)
    }

    pub(super) fn with(line: SerialLine, settings: OpenGloveSettings, info: OpenGloveInfo) -> Self {
        let commands = Commands {
            poll: Vec::new(),
            stream: Request::StartStream.encode().to_vec(),
            stop: Request::StopStream.encode().to_vec(),
            quiet: QUIET,
            answer: AGAIN,
        };
        let link = Link::new(line, LineDecoder::new(settings), commands);
        let (early, request) = (VecDeque::new(), Vec::new());
        let (forces, told) = (ForceSteps::RELEASE, Instant::now());
        Self { link, settings, info, early, forces, told, request }
    }

    /// What the glove said about itself when it was opened; may well be nothing.
    pub fn info(&self) -> &OpenGloveInfo {
        &self.info
    }

    /// Which hand it is on; a glove that does not say is taken for a right one.
    pub fn hand(&self) -> Hand {
        self.info.hand.unwrap_or(Hand::Right)
    }

    /// The next sample, oldest first; `None` if none came within `timeout`.
    ///
    /// An error means that the device is gone.
    pub fn next_sample(
        &mut self,
        timeout: Duration,
    ) -> Result<Option<OpenGloveSample>, DeviceError> {
        match self.early.pop_front() {
            Some(sample) => Ok(Some(sample)),
            None => self.link.next(timeout, Incoming::into_sample),
        }
    }

    /// Holds each finger, thumb first, with a share of full force: 0 lets go, 1 holds.
    ///
    /// Call it again and again. What differs by no step of the glove's is sent only a few times a second:
    /// a line that was lost on the way must not hold a hand for long.
    pub fn send_forces(&mut self, shares: [f32; 5]) -> Result<(), DeviceError> {
        let forces = ForceSteps::from_shares(shares, self.settings.force_range);
        let is_known = forces == self.forces && self.told.elapsed() < SAY_AGAIN;
        if is_known { Ok(()) } else { self.set_forces(forces) }
    }

    pub fn send_pulse(&mut self, pulse: HapticPulse) -> Result<(), DeviceError> {
        self.request.clear();
        pulse.encode(&mut self.request);
        self.link.send(&self.request)
    }

    pub fn counts(&self) -> DecodeCounts {
        self.link.counts()
    }

    pub(super) fn scales(&self) -> OpenGloveSettings {
        self.settings
    }

    /// Forgets what came so far: samples count from the moment at which the glove is ready.
    pub(super) fn begin_anew(&mut self) {
        self.early.clear();
        self.link.begin_anew();
    }

    pub(super) fn start_stream(&mut self) -> Result<(), DeviceError> {
        self.link.start_stream()
    }

    fn start(&mut self) -> Result<(), DeviceError> {
        let deadline = Instant::now() + START;
        while Instant::now() < deadline {
            self.set_forces(ForceSteps::RELEASE)?;
            self.link.send(Request::Info.encode())?;
            self.link.start_stream()?;
            let (mut until, mut has_sample) = (Instant::now() + AGAIN, false);
            while Instant::now() < until {
                let left = until.saturating_duration_since(Instant::now());
                match self.link.next(left, Some)? {
                    Some(Incoming::Sample(_)) if !has_sample => {
                        has_sample = true;
                        until = Instant::now() + ANSWER;
                    }
                    Some(Incoming::Sample(sample)) => self.early.push_back(sample),
                    Some(Incoming::Info(info)) if !info.is_empty() => self.info = info,
                    Some(Incoming::Info(_)) | None => {}
                }
                if has_sample && !self.info.is_empty() {
                    return Ok(());
                }
            }
            if has_sample {
                return Ok(());
            }
        }
        Err(no_answer(self.link.path(), Request::StartStream, START))
    }

    fn set_forces(&mut self, forces: ForceSteps) -> Result<(), DeviceError> {
        self.request.clear();
        forces.encode(&mut self.request);
        self.link.send(&self.request)?;
        (self.forces, self.told) = (forces, Instant::now());
        Ok(())
    }
}

/// Lets the fingers go, then stops the stream.
impl Drop for OpenGlove {
    fn drop(&mut self) {
        // Sent even if nothing is held: a line that was lost on the way must not hold a hand.
        if let Err(error) = self.set_forces(ForceSteps::RELEASE) {
            tracing::debug!(path = self.link.path(), %error, "could not let the fingers go");
        }
    }
}

/// What is known of a glove without starting it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenGloveIdentity {
    /// What it said about itself; nothing if it only streams.
    pub info: OpenGloveInfo,
    /// It sent samples unasked.
    pub is_streaming: bool,
}

/// Is there a glove of this kind on the line? Takes no longer than `within`.
///
/// The only thing it sends is the question `Z` and a line feed. It believes an answer that says
/// something, or samples of all five fingers.
pub fn identify(
    line: &mut SerialLine,
    within: Duration,
) -> Result<Option<OpenGloveIdentity>, DeviceError> {
    let mut decoder = LineDecoder::new(OpenGloveSettings::default());
    let (mut received, mut answer, mut is_streaming) = (Vec::new(), None, false);
    let deadline = Instant::now() + within;
    let mut asked: Option<Instant> = None;
    while Instant::now() < deadline {
        if asked.is_none_or(|asked| asked.elapsed() >= AGAIN) {
            line.write_all(Request::Info.encode())?;
            asked = Some(Instant::now());
        }
        received.clear();
        let left = deadline.saturating_duration_since(Instant::now()).min(AGAIN);
        let Some(arrival) = line.read_available(&mut received, left)? else { continue };
        decoder.push(&received, arrival, &mut |incoming| match incoming {
            Incoming::Info(info) if info.is_empty() => {}
            Incoming::Info(info) => answer = Some(info),
            Incoming::Sample(sample) => is_streaming |= sample.curl.iter().all(Option::is_some),
        });
        if let Some(info) = answer {
            return Ok(Some(OpenGloveIdentity { info, is_streaming }));
        }
    }
    Ok(is_streaming.then(|| OpenGloveIdentity { info: OpenGloveInfo::default(), is_streaming }))
}

fn no_answer(path: &str, request: Request, within: Duration) -> DeviceError {
    DeviceError::NoAnswer {
        path: path.to_owned(),
        request: request.encode().escape_ascii().to_string(),
        within,
    }
}
