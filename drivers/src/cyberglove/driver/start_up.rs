//! From an open line to a unit at rest that has said what it is, whatever the last host left.

use std::time::Duration;

use super::ask::{ABORT, ANSWER, Patience, QUIET, ask, query, tolerate};
use super::info::GloveInfo;
use super::options::{GloveOptions, Model, PeriodForm, RestartPolicy};
use crate::cyberglove::protocol::{ACTUATORS, Feature, Flag, GloveState, Query, Request, Switch};
use crate::serial::{DeviceError, SerialLine};

/// What is sent, one after the other, until the unit is silent and answers.
///
/// An abort ends a stream, but as a parameter of a command which the last host did not finish it is
/// swallowed: up to six bytes of a touch, 48 of a stored calibration. A line of text is ended by a
/// carriage return. The last ones wait for a unit that is just restarting. A command that was
/// completed in this way has set something to nonsense, which is why all settings that matter to
/// records are made anew; a sample period is, if the options have one.
const KNOCKS: [&[u8]; 6] =
    [&[ABORT], &[ABORT; 8], &[b'\r', ABORT], &[ABORT; 64], &[ABORT], &[ABORT]];
/// Longest wait for silence after one knock.
const SILENCE: Duration = Duration::from_millis(500);
/// For a look at a line on which there may be something else.
const SHORT: Patience = Patience { tries: 2, answer: Duration::from_millis(250) };

/// Is there a glove on this line? Leaves it silent if so.
///
/// For looking at a port of which nothing is known: it takes less than a second if there is no
/// glove, and sends nothing but aborts (0x03) and the question `?G` until that is answered.
pub fn identify(line: &mut SerialLine) -> Result<Option<GloveInfo>, DeviceError> {
    if !is_silent_after(line, &[ABORT])? && !is_silent_after(line, &[ABORT])? {
        return Ok(None);
    }
    match tolerate(query(line, Query::State, 0, SHORT))? {
        Some(state) => Ok(Some(GloveInfo::read(line, state)?)),
        None => Ok(None),
    }
}

/// Silences the unit and brings it to answer.
pub(super) fn wake(
    line: &mut SerialLine,
    options: &GloveOptions,
) -> Result<GloveState, DeviceError> {
    let mut failure = None;
    for knock in KNOCKS {
        match state_after(line, knock) {
            Ok(state) => return Ok(state),
            Err(error @ (DeviceError::HungUp { .. } | DeviceError::Stalled { .. })) => {
                return Err(error);
            }
            Err(error) => failure = Some(error),
        }
    }
    match (options.restart, options.model) {
        (RestartPolicy::LastResort, Model::Wired | Model::Two) => {
            tracing::warn!(path = line.path(), "the glove does not answer; restarting its unit");
            let restart = Request::Restart;
            // If it does not say that it is back, it may be back nevertheless.
            tolerate(ask(line, &restart, 0, Patience::with(&restart)))?;
            state_after(line, &[ABORT])
        }
        (RestartPolicy::LastResort, Model::Three) | (RestartPolicy::Never, _) => {
            Err(failure.expect("there is at least one knock"))
        }
    }
}

fn state_after(line: &mut SerialLine, knock: &[u8]) -> Result<GloveState, DeviceError> {
    if !is_silent_after(line, knock)? {
        let reason = "it keeps sending after it was told to stop; is this the right baud rate?";
        return Err(DeviceError::NotReady { path: line.path().to_owned(), reason });
    }
    let patience = Patience { tries: 1, answer: ANSWER };
    Ok(query(line, Query::State, 0, patience)?)
}

fn is_silent_after(line: &mut SerialLine, bytes: &[u8]) -> Result<bool, DeviceError> {
    line.write_all(bytes)?;
    line.drain_until_quiet(QUIET, SILENCE)
}

/// The settings that give records the shape which `options` ask for.
///
/// They are always made because settings outlive the host that made them: a status byte left on by
/// another program would make every record one byte longer than expected.
pub(super) fn settings(info: &GloveInfo, options: &GloveOptions) -> Vec<Request> {
    let mut settings = Vec::new();
    if let Some(flags) = info.flags {
        let clean = [Flag::BinarySync, Flag::AsciiSync, Flag::Quantised]
            .into_iter()
            .fold(flags, |flags, flag| flags.with(flag, Switch::Off));
        if clean != flags {
            settings.push(Request::SetFlags(clean));
        }
    }
    settings.extend([
        Request::SetSoftwareMask(info.hardware_mask),
        Request::SetValueCount(info.n_sensors as u8),
        Request::Turn(Feature::TimeStamp, options.time_stamp),
        Request::Turn(Feature::StatusByte, options.status_byte),
    ]);
    settings.extend(options.filter.map(|switch| Request::Turn(Feature::Filter, switch)));
    settings.extend(options.sample_period.map(|period| match options.period_form {
        PeriodForm::Ascii => Request::SetPeriodInAscii(period),
        PeriodForm::Binary => Request::SetPeriod(period),
    }));
    if info.flags.is_some_and(|flags| flags.contains(Flag::CyberTouch)) {
        // The last host may have died with its actuators on.
        settings.push(Request::TouchAll([0; ACTUATORS]));
    }
    settings
}
