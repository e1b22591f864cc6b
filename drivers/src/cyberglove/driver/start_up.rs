//! Start-up: brings a unit to rest and identifies it, in any state that the last host left.

use std::time::{Duration, Instant};

use super::exchange::{ABORT, ANSWER, QUIET, RetryPolicy, ask, query, tolerate};
use super::info::GloveInfo;
use super::options::{GloveOptions, Model, PeriodForm, RestartPolicy};
use crate::cyberglove::protocol::{ACTUATORS, Feature, Flag, GloveState, Query, Request, Switch};
use crate::serial::{DeviceError, SerialLine};

/// Byte sequences that are sent in turn until the unit is silent and answers.
///
/// An abort ends a stream. But if the last host did not finish a command, the unit takes the abort
/// as a parameter of that command: up to six bytes of a touch, 48 of a stored calibration. A line
/// of text is ended by a carriage return. The last two entries wait for a unit that is just
/// restarting. A command that was completed in this way has stored a wrong value. Therefore all
/// settings that affect records are sent again; the sample period only if the options have one.
const KNOCKS: [&[u8]; 6] =
    [&[ABORT], &[ABORT; 8], &[b'\r', ABORT], &[ABORT; 64], &[ABORT], &[ABORT]];
/// Longest wait for silence after one entry of `KNOCKS`.
const SILENCE: Duration = Duration::from_millis(500);
/// Longest wait for the answers of a unit that has answered late.
const LATEST: Duration = Duration::from_millis(1500);
/// Tries on a line on which there may be another device.
const SHORT: RetryPolicy = RetryPolicy { tries: 2, answer: Duration::from_millis(250) };

/// Identifies a CyberGlove on the line, and leaves it silent; `None` if none answers.
///
/// Safe on a port with an unknown device: it takes less than a second if there is no glove, and
/// sends only aborts (0x03) and the question `?G` until that question is answered.
pub fn identify(line: &mut SerialLine) -> Result<Option<GloveInfo>, DeviceError> {
    identify_with(line, SHORT)
}

/// Same as [`identify`], for a glove that answers late, at most after `answer`.
pub(crate) fn identify_within(
    line: &mut SerialLine,
    answer: Duration,
) -> Result<Option<GloveInfo>, DeviceError> {
    identify_with(line, RetryPolicy { tries: 2, answer })
}

fn identify_with(
    line: &mut SerialLine,
    patience: RetryPolicy,
) -> Result<Option<GloveInfo>, DeviceError> {
    if !is_silent_after(line, &[ABORT])? && !is_silent_after(line, &[ABORT])? {
        return Ok(None);
    }
    match tolerate(query(line, Query::State, 0, patience))? {
        Some(state) => Ok(Some(GloveInfo::read(line, state, patience.answer.max(ANSWER))?)),
        None => Ok(None),
    }
}

/// Silences the unit and waits until it answers. Returns its state, and the longest wait for its
/// next answers: longer if it did not answer the first question in time.
pub(super) fn wake(
    line: &mut SerialLine,
    options: &GloveOptions,
) -> Result<(GloveState, Duration), DeviceError> {
    let (asked, mut failure) = (Instant::now(), None);
    for knock in KNOCKS {
        match state_after(line, knock) {
            Ok(state) if failure.is_none() => return Ok((state, ANSWER)),
            Ok(state) => return Ok((state, asked.elapsed().clamp(ANSWER, LATEST))),
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
            // A unit that does not report the end of its restart may have restarted nevertheless.
            tolerate(ask(line, &restart, 0, RetryPolicy::with(&restart)))?;
            Ok((state_after(line, &[ABORT])?, ANSWER))
        }
        (RestartPolicy::LastResort, Model::Three) | (RestartPolicy::Never, _) => {
            Err(failure.expect("there is at least one knock"))
        }
    }
}

fn state_after(line: &mut SerialLine, knock: &[u8]) -> Result<GloveState, DeviceError> {
    if !is_silent_after(line, knock)? {
        let reason = "it keeps sending after the command to stop; is this the right baud rate?";
        return Err(DeviceError::NotReady { path: line.path().to_owned(), reason });
    }
    let patience = RetryPolicy { tries: 1, answer: ANSWER };
    Ok(query(line, Query::State, 0, patience)?)
}

fn is_silent_after(line: &mut SerialLine, bytes: &[u8]) -> Result<bool, DeviceError> {
    line.write_all(bytes)?;
    line.drain_until_quiet(QUIET, SILENCE)
}

/// The settings that give records the shape which `options` ask for.
///
/// These settings are always sent, because settings outlive the host that made them: a status byte
/// that another program left on would make every record one byte longer than expected.
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
