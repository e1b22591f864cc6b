//! Brings a tracker from any state to the one that was asked for.

use std::time::{Duration, Instant};

use super::FastrakInfo;
use super::error::TrackerError;
use super::options::{
    AlignmentOption, BoresightOption, HemisphereOption, LastResort, StationOption, TrackerOptions,
};
use crate::link::{Commands, Link};
use crate::polhemus::answer::{Answer, Complaint, Status};
use crate::polhemus::protocol::Request;
use crate::polhemus::record::{Incoming, RecordDecoder};
use crate::polhemus::settings::{FilterOf, Form, Station, Switch, Units};
use crate::serial::{DeviceError, SerialLine};

/// Silence that proves that the tracker has stopped: many times its 8.3 ms cycle.
pub(in crate::polhemus) const QUIET: Duration = Duration::from_millis(200);
/// Longest wait for an answer to begin.
const ANSWER: Duration = Duration::from_millis(500);
/// How long to wait after a setting for a complaint; settings are not acknowledged.
const COMPLAINT: Duration = Duration::from_millis(50);
/// Bytes of a long answer, with the request: what a slow line needs time for.
const ANSWER_BYTES: f64 = 100.0;
const BITS_PER_BYTE: f64 = 10.0;

/// Waits that depend on how fast the line is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waits {
    pub(super) answer: Duration,
    complaint: Duration,
}

impl Waits {
    pub(super) fn at(baud: u32) -> Self {
        let on_the_wire = ANSWER_BYTES * BITS_PER_BYTE / f64::from(baud.max(1));
        let on_the_wire = Duration::from_secs_f64(on_the_wire);
        Self { answer: ANSWER + on_the_wire, complaint: COMPLAINT + on_the_wire }
    }
}

/// A decoder for the records that were asked for, on a line that is as it is.
pub(super) fn link(
    line: SerialLine,
    options: &TrackerOptions,
    waits: Waits,
) -> Result<Link<RecordDecoder>, TrackerError> {
    let unreadable = |source| TrackerError::Unreadable { path: line.path().to_owned(), source };
    let decoder = RecordDecoder::new(&options.record_format()).map_err(unreadable)?;
    let commands = Commands {
        poll: vec![b'P'],
        stream: vec![b'C'],
        stop: vec![b'c'],
        quiet: QUIET,
        answer: waits.answer,
    };
    Ok(Link::new(line, decoder, commands))
}

/// The same for a unit that was set up before, with these stations on.
pub(super) fn resumed_link(
    line: SerialLine,
    options: &TrackerOptions,
    stations: &[u8],
    waits: Waits,
) -> Result<Link<RecordDecoder>, TrackerError> {
    let mut link = link(line, options, waits)?;
    let stations: Vec<Station> =
        stations.iter().filter_map(|number| Station::from_number(*number)).collect();
    listen_to(&mut link, options, &stations)?;
    Ok(link)
}

/// From now on a digit that damage has turned into that of another station is no record.
fn listen_to(
    link: &mut Link<RecordDecoder>,
    options: &TrackerOptions,
    stations: &[Station],
) -> Result<(), TrackerError> {
    let format = options.record_format().only(stations);
    let path = link.path().to_owned();
    *link.decoder() =
        RecordDecoder::new(&format).map_err(|source| TrackerError::Unreadable { path, source })?;
    Ok(())
}

pub(super) fn set_up(
    mut line: SerialLine,
    options: &TrackerOptions,
    waits: Waits,
) -> Result<(Link<RecordDecoder>, FastrakInfo), TrackerError> {
    silence(&mut line)?;
    let mut link = link(line, options, waits)?;
    wake(&mut link, options)?;
    let stations = switch_stations(&mut link, options, waits)?;
    listen_to(&mut link, options, &stations)?;
    for request in settings(options, &stations) {
        set(&mut link, &request, waits)?;
    }
    let status = status(&mut link)?;
    let is_binary = options.form == Form::Binary;
    if status.is_binary != is_binary || !status.is_in_centimetres {
        let reason = "it did not switch to centimetres and to the form of records asked for";
        return Err(not_ready(link.path(), reason));
    }
    let stations = stations.into_iter().map(Station::number).collect();
    Ok((link, FastrakInfo { version: status.version, id: status.id, stations }))
}

/// Ends a stream, even if the unit waits for the end of a line and takes the first stop for text.
///
/// Output that someone has held back is let go first: a unit that answers may hold back its records
/// all the same.
fn silence(line: &mut SerialLine) -> Result<(), DeviceError> {
    line.drain_until_quiet(Duration::ZERO, QUIET)?;
    for stop in [b"\x11c".as_slice(), b"\rc", b"\rc"] {
        line.write_all(stop)?;
        if line.drain_until_quiet(QUIET, 10 * QUIET)? {
            return Ok(());
        }
    }
    let reason = "it keeps sending after it was told to stop; is this the right baud rate?";
    Err(DeviceError::NotReady { path: line.path().to_owned(), reason })
}

/// Waits for a first status.
fn wake(link: &mut Link<RecordDecoder>, options: &TrackerOptions) -> Result<(), TrackerError> {
    if no_answer(status(link))?.is_none() {
        return Ok(());
    }
    let mut deadline = Instant::now() + options.patience;
    let mut last_resort = options.last_resort;
    loop {
        // Its output may be held back, or it waits for the end of a line which the last host did
        // not finish.
        link.send(b"\x11\r")?;
        link.stop_stream()?;
        let Some(silent) = no_answer(status(link))? else { return Ok(()) };
        if Instant::now() < deadline {
            continue;
        }
        match last_resort {
            LastResort::GiveUp => return Err(silent.into()),
            LastResort::Reinitialise(within) => {
                tracing::warn!(path = link.path(), "tracker is silent; starting it again");
                link.send(&[0x19])?;
                deadline = Instant::now() + within;
                last_resort = LastResort::GiveUp;
            }
        }
    }
}

/// Takes silence for a state and not for an error.
fn no_answer<T>(answer: Result<T, TrackerError>) -> Result<Option<DeviceError>, TrackerError> {
    match answer {
        Ok(_) => Ok(None),
        Err(TrackerError::Device(silent @ DeviceError::NoAnswer { .. })) => Ok(Some(silent)),
        Err(error) => Err(error),
    }
}

/// The stations that will send records.
fn switch_stations(
    link: &mut Link<RecordDecoder>,
    options: &TrackerOptions,
    waits: Waits,
) -> Result<Vec<Station>, TrackerError> {
    let found = query_stations(link)?;
    let wanted = match &options.stations {
        StationOption::AsFound if found == [false; 4] => [true, false, false, false],
        StationOption::AsFound => found,
        StationOption::Only(stations) => Station::ALL.map(|station| stations.contains(&station)),
    };
    if wanted == [false; 4] {
        return Err(not_ready(link.path(), "no station is wanted"));
    }
    if wanted != found {
        for station in Station::ALL {
            let is_wanted = wanted[station.index()];
            if is_wanted != found[station.index()] {
                let switch = if is_wanted { Switch::On } else { Switch::Off };
                set(link, &Request::SetStation(station, switch), waits)?;
            }
        }
        if query_stations(link)? != wanted {
            return Err(not_ready(link.path(), "its stations do not switch as they were told"));
        }
    }
    Ok(Station::ALL.into_iter().filter(|station| wanted[station.index()]).collect())
}

fn query_stations(link: &mut Link<RecordDecoder>) -> Result<[bool; 4], TrackerError> {
    let Answer::Stations(is_on) = ask(link, &Request::QueryStations(Station::One))? else {
        return Err(not_ready(link.path(), "it did not say which stations are on"));
    };
    Ok(is_on)
}

/// What to set, in an order in which no setting undoes another.
fn settings(options: &TrackerOptions, stations: &[Station]) -> Vec<Request> {
    // Units first: they are also those of the numbers we send.
    let mut settings = vec![Request::SetUnits(Units::Centimetres)];
    for station in stations {
        settings.push(Request::SetOutputList(*station, options.list.clone()));
    }
    for station in stations {
        match options.alignment {
            AlignmentOption::AsFound => {}
            AlignmentOption::Reset => settings.push(Request::ResetAlignment(*station)),
            AlignmentOption::Set(alignment) => {
                // A new frame is given in terms of the old one.
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

fn status(link: &mut Link<RecordDecoder>) -> Result<Status, TrackerError> {
    let Answer::Status(status) = ask(link, &Request::QueryStatus)? else {
        return Err(not_ready(link.path(), "it did not say how it is"));
    };
    Ok(status)
}

/// Sends a query and gives what answers it.
pub(super) fn ask(
    link: &mut Link<RecordDecoder>,
    request: &Request,
) -> Result<Answer, TrackerError> {
    let (bytes, letter) = (encode(link, request)?, request.answer_letter());
    let answer = link.ask(&bytes, |incoming| {
        let record = incoming.into_control()?;
        let is_ours = Some(record.letter) == letter || record.letter == 'E';
        if is_ours { Answer::from_record(&record) } else { None }
    })?;
    match answer {
        Answer::Complaint(complaint) => Err(refused(link, request, complaint)),
        answer => Ok(answer),
    }
}

/// Sends a setting and waits for a complaint about it.
pub(super) fn set(
    link: &mut Link<RecordDecoder>,
    request: &Request,
    waits: Waits,
) -> Result<(), TrackerError> {
    let bytes = encode(link, request)?;
    link.send(&bytes)?;
    let complaint = |incoming: Incoming| {
        let answer = Answer::from_record(&incoming.into_control()?)?;
        if let Answer::Complaint(complaint) = answer { Some(complaint) } else { None }
    };
    match link.next(waits.complaint, complaint)? {
        None => Ok(()),
        Some(complaint) => Err(refused(link, request, complaint)),
    }
}

fn encode(link: &Link<RecordDecoder>, request: &Request) -> Result<Vec<u8>, TrackerError> {
    let unsendable = |source| TrackerError::Unsendable { path: link.path().to_owned(), source };
    request.encode().map_err(unsendable)
}

fn refused(link: &Link<RecordDecoder>, request: &Request, complaint: Complaint) -> TrackerError {
    let (path, request) = (link.path().to_owned(), format!("{request:?}"));
    TrackerError::Refused { path, request, complaint }
}

fn not_ready(path: &str, reason: &'static str) -> TrackerError {
    DeviceError::NotReady { path: path.to_owned(), reason }.into()
}
