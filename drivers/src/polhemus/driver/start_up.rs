//! Start-up: brings a tracker from any state to that of the options.

use std::time::{Duration, Instant};

use super::FastrakInfo;
use super::error::TrackerError;
use super::options::{
    AlignmentOption, BoresightOption, HemisphereOption, LastResort, StationOption, TrackerOptions,
};
use crate::decoded_line::{DecodedLine, StreamCommands};
use crate::polhemus::answer::{Answer, CommandError, Status};
use crate::polhemus::protocol::Request;
use crate::polhemus::record::{Incoming, RecordDecoder};
use crate::polhemus::settings::{FilterOf, Form, Station, Switch, Units};
use crate::serial::{DeviceError, SerialLine};

/// Length of a silence that proves that the tracker has stopped: many times its 8.3 ms cycle.
pub(in crate::polhemus) const QUIET: Duration = Duration::from_millis(200);
/// Longest wait for an answer to begin.
const ANSWER: Duration = Duration::from_millis(500);
/// Wait for an error after a setting; the unit does not acknowledge settings.
const ERROR: Duration = Duration::from_millis(50);
/// Bytes of a long answer and its request, for the time that they take on a slow line.
const ANSWER_BYTES: f64 = 100.0;
const BITS_PER_BYTE: f64 = 10.0;

/// Time-outs that depend on the baud rate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Timeouts {
    pub(super) answer: Duration,
    error: Duration,
}

impl Timeouts {
    pub(super) fn at(baud: u32) -> Self {
        let on_the_wire = ANSWER_BYTES * BITS_PER_BYTE / f64::from(baud.max(1));
        let on_the_wire = Duration::from_secs_f64(on_the_wire);
        Self { answer: ANSWER + on_the_wire, error: ERROR + on_the_wire }
    }
}

/// Puts a decoder for the records of `options` on `line`; sends nothing.
pub(super) fn decoded_line(
    line: SerialLine,
    options: &TrackerOptions,
    timeouts: Timeouts,
) -> Result<DecodedLine<RecordDecoder>, TrackerError> {
    let unreadable = |source| TrackerError::Unreadable { path: line.path().to_owned(), source };
    let decoder = RecordDecoder::new(&options.record_format()).map_err(unreadable)?;
    let commands = StreamCommands {
        poll: vec![b'P'],
        stream: vec![b'C'],
        stop: vec![b'c'],
        quiet: QUIET,
        answer: timeouts.answer,
    };
    Ok(DecodedLine::new(line, decoder, commands))
}

/// Puts a decoder on the line of a unit that was set up before, with these stations on.
pub(super) fn resumed_line(
    line: SerialLine,
    options: &TrackerOptions,
    stations: &[u8],
    timeouts: Timeouts,
) -> Result<DecodedLine<RecordDecoder>, TrackerError> {
    let mut line = decoded_line(line, options, timeouts)?;
    let stations: Vec<Station> =
        stations.iter().filter_map(|number| Station::from_number(*number)).collect();
    listen_to(&mut line, options, &stations)?;
    Ok(line)
}

/// Limits the decoder to `stations`: a record whose station digit was damaged into that of another
/// station is then rejected.
fn listen_to(
    line: &mut DecodedLine<RecordDecoder>,
    options: &TrackerOptions,
    stations: &[Station],
) -> Result<(), TrackerError> {
    let format = options.record_format().only(stations);
    let path = line.path().to_owned();
    *line.decoder() =
        RecordDecoder::new(&format).map_err(|source| TrackerError::Unreadable { path, source })?;
    Ok(())
}

pub(super) fn set_up(
    mut line: SerialLine,
    options: &TrackerOptions,
    timeouts: Timeouts,
) -> Result<(DecodedLine<RecordDecoder>, FastrakInfo), TrackerError> {
    silence(&mut line)?;
    let mut line = decoded_line(line, options, timeouts)?;
    wake(&mut line, options)?;
    let stations = switch_stations(&mut line, options, timeouts)?;
    listen_to(&mut line, options, &stations)?;
    for request in settings(options, &stations) {
        set(&mut line, &request, timeouts)?;
    }
    let status = status(&mut line)?;
    let is_binary = options.form == Form::Binary;
    if status.is_binary != is_binary || !status.is_in_centimetres {
        let reason = "it did not switch to centimetres and to the form of records in the options";
        return Err(not_ready(line.path(), reason));
    }
    let stations = stations.into_iter().map(Station::number).collect();
    Ok((line, FastrakInfo { version: status.version, id: status.id, stations }))
}

/// Ends a stream, even if the unit waits for the end of a line and takes the first stop for text.
///
/// Resumes suspended output first: a unit that answers may still have its records suspended.
fn silence(line: &mut SerialLine) -> Result<(), DeviceError> {
    line.drain_until_quiet(Duration::ZERO, QUIET)?;
    for stop in [b"\x11c".as_slice(), b"\rc", b"\rc"] {
        line.write_all(stop)?;
        if line.drain_until_quiet(QUIET, 10 * QUIET)? {
            return Ok(());
        }
    }
    let reason = "it keeps sending after the command to stop; is this the right baud rate?";
    Err(DeviceError::NotReady { path: line.path().to_owned(), reason })
}

/// Waits for a first status, and acts on a silent unit as the options say.
fn wake(
    line: &mut DecodedLine<RecordDecoder>,
    options: &TrackerOptions,
) -> Result<(), TrackerError> {
    if no_answer(status(line))?.is_none() {
        return Ok(());
    }
    let mut deadline = Instant::now() + options.patience;
    let mut last_resort = options.last_resort;
    loop {
        // The unit's output may be suspended, or it waits for the end of a line which the last host
        // did not finish.
        line.send(b"\x11\r")?;
        line.stop_stream()?;
        let Some(silent) = no_answer(status(line))? else { return Ok(()) };
        if Instant::now() < deadline {
            continue;
        }
        match last_resort {
            LastResort::GiveUp => return Err(silent.into()),
            LastResort::Reinitialise(within) => {
                tracing::warn!(path = line.path(), "the tracker is silent; restarting it");
                line.send(&[0x19])?;
                deadline = Instant::now() + within;
                last_resort = LastResort::GiveUp;
            }
        }
    }
}

/// Returns the error of a unit that did not answer as a value, `None` after an answer, and all
/// other errors as errors.
fn no_answer<T>(answer: Result<T, TrackerError>) -> Result<Option<DeviceError>, TrackerError> {
    match answer {
        Ok(_) => Ok(None),
        Err(TrackerError::Device(silent @ DeviceError::NoAnswer { .. })) => Ok(Some(silent)),
        Err(error) => Err(error),
    }
}

/// Switches the stations as the options say; returns those that will send records.
fn switch_stations(
    line: &mut DecodedLine<RecordDecoder>,
    options: &TrackerOptions,
    timeouts: Timeouts,
) -> Result<Vec<Station>, TrackerError> {
    let found = query_stations(line)?;
    let wanted = match &options.stations {
        StationOption::AsFound if found == [false; 4] => [true, false, false, false],
        StationOption::AsFound => found,
        StationOption::Only(stations) => Station::ALL.map(|station| stations.contains(&station)),
    };
    if wanted == [false; 4] {
        return Err(not_ready(line.path(), "the options select no station"));
    }
    if wanted != found {
        for station in Station::ALL {
            let is_wanted = wanted[station.index()];
            if is_wanted != found[station.index()] {
                let switch = if is_wanted { Switch::On } else { Switch::Off };
                set(line, &Request::SetStation(station, switch), timeouts)?;
            }
        }
        if query_stations(line)? != wanted {
            return Err(not_ready(line.path(), "its stations did not switch as requested"));
        }
    }
    Ok(Station::ALL.into_iter().filter(|station| wanted[station.index()]).collect())
}

fn query_stations(line: &mut DecodedLine<RecordDecoder>) -> Result<[bool; 4], TrackerError> {
    let Answer::Stations(is_on) = ask(line, &Request::QueryStations(Station::One))? else {
        return Err(not_ready(line.path(), "it did not report which stations are on"));
    };
    Ok(is_on)
}

/// The settings of `options`, in an order in which no setting undoes another.
fn settings(options: &TrackerOptions, stations: &[Station]) -> Vec<Request> {
    // Units first: they also apply to the numbers of the next settings.
    let mut settings = vec![Request::SetUnits(Units::Centimetres)];
    for station in stations {
        settings.push(Request::SetOutputList(*station, options.list.clone()));
    }
    for station in stations {
        match options.alignment {
            AlignmentOption::AsFound => {}
            AlignmentOption::Reset => settings.push(Request::ResetAlignment(*station)),
            AlignmentOption::Set(alignment) => {
                // A new frame is relative to the old one, so the old one is reset first.
                settings.push(Request::ResetAlignment(*station));
                settings.push(Request::SetAlignment(*station, alignment));
            }
        }
        match options.hemisphere {
            HemisphereOption::AsFound => {}
            HemisphereOption::Zenith(zenith) => {
                settings.push(Request::SetHemisphere(*station, zenith));
            }
            HemisphereOption::Follow => {
                settings.push(Request::SetHemisphere(*station, [0.0; 3]));
            }
        }
    }
    settings.push(Request::SetFilter(FilterOf::Attitude, options.attitude_filter));
    settings.push(Request::SetFilter(FilterOf::Position, options.position_filter));
    for station in stations {
        match options.boresight {
            BoresightOption::AsFound => {}
            BoresightOption::Reset => settings.push(Request::ResetBoresight(*station)),
            BoresightOption::Now => settings.push(Request::Boresight(*station)),
        }
    }
    settings.push(Request::SetStylusMode(Station::One, options.stylus));
    settings.push(Request::SetForm(options.form));
    settings
}

fn status(line: &mut DecodedLine<RecordDecoder>) -> Result<Status, TrackerError> {
    let Answer::Status(status) = ask(line, &Request::QueryStatus)? else {
        return Err(not_ready(line.path(), "it did not report its status"));
    };
    Ok(status)
}

/// Sends a query and returns its answer.
pub(super) fn ask(
    line: &mut DecodedLine<RecordDecoder>,
    request: &Request,
) -> Result<Answer, TrackerError> {
    let (bytes, letter) = (encode(line, request)?, request.answer_letter());
    let answer = line.ask(&bytes, |incoming| {
        let record = incoming.into_control()?;
        let is_ours = Some(record.letter) == letter || record.letter == 'E';
        if is_ours { Answer::from_record(&record) } else { None }
    })?;
    match answer {
        Answer::CommandError(error) => Err(refused(line, request, error)),
        answer => Ok(answer),
    }
}

/// Sends a setting and waits for an error.
pub(super) fn set(
    line: &mut DecodedLine<RecordDecoder>,
    request: &Request,
    timeouts: Timeouts,
) -> Result<(), TrackerError> {
    let bytes = encode(line, request)?;
    line.send(&bytes)?;
    let command_error = |incoming: Incoming| {
        let answer = Answer::from_record(&incoming.into_control()?)?;
        if let Answer::CommandError(error) = answer { Some(error) } else { None }
    };
    match line.next(timeouts.error, command_error)? {
        None => Ok(()),
        Some(error) => Err(refused(line, request, error)),
    }
}

fn encode(line: &DecodedLine<RecordDecoder>, request: &Request) -> Result<Vec<u8>, TrackerError> {
    let unsendable = |source| TrackerError::Unsendable { path: line.path().to_owned(), source };
    request.encode().map_err(unsendable)
}

fn refused(
    line: &DecodedLine<RecordDecoder>,
    request: &Request,
    error: CommandError,
) -> TrackerError {
    let (path, request) = (line.path().to_owned(), format!("{request:?}"));
    TrackerError::Refused { path, request, error }
}

fn not_ready(path: &str, reason: &'static str) -> TrackerError {
    DeviceError::NotReady { path: path.to_owned(), reason }.into()
}
