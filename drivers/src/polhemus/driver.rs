//! The driver of a FASTRAK: owns the port, sets up the unit, polls, streams and sends requests.

mod device;
mod error;
mod fault_clearing;
mod flip_detector;
mod found_state;
mod options;
mod start_up;

use std::time::{Duration, Instant};

use super::answer::Answer;
use super::protocol::{Request, RequestError};
use super::record::{Incoming, RecordDecoder, TrackerSample};
use crate::DecodeCounts;
use crate::decoded_line::DecodedLine;
use crate::device::LEFT_BEHIND;
use crate::serial::{DeviceError, SerialLine};
pub use error::TrackerError;
use fault_clearing::FaultClearing;
use flip_detector::FlipDetector;
pub use found_state::FoundState;
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
    /// The last fault that the unit had found before it was opened; it is cleared.
    pub earlier_fault: Option<&'static str>,
}

/// A FASTRAK that has answered and is ready to give samples.
///
/// Dropping it ends its stream and puts its settings back to those in which it was found. A unit
/// that cannot be put back is reported as a warning; [`Self::close`] returns the reason instead.
pub struct Fastrak {
    line: DecodedLine<RecordDecoder>,
    info: FastrakInfo,
    options: TrackerOptions,
    timeouts: Timeouts,
    is_streaming: bool,
    flips: FlipDetector,
    clearing: FaultClearing,
    /// How the unit was found, as long as it is to be put back.
    found: Option<FoundState>,
}

impl Fastrak {
    /// Opens the port, silences the tracker and sets units and the form of its records.
    ///
    /// Settings that the options do not name stay as they are in the unit; no setting is saved in
    /// the unit. A frame of reference that the options name (alignment, boresight, hemisphere)
    /// stays in the unit when it is closed; the other settings are put back.
    pub fn open(path: &str, options: &TrackerOptions) -> Result<Self, TrackerError> {
        Self::on(SerialLine::open(path, options.baud)?, options)
    }

    /// Opens the tracker on a line that is open already; see [`Self::open`].
    pub fn on(line: SerialLine, options: &TrackerOptions) -> Result<Self, TrackerError> {
        let (path, mut found) = (line.path().to_owned(), None);
        let opened = Self::on_remembering(line, options, &mut found);
        if let (Err(error), Some(found)) = (&opened, &found) {
            report_left(&path, found, options, error);
        }
        opened
    }

    /// Opens the tracker. `found` is how the unit was found earlier, if it could not be put back
    /// then; it is taken unless the tracker cannot be opened.
    fn on_remembering(
        line: SerialLine,
        options: &TrackerOptions,
        found: &mut Option<FoundState>,
    ) -> Result<Self, TrackerError> {
        let timeouts = Timeouts::at(options.baud);
        let (line, info) = start_up::open(line, options, timeouts, found)?;
        let (path, version, stations) = (line.path(), &info.version, &info.stations);
        tracing::info!(path, version, ?stations, "tracker is ready");
        let mut tracker = Self::with(line, info, options, timeouts);
        tracker.found = found.take();
        Ok(tracker)
    }

    fn with(
        line: DecodedLine<RecordDecoder>,
        info: FastrakInfo,
        options: &TrackerOptions,
        timeouts: Timeouts,
    ) -> Self {
        let (options, flips) = (options.clone(), FlipDetector::default());
        let clearing = FaultClearing::default();
        let (is_streaming, found) = (false, None);
        Self { line, info, options, timeouts, is_streaming, flips, clearing, found }
    }

    /// Ends the stream and puts the unit back to the settings in which it was found. An error says
    /// that it could not be put back.
    pub fn close(mut self) -> Result<(), TrackerError> {
        self.put_back()
    }

    fn put_back(&mut self) -> Result<(), TrackerError> {
        match self.found.take() {
            Some(found) => found.restore(&mut self.line, &self.options, self.timeouts),
            None => Ok(()),
        }
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
    /// A stylus in its point or track mode stops the stream when it is pressed. A unit that lost
    /// its power for a moment has lost its settings too: it is set up again. Records that were held
    /// up on the line are discarded.
    pub fn restart_stream(&mut self) -> Result<(), TrackerError> {
        if !self.is_streaming {
            return Ok(());
        }
        self.line.stop_stream()?;
        let status = start_up::status_soon(&mut self.line)?;
        let stations = &self.info.stations;
        if !start_up::is_set_up(&mut self.line, &self.options, &status, stations)? {
            tracing::warn!(path = self.line.path(), "the tracker has lost its settings");
            let (line, found) = (&mut self.line, &mut self.found);
            self.info = start_up::set_up(line, &self.options, self.timeouts, &status, found)?;
        }
        Ok(self.line.start_stream()?)
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
            self.clear_fault(sample)?;
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

    /// Clears the fault that a unit may show in all records of a stream until it is cleared. A
    /// caller that polls clears it by a request.
    fn clear_fault(&mut self, sample: &TrackerSample) -> Result<(), DeviceError> {
        // Nothing is sent to a recording.
        if self.found.is_some() && self.is_streaming && self.clearing.is_due(sample) {
            self.line.send(FaultClearing::COMMAND)?;
        }
        Ok(())
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

impl Drop for Fastrak {
    fn drop(&mut self) {
        let Some(found) = self.found.clone() else { return };
        if let Err(error) = self.put_back() {
            report_left(self.line.path(), &found, &self.options, &error);
        }
    }
}

/// Warns that a unit could not be put back.
fn report_left(path: &str, found: &FoundState, options: &TrackerOptions, why: &TrackerError) {
    let Some(changes) = found.changes(options) else { return };
    tracing::warn!(
        target: LEFT_BEHIND,
        "the tracker at {path} could not be put back ({why}). Until it is switched off and on, \
         other programs find {changes}"
    );
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
        | Request::QueryStylusMode(_)
        | Request::QueryBuiltInTest(_)
        | Request::ClearBuiltInTest(_)
        | Request::SetName(_)
        | Request::QueryName
        | Request::SaveSettings
        | Request::Resume => true,
    }
}
