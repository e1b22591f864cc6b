//! Owns the tracker's port: start-up, polling and streaming.

use std::time::Duration;

use super::protocol::{ControlRecord, Request, Status, active_stations};
use super::record::{Incoming, RecordDecoder, TrackerSample};
use crate::DecodeCounts;
use crate::link::{Commands, Link};
use crate::serial::{DeviceError, SerialLine};

/// Silence that proves that the tracker has stopped: many times its 8.3 ms cycle.
const QUIET: Duration = Duration::from_millis(200);
/// Longest wait for an answer.
const ANSWER: Duration = Duration::from_millis(500);
/// How long to wait after a setting for a complaint; settings are not acknowledged.
const COMPLAINT: Duration = Duration::from_millis(50);

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
}

impl Fastrak {
    /// Opens the port, silences the tracker and sets units and the form of its records.
    ///
    /// The hemisphere, alignment and boresight of the unit are left as they are: we calibrate in
    /// software. Nothing is saved in the unit.
    pub fn open(path: &str, baud: u32) -> Result<Self, DeviceError> {
        let mut line = SerialLine::open(path, baud)?;
        line.drain_until_quiet(Duration::ZERO, QUIET)?;
        if !line.silence(&Request::ContinuousOff.encode(), QUIET)? {
            let reason = "it keeps sending after it was told to stop; is this the right baud rate?";
            return Err(DeviceError::NotReady { path: path.to_owned(), reason });
        }
        let commands = Commands {
            poll: Request::OneRecord.encode(),
            stream: Request::ContinuousOn.encode(),
            stop: Request::ContinuousOff.encode(),
            quiet: QUIET,
            answer: ANSWER,
        };
        let mut link = Link::new(line, RecordDecoder::new(), commands);
        match status(&mut link) {
            Ok(_) => {}
            Err(DeviceError::NoAnswer { .. }) => {
                // It may wait for the end of a line which the last host did not finish.
                link.send(&Request::EndLine.encode())?;
                link.stop_stream()?;
                status(&mut link)?;
            }
            Err(error) => return Err(error),
        }
        let stations = switch_on(&mut link)?;
        set(&mut link, Request::Centimetres)?;
        for station in &stations {
            set(&mut link, Request::OutputList(*station))?;
        }
        set(&mut link, Request::AttitudeFilterOff)?;
        set(&mut link, Request::PositionFilterOff)?;
        set(&mut link, Request::StylusReports)?;
        set(&mut link, Request::Binary)?;
        let status = status(&mut link)?;
        if !status.is_binary || !status.is_in_centimetres {
            let reason = "it did not switch to binary records in centimetres";
            return Err(DeviceError::NotReady { path: path.to_owned(), reason });
        }
        let info = FastrakInfo { version: status.version, id: status.id, stations };
        tracing::info!(path, version = info.version, stations = ?info.stations, "tracker is ready");
        Ok(Self { link, info })
    }

    pub fn info(&self) -> &FastrakInfo {
        &self.info
    }

    /// Polls one sample, that of the first active station. Ends a stream if there is one.
    pub fn sample(&mut self) -> Result<TrackerSample, DeviceError> {
        self.link.poll(Incoming::into_sample)
    }

    /// From now on the tracker sends samples by its own clock; take them with
    /// [`Self::next_sample`].
    pub fn start_stream(&mut self) -> Result<(), DeviceError> {
        self.link.start_stream()
    }

    pub fn stop_stream(&mut self) -> Result<(), DeviceError> {
        self.link.stop_stream()
    }

    /// The next streamed sample, oldest first; `None` if none came within `timeout`.
    ///
    /// An error means that the device is gone.
    pub fn next_sample(&mut self, timeout: Duration) -> Result<Option<TrackerSample>, DeviceError> {
        self.link.next(timeout, Incoming::into_sample)
    }

    pub fn counts(&self) -> DecodeCounts {
        self.link.counts()
    }
}

fn status(link: &mut Link<RecordDecoder>) -> Result<Status, DeviceError> {
    link.ask(&Request::Status.encode(), |incoming| Status::from_record(&incoming.into_control()?))
}

/// The active stations; switches on station 1 if the panel has them all off.
fn switch_on(link: &mut Link<RecordDecoder>) -> Result<Vec<u8>, DeviceError> {
    let mut stations = query_stations(link)?;
    if stations.is_empty() {
        set(link, Request::StationOn(1))?;
        stations = query_stations(link)?;
    }
    if stations.is_empty() {
        let reason = "no station is switched on";
        return Err(DeviceError::NotReady { path: link.path().to_owned(), reason });
    }
    Ok(stations)
}

fn query_stations(link: &mut Link<RecordDecoder>) -> Result<Vec<u8>, DeviceError> {
    let is_on = link.ask(&Request::QueryStations(1).encode(), |incoming| {
        active_stations(&incoming.into_control()?)
    })?;
    Ok((1..).zip(is_on).filter_map(|(station, is_on)| is_on.then_some(station)).collect())
}

/// Sends a setting and waits for a complaint about it.
fn set(link: &mut Link<RecordDecoder>, request: Request) -> Result<(), DeviceError> {
    link.send(&request.encode())?;
    let complaint =
        |incoming: Incoming| incoming.into_control().filter(ControlRecord::is_complaint);
    match link.next(COMPLAINT, complaint)? {
        None => Ok(()),
        Some(complaint) => Err(DeviceError::UnexpectedAnswer {
            path: link.path().to_owned(),
            request: format!("{request:?}"),
            got: complaint.text,
            want: "no answer",
        }),
    }
}
