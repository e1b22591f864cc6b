//! An emulated FASTRAK: answers the host's bytes with the tracker's bytes.

mod command;
mod error_texts;
mod options;
mod output_item;
mod record;
mod request;
mod rotation;
mod settings;
mod setup;
mod solution;

use std::time::Instant;

use command::{Command, CommandReader};
pub use options::{ErrorReport, Firmware, TrackerOptions};
use record::{Form, N_HEADER, Style, Units};
use request::{Code, Refusal, Request};
use settings::{Settings, StylusMode};
use solution::Receiver;

use crate::clock::ScriptClock;
use crate::device_event::{DeviceEvent, Feedback};
use crate::device_on_line::EmulatedDevice;
use crate::fault::injector::Layout;
use crate::motion::{HandState, Motion};
use crate::record_schedule::RecordSchedule;
use crate::send_queue::{SendOutcome, SendQueue, SendReason};

/// Duration of a restart divided by that of saving, which takes seconds.
const SAVING_PART: u32 = 5;

pub(crate) struct Tracker {
    options: TrackerOptions,
    motion: Motion,
    /// Motion of the receiver of station 2, if it is on another hand.
    second_hand: Option<Motion>,
    clock: ScriptClock,
    commands: CommandReader,
    settings: Settings,
    /// Saved settings, which a restart restores.
    saved: Settings,
    receivers: [Receiver; 4],
    stream: Option<RecordSchedule>,
    /// The station whose turn it is in a stream.
    next_station: usize,
    /// The station of the last record.
    last_station: usize,
    last_error: Option<u8>,
    /// Points of an alignment by pointing, which needs three.
    guided_points_cm: Option<Vec<[f64; 3]>>,
    /// True while the host has suspended output.
    is_suspended: bool,
    /// End of a restart or of saving; until then the unit receives nothing.
    deaf_until: Option<Instant>,
    n_solutions: u64,
}

impl Tracker {
    pub(crate) fn new(options: TrackerOptions, motion: Motion, clock: ScriptClock) -> Self {
        let settings = Settings::factory(&options);
        Self {
            motion,
            second_hand: None,
            clock,
            commands: CommandReader::default(),
            saved: settings.clone(),
            settings,
            receivers: options.receivers_cm.map(Receiver::new),
            stream: None,
            next_station: 0,
            last_station: 0,
            last_error: None,
            guided_points_cm: None,
            is_suspended: false,
            deaf_until: None,
            n_solutions: 0,
            options,
        }
    }

    /// The same tracker with the receiver of station 2 on another hand.
    pub(crate) fn with_second_hand(self, motion: Motion) -> Self {
        Self { second_hand: Some(motion), ..self }
    }

    pub(crate) fn stream_hz(&self) -> f64 {
        self.options.stream_hz
    }

    fn obey(&mut self, command: Command, now: Instant, out: &mut SendQueue) {
        let settings = &mut self.settings;
        match command {
            Command::OneRecord => self.point(now, out),
            Command::Continuous => {
                let hz = self.options.stream_hz * self.clock.rate();
                self.stream = Some(RecordSchedule::new(now, 1.0 / hz));
                self.next_station = 0;
            }
            Command::Stop => self.stream = None,
            Command::Form(form) => settings.form = form,
            Command::Units(units) => settings.units = units,
            Command::Compensation(is_on) => settings.is_compensated = is_on,
            Command::Status => out.reply(&self.status()),
            Command::FactoryDefaults => *settings = Settings::factory(&self.options),
            Command::Suspend => self.is_suspended = true,
            Command::Resume => self.is_suspended = false,
            Command::SaveSettings => {
                self.saved = settings.clone();
                self.deaf_until = Some(now + self.options.reinitialise / SAVING_PART);
            }
            Command::Reinitialise => self.reinitialise(now),
            Command::Line(line) => self.obey_line(&line, now, out),
            Command::TooLong => {
                let nothing = Request { letter: ' ', rest: "" };
                let refusal = Refusal { code: Code::Buffer, field: 0 };
                out.reply(nothing.error_record(refusal).as_bytes());
            }
        }
    }

    /// Restarts the unit with the saved settings.
    fn reinitialise(&mut self, now: Instant) {
        self.settings = self.saved.clone();
        for receiver in &mut self.receivers {
            let is_connected = receiver.is_connected;
            *receiver = Receiver { is_connected, ..Receiver::new(receiver.offset_cm) };
        }
        self.commands.clear();
        self.stream = None;
        self.last_error = None;
        self.guided_points_cm = None;
        self.is_suspended = false;
        self.deaf_until = Some(now + self.options.reinitialise);
    }

    /// The status record of 55 columns.
    fn status(&self) -> Vec<u8> {
        let Settings { form, units, is_compensated, id, .. } = &self.settings;
        let mut flags = 0x3F0;
        flags |= u16::from(*form == Form::Binary);
        flags |= u16::from(*units == Units::Centimetres) << 1;
        flags |= u16::from(*is_compensated) << 2;
        flags |= u16::from(self.stream.is_some()) << 3;
        let error = self.last_error.map(|error| error.to_string()).unwrap_or_default();
        let connected = self.receivers.iter().map(|receiver| u8::from(receiver.is_connected));
        let sensors: u8 = connected.enumerate().map(|(station, bit)| bit << station).sum();
        let unit = match self.options.firmware {
            Firmware::Legacy => String::new(),
            Firmware::Current => format!(" F3{sensors:X}"),
        };
        let (station, version) = (self.last_station + 1, "EMU1.0");
        // Columns: record, station, letter; flags; test error; unit; version; identity.
        format!("2{station}S{flags:03X}{error:3}{unit:6}{version:6}{id:32.32}\r\n").into_bytes()
    }

    /// The hand of a station's receiver.
    fn hand(&self, station: usize, now: Instant) -> HandState {
        let motion = match (&self.second_hand, station) {
            (Some(motion), 1) => motion,
            (Some(_) | None, _) => &self.motion,
        };
        motion.state_at(self.clock.seconds_at(now))
    }

    /// Executes the command `P`: takes a point of the alignment, or sends one record of each active
    /// station.
    fn point(&mut self, now: Instant, out: &mut SendQueue) {
        let Some(mut points_cm) = self.guided_points_cm.take() else {
            for station in 0..self.settings.stations.len() {
                self.send(station, SendReason::Asked, now, out);
            }
            return;
        };
        let hand = self.hand(0, now);
        let mut unaligned = self.settings.stations[0].clone();
        unaligned.alignment_cm = settings::FACTORY_ALIGNMENT_CM;
        points_cm.push(self.receivers[0].solve(&hand, &unaligned, 0.0).position_cm);
        match <[[f64; 3]; 3]>::try_from(points_cm) {
            Ok(points_cm) if rotation::from_points(points_cm).is_some() => {
                self.settings.stations[0].alignment_cm = points_cm;
            }
            Ok(_) => tracing::debug!("points of an alignment lie on a line"),
            Err(points_cm) => self.guided_points_cm = Some(points_cm),
        }
    }

    /// Sends a station's record if the station is on; returns true if the station has had its turn.
    fn send(
        &mut self,
        number: usize,
        reason: SendReason,
        now: Instant,
        out: &mut SendQueue,
    ) -> bool {
        let station = &self.settings.stations[number];
        if !station.is_on || self.is_suspended {
            return true;
        }
        let hand = solution::unsteady(self.hand(number, now), &self.options, self.n_solutions);
        self.n_solutions += 1;
        let metal_cm =
            if self.settings.is_compensated { 0.0 } else { self.options.metal_cm_at_1_m };
        let receiver = &mut self.receivers[number];
        let mut solution = receiver.solve(&hand, station, metal_cm);
        let is_first = receiver.last_position_cm.is_none();
        let has_moved = rotation::length(solution.moved_cm) >= station.increment_cm;
        if reason == SendReason::Streamed && !is_first && !has_moved {
            return true;
        }
        self.last_error = solution.error.or(self.last_error);
        if self.options.error_report == ErrorReport::Latched {
            solution.error = self.last_error;
        }
        let Settings { form, units, .. } = self.settings;
        let style = Style { form, units, stylus_columns: self.options.stylus_columns };
        let record = record::data_record(number, &solution, &station.items, style);
        let n_end = if record.ends_with(b"\r\n") { 2 } else { 0 };
        let data = N_HEADER..N_HEADER.max(record.len() - n_end);
        let fate = out.record(&record, &Layout { data, station: Some(1) }, reason);
        let is_sent = fate == SendOutcome::Sent;
        if is_sent {
            self.last_station = number;
            receiver.last_position_cm = Some(solution.position_cm);
        }
        is_sent
    }

    /// Sends the next record of a stream. If the line has no room, the station keeps its turn, so
    /// that receivers stay in order.
    fn next_solution(&mut self, now: Instant, out: &mut SendQueue) {
        let n_stations = self.settings.stations.len();
        let turns = (0..n_stations).map(|turn| (self.next_station + turn) % n_stations);
        let active = turns.into_iter().find(|station| self.settings.stations[*station].is_on);
        if let Some(station) = active
            && self.send(station, SendReason::Streamed, now, out)
        {
            self.next_station = (station + 1) % n_stations;
        }
    }

    fn press_stylus(&mut self, now: Instant, out: &mut SendQueue) {
        self.receivers[0].is_stylus_down = true;
        match (self.settings.stations[0].stylus, self.stream.is_some()) {
            (StylusMode::Mouse, _) => {}
            (StylusMode::Point, true) => self.stream = None,
            (StylusMode::Point, false) => self.point(now, out),
        }
    }

    fn is_deaf(&self, now: Instant) -> bool {
        self.deaf_until.is_some_and(|until| now < until)
    }
}

impl EmulatedDevice for Tracker {
    fn receive(&mut self, bytes: &[u8], now: Instant, out: &mut SendQueue) {
        for byte in bytes {
            if !self.is_deaf(now)
                && let Some(command) = self.commands.push(*byte)
            {
                self.obey(command, now, out);
            }
        }
    }

    fn happen(&mut self, event: DeviceEvent, now: Instant, out: &mut SendQueue) {
        match event {
            DeviceEvent::PowerCycle => self.reinitialise(now),
            DeviceEvent::PulledOff { station } | DeviceEvent::PutBack { station } => {
                let is_connected = matches!(event, DeviceEvent::PutBack { .. });
                let place = usize::from(station).wrapping_sub(1);
                if let Some(receiver) = self.receivers.get_mut(place) {
                    receiver.is_connected = is_connected && receiver.offset_cm.is_some();
                }
            }
            DeviceEvent::StylusPressed if !self.is_deaf(now) => self.press_stylus(now, out),
            DeviceEvent::StylusReleased => self.receivers[0].is_stylus_down = false,
            DeviceEvent::StylusPressed
            | DeviceEvent::SyncPulse
            | DeviceEvent::WristSwitch
            | DeviceEvent::SensorStuck { .. } => {}
        }
    }

    fn next_due(&self) -> Option<Instant> {
        let due = self.stream.as_ref()?.next_due();
        Some(self.deaf_until.map_or(due, |until| until.max(due)))
    }

    fn emit(&mut self, now: Instant, out: &mut SendQueue) {
        if self.is_deaf(now) {
            return;
        }
        if let Some(stream) = &mut self.stream {
            out.skip(stream.advance(now));
            self.next_solution(now, out);
        }
    }

    fn feedback(&self) -> Feedback {
        Feedback::default()
    }
}

#[cfg(test)]
mod tests;
