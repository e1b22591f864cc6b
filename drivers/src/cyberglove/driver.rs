//! Owns the glove's port: start-up, polling, streaming and every other request.

mod ask;
mod commands;
mod decoder;
mod info;
mod kept;
mod options;
mod start_up;

use std::time::Duration;

pub use ask::RequestError;
pub use info::GloveInfo;
pub use options::{BaudCommand, GloveOptions, Model, PeriodForm, RestartPolicy};
pub use start_up::identify;

use ask::{ANSWER, QUIET};
use decoder::{Incoming, Resolution, StreamDecoder};

use super::high_resolution::HighResolutionSample;
use super::protocol::{ACTUATORS, ModelThreeRequest, Request};
use super::record::{GloveSample, RecordDecoder, RecordShape};
use super::sensor::SensorMask;
use crate::DecodeCounts;
use crate::link::{Commands, Link};
use crate::serial::{DeviceError, SerialLine};

/// A CyberGlove that has answered and is ready to give samples.
///
/// Dropping it ends its stream and, if actuators were ever set, switches all of them off.
pub struct CyberGlove {
    link: Link<StreamDecoder>,
    info: GloveInfo,
    options: GloveOptions,
    shape: RecordShape,
    /// The fitted sensors that the software mask leaves.
    enabled: SensorMask,
    /// The unit sends no more values than this, whatever the mask.
    n_values_at_most: usize,
    stream: Stream,
    has_touched: bool,
}

/// What the unit sends without being asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stream {
    None,
    Ordinary,
    HighResolution,
}

impl CyberGlove {
    /// Opens the port, silences the unit, asks what is fitted and sets the form of its records.
    ///
    /// The unit may be in any state: streaming records of any form, in the middle of a command that
    /// the last host did not finish, or restarting. It is an error if no glove is plugged in.
    pub fn open(path: &str, options: &GloveOptions) -> Result<Self, DeviceError> {
        Self::on(SerialLine::open(path, options.baud)?, options)
    }

    /// The same, on a line that is open.
    pub fn on(mut line: SerialLine, options: &GloveOptions) -> Result<Self, DeviceError> {
        let path = line.path().to_owned();
        let state = start_up::wake(&mut line, options)?;
        let not_ready = |reason| DeviceError::NotReady { path: path.clone(), reason };
        if !state.is_plugged_in {
            return Err(not_ready("no glove is plugged into the interface unit"));
        }
        if !state.is_initialised {
            return Err(not_ready("the interface unit has not read the glove yet"));
        }
        let info = GloveInfo::read(&mut line, state)?;
        let shape = RecordShape::plain(info.mask);
        let mut glove = Self::with(line, info, shape, options);
        glove.set_up()?;
        let GloveInfo { n_sensors, hand, .. } = glove.info;
        tracing::info!(path, n_sensors, ?hand, "glove is ready");
        Ok(glove)
    }

    /// A glove that is known already.
    fn with(line: SerialLine, info: GloveInfo, shape: RecordShape, options: &GloveOptions) -> Self {
        let commands = Commands {
            poll: Request::OneRecord.encode(),
            stream: Request::Stream.encode(),
            stop: Request::Abort.encode(),
            quiet: QUIET,
            answer: ANSWER,
        };
        let decoder = StreamDecoder::new(RecordDecoder::new(shape, options.jumps));
        Self {
            link: Link::new(line, decoder, commands),
            enabled: info.hardware_mask,
            n_values_at_most: info.n_sensors,
            info,
            options: *options,
            shape,
            stream: Stream::None,
            has_touched: false,
        }
    }

    /// Makes all settings again that the options ask for. Interrupts a stream, as
    /// [`Self::request`] does.
    ///
    /// For a glove that was unplugged in between: its settings may be lost. If one of them fails,
    /// the stream stays stopped.
    pub fn set_up(&mut self) -> Result<(), DeviceError> {
        let stream = self.pause_stream()?;
        for setting in start_up::settings(&self.info, &self.options) {
            let is_period = matches!(setting, Request::SetPeriod(_) | Request::SetPeriodInAscii(_));
            match self.request(&setting) {
                // It then keeps its own, which is better than no glove at all.
                Err(RequestError::Refused { error, .. }) if is_period => {
                    tracing::warn!(path = self.link.path(), %error, "the sample period was refused");
                }
                done => drop(done?),
            }
        }
        self.resume_stream(stream)
    }

    pub fn info(&self) -> &GloveInfo {
        &self.info
    }

    /// What records look like at the moment.
    pub fn shape(&self) -> RecordShape {
        self.shape
    }

    /// Polls one sample. Ends a stream if there is one.
    pub fn sample(&mut self) -> Result<GloveSample, DeviceError> {
        self.pause_stream()?;
        self.link.poll(Incoming::into_sample)
    }

    /// From now on the glove sends samples by its own clock; take them with [`Self::next_sample`].
    pub fn start_stream(&mut self) -> Result<(), DeviceError> {
        self.pause_stream()?;
        self.resume_stream(Stream::Ordinary)
    }

    /// As [`Self::start_stream`], for a CyberGlove III and with 16-bit values; take the samples
    /// with [`Self::next_high_resolution_sample`].
    pub fn start_high_resolution_stream(&mut self) -> Result<(), RequestError> {
        let request = Request::ModelThree(ModelThreeRequest::StreamHighResolution);
        self.check(&request)?;
        self.pause_stream()?;
        Ok(self.resume_stream(Stream::HighResolution)?)
    }

    pub fn stop_stream(&mut self) -> Result<(), DeviceError> {
        self.link.stop_stream()?;
        self.stream = Stream::None;
        self.link.decoder().resolution = Resolution::Ordinary;
        Ok(())
    }

    /// The next streamed sample, oldest first; `None` if none came within `timeout`.
    ///
    /// An error means that the device is gone.
    pub fn next_sample(&mut self, timeout: Duration) -> Result<Option<GloveSample>, DeviceError> {
        self.link.next(timeout, Incoming::into_sample)
    }

    /// The next sample of a high-resolution stream; `None` if none came within `timeout`.
    ///
    /// The unit repeats the request before the first record: those bytes count as dropped.
    pub fn next_high_resolution_sample(
        &mut self,
        timeout: Duration,
    ) -> Result<Option<HighResolutionSample>, DeviceError> {
        self.link.next(timeout, Incoming::into_high_resolution)
    }

    pub fn counts(&self) -> DecodeCounts {
        self.link.counts()
    }

    /// Ends the stream if there is one; says which there was.
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
            Stream::Ordinary => self.link.start_stream()?,
            Stream::HighResolution => {
                self.link.decoder().resolution = Resolution::High;
                let start = Request::ModelThree(ModelThreeRequest::StreamHighResolution);
                self.link.send(&start.encode())?;
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
        let sent = self.link.send(&Request::Abort.encode()).and_then(|()| self.link.send(&still));
        if let Err(error) = sent {
            tracing::warn!(path = self.link.path(), %error, "could not switch the actuators off");
        }
    }
}
