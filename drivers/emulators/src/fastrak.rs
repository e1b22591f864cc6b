//! An emulated FASTRAK with one receiver: from the host's bytes to the tracker's bytes.

mod command;
mod record;

use std::time::{Duration, Instant};

use command::{Command, CommandReader};
use record::{Form, Item, Units};

use crate::clock::ScriptClock;
use crate::motion::Motion;
use crate::outbox::Outbox;
use crate::schedule::Schedule;
use crate::serve::Device;

/// What the emulated tracker is like when it is switched on.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackerOptions {
    /// Up to 32 printable ASCII characters with which the owner named the unit.
    pub id: String,
    /// Records per second of a stream; one receiver on a FASTRAK has 120.
    pub stream_hz: f64,
}

impl Default for TrackerOptions {
    fn default() -> Self {
        Self { id: "emulated FASTRAK".to_owned(), stream_hz: 120.0 }
    }
}

/// Silence while the unit starts again.
const REINITIALISE: Duration = Duration::from_secs(10);

pub(crate) struct Tracker {
    options: TrackerOptions,
    motion: Motion,
    clock: ScriptClock,
    commands: CommandReader,
    settings: Settings,
    stream: Option<Schedule>,
    /// The host has suspended output.
    is_suspended: bool,
    /// Until then the unit starts and hears nothing.
    deaf_until: Option<Instant>,
}

#[derive(Debug, Clone)]
struct Settings {
    form: Form,
    units: Units,
    is_compensated: bool,
    is_station_on: bool,
    items: Vec<Item>,
    hemisphere: [f64; 3],
}

impl Settings {
    fn factory() -> Self {
        Self {
            form: Form::Ascii,
            units: Units::Inches,
            is_compensated: false,
            is_station_on: true,
            items: vec![Item::Position, Item::Euler, Item::LineEnd],
            hemisphere: [1.0, 0.0, 0.0],
        }
    }
}

impl Tracker {
    pub(crate) fn new(options: TrackerOptions, motion: Motion, clock: ScriptClock) -> Self {
        Self {
            options,
            motion,
            clock,
            commands: CommandReader::default(),
            settings: Settings::factory(),
            stream: None,
            is_suspended: false,
            deaf_until: None,
        }
    }

    fn obey(&mut self, command: Command, now: Instant, out: &mut Outbox) {
        let settings = &mut self.settings;
        match command {
            Command::OneRecord => self.send_record(now, out),
            Command::Continuous => {
                self.stream = Some(Schedule::new(now, 1.0 / self.options.stream_hz));
            }
            Command::Stop => self.stream = None,
            Command::Form(form) => settings.form = form,
            Command::Units(units) => settings.units = units,
            Command::Compensation(is_on) => settings.is_compensated = is_on,
            Command::Status => out.reply(&self.status()),
            Command::FactoryDefaults => *settings = Settings::factory(),
            Command::Suspend => self.is_suspended = true,
            Command::Resume => self.is_suspended = false,
            // Settings are kept anyway as long as the emulator runs.
            Command::SaveSettings | Command::Accepted => {}
            Command::Reinitialise => {
                self.settings = Settings::factory();
                self.stream = None;
                self.is_suspended = false;
                self.deaf_until = Some(now + REINITIALISE);
            }
            Command::OutputList(items) => settings.items = items,
            Command::QueryOutputList => {
                let items: String =
                    settings.items.iter().map(|item| format!("{:2}", item.number())).collect();
                out.reply(format!("21O{items}\r\n").as_bytes());
            }
            Command::Station(is_on) => settings.is_station_on = is_on,
            Command::QueryStations => {
                let is_on = u8::from(settings.is_station_on);
                out.reply(format!("21l{is_on}000\r\n").as_bytes());
            }
            Command::Hemisphere(zenith) => settings.hemisphere = zenith,
            Command::QueryHemisphere => {
                let [x, y, z] = settings.hemisphere;
                out.reply(format!("21H{x:7.2}{y:7.2}{z:7.2}\r\n").as_bytes());
            }
            Command::Refused(refusal) => out.reply(refusal.text().as_bytes()),
        }
    }

    /// The 55 columns of a status record.
    fn status(&self) -> Vec<u8> {
        let Settings { form, units, is_compensated, is_station_on, .. } = &self.settings;
        let mut flags = 0x3F0;
        flags |= u16::from(*form == Form::Binary);
        flags |= u16::from(*units == Units::Centimetres) << 1;
        flags |= u16::from(*is_compensated) << 2;
        flags |= u16::from(self.stream.is_some()) << 3;
        let sensors = u8::from(*is_station_on);
        let (version, id) = ("EMU1.0", &self.options.id);
        // Columns: record, station, letter; flags; no test error; a blank; unit, sensors, blanks.
        format!("21S{flags:03X}    F3{sensors}  {version:6.6}{id:32.32}\r\n").into_bytes()
    }

    fn send_record(&self, now: Instant, out: &mut Outbox) {
        if self.settings.is_station_on && !self.is_suspended {
            let state = self.motion.state_at(self.clock.seconds_at(now));
            let Settings { form, units, items, .. } = &self.settings;
            out.record(&record::data_record(&state, items, *form, *units));
        }
    }
}

impl Device for Tracker {
    fn receive(&mut self, bytes: &[u8], now: Instant, out: &mut Outbox) {
        for byte in bytes {
            if self.deaf_until.is_some_and(|until| now < until) {
                return;
            }
            self.deaf_until = None;
            if let Some(command) = self.commands.push(*byte) {
                self.obey(command, now, out);
            }
        }
    }

    fn next_due(&self) -> Option<Instant> {
        Some(self.stream.as_ref()?.next_due())
    }

    fn emit(&mut self, now: Instant, out: &mut Outbox) {
        if let Some(stream) = &mut self.stream {
            out.skip(stream.advance(now));
            self.send_record(now, out);
        }
    }
}

#[cfg(test)]
mod tests;
