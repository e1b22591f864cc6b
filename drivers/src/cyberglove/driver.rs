//! Owns the glove's port: start-up, polling and streaming.

use std::time::{Duration, Instant};

use super::protocol::{GloveState, Hand, ReplyProgress, Request, Switch, acknowledgement, answer};
use super::record::{GloveSample, RecordDecoder};
use super::sensor::SensorMask;
use crate::DecodeCounts;
use crate::link::{Commands, Link};
use crate::serial::{DeviceError, SerialLine};

/// Silence that proves that the unit has stopped sending.
const QUIET: Duration = Duration::from_millis(100);
/// Longest wait for an answer.
const ANSWER: Duration = Duration::from_millis(500);
/// Tries of one query before we say that nobody answers; a first byte after power-up may be lost.
const TRIES: usize = 3;

/// What the glove said about itself when it was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GloveInfo {
    pub n_sensors: usize,
    /// The sensors whose counts are in each sample.
    pub mask: SensorMask,
    pub hand: Hand,
}

/// A CyberGlove that has answered and is ready to give samples.
pub struct CyberGlove {
    link: Link<RecordDecoder>,
    info: GloveInfo,
}

impl CyberGlove {
    /// Opens the port, silences the unit, asks what is fitted and sets the form of its records.
    ///
    /// The form is always set because settings outlive the host that made them: a status byte left
    /// on by another program would make every record one byte longer than expected.
    pub fn open(path: &str, baud: u32) -> Result<Self, DeviceError> {
        let mut line = SerialLine::open(path, baud)?;
        if !line.silence(&Request::Abort.encode(), QUIET)? {
            let reason = "it keeps sending after it was told to stop; is this the right baud rate?";
            return Err(not_ready(&line, reason));
        }
        let [state] = ask(&mut line, Request::QueryState, answer)?;
        let state = GloveState::from_wire(state);
        if !state.is_plugged_in {
            return Err(not_ready(&line, "no glove is plugged into the interface unit"));
        }
        if !state.is_initialised {
            return Err(not_ready(&line, "the interface unit has not read the glove yet"));
        }
        let [n_reported] = ask(&mut line, Request::QuerySensorCount, answer)?;
        let mask = SensorMask::from_wire(ask(&mut line, Request::QueryHardwareMask, answer)?);
        let [hand] = ask(&mut line, Request::QueryHand, answer)?;
        let hand = Hand::from_wire(hand)
            .ok_or_else(|| unexpected(&line, Request::QueryHand, &[hand], "0 or 1"))?;
        let n_sensors = mask.n_sensors();
        if n_sensors != usize::from(n_reported) {
            tracing::warn!(path, n_sensors, n_reported, "sensor count and mask differ; using mask");
        }
        for setting in [
            Request::SetSoftwareMask(mask),
            Request::SetValueCount(n_sensors as u8),
            Request::SetTimeStamp(Switch::Off),
            Request::SetStatusByte(Switch::Off),
        ] {
            ask(&mut line, setting, acknowledgement)?;
        }
        let info = GloveInfo { n_sensors, mask, hand };
        tracing::info!(path, n_sensors, ?hand, "glove is ready");
        let commands = Commands {
            poll: Request::OneRecord.encode(),
            stream: Request::Stream.encode(),
            stop: Request::Abort.encode(),
            quiet: QUIET,
            answer: ANSWER,
        };
        Ok(Self { link: Link::new(line, RecordDecoder::new(mask), commands), info })
    }

    pub fn info(&self) -> &GloveInfo {
        &self.info
    }

    /// Polls one sample. Ends a stream if there is one.
    pub fn sample(&mut self) -> Result<GloveSample, DeviceError> {
        self.link.poll(Some)
    }

    /// From now on the glove sends samples by its own clock; take them with [`Self::next_sample`].
    pub fn start_stream(&mut self) -> Result<(), DeviceError> {
        self.link.start_stream()
    }

    pub fn stop_stream(&mut self) -> Result<(), DeviceError> {
        self.link.stop_stream()
    }

    /// The next streamed sample, oldest first; `None` if none came within `timeout`.
    ///
    /// An error means that the device is gone.
    pub fn next_sample(&mut self, timeout: Duration) -> Result<Option<GloveSample>, DeviceError> {
        self.link.next(timeout, Some)
    }

    pub fn counts(&self) -> DecodeCounts {
        self.link.counts()
    }
}

/// Sends `request` and reads its fixed-length reply, trying again if nothing or nonsense comes.
fn ask<T>(
    line: &mut SerialLine,
    request: Request,
    parse: impl Fn(Request, &[u8]) -> ReplyProgress<T>,
) -> Result<T, DeviceError> {
    let mut received = Vec::new();
    for _ in 0..TRIES {
        line.drain_until_quiet(Duration::ZERO, QUIET)?;
        received.clear();
        line.write_all(&request.encode())?;
        let deadline = Instant::now() + ANSWER;
        loop {
            match parse(request, &received) {
                ReplyProgress::Complete(reply) => return Ok(reply),
                ReplyProgress::Incomplete => {}
                ReplyProgress::Mismatch => break,
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            line.read_available(&mut received, left)?;
        }
        // What is left of a damaged answer must not begin the next one.
        line.drain_until_quiet(QUIET / 4, QUIET)?;
    }
    if received.is_empty() {
        return Err(line.no_answer(format!("{request:?}"), TRIES as u32 * ANSWER));
    }
    Err(unexpected(line, request, &received, "an echo of the request, its bytes and a NUL"))
}

fn unexpected(line: &SerialLine, request: Request, got: &[u8], want: &'static str) -> DeviceError {
    DeviceError::UnexpectedAnswer {
        path: line.path().to_owned(),
        request: format!("{request:?}"),
        got: got.escape_ascii().to_string(),
        want,
    }
}

fn not_ready(line: &SerialLine, reason: &'static str) -> DeviceError {
    DeviceError::NotReady { path: line.path().to_owned(), reason }
}
