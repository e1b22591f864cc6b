//! The driver of an OpenGloves glove: owns the port, starts the glove, reads samples, sends forces.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::decoder::LineDecoder;
use super::protocol::{ForceSteps, HapticPulse, OpenGloveSettings, Request};
use super::sample::{Incoming, OpenGloveInfo, OpenGloveSample};
use crate::DecodeCounts;
use crate::decoded_line::{DecodedLine, StreamCommands};
use crate::serial::{DeviceError, SerialLine};
use crate::side::Side;

/// Longest wait for a first sample. Opening the port resets many boards, and they take seconds to
/// start.
const START: Duration = Duration::from_secs(3);
/// Time after which a request is sent again: a board that is starting receives nothing.
const AGAIN: Duration = Duration::from_millis(500);
/// Time after which unchanged forces are sent again.
const REPEAT_FORCES: Duration = Duration::from_millis(250);
/// Longest wait for the glove's information after the first sample: a glove that streams unasked
/// sends samples before it receives the question.
const ANSWER: Duration = Duration::from_millis(100);
/// Length of a silence that proves that the glove has stopped sending: several times its usual
/// period.
const QUIET: Duration = Duration::from_millis(100);

/// A glove that sends samples.
pub struct OpenGlove {
    line: DecodedLine<LineDecoder>,
    settings: OpenGloveSettings,
    info: OpenGloveInfo,
    /// Samples that came while the driver waited for the glove's information.
    early: VecDeque<OpenGloveSample>,
    /// Forces that were sent last.
    forces: ForceSteps,
    /// Time at which `forces` was sent.
    forces_sent_at: Instant,
    request: Vec<u8>,
}

impl OpenGlove {
    /// Baud rate of nearly all gloves; over Bluetooth any rate works.
    pub const BAUD: u32 = 115_200;

    /// Opens the port, releases the fingers, starts the stream and waits for a first sample.
    ///
    /// The fingers are released because the last host may have died while it held them. A glove
    /// that streams unasked, or that does not identify itself, is accepted too.
    pub fn open(path: &str, baud: u32, settings: OpenGloveSettings) -> Result<Self, DeviceError> {
        Self::on(SerialLine::open(path, baud)?, settings)
    }

    /// Opens the glove on a line that is open already; see [`Self::open`].
    pub fn on(line: SerialLine, settings: OpenGloveSettings) -> Result<Self, DeviceError> {
        let mut glove = Self::with(line, settings, OpenGloveInfo::default());
        glove.start()?;
        tracing::info!(path = glove.line.path(), info = ?glove.info, "OpenGloves glove is ready");
        Ok(glove)
    }

    pub(super) fn with(line: SerialLine, settings: OpenGloveSettings, info: OpenGloveInfo) -> Self {
        let commands = StreamCommands {
            poll: Vec::new(),
            stream: Request::StartStream.encode().to_vec(),
            stop: Request::StopStream.encode().to_vec(),
            quiet: QUIET,
            answer: AGAIN,
        };
        let line = DecodedLine::new(line, LineDecoder::new(settings), commands);
        let (early, request) = (VecDeque::new(), Vec::new());
        let (forces, forces_sent_at) = (ForceSteps::RELEASE, Instant::now());
        Self { line, settings, info, early, forces, forces_sent_at, request }
    }

    /// The glove's information from when it was opened; may be empty.
    pub fn info(&self) -> &OpenGloveInfo {
        &self.info
    }

    /// The hand of the glove; right if the glove did not give it.
    pub fn hand(&self) -> Side {
        self.info.hand.unwrap_or(Side::Right)
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
            None => self.line.next(timeout, Incoming::into_sample),
        }
    }

    /// Holds each finger, thumb first, with a share of full force: 0 releases it, 1 holds it.
    ///
    /// Call it repeatedly. Forces that are equal in steps of the glove are sent again only every
    /// `REPEAT_FORCES`. The repetition is needed because a lost line must not hold a hand for long.
    pub fn send_forces(&mut self, shares: [f32; 5]) -> Result<(), DeviceError> {
        let forces = ForceSteps::from_shares(shares, self.settings.force_range);
        let is_known = forces == self.forces && self.forces_sent_at.elapsed() < REPEAT_FORCES;
        if is_known { Ok(()) } else { self.set_forces(forces) }
    }

    pub fn send_pulse(&mut self, pulse: HapticPulse) -> Result<(), DeviceError> {
        self.request.clear();
        pulse.encode(&mut self.request);
        self.line.send(&self.request)
    }

    pub fn counts(&self) -> DecodeCounts {
        self.line.counts()
    }

    pub(super) fn scales(&self) -> OpenGloveSettings {
        self.settings
    }

    /// Discards all earlier input: samples count from the moment at which the glove is ready.
    pub(super) fn begin_anew(&mut self) {
        self.early.clear();
        self.line.begin_anew();
    }

    pub(super) fn start_stream(&mut self) -> Result<(), DeviceError> {
        self.line.start_stream()
    }

    fn start(&mut self) -> Result<(), DeviceError> {
        let deadline = Instant::now() + START;
        while Instant::now() < deadline {
            self.set_forces(ForceSteps::RELEASE)?;
            self.line.send(Request::Info.encode())?;
            self.line.start_stream()?;
            let (mut until, mut has_sample) = (Instant::now() + AGAIN, false);
            while Instant::now() < until {
                let left = until.saturating_duration_since(Instant::now());
                match self.line.next(left, Some)? {
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
        Err(no_answer(self.line.path(), Request::StartStream, START))
    }

    fn set_forces(&mut self, forces: ForceSteps) -> Result<(), DeviceError> {
        self.request.clear();
        forces.encode(&mut self.request);
        self.line.send(&self.request)?;
        (self.forces, self.forces_sent_at) = (forces, Instant::now());
        Ok(())
    }
}

/// Releases the fingers, then stops the stream.
impl Drop for OpenGlove {
    fn drop(&mut self) {
        // Sent even if no finger is held: an earlier release may have been lost on the line.
        if let Err(error) = self.set_forces(ForceSteps::RELEASE) {
            tracing::debug!(path = self.line.path(), %error, "could not release the fingers");
        }
    }
}

/// Identity of a glove that was not started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenGloveIdentity {
    /// The glove's information; empty if the glove only streams.
    pub info: OpenGloveInfo,
    /// True if the glove sent samples unasked.
    pub is_streaming: bool,
}

/// Identifies an OpenGloves glove on the line; `None` if none answers. Takes at most `within`.
///
/// Sends only the question `Z` and a line feed. Accepts an answer that is not empty, or samples of
/// all five fingers.
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
