//! The tracker's protocol: requests to bytes. No I/O.
//!
//! Commands are case-sensitive ASCII. Those with parameters end with a carriage return; the others
//! act at once. A setting gets a reply only if it is wrong. A command without its parameters reads
//! the setting back.

mod line;

use super::output::OutputList;
use super::settings::{
    Alignment, AngularEnvelope, Filter, FilterOf, Form, PortBits, PortParity, PortSettings,
    PositionEnvelope, Station, StylusMode, Switch, SyncMode, Units,
};
use line::Line;

/// A request to the tracker. Requests whose name begins with `Query` get an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Asks for one data record from each active station.
    OneRecord,
    ContinuousOn,
    ContinuousOff,
    /// Ends a line which an earlier host may have left unfinished.
    EndLine,
    QueryStatus,
    SetForm(Form),
    SetUnits(Units),
    /// Switches the compensation for fixed metal.
    SetCompensation(Switch),
    FactoryDefaults,
    SetOutputList(Station, OutputList),
    QueryOutputList(Station),
    SetStation(Station, Switch),
    /// Asks which stations are on; the answer holds all four.
    QueryStations(Station),
    SetAlignment(Station, Alignment),
    ResetAlignment(Station),
    QueryAlignment(Station),
    /// Lets the user define the new frame by three presses of the stylus.
    GuidedAlignment,
    /// Makes the present attitude the reference attitude.
    Boresight(Station),
    ResetBoresight(Station),
    /// Azimuth, elevation and roll, in degrees, that a receiver has after a boresight.
    SetBoresightAngles(Station, [f64; 3]),
    QueryBoresightAngles(Station),
    /// Direction of the half-space in which the receiver is; at zero the unit follows the receiver.
    SetHemisphere(Station, [f64; 3]),
    QueryHemisphere(Station),
    /// Movement of the receiver after which a record is sent, in centimetres.
    SetIncrement(Station, f64),
    QueryIncrement(Station),
    /// Vector from the receiver to the tip of the stylus, in centimetres.
    SetTipOffset(Station, [f64; 3]),
    QueryTipOffset(Station),
    SetPositionEnvelope(Station, PositionEnvelope),
    QueryPositionEnvelope(Station),
    SetAngularEnvelope(Station, AngularEnvelope),
    QueryAngularEnvelope(Station),
    /// Azimuth, elevation and roll of the transmitter's mounting, in degrees.
    SetTransmitterMounting(Station, [f64; 3]),
    QueryTransmitterMounting(Station),
    /// Sets a filter. The named strengths of the attitude filter also change the position filter,
    /// so set the position filter last.
    SetFilter(FilterOf, Filter),
    QueryFilter(FilterOf),
    SetSync(SyncMode),
    QuerySync,
    SetStylusMode(Station, StylusMode),
    /// The manual names no answer to this question; units answer other questions of this form.
    QueryStylusMode(Station),
    QueryBuiltInTest(Station),
    ClearBuiltInTest(Station),
    /// Name of the unit: up to 32 printable characters.
    SetName(String),
    QueryName,
    SetPort(PortSettings),
    /// Saves the settings in the unit's memory; takes several seconds.
    SaveSettings,
    /// Restarts the unit; takes 10 s, or 20 s with clones.
    Reinitialise,
    /// Suspends all output until [`Self::Resume`].
    Suspend,
    Resume,
}

/// Reason why a request cannot be sent.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum RequestError {
    #[error("the tracker cannot read the number {0}, expected less than 10000 in size")]
    Number(f64),
    #[error("the name has {0} characters, expected at most {MAX_NAME} printable ones")]
    Name(usize),
    #[error("no tracker has {0} baud, expected 300 or 1200 to 115200")]
    Baud(u32),
    #[error("the request would change the form of records, which only the options at opening may")]
    ChangesRecords,
}

const MAX_NAME: usize = 32;

impl Request {
    /// The bytes to send.
    pub fn encode(&self) -> Result<Vec<u8>, RequestError> {
        let immediate = |byte| Ok(vec![byte]);
        match self {
            Self::OneRecord => immediate(b'P'),
            Self::ContinuousOn => immediate(b'C'),
            Self::ContinuousOff => immediate(b'c'),
            Self::EndLine => immediate(b'\r'),
            Self::QueryStatus => immediate(b'S'),
            Self::SetForm(Form::Ascii) => immediate(b'F'),
            Self::SetForm(Form::Binary) => immediate(b'f'),
            Self::SetUnits(Units::Inches) => immediate(b'U'),
            Self::SetUnits(Units::Centimetres) => immediate(b'u'),
            Self::SetCompensation(Switch::On) => immediate(b'D'),
            Self::SetCompensation(Switch::Off) => immediate(b'd'),
            Self::FactoryDefaults => immediate(b'W'),
            Self::SaveSettings => immediate(0x0B),
            Self::Reinitialise => immediate(0x19),
            Self::Suspend => immediate(0x13),
            Self::Resume => immediate(0x11),
            Self::SetOutputList(station, list) => {
                let numbers = list.items().iter().map(|item| f64::from(item.number()));
                Line::at('O', *station).fields(numbers)?.end()
            }
            Self::SetStation(station, switch) => {
                Line::at('l', *station).fields([on_off(*switch)])?.end()
            }
            Self::SetAlignment(station, alignment) => {
                let Alignment { origin_cm, on_x_axis_cm, on_y_axis_cm } = *alignment;
                let points = [origin_cm, on_x_axis_cm, on_y_axis_cm];
                Line::at('A', *station).fields(points.into_iter().flatten())?.end()
            }
            Self::ResetAlignment(station) => Line::at('R', *station).end(),
            Self::GuidedAlignment => Line::new('A').text("0").end(),
            Self::Boresight(station) => Line::at('B', *station).end(),
            Self::ResetBoresight(station) => Line::at('b', *station).end(),
            Self::SetBoresightAngles(station, deg) => Line::at('G', *station).fields(*deg)?.end(),
            Self::SetHemisphere(station, zenith) => Line::at('H', *station).fields(*zenith)?.end(),
            Self::SetIncrement(station, cm) => Line::at('I', *station).fields([*cm])?.end(),
            Self::SetTipOffset(station, cm) => Line::at('N', *station).fields(*cm)?.end(),
            Self::SetPositionEnvelope(station, PositionEnvelope { max_cm, min_cm }) => {
                Line::at('V', *station).fields([*max_cm, *min_cm].into_iter().flatten())?.end()
            }
            Self::SetAngularEnvelope(station, AngularEnvelope { max_deg, min_deg }) => {
                Line::at('Q', *station).fields([*max_deg, *min_deg].into_iter().flatten())?.end()
            }
            Self::SetTransmitterMounting(station, deg) => {
                Line::at('r', *station).fields(*deg)?.end()
            }
            Self::SetFilter(of, filter) => filter_line(*of, *filter),
            Self::SetSync(mode) => {
                let digit = match mode {
                    SyncMode::Internal => "0",
                    SyncMode::External => "1",
                    SyncMode::Video => "2",
                };
                Line::new('y').text(digit).end()
            }
            Self::SetStylusMode(station, mode) => {
                let digit = match mode {
                    StylusMode::Mouse => 0.0,
                    StylusMode::PointTrack => 1.0,
                };
                Line::at('e', *station).fields([digit])?.end()
            }
            Self::ClearBuiltInTest(station) => Line::at('T', *station).fields([0.0])?.end(),
            Self::SetName(name) => {
                let is_printable = name.bytes().all(|byte| matches!(byte, b' '..=b'~'));
                if name.is_empty() || name.len() > MAX_NAME || !is_printable {
                    return Err(RequestError::Name(name.chars().count()));
                }
                Line::new('X').text(name).end()
            }
            Self::SetPort(settings) => port_line(settings),
            Self::QueryOutputList(station) => Line::at('O', *station).end(),
            Self::QueryStations(station) => Line::at('l', *station).end(),
            Self::QueryAlignment(station) => Line::at('A', *station).end(),
            Self::QueryBoresightAngles(station) => Line::at('G', *station).end(),
            Self::QueryHemisphere(station) => Line::at('H', *station).end(),
            Self::QueryIncrement(station) => Line::at('I', *station).end(),
            Self::QueryTipOffset(station) => Line::at('N', *station).end(),
            Self::QueryPositionEnvelope(station) => Line::at('V', *station).end(),
            Self::QueryAngularEnvelope(station) => Line::at('Q', *station).end(),
            Self::QueryTransmitterMounting(station) => Line::at('r', *station).end(),
            Self::QueryStylusMode(station) => Line::at('e', *station).end(),
            Self::QueryBuiltInTest(station) => Line::at('T', *station).end(),
            Self::QueryFilter(of) => Line::new(filter_letter(*of)).end(),
            Self::QuerySync => Line::new('y').end(),
            Self::QueryName => Line::new('X').end(),
        }
    }

    /// Letter of the control record that answers this request; `None` if there is no answer, or if
    /// the answer is data.
    pub fn answer_letter(&self) -> Option<char> {
        match self {
            Self::QueryStatus => Some('S'),
            Self::QueryOutputList(_) => Some('O'),
            Self::QueryStations(_) => Some('l'),
            Self::QueryAlignment(_) => Some('A'),
            Self::QueryBoresightAngles(_) => Some('G'),
            Self::QueryHemisphere(_) => Some('H'),
            Self::QueryIncrement(_) => Some('I'),
            Self::QueryTipOffset(_) => Some('N'),
            Self::QueryPositionEnvelope(_) => Some('V'),
            Self::QueryAngularEnvelope(_) => Some('Q'),
            Self::QueryTransmitterMounting(_) => Some('r'),
            Self::QueryFilter(of) => Some(filter_letter(*of)),
            Self::QuerySync => Some('y'),
            Self::QueryStylusMode(_) => Some('e'),
            Self::QueryBuiltInTest(_) => Some('T'),
            Self::QueryName => Some('X'),
            Self::OneRecord
            | Self::ContinuousOn
            | Self::ContinuousOff
            | Self::EndLine
            | Self::SetForm(_)
            | Self::SetUnits(_)
            | Self::SetCompensation(_)
            | Self::FactoryDefaults
            | Self::SetOutputList(..)
            | Self::SetStation(..)
            | Self::SetAlignment(..)
            | Self::ResetAlignment(_)
            | Self::GuidedAlignment
            | Self::Boresight(_)
            | Self::ResetBoresight(_)
            | Self::SetBoresightAngles(..)
            | Self::SetHemisphere(..)
            | Self::SetIncrement(..)
            | Self::SetTipOffset(..)
            | Self::SetPositionEnvelope(..)
            | Self::SetAngularEnvelope(..)
            | Self::SetTransmitterMounting(..)
            | Self::SetFilter(..)
            | Self::SetSync(_)
            | Self::SetStylusMode(..)
            | Self::ClearBuiltInTest(_)
            | Self::SetName(_)
            | Self::SetPort(_)
            | Self::SaveSettings
            | Self::Reinitialise
            | Self::Suspend
            | Self::Resume => None,
        }
    }
}

fn on_off(switch: Switch) -> f64 {
    match switch {
        Switch::Off => 0.0,
        Switch::On => 1.0,
    }
}

fn filter_letter(of: FilterOf) -> char {
    match of {
        FilterOf::Attitude => 'v',
        FilterOf::Position => 'x',
    }
}

fn filter_line(of: FilterOf, filter: Filter) -> Result<Vec<u8>, RequestError> {
    let line = Line::new(filter_letter(of));
    match filter {
        Filter::Off => line.text("2").end(),
        Filter::Low => line.text("3").end(),
        Filter::Medium => line.text("4").end(),
        Filter::Heavy => line.text("5").end(),
        Filter::Custom(numbers) => line
            .number(numbers.sensitivity)?
            .fields([numbers.low, numbers.high, numbers.factor])?
            .end(),
    }
}

fn port_line(settings: &PortSettings) -> Result<Vec<u8>, RequestError> {
    let PortSettings { baud, parity, bits, handshake } = *settings;
    if !matches!(baud, 300 | 1200 | 2400 | 4800 | 9600 | 19_200 | 38_400 | 57_600 | 115_200) {
        return Err(RequestError::Baud(baud));
    }
    let parity = match parity {
        PortParity::None => ",N",
        PortParity::Odd => ",O",
        PortParity::Even => ",E",
    };
    let bits = match bits {
        PortBits::Seven => 7.0,
        PortBits::Eight => 8.0,
    };
    let line = Line::new('o').number(f64::from(baud / 100))?.text(parity);
    line.fields([bits, on_off(handshake)])?.end()
}

#[cfg(test)]
mod tests;
