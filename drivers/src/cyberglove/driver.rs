//! The driver of a CyberGlove: owns the port, starts the glove, polls, streams and sends requests.

mod commands;
mod decoder;
mod device;
mod exchange;
mod info;
mod options;
mod start_up;
mod vibration;

use std::time::Duration;

pub use exchange::RequestError;
pub use info::GloveInfo;
pub use options::{BaudCommand, GloveOptions, Model, PeriodForm, RestartPolicy};
pub use start_up::identify;
pub(crate) use start_up::identify_within;

use decoder::{Incoming, Resolution, StreamDecoder};
use exchange::{ANSWER, QUIET};
use vibration::SentVibration;

use super::high_resolution::HighResolutionSample;
use super::protocol::{ACTUATORS, ModelThreeRequest, Request};
use super::record::{GloveSample, RecordDecoder, RecordShape};
use super::sensor::SensorMask;
use crate::DecodeCounts;
use crate::decoded_line::{DecodedLine, StreamCommands};
use crate::serial::{DeviceError, SerialLine};

/// A CyberGlove that has answered and is ready to give samples.
///
/// Dropping it ends its stream and, if actuators were ever set, switches all actuators off.
pub struct CyberGlove {
    line: DecodedLine<StreamDecoder>,
    info: GloveInfo,
    options: GloveOptions,
    shape: RecordShape,
    /// The fitted sensors that the software mask enables.
    enabled: SensorMask,
    /// Most values that the unit sends, even if the mask enables more.
    n_values_at_most: usize,
    stream: Stream,
    has_touched: bool,
    sent_vibration: SentVibration,
}

/// The stream that the unit is sending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stream {
    None,
    Ordinary,
    HighResolution,
}

impl CyberGlove {
    /// Opens the port, silences the unit, asks for its sensors and sets the form of its records.
    ///
    /// The unit may be in any state: streaming records of any form, in the middle of a command that
    /// the last host did not finish, or restarting. Returns an error if no glove is plugged in.
    pub fn open(path: &str, options: &GloveOptions) -> Result<Self, DeviceError> {
        Self::on(SerialLine::open(path, options.baud)?, options)
    }

    /// Opens the glove on a line that is open already; see [`Self::open`].
    pub fn on(mut line: SerialLine, options: &GloveOptions) -> Result<Self, DeviceError> {
        let path = line.path().to_owned();
        let (state, answer) = start_up::wake(&mut line, options)?;
        let not_ready = |reason| DeviceError::NotReady { path: path.clone(), reason };
        if !state.is_plugged_in {
            return Err(not_ready("no glove is plugged into the interface unit"));
        }
        if !state.is_initialised {
            return Err(not_ready("the interface unit has not read the glove yet"));
        }
        let info = GloveInfo::read(&mut line, state, answer)?;
        let shape = RecordShape::plain(info.mask);
        let mut glove = Self::with(line, info, shape, options);
        glove.set_up()?;
        let GloveInfo { n_sensors, hand, .. } = glove.info;
        tracing::info!(path, n_sensors, ?hand, "glove is ready");
        Ok(glove)
    }

    /// A glove whose information is known already.
    fn with(line: SerialLine, info: GloveInfo, shape: RecordShape, options: &GloveOptions) -> Self {
        let commands = StreamCommands {
            poll: Request::OneRecord.encode(),
            stream: Request::Stream.encode(),
            stop: Request::Abort.encode(),
            quiet: QUIET,
            answer: ANSWER,
        };
        let decoder = StreamDecoder::new(RecordDecoder::new(shape, options.jumps));
        Self {
            line: DecodedLine::new(line, decoder, commands),
            enabled: info.hardware_mask,
            n_values_at_most: info.n_sensors,
            info,
            options: *options,
            shape,
            stream: Stream::None,
            has_touched: false,
            sent_vibration: SentVibration::default(),
        }
    }

    /// Sends all settings of the options again. Interrupts a stream, as [`Self::request`] does.
    ///
    /// A glove that was unplugged for a while may have lost its settings. If one of them fails, the
    /// stream stays stopped.
    pub fn set_up(&mut self) -> Result<(), DeviceError> {
        let stream = self.pause_stream()?;
        for setting in start_up::settings(&self.info, &self.options) {
            let is_period = matches!(setting, Request::SetPeriod(_) | Request::SetPeriodInAscii(_));
            match self.request(&setting) {
                // The unit then keeps its own period, which is better than no glove.
                Err(RequestError::Refused { error, .. }) if is_period => {
                    let path = self.line.path();
                    tracing::warn!(path, %error, "the sample period was refused");
                }
                done => drop(done?),
            }
        }
        self.resume_stream(stream)
    }

    pub fn info(&self) -> &GloveInfo {
        &self.info
    }

    /// Shape of the records that the unit sends at present.
    pub fn shape(&self) -> RecordShape {
        self.shape
    }

    /// Polls one sample. Ends a stream if there is one.
    pub fn sample(&mut self) -> Result<GloveSample, DeviceError> {
        self.pause_stream()?;
        self.line.poll(Incoming::into_sample)
    }

    /// Starts a stream of samples by the glove's own clock; read them with [`Self::next_sample`].
    pub fn start_stream(&mut self) -> Result<(), DeviceError> {
        self.pause_stream()?;
        self.resume_stream(Stream::Ordinary)
    }

    /// Starts a stream of 16-bit samples; only for a CyberGlove III. Read them with
    /// [`Self::next_high_resolution_sample`].
    pub fn start_high_resolution_stream(&mut self) -> Result<(), RequestError> {
        let request = Request::ModelThree(ModelThreeRequest::StreamHighResolution);
        self.check(&request)?;
        self.pause_stream()?;
        Ok(self.resume_stream(Stream::HighResolution)?)
    }

    pub fn stop_stream(&mut self) -> Result<(), DeviceError> {
        self.line.stop_stream()?;
        self.stream = Stream::None;
        self.line.decoder().resolution = Resolution::Ordinary;
        Ok(())
    }

    /// The next streamed sample, oldest first; `None` if none came within `timeout`.
    ///
    /// An error means that the device is gone.
    pub fn next_sample(&mut self, timeout: Duration) -> Result<Option<GloveSample>, DeviceError> {
        self.line.next(timeout, Incoming::into_sample)
    }

    /// The next sample of a high-resolution stream; `None` if none came within `timeout`.
    ///
    /// The unit repeats the request before the first record: those bytes count as dropped.
    pub fn next_high_resolution_sample(
        &mut self,
        timeout: Duration,
    ) -> Result<Option<HighResolutionSample>, DeviceError> {
        self.line.next(timeout, Incoming::into_high_resolution)
    }

    pub fn counts(&self) -> DecodeCounts {
        self.line.counts()
    }

    /// Ends the stream if there is one, and returns its kind.
    fn pause_stream(&mut self) -> Result<Stream, DeviceError> {
        let stream = self.stream;
        if stream != Stream::None {
            self.stop_stream()?;
        }
        Ok(stream)
    }

    fn resume_stream(&mut self, stream: Stream) -> Result<(), DeviceError> {
        match stream {
            Stream::None => {}
            Stream::Ordinary => self.line.start_stream()?,
            Stream::HighResolution => {
                self.line.decoder().resolution = Resolution::High;
                let start = Request::ModelThree(ModelThreeRequest::StreamHighResolution);
                self.line.send(&start.encode())?;
            }
        }
        self.stream = stream;
        Ok(())
    }
}

impl Drop for CyberGlove {
    fn drop(&mut self) {
        if !self.has_touched {
            return;
        }
        let still = Request::TouchAll([0; ACTUATORS]).encode();
        let sent = self.line.send(&Request::Abort.encode()).and_then(|()| self.line.send(&still));
        if let Err(error) = sent {
            tracing::warn!(path = self.line.path(), %error, "could not switch the actuators off");
        }
    }
}
