//! Owns the tracker's port: settings, polling and streaming.

mod error;
mod flip;
mod kept;
mod options;
mod start;

use std::time::{Duration, Instant};

use super::answer::Answer;
use super::protocol::{Request, RequestError};
use super::record::{Incoming, RecordDecoder, TrackerSample};
use crate::DecodeCounts;
use crate::link::Link;
use crate::serial::{DeviceError, SerialLine};
pub use error::TrackerError;
use flip::FlipWatch;
pub use options::{
    AlignmentOption, BoresightOption, HemisphereOption, LastResort, StationOption, TrackerOptions,
};
use start::Waits;

/// Longest time for which a unit is silent while it writes its settings down.
const SAVING: Duration = Duration::from_secs(10);

/// What the tracker said about itself when it was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FastrakInfo {
    /// Firmware version, as printed.
    pub version: String,
    /// The name its owner gave the unit.
    pub id: String,
    /// The stations that send records, of 1 to 4.
    pub stations: Vec<u8>,
}

/// A FASTRAK that has answered and is ready to give samples.
pub struct Fastrak {
    link: Link<RecordDecoder>,
    info: FastrakInfo,
    options: TrackerOptions,
    waits: Waits,
    is_streaming: bool,
    flips: FlipWatch,
}

impl Fastrak {
    /// Opens the port, silences the tracker and sets units and the form of its records.
    ///
    /// What the options do not name is left as it is in the unit, and nothing is saved in it.
    pub fn open(path: &str, options: &TrackerOptions) -> Result<Self, TrackerError> {
        Self::on(SerialLine::open(path, options.baud)?, options)
    }

    /// The same, on a line that is open.
    pub fn on(line: SerialLine, options: &TrackerOptions) -> Result<Self, TrackerError> {
        let waits = Waits::at(options.baud);
        let (link, info) = start::set_up(line, options, waits)?;
        let (path, version, stations) = (link.path(), &info.version, &info.stations);
        tracing::info!(path, version, ?stations, "tracker is ready");
        Ok(Self::with(link, info, options, waits))
    }

    fn with(
        link: Link<RecordDecoder>,
        info: FastrakInfo,
        options: &TrackerOptions,
        waits: Waits,
    ) -> Self {
        let (options, flips) = (options.clone(), FlipWatch::default());
        Self { link, info, options, waits, is_streaming: false, flips }
    }

    pub fn info(&self) -> &FastrakInfo {
        &self.info
    }

    /// Polls one sample, that of the first active station. Ends a stream if there is one.
    pub fn sample(&mut self) -> Result<TrackerSample, DeviceError> {
        let sample = self.link.poll(Incoming::into_sample)?;
        self.is_streaming = false;
        self.flips.see(&sample);
        Ok(sample)
    }

    /// Polls one sample of each active station, in the order in which they come; fewer if some do
    /// not. Ends a stream if there is one.
    pub fn samples(&mut self) -> Result<Vec<TrackerSample>, DeviceError> {
        let mut samples = vec![self.sample()?];
        while samples.len() < self.info.stations.len() {
            match self.next_sample(self.waits.answer)? {
                Some(sample) => samples.push(sample),
                None => break,
            }
        }
        Ok(samples)
    }

    /// From now on the tracker sends samples by its own clock; take them with
    /// [`Self::next_sample`].
    pub fn start_stream(&mut self) -> Result<(), DeviceError> {
        self.link.start_stream()?;
        self.is_streaming = true;
        Ok(())
    }

    /// Starts a stream again that has fallen silent, and does nothing if none was started.
    ///
    /// A stylus in its point or track mode stops the stream when it is pressed. To a unit that
    /// still streams it makes no difference. A unit that lost its power must be opened again
    /// instead: it has forgotten its settings too.
    pub fn restart_stream(&mut self) -> Result<(), DeviceError> {
        if self.is_streaming { self.link.start_stream() } else { Ok(()) }
    }

    pub fn stop_stream(&mut self) -> Result<(), DeviceError> {
        self.link.stop_stream()?;
        self.is_streaming = false;
        Ok(())
    }

    /// The next streamed sample, oldest first; `None` if none came within `timeout`.
    ///
    /// An error means that the device is gone.
    pub fn next_sample(&mut self, timeout: Duration) -> Result<Option<TrackerSample>, DeviceError> {
        let sample = self.link.next(timeout, Incoming::into_sample)?;
        if let Some(sample) = &sample {
            self.flips.see(sample);
        }
        Ok(sample)
    }

    /// Sends a request and gives its answer; `None` if it is a setting, which has none.
    ///
    /// A stream is stopped for the while and started again; samples that nobody had taken are lost.
    /// Requests that would change the records
    /// under the decoder are refused: give them as options when the tracker is opened. Polling and
    /// streaming have their own methods.
    pub fn request(&mut self, request: &Request) -> Result<Option<Answer>, TrackerError> {
        if !leaves_records_alone(request) {
            let (path, source) = (self.link.path().to_owned(), RequestError::ChangesRecords);
            return Err(TrackerError::Unsendable { path, source });
        }
        let was_streaming = self.is_streaming;
        if was_streaming {
            self.stop_stream()?;
        }
        let answer = self.converse(request);
        // A refusal must not end the stream; a lost line cannot be helped here.
        if was_streaming {
            self.start_stream()?;
        }
        answer
    }

    /// How often a receiver seemed to jump through the transmitter to the opposite point: a sign
    /// that the hemisphere is set wrong.
    pub fn hemisphere_flips(&self) -> u64 {
        self.flips.n_flips()
    }

    pub fn counts(&self) -> DecodeCounts {
        self.link.counts()
    }

    fn converse(&mut self, request: &Request) -> Result<Option<Answer>, TrackerError> {
        if request.answer_letter().is_some() {
            return start::ask(&mut self.link, request).map(Some);
        }
        start::set(&mut self.link, request, self.waits)?;
        if *request == Request::SaveSettings {
            self.wait_for_status()?;
        }
        Ok(None)
    }

    fn wait_for_status(&mut self) -> Result<(), TrackerError> {
        let deadline = Instant::now() + SAVING;
        loop {
            match start::ask(&mut self.link, &Request::QueryStatus) {
                Err(TrackerError::Device(DeviceError::NoAnswer { .. }))
                    if Instant::now() < deadline => {}
                answer => return answer.map(drop),
            }
        }
    }
}

/// Whether data records look the same afterwards, and output is neither started nor held back.
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
