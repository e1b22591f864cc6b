//! The state in which a tracker was found, and the way back to it.
//!
//! A unit keeps its settings when a program ends. The next program would read centimetres as
//! inches, or binary records as text. Therefore the driver asks for all settings before it changes
//! them, and puts them back at the end.

use super::error::TrackerError;
use super::options::{StationOption, TrackerOptions};
use super::start_up::{self, Timeouts, ask, query_stations, set, status};
use crate::decoded_line::DecodedLine;
use crate::polhemus::answer::{Answer, Status};
use crate::polhemus::output::OutputList;
use crate::polhemus::protocol::Request;
use crate::polhemus::record::RecordDecoder;
use crate::polhemus::settings::{
    Filter, FilterOf, FilterParameters, Form, Station, StylusMode, Switch, Units,
};
use crate::serial::DeviceError;

type Line = DecodedLine<RecordDecoder>;

/// Settings of a unit before this driver changed them. `None` for those that the unit did not tell.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundState {
    form: Form,
    units: Units,
    stations: [bool; 4],
    /// Output list of each station whose list the driver sets.
    lists: [Option<OutputList>; 4],
    attitude_filter: Option<FilterParameters>,
    position_filter: Option<FilterParameters>,
    stylus: Option<StylusMode>,
}

impl FoundState {
    /// Asks a silent unit for its settings; `status` is known already.
    pub(super) fn ask_for(
        line: &mut Line,
        options: &TrackerOptions,
        status: &Status,
    ) -> Result<Self, TrackerError> {
        let stations = query_stations(line)?;
        let mut lists = [const { None }; 4];
        for station in wanted_stations(options, stations) {
            let answer = unless_unanswered(ask(line, &Request::QueryOutputList(station)))?;
            if let Some(Answer::OutputList(list)) = answer {
                lists[station.index()] = Some(list);
            }
        }
        Ok(Self {
            form: form_of(status),
            units: units_of(status),
            stations,
            lists,
            attitude_filter: filter(line, FilterOf::Attitude)?,
            position_filter: filter(line, FilterOf::Position)?,
            stylus: stylus(line)?,
        })
    }

    /// This state, but with the settings of an `earlier` one where a setting is now as this driver
    /// sets it: the unit was lost before it could be put back.
    pub(super) fn or_earlier(self, earlier: Option<&Self>, options: &TrackerOptions) -> Self {
        let Some(earlier) = earlier else { return self };
        let mut merged = self;
        if merged.form == options.form {
            merged.form = earlier.form;
        }
        if merged.units == Units::Centimetres {
            merged.units = earlier.units;
        }
        if matches!(options.stations, StationOption::Only(_))
            && merged.stations == switched(options, merged.stations)
        {
            merged.stations = earlier.stations;
        }
        for (list, earlier) in merged.lists.iter_mut().zip(&earlier.lists) {
            if list.as_ref().is_none_or(|list| *list == options.list) && earlier.is_some() {
                list.clone_from(earlier);
            }
        }
        // The numbers of a named filter are not documented.
        merged.attitude_filter = earlier.attitude_filter;
        merged.position_filter = earlier.position_filter;
        if merged.stylus == Some(options.stylus) {
            merged.stylus = earlier.stylus;
        }
        merged
    }

    /// The stations that are on.
    pub(super) fn stations(&self) -> [bool; 4] {
        self.stations
    }

    /// Puts the unit back, and reads back what can be read back.
    pub(super) fn restore(
        &self,
        line: &mut Line,
        options: &TrackerOptions,
        timeouts: Timeouts,
    ) -> Result<(), TrackerError> {
        line.stop_stream()?;
        let mut refused = None;
        // A second time if a command was lost on the line.
        for _ in 0..2 {
            for request in self.requests(options) {
                match set(line, &request, timeouts) {
                    Ok(()) => {}
                    Err(error @ TrackerError::Refused { .. }) => refused = Some(error),
                    Err(error) => return Err(error),
                }
            }
            if self.is_restored(line)? {
                return refused.map_or(Ok(()), Err);
            }
        }
        let reason = "it did not go back to the settings in which it was found";
        Err(refused.unwrap_or_else(|| start_up::not_ready(line.path(), reason)))
    }

    /// The way back, in an order in which no setting undoes another.
    fn requests(&self, options: &TrackerOptions) -> Vec<Request> {
        let mut requests = Vec::new();
        for station in Station::ALL {
            if let Some(list) = &self.lists[station.index()]
                && *list != options.list
            {
                requests.push(Request::SetOutputList(station, list.clone()));
            }
        }
        let ours = switched(options, self.stations);
        for station in Station::ALL {
            let was_on = self.stations[station.index()];
            if was_on != ours[station.index()] {
                let switch = if was_on { Switch::On } else { Switch::Off };
                requests.push(Request::SetStation(station, switch));
            }
        }
        requests.extend(self.filter_requests(options));
        if let Some(stylus) = self.stylus.filter(|stylus| *stylus != options.stylus) {
            requests.push(Request::SetStylusMode(Station::One, stylus));
        }
        // Units last: they also apply to the numbers of other settings.
        requests.push(Request::SetForm(self.form));
        requests.push(Request::SetUnits(self.units));
        requests
    }

    /// The way back to the filters. Filters that were off come first: a unit may switch off both.
    fn filter_requests(&self, options: &TrackerOptions) -> Vec<Request> {
        let filters = [
            (FilterOf::Attitude, self.attitude_filter, options.attitude_filter),
            (FilterOf::Position, self.position_filter, options.position_filter),
        ];
        let is_unchanged = |(_, found, ours): &(_, Option<FilterParameters>, Filter)| {
            found.is_none_or(is_off) && *ours == Filter::Off
        };
        if filters.iter().all(is_unchanged) {
            return Vec::new();
        }
        let way_back = |(of, found, _): (_, Option<FilterParameters>, _)| {
            // A unit may refuse the numbers of a filter that is off.
            found.map(|found| match is_off(found) {
                true => (of, Filter::Off),
                false => (of, Filter::Custom(found)),
            })
        };
        let mut wanted: Vec<_> = filters.into_iter().filter_map(way_back).collect();
        wanted.sort_by_key(|(_, filter)| *filter != Filter::Off);
        wanted.into_iter().map(|(of, filter)| Request::SetFilter(of, filter)).collect()
    }

    fn is_restored(&self, line: &mut Line) -> Result<bool, TrackerError> {
        let status = status(line)?;
        if form_of(&status) != self.form
            || units_of(&status) != self.units
            || query_stations(line)? != self.stations
        {
            return Ok(false);
        }
        for station in Station::ALL {
            let Some(list) = &self.lists[station.index()] else { continue };
            let answer = ask(line, &Request::QueryOutputList(station))?;
            if answer != Answer::OutputList(list.clone()) {
                return Ok(false);
            }
        }
        let filters = [
            (FilterOf::Attitude, self.attitude_filter),
            (FilterOf::Position, self.position_filter),
        ];
        for (of, found) in filters {
            let Some(found) = found else { continue };
            let answer = ask(line, &Request::QueryFilter(of))?;
            if !matches!(answer, Answer::Filter(_, now) if is_same_filter(now, found)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What the next program finds changed if the unit is not put back after it was set up; `None`
    /// if that is nothing.
    pub(super) fn changes(&self, options: &TrackerOptions) -> Option<String> {
        let mut changes = Vec::new();
        if self.units == Units::Inches {
            changes.push("centimetres instead of inches");
        }
        match (self.form, options.form) {
            (Form::Ascii, Form::Binary) => changes.push("binary records instead of text"),
            (Form::Binary, Form::Ascii) => changes.push("text records instead of binary"),
            (Form::Ascii, Form::Ascii) | (Form::Binary, Form::Binary) => {}
        }
        if self.lists.iter().flatten().any(|list| *list != options.list) {
            changes.push("another output list");
        }
        if self.stations != switched(options, self.stations) {
            changes.push("other stations on");
        }
        let filters = [
            (self.attitude_filter, options.attitude_filter),
            (self.position_filter, options.position_filter),
        ];
        if filters.iter().any(|(found, ours)| found.is_some_and(|found| !is_set_to(found, *ours))) {
            changes.push("other filters");
        }
        if filters.iter().any(|(found, _)| found.is_none()) {
            changes.push("perhaps other filters (the unit does not tell them)");
        }
        match self.stylus {
            Some(stylus) if stylus == options.stylus => {}
            Some(_) => changes.push("another mode of the stylus"),
            None => changes.push("perhaps another mode of the stylus (the unit does not tell it)"),
        }
        (!changes.is_empty()).then(|| changes.join(", "))
    }
}

/// The stations that are on after the driver has switched them, if these are on before.
pub(super) fn switched(options: &TrackerOptions, found: [bool; 4]) -> [bool; 4] {
    match &options.stations {
        StationOption::AsFound if found == [false; 4] => [true, false, false, false],
        StationOption::AsFound => found,
        StationOption::Only(stations) => Station::ALL.map(|station| stations.contains(&station)),
    }
}

pub(super) fn wanted_stations(options: &TrackerOptions, found: [bool; 4]) -> Vec<Station> {
    let wanted = switched(options, found);
    Station::ALL.into_iter().filter(|station| wanted[station.index()]).collect()
}

pub(super) fn form_of(status: &Status) -> Form {
    if status.is_binary { Form::Binary } else { Form::Ascii }
}

fn units_of(status: &Status) -> Units {
    if status.is_in_centimetres { Units::Centimetres } else { Units::Inches }
}

/// The numbers of a filter. A unit that does not tell them is asked once.
fn filter(line: &mut Line, of: FilterOf) -> Result<Option<FilterParameters>, TrackerError> {
    let within = line.patience();
    let answer = start_up::ask_tentatively(line, &Request::QueryFilter(of), within);
    Ok(match unless_unanswered(answer)? {
        Some(Answer::Filter(_, parameters)) => Some(parameters),
        _ => None,
    })
}

/// The mode of the stylus. The manual does not say that it can be asked for, so the question is
/// asked once, and not waited for longer than for other answers.
fn stylus(line: &mut Line) -> Result<Option<StylusMode>, TrackerError> {
    let within = line.patience() / 2;
    let answer = start_up::ask_tentatively(line, &Request::QueryStylusMode(Station::One), within);
    Ok(match unless_unanswered(answer)? {
        Some(Answer::StylusMode(mode)) => Some(mode),
        _ => None,
    })
}

/// Turns the error of a unit that does not answer a question, or does not know it, into `None`.
fn unless_unanswered<T>(answer: Result<T, TrackerError>) -> Result<Option<T>, TrackerError> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(TrackerError::Refused { .. } | TrackerError::Device(DeviceError::NoAnswer { .. })) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// True for the numbers of a filter that follows every change.
fn is_off(found: FilterParameters) -> bool {
    found.sensitivity == 0.0 && found.low == 1.0
}

/// True if a filter with the numbers `found` is already as it is to be set. The numbers of a named
/// filter are not documented.
fn is_set_to(found: FilterParameters, ours: Filter) -> bool {
    match ours {
        Filter::Off => is_off(found),
        Filter::Custom(numbers) => is_same_filter(found, numbers),
        Filter::Low | Filter::Medium | Filter::Heavy => false,
    }
}

/// True if two filters do the same, as far as their numbers in answers tell.
fn is_same_filter(one: FilterParameters, other: FilterParameters) -> bool {
    /// Answers have three decimals.
    const ROUNDING: f64 = 1e-3;
    let numbers =
        |filter: FilterParameters| [filter.sensitivity, filter.low, filter.high, filter.factor];
    (is_off(one) && is_off(other))
        || numbers(one).iter().zip(numbers(other)).all(|(a, b)| (a - b).abs() <= ROUNDING)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OFF: FilterParameters =
        FilterParameters { sensitivity: 0.0, low: 1.0, high: 0.0, factor: 0.0 };

    /// A unit that was found exactly as `options` set it.
    fn as_set(options: &TrackerOptions) -> FoundState {
        let list = Some(options.list.clone());
        FoundState {
            form: options.form,
            units: Units::Centimetres,
            stations: [true, false, false, false],
            lists: [list, None, None, None],
            attitude_filter: Some(OFF),
            position_filter: Some(OFF),
            stylus: Some(options.stylus),
        }
    }

    #[test]
    fn only_changes_that_were_made_are_named_and_settings_never_told_as_possible() {
        let off = TrackerOptions {
            attitude_filter: Filter::Off,
            position_filter: Filter::Off,
            ..TrackerOptions::default()
        };
        let found = as_set(&off);
        assert_eq!(found.changes(&off), None);
        let heavy = TrackerOptions { position_filter: Filter::Heavy, ..off.clone() };
        assert_eq!(found.changes(&heavy).unwrap(), "other filters");
        let inches = FoundState { units: Units::Inches, ..found.clone() };
        assert_eq!(inches.changes(&off).unwrap(), "centimetres instead of inches");
        let untold = FoundState { stylus: None, ..found };
        let said = untold.changes(&off).unwrap();
        assert_eq!(said, "perhaps another mode of the stylus (the unit does not tell it)");
    }

    #[test]
    fn filters_are_compared_as_far_as_answers_tell_them() {
        let mild = FilterParameters { sensitivity: 0.1, low: 0.2, high: 0.8, factor: 0.9 };
        let rounded = FilterParameters { sensitivity: 0.1004, ..mild };
        assert!(is_same_filter(mild, rounded));
        assert!(!is_same_filter(mild, FilterParameters { factor: 0.95, ..mild }));
        assert!(is_same_filter(OFF, FilterParameters { high: 1.0, ..OFF }), "both are off");
        assert!(!is_same_filter(OFF, mild));
    }
}
