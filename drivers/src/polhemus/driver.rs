//! The driver of a FASTRAK: owns the port, sets up the unit, polls, streams and sends requests.

mod device;
mod error;
mod flip_detector;
mod options;
mod start_up;

use std::time::{Duration, Instant};

use super::answer::Answer;
use super::protocol::{Request, RequestError};
use super::record::{Incoming, RecordDecoder, TrackerSample};
use crate::DecodeCounts;
use crate::decoded_line::DecodedLine;
use crate::serial::{DeviceError, SerialLine};
pub use error::TrackerError;
use flip_detector::FlipDetector;
pub use options::{
    AlignmentOption, BoresightOption, HemisphereOption, LastResort, StationOption, TrackerOptions,
};
use start_up::Timeouts;

/// Longest time for which a unit is silent while it saves its settings.
const SAVING: Duration = Duration::from_secs(10);

/// Information about a tracker from when it was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FastrakInfo {
    /// Firmware version, as printed.
    pub version: String,
    /// The name that the owner gave the unit.
    pub id: String,
    /// The stations that send records, each 1 to 4.
    pub stations: Vec<u8>,
}

/// A FASTRAK that has answered and is ready to give samples.
pub struct Fastrak {
    line: DecodedLine<RecordDecoder>,
    info: FastrakInfo,
    options: TrackerOptions,
    timeouts: Timeouts,
    is_streaming: bool,
    flips: FlipDetector,
}

impl Fastrak {
    /// Opens the port, silences the tracker and sets units and the form of its records.
    ///
    /// Settings that the options do not name stay as they are in the unit; no setting is saved in
    /// the unit.
    pub fn open(path: &str, options: &TrackerOptions) -> Result<Self, TrackerError> {
        Self::on(SerialLine::open(path, options.baud)?, options)
    }

    /// Opens the tracker on a line that is open already; see [`Self::open`].
    pub fn on(line: SerialLine, options: &TrackerOptions) -> Result<Self, TrackerError> {
        let timeouts = Timeouts::at(options.baud);
        let (line, info) = start_up::set_up(line, options, timeouts)?;
        let (path, version, stations) = (line.path(), &info.version, &info.stations);
        tracing::info!(path, version, ?stations, "tracker is ready");
        Ok(Self::with(line, info, options, timeouts))
    }

    fn with(
        line: DecodedLine<RecordDecoder>,
        info: FastrakInfo,
        options: &TrackerOptions,
        timeouts: Timeouts,
    ) -> Self {
        let (options, flips) = (options.clone(), FlipDetector::default());
        Self { line, info, options, timeouts, is_streaming: false, flips }
    }

    pub fn info(&self) -> &FastrakInfo {
        &self.info
    }

    /// Polls one sample of the first active station. Ends a stream if there is one.
    pub fn sample(&mut self) -> Result<TrackerSample, DeviceError> {
        let sample = self.line.poll(Incoming::into_sample)?;
        self.is_streaming = false;
        self.flips.see(&sample);
        Ok(sample)
    }

    /// Polls one sample of each active station, in order of arrival; fewer if some do not arrive.
    /// Ends a stream if there is one.
    pub fn samples(&mut self) -> Result<Vec<TrackerSample>, DeviceError> {
        let mut samples = vec![self.sample()?];
        while samples.len() < self.info.stations.len() {
            match self.next_sample(self.timeouts.answer)? {
                Some(sample) => samples.push(sample),
                None => break,
            }
        }
        Ok(samples)
    }

    /// Starts a stream of samples by the tracker's own clock; read them with
    /// [`Self::next_sample`].
    pub fn start_stream(&mut self) -> Result<(), DeviceError> {
        self.line.start_stream()?;
        self.is_streaming = true;
        Ok(())
    }

    /// Starts a silent stream again; does nothing if none was started.
    ///
    /// A stylus in its point or track mode stops the stream when it is pressed. A unit that still
    /// streams is not disturbed. A unit that lost its power must be opened again instead, because
    /// it has also lost its settings.
    pub fn restart_stream(&mut self) -> Result<(), DeviceError> {
        if self.is_streaming { self.line.start_stream() } else { Ok(()) }
    }

    pub fn stop_stream(&mut self) -> Result<(), DeviceError> {
        self.line.stop_stream()?;
        self.is_streaming = false;
        Ok(())
    }

    /// The next streamed sample, oldest first; `None` if none came within `timeout`.
    ///
    /// An error means that the device is gone.
    pub fn next_sample(&mut self, timeout: Duration) -> Result<Option<TrackerSample>, DeviceError> {
        let sample = self.line.next(timeout, Incoming::into_sample)?;
        if let Some(sample) = &sample {
            self.flips.see(sample);
        }
        Ok(sample)
    }

    /// Sends a request and returns its answer; `None` for a setting, which has no answer.
    ///
    /// A stream is stopped before and started again afterwards; samples that were not read yet are
    /// lost. Requests that would change the records of the running decoder are refused: give them
    /// as options when the tracker is opened. Polling and streaming have their own methods.
    pub fn request(&mut self, request: &Request) -> Result<Option<Answer>, TrackerError> {
        if !leaves_records_alone(request) {
            let (path, source) = (self.line.path().to_owned(), RequestError::ChangesRecords);
            return Err(TrackerError::Unsendable { path, source });
        }
        let was_streaming = self.is_streaming;
        if was_streaming {
            self.stop_stream()?;
        }
        let answer = self.converse(request);
        // A refusal must not end the stream. A lost line is an error here.
        if was_streaming {
            self.start_stream()?;
        }
        answer
    }

    /// Number of times that a receiver seemed to jump through the transmitter to the opposite
    /// point: a sign of a wrong hemisphere setting.
    pub fn hemisphere_flips(&self) -> u64 {
        self.flips.n_flips()
    }

    pub fn counts(&self) -> DecodeCounts {
        self.line.counts()
    }

    fn converse(&mut self, request: &Request) -> Result<Option<Answer>, TrackerError> {
        if request.answer_letter().is_some() {
            return start_up::ask(&mut self.line, request).map(Some);
        }
        start_up::set(&mut self.line, request, self.timeouts)?;
        if *request == Request::SaveSettings {
            self.wait_for_status()?;
        }
        Ok(None)
    }

    fn wait_for_status(&mut self) -> Result<(), TrackerError> {
        let deadline = Instant::now() + SAVING;
        loop {
            match start_up::ask(&mut self.line, &Request::QueryStatus) {
                Err(TrackerError::Device(DeviceError::NoAnswer { .. }))
                    if Instant::now() < deadline => {}
                answer => return answer.map(drop),
            }
        }
    }
}

/// True if `request` does not change the form of data records and neither starts nor suspends
/// output.
fn leaves_records_alone(request: &Request) -> bool {
    match request {
        Request::OneRecord
        | Request::ContinuousOn
        | Request::ContinuousOff
        | Request::SetForm(_)
        | Request::SetUnits(_)
        | Request::FactoryDefaults
        | Request::SetOutputList(..)
        | Request::SetStation(..)
        | Request::SetPort(_)
        | Request::GuidedAlignment
        | Request::Reinitialise
        | Request::Suspend => false,
        Request::EndLine
        | Request::QueryStatus
        | Request::SetCompensation(_)
        | Request::QueryOutputList(_)
        | Request::QueryStations(_)
        | Request::SetAlignment(..)
        | Request::ResetAlignment(_)
        | Request::QueryAlignment(_)
        | Request::Boresight(_)
        | Request::ResetBoresight(_)
        | Request::SetBoresightAngles(..)
        | Request::QueryBoresightAngles(_)
        | Request::SetHemisphere(..)
        | Request::QueryHemisphere(_)
        | Request::SetIncrement(..)
        | Request::QueryIncrement(_)
        | Request::SetTipOffset(..)
        | Request::QueryTipOffset(_)
        | Request::SetPositionEnvelope(..)
        | Request::QueryPositionEnvelope(_)
        | Request::SetAngularEnvelope(..)
        | Request::QueryAngularEnvelope(_)
        | Request::SetTransmitterMounting(..)
        | Request::QueryTransmitterMounting(_)
        | Request::SetFilter(..)
        | Request::QueryFilter(_)
        | Request::SetSync(_)
        | Request::QuerySync
        | Request::SetStylusMode(..)
        | Request::QueryBuiltInTest(_)
        | Request::ClearBuiltInTest(_)
        | Request::SetName(_)
        | Request::QueryName
        | Request::SaveSettings
        | Request::Resume => true,
    }
}
