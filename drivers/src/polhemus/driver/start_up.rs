//! Start-up: brings a tracker from any state to that of the options.

use std::time::{Duration, Instant};

use super::FastrakInfo;
use super::error::TrackerError;
use super::fault_clearing::FaultClearing;
use super::found_state::{FoundState, form_of, switched, wanted_stations};
use super::options::{
    AlignmentOption, BoresightOption, HemisphereOption, LastResort, TrackerOptions,
};
use crate::decoded_line::{DecodedLine, StreamCommands};
use crate::polhemus::answer::{Answer, CommandError, Status};
use crate::polhemus::condition::meaning;
use crate::polhemus::protocol::Request;
use crate::polhemus::record::{Incoming, RecordDecoder};
use crate::polhemus::settings::{FilterOf, Station, Switch, Units};
use crate::serial::{DeviceError, SerialLine};

/// Length of a silence that proves that the tracker has stopped: many times its 8.3 ms cycle.
pub(in crate::polhemus) const QUIET: Duration = Duration::from_millis(200);
/// Longest wait for an answer to begin.
const ANSWER: Duration = Duration::from_millis(500);
/// Wait for an error after a setting; the unit does not acknowledge settings.
const ERROR: Duration = Duration::from_millis(50);
/// Knocks at a silent unit, and the wait after the last one in `ANSWER`s.
const KNOCKS: u32 = 3;
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
    let decoder =
        RecordDecoder::new(&format).map_err(|source| TrackerError::Unreadable { path, source })?;
    line.replace_decoder(decoder);
    Ok(())
}

/// Brings a unit in any state to that of the options.
///
/// Notes in `memory` how it was found, before the first change.
pub(super) fn open(
    mut line: SerialLine,
    options: &TrackerOptions,
    timeouts: Timeouts,
    memory: &mut Option<FoundState>,
) -> Result<(DecodedLine<RecordDecoder>, FastrakInfo), TrackerError> {
    silence(&mut line)?;
    let mut line = decoded_line(line, options, timeouts)?;
    let status = wake(&mut line, options)?;
    let info = set_up(&mut line, options, timeouts, &status, memory)?;
    // What came before the unit was set up was made of answers, not of records.
    line.forget_past_counts();
    Ok((line, info))
}

/// Sets a silent unit up. If that fails, puts it back.
pub(super) fn set_up(
    line: &mut DecodedLine<RecordDecoder>,
    options: &TrackerOptions,
    timeouts: Timeouts,
    status: &Status,
    memory: &mut Option<FoundState>,
) -> Result<FastrakInfo, TrackerError> {
    let now = FoundState::ask_for(line, options, status)?;
    let stations = now.stations();
    let found = memory.insert(now.or_earlier(memory.as_ref(), options)).clone();
    if status.built_in_test.is_some() {
        line.send(FaultClearing::COMMAND)?;
    }
    let configured = configure(line, options, timeouts, stations);
    if let Err(error) = &configured
        && !matches!(error, TrackerError::Device(DeviceError::HungUp { .. }))
        && found.restore(line, options, timeouts).is_ok()
    {
        *memory = None;
    }
    let earlier_fault = status.built_in_test.and_then(fault_in_words);
    Ok(FastrakInfo { earlier_fault, ..configured? })
}

/// The fault with this number, which is the code of its error character.
fn fault_in_words(number: u16) -> Option<&'static str> {
    u8::try_from(number).ok().map(|code| meaning(char::from(code)))
}

/// Sends the settings, for a unit on which these stations are on, and checks them.
fn configure(
    line: &mut DecodedLine<RecordDecoder>,
    options: &TrackerOptions,
    timeouts: Timeouts,
    found: [bool; 4],
) -> Result<FastrakInfo, TrackerError> {
    let stations = switch_stations(line, options, timeouts, found)?;
    listen_to(line, options, &stations)?;
    for request in settings(options, &stations) {
        set(line, &request, timeouts)?;
    }
    let status = status(line)?;
    if form_of(&status) != options.form || !status.is_in_centimetres {
        let reason = "it did not switch to centimetres and to the form of records in the options";
        return Err(not_ready(line.path(), reason));
    }
    let stations = stations.into_iter().map(Station::number).collect();
    let (version, id) = (status.version, status.id);
    Ok(FastrakInfo { version, id, stations, earlier_fault: None })
}

/// True if the unit still has the settings that matter for its records.
pub(super) fn is_set_up(
    line: &mut DecodedLine<RecordDecoder>,
    options: &TrackerOptions,
    status: &Status,
    stations: &[u8],
) -> Result<bool, TrackerError> {
    if form_of(status) != options.form || !status.is_in_centimetres {
        return Ok(false);
    }
    let is_on = Station::ALL.map(|station| stations.contains(&station.number()));
    if query_stations(line)? != is_on {
        return Ok(false);
    }
    for station in Station::ALL.into_iter().filter(|station| is_on[station.index()]) {
        let answer = ask(line, &Request::QueryOutputList(station))?;
        if answer != Answer::OutputList(options.list.clone()) {
            return Ok(false);
        }
    }
    Ok(true)
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
) -> Result<Status, TrackerError> {
    let asked = Instant::now();
    if let Ok(status) = status_within(line, ANSWER)? {
        return Ok(status);
    }
    let mut deadline = asked + options.patience;
    let (mut last_resort, mut n_knocks) = (options.last_resort, 0);
    loop {
        n_knocks += 1;
        // The unit's output may be suspended, or it waits for the end of a line which the last host
        // did not finish.
        line.send(b"\x11\r")?;
        line.stop_stream()?;
        // Later knocks wait longer, for a unit that answers late.
        let silent = match status_within(line, ANSWER * n_knocks.min(KNOCKS))? {
            Ok(status) => {
                line.expect_late_answers(asked.elapsed())?;
                return Ok(status);
            }
            Err(silent) => silent,
        };
        if n_knocks < KNOCKS || Instant::now() < deadline {
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

/// Asks for the status; the inner error is that of a unit that does not answer `within` this time.
fn status_within(
    line: &mut DecodedLine<RecordDecoder>,
    within: Duration,
) -> Result<Result<Status, DeviceError>, TrackerError> {
    let request = Request::QueryStatus;
    match line.ask_undamaged(&encode(line, &request)?, within, answer_to(&request)) {
        Ok(Answer::Status(status)) => Ok(Ok(status)),
        Ok(_) => Err(not_ready(line.path(), "it did not report its status")),
        Err(silent @ DeviceError::NoAnswer { .. }) => Ok(Err(silent)),
        Err(error) => Err(error.into()),
    }
}

/// Switches the stations as the options say; returns those that will send records.
fn switch_stations(
    line: &mut DecodedLine<RecordDecoder>,
    options: &TrackerOptions,
    timeouts: Timeouts,
    found: [bool; 4],
) -> Result<Vec<Station>, TrackerError> {
    let wanted = switched(options, found);
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
    Ok(wanted_stations(options, found))
}

pub(super) fn query_stations(
    line: &mut DecodedLine<RecordDecoder>,
) -> Result<[bool; 4], TrackerError> {
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

pub(super) fn status(line: &mut DecodedLine<RecordDecoder>) -> Result<Status, TrackerError> {
    let Answer::Status(status) = ask(line, &Request::QueryStatus)? else {
        return Err(not_ready(line.path(), "it did not report its status"));
    };
    Ok(status)
}

/// Asks for the status, without the further tries of [`status`].
pub(super) fn status_soon(line: &mut DecodedLine<RecordDecoder>) -> Result<Status, TrackerError> {
    let within = line.patience().max(4 * ANSWER);
    Ok(status_within(line, within)??)
}

/// Sends a query and returns its answer.
pub(super) fn ask(
    line: &mut DecodedLine<RecordDecoder>,
    request: &Request,
) -> Result<Answer, TrackerError> {
    let bytes = encode(line, request)?;
    let answer = line.ask(&bytes, answer_to(request))?;
    unless_refused(line, request, answer)
}

/// Sends a query that the unit may not know, and waits for its answer `within` this time. Silence
/// does not make it ask again, or wait for longer in future.
pub(super) fn ask_tentatively(
    line: &mut DecodedLine<RecordDecoder>,
    request: &Request,
    within: Duration,
) -> Result<Answer, TrackerError> {
    let bytes = encode(line, request)?;
    let answer = line.ask_undamaged(&bytes, within, answer_to(request))?;
    unless_refused(line, request, answer)
}

/// Picks the answer to `request`, or its refusal.
fn answer_to(request: &Request) -> impl Fn(Incoming) -> Option<Answer> + use<> {
    let letter = request.answer_letter();
    move |incoming| {
        let record = incoming.into_control()?;
        let is_ours = Some(record.letter) == letter || record.letter == 'E';
        if is_ours { Answer::from_record(&record) } else { None }
    }
}

fn unless_refused(
    line: &DecodedLine<RecordDecoder>,
    request: &Request,
    answer: Answer,
) -> Result<Answer, TrackerError> {
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

pub(super) fn not_ready(path: &str, reason: &'static str) -> TrackerError {
    DeviceError::NotReady { path: path.to_owned(), reason }.into()
}
