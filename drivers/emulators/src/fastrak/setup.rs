//! Executes command lines: settings, and questions for settings.

use std::time::Instant;

use super::options::TrackerOptions;
use super::output_item::Item;
use super::record::columns;
use super::request::{Code, Refusal, Request, refuse, set_numbers};
use super::settings::{FACTORY_ALIGNMENT_CM, NO_FILTER, StylusMode};
use super::{Tracker, error_texts, rotation};
use crate::send_queue::SendQueue;

/// Most items in an output list.
const MAX_ITEMS: usize = 32;
/// Longest record of an output list, in bytes.
const MAX_RECORD: usize = 254;

/// Answer to a command line: the text after record type and letter, or `None` for a setting.
type Answer = Result<Option<String>, Refusal>;

impl Tracker {
    pub(super) fn obey_line(&mut self, line: &str, now: Instant, out: &mut SendQueue) {
        let Some(request) = Request::new(line) else { return };
        match self.answer(&request, now, out) {
            Ok(None) => {}
            Ok(Some(answer)) => {
                let letter = request.letter;
                // An answer for a station has its digit here; others have a blank.
                let has_station = !matches!(letter, 'v' | 'x' | 'y' | 'T' | 'X');
                let station = match request.of_station() {
                    Ok((station, _)) if has_station => char::from(b'1' + station as u8),
                    Ok(_) | Err(_) => ' ',
                };
                out.reply(format!("2{station}{letter}{answer}\r\n").as_bytes());
            }
            Err(refusal) => out.reply(request.error_record(refusal).as_bytes()),
        }
    }

    fn answer(&mut self, request: &Request<'_>, now: Instant, out: &mut SendQueue) -> Answer {
        match request.letter {
            'O' => self.output_list(request),
            'l' => self.station_switch(request),
            'A' => self.alignment(request),
            'R' => {
                let (station, _) = request.of_station()?;
                self.settings.stations[station].alignment_cm = FACTORY_ALIGNMENT_CM;
                Ok(None)
            }
            'B' => {
                let (station, _) = request.of_station()?;
                let hand = self.hand(station, now);
                self.receivers[station].set_boresight(&hand, &self.settings.stations[station]);
                Ok(None)
            }
            'b' => {
                let (station, _) = request.of_station()?;
                self.receivers[station].boresight = rotation::IDENTITY;
                Ok(None)
            }
            'G' | 'H' | 'I' | 'N' | 'V' | 'Q' | 'r' => self.station_numbers(request),
            'v' | 'x' => self.filter(request),
            'y' => self.sync(request),
            'e' => self.stylus(request),
            'T' => self.self_test(request),
            'X' => self.identity(request),
            'o' => port(request, out),
            _ => refuse(Code::Unknown, 0),
        }
    }

    fn output_list(&mut self, request: &Request<'_>) -> Answer {
        let (station, fields) = request.of_station()?;
        let items = &mut self.settings.stations[station].items;
        if fields.is_empty() {
            return Ok(Some(items.iter().map(|item| format!("{:2}", item.number)).collect()));
        }
        let TrackerOptions { firmware, stylus_columns, .. } = self.options;
        let mut wanted = Vec::new();
        let mut n_bytes = super::record::N_HEADER;
        for (place, field) in fields.iter().enumerate() {
            let Some(number) = field else { return refuse(Code::FieldMissing, 1 + place) };
            let item = Item::from_number(*number, firmware);
            let Some(item) = item else { return refuse(Code::OutOfRange, 1 + place) };
            n_bytes += item.n_columns(stylus_columns);
            if place >= MAX_ITEMS || n_bytes > MAX_RECORD {
                return refuse(Code::Buffer, 1 + place);
            }
            wanted.push(item);
        }
        *items = wanted;
        Ok(None)
    }

    fn station_switch(&mut self, request: &Request<'_>) -> Answer {
        let (station, fields) = request.of_station()?;
        match fields.as_slice() {
            [] => {
                let digits = self.settings.stations.iter().map(|one| u8::from(one.is_on));
                Ok(Some(digits.map(|digit| digit.to_string()).collect()))
            }
            [Some(number)] if *number == 0.0 || *number == 1.0 => {
                self.settings.stations[station].is_on = *number == 1.0;
                Ok(None)
            }
            _ => refuse(Code::OutOfRange, 1),
        }
    }

    fn alignment(&mut self, request: &Request<'_>) -> Answer {
        if request.fields().next() == Some("0") {
            self.guided_points_cm = Some(Vec::new());
            return Ok(None);
        }
        let (station, fields) = request.of_station()?;
        let unit_cm = self.settings.units.in_cm();
        let alignment = &mut self.settings.stations[station].alignment_cm;
        if fields.is_empty() {
            return Ok(Some(all_columns(alignment.as_flattened(), 1.0 / unit_cm, 7, 2)));
        }
        let mut wanted = *alignment;
        set_numbers(wanted.as_flattened_mut(), &fields, unit_cm)?;
        if rotation::from_points(wanted).is_none() {
            return refuse(Code::OutOfRange, 4);
        }
        *alignment = wanted;
        Ok(None)
    }

    /// Sets or answers settings that consist only of numbers of a station.
    fn station_numbers(&mut self, request: &Request<'_>) -> Answer {
        let (number, fields) = request.of_station()?;
        let unit_cm = self.settings.units.in_cm();
        let station = &mut self.settings.stations[number];
        let (numbers, scale, width) = match request.letter {
            'G' => (station.reference_deg.as_mut_slice(), 1.0, 7),
            'H' => (station.hemisphere.as_mut_slice(), 1.0, 7),
            'I' => (std::slice::from_mut(&mut station.increment_cm), unit_cm, 7),
            'N' => (station.tip_offset_cm.as_mut_slice(), unit_cm, 7),
            'V' => (station.position_limits_cm.as_flattened_mut(), unit_cm, 8),
            'Q' => (station.angle_limits_deg.as_flattened_mut(), 1.0, 7),
            _ => (station.mounting_deg.as_mut_slice(), 1.0, 7),
        };
        if fields.is_empty() {
            return Ok(Some(all_columns(numbers, 1.0 / scale, width, 2)));
        }
        set_numbers(numbers, &fields, scale)?;
        Ok(None)
    }

    fn filter(&mut self, request: &Request<'_>) -> Answer {
        let numbers = request.numbers()?;
        let settings = &mut self.settings;
        let preset = match numbers.as_slice() {
            [Some(2.0)] => Some(NO_FILTER),
            [Some(3.0)] => Some([0.2, 0.4, 0.8, 0.95]),
            // The only preset whose numbers are in the manual.
            [Some(4.0)] => Some([0.2, 0.2, 0.8, 0.95]),
            [Some(5.0)] => Some([0.05, 0.05, 0.8, 0.95]),
            _ => None,
        };
        if let Some(preset) = preset {
            (settings.attitude_filter, settings.position_filter) = (preset, preset);
            return Ok(None);
        }
        let filter = match request.letter {
            'v' => &mut settings.attitude_filter,
            _ => &mut settings.position_filter,
        };
        match numbers.as_slice() {
            [] => return Ok(Some(all_columns(filter, 1.0, 7, 3))),
            [None, Some(1.0)] => *filter = NO_FILTER,
            numbers => {
                let is_outside = |number: &Option<f64>| {
                    number.is_some_and(|number| !(0.0..=1.0).contains(&number))
                };
                if let Some(field) = numbers.iter().position(is_outside) {
                    return refuse(Code::OutOfRange, field);
                }
                set_numbers(filter, numbers, 1.0)?;
            }
        }
        Ok(None)
    }

    fn sync(&mut self, request: &Request<'_>) -> Answer {
        match request.numbers()?.as_slice() {
            [] => return Ok(Some(self.settings.sync_mode.to_string())),
            [Some(0.0)] => self.settings.sync_mode = 0,
            [Some(1.0)] => self.settings.sync_mode = 1,
            [Some(2.0)] => self.settings.sync_mode = 2,
            _ => return refuse(Code::OutOfRange, 0),
        }
        Ok(None)
    }

    fn stylus(&mut self, request: &Request<'_>) -> Answer {
        let (number, fields) = request.of_station()?;
        let station = &mut self.settings.stations[number];
        match fields.as_slice() {
            [] => {
                return Ok(Some(u8::from(station.stylus == StylusMode::Point).to_string()));
            }
            [Some(0.0)] => station.stylus = StylusMode::Mouse,
            [Some(1.0)] => station.stylus = StylusMode::Point,
            _ => return refuse(Code::OutOfRange, 1),
        }
        Ok(None)
    }

    /// Answers with the text of an error, by default the last one; a second parameter of 0 clears
    /// the last error.
    fn self_test(&mut self, request: &Request<'_>) -> Answer {
        let last = self.last_error.map_or(0, u32::from);
        match request.numbers()?.as_slice() {
            [] | [Some(0.0)] => Ok(Some(format!("{last:03}{}", error_texts::text(last)))),
            [Some(number)] if (1.0..256.0).contains(number) => {
                let number = *number as u32;
                Ok(Some(format!("{number:03}{}", error_texts::text(number))))
            }
            [_, Some(0.0)] => {
                self.last_error = None;
                Ok(None)
            }
            _ => refuse(Code::OutOfRange, 0),
        }
    }

    fn identity(&mut self, request: &Request<'_>) -> Answer {
        if request.rest.is_empty() {
            return Ok(Some(format!("{:32.32}", self.settings.id)));
        }
        self.settings.id = request.rest.chars().take(32).collect();
        Ok(None)
    }
}

/// Sets the port: baud rate divided by 100, parity, data bits, handshake. Only the baud rate has an
/// effect on the line.
fn port(request: &Request<'_>, out: &mut SendQueue) -> Answer {
    let fields: Vec<&str> = request.fields().collect();
    let baud = match fields.first().copied() {
        None | Some("") => None,
        Some(text) => match text.parse() {
            Ok(3) => Some(300),
            Ok(rate @ (12 | 24 | 48 | 96 | 192 | 384 | 576 | 1152)) => Some(rate * 100),
            Ok(_) => return refuse(Code::OutOfRange, 0),
            Err(_) => return refuse(Code::NotNumeric, 0),
        },
    };
    let others: [(usize, &[&str]); 3] =
        [(1, &["", "N", "O", "E"]), (2, &["", "7", "8"]), (3, &["", "0", "1"])];
    for (field, allowed) in others {
        if fields.get(field).is_some_and(|text| !allowed.contains(text)) {
            return refuse(Code::OutOfRange, field);
        }
    }
    if let Some(baud) = baud {
        out.set_baud(baud);
    }
    Ok(None)
}

fn all_columns(numbers: &[f64], scale: f64, width: usize, n_decimals: usize) -> String {
    numbers.iter().map(|number| columns(number * scale, width, n_decimals)).collect()
}
