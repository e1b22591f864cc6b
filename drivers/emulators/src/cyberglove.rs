//! An emulated CyberGlove with its interface unit: answers the host's bytes with the unit's bytes.

mod ascii;
mod command;
mod encode;
mod model_three;
mod options;
mod sensors;
mod settings;

use std::time::Instant;

use command::{Command, CommandReader, Grammar};
use encode::{Sample, SamplePace};
use model_three::ModelThree;
pub use options::{GloveModel, GloveOptions, SensorSet};
pub use sensors::Response;
use settings::{FASTEST_HZ, Refusal, Settings, StoredCalibration, Sync};

use crate::clock::ScriptClock;
use crate::device_event::{DeviceEvent, Feedback};
use crate::device_on_line::EmulatedDevice;
use crate::fault::injector::Layout;
use crate::motion::{Motion, N_ANGLES};
use crate::record_schedule::RecordSchedule;
use crate::send_queue::{SendOutcome, SendQueue, SendReason};

pub(crate) struct Glove {
    options: GloveOptions,
    motion: Motion,
    clock: ScriptClock,
    settings: Settings,
    calibration: StoredCalibration,
    model_three: ModelThree,
    commands: CommandReader,
    stream: Option<Stream>,
    /// The present restart, if any; until its end the unit neither receives nor sends.
    restarting: Option<Restarting>,
    is_plugged_in: bool,
    stuck_counts: [Option<f64>; N_ANGLES],
    last_pulse: Option<Instant>,
    n_samples: u64,
}

struct Stream {
    schedule: RecordSchedule,
    form: StreamForm,
    /// True if the line had no room for the last record.
    was_withheld: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StreamForm {
    Binary,
    Text,
    HighResolution,
}

#[derive(Debug, Clone, Copy)]
struct Restarting {
    ends: Instant,
    /// True if the host commanded the restart and gets an answer.
    is_answered: bool,
}

impl Glove {
    pub(crate) fn new(options: GloveOptions, motion: Motion, clock: ScriptClock) -> Self {
        Self {
            options,
            motion,
            clock,
            settings: Settings::at_power_up(&options),
            calibration: StoredCalibration::of_wearer(&options.responses),
            model_three: ModelThree::new(),
            commands: CommandReader::default(),
            stream: None,
            restarting: None,
            is_plugged_in: options.is_plugged_in,
            stuck_counts: [None; N_ANGLES],
            last_pulse: None,
            n_samples: 0,
        }
    }

    fn obey(&mut self, command: Command, now: Instant, out: &mut SendQueue) {
        match command {
            Command::Abort => {
                self.stream = None;
                // The answer of a real unit is not documented, only that it is short and ends in
                // NUL.
                out.reply(&[0x03, 0]);
            }
            Command::OneRecord => {
                self.send(b'G', SamplePace::Fine, SendReason::Asked, now, out);
            }
            Command::Stream => self.start(StreamForm::Binary, now),
            Command::Reinitialise => out.reply(&[0x09, 0x0D, 0x0A, 0]),
            Command::Restart => self.restart(now, true),
            Command::Query(letter) => match self.answer(letter) {
                Some(answer) => out.reply(&[&[b'?', letter], answer.as_slice(), &[0]].concat()),
                None => out.reply(b"e?\0"),
            },
            Command::Set { letter, parameters } => {
                let outcome = if letter == b'C' {
                    let bits: Vec<usize> = self.settings.enabled_bits().collect();
                    self.calibration.set(&parameters, &bits)
                } else {
                    self.settings.set(letter, &parameters)
                };
                match outcome {
                    Ok(()) => self.acknowledge(letter, &parameters, out),
                    Err(Refusal::Unknown) => out.reply(b"e?\0"),
                    Err(Refusal::TooManyNumbers) => out.reply(b"en\0"),
                }
                if letter == b'T' {
                    self.follow_period(now);
                }
            }
            Command::Line(line) => self.obey_line(&line, now, out),
            Command::ModelThree(command) => {
                self.model_three.set(&command);
                out.reply(&[b"1", command.as_slice(), b"\0"].concat());
                if command == *b"S" {
                    self.start(StreamForm::HighResolution, now);
                }
            }
            Command::Nothing => {}
            Command::Unknown => out.reply(b"e?\0"),
            Command::TooManyNumbers => out.reply(b"en\0"),
        }
    }

    fn answer(&self, letter: u8) -> Option<Vec<u8>> {
        if letter == b'C' {
            let bits: Vec<usize> = self.settings.enabled_bits().collect();
            return Some(self.calibration.answer(&bits));
        }
        self.settings.answer(letter)
    }

    /// Sends an acknowledgement: the letter, a table's letter if there is one, the extra byte of
    /// some units, NUL.
    fn acknowledge(&self, letter: u8, parameters: &[u8], out: &mut SendQueue) {
        let mut reply = vec![letter];
        if letter == b'C' {
            reply.extend(parameters.first());
        }
        reply.extend(self.options.extra_acknowledgement);
        reply.push(0);
        out.reply(&reply);
    }

    fn start(&mut self, form: StreamForm, now: Instant) {
        let period = match form {
            StreamForm::Binary | StreamForm::Text => self.settings.period_seconds(),
            StreamForm::HighResolution => self.model_three.period_seconds(),
        };
        let schedule = RecordSchedule::new(now, period / self.clock.rate());
        self.stream = Some(Stream { schedule, form, was_withheld: false });
    }

    /// Applies a new sample period to a running stream.
    fn follow_period(&mut self, now: Instant) {
        if let Some(stream) = &self.stream {
            self.start(stream.form, now);
        }
    }

    fn restart(&mut self, now: Instant, is_answered: bool) {
        self.settings = Settings::at_power_up(&self.options);
        self.settings.set_plugged_in(self.is_plugged_in);
        self.model_three = ModelThree::new();
        self.commands.clear();
        self.stream = None;
        self.restarting = Some(Restarting { ends: now + self.options.restart, is_answered });
    }

    /// The readings of the next sample, if it is taken at `now`, and its time in seconds.
    fn readings(&self, now: Instant) -> ([f64; N_ANGLES], f64) {
        let seconds = self.clock.seconds_at(now);
        let angles_deg = self.motion.state_at(seconds).angles_deg;
        let mut readings = sensors::readings(&angles_deg, seconds, self.n_samples, &self.options);
        for (reading, stuck) in readings.iter_mut().zip(self.stuck_counts) {
            *reading = stuck.unwrap_or(*reading);
        }
        (readings, seconds)
    }

    fn send(
        &mut self,
        header: u8,
        pace: SamplePace,
        reason: SendReason,
        now: Instant,
        out: &mut SendQueue,
    ) -> SendOutcome {
        let (readings, seconds) = self.readings(now);
        self.n_samples += 1;
        let counts = readings.map(sensors::count);
        let sample = Sample { counts: &counts, seconds, pace };
        let (record, n_end) = if header.is_ascii_lowercase() {
            (encode::text_record(char::from(header), &sample, &self.settings), 3)
        } else {
            (encode::record(header, &sample, &self.settings), 1)
        };
        let layout = Layout { data: 1..record.len() - n_end, station: None };
        out.record(&record, &layout, reason)
    }

    fn send_fine(&mut self, now: Instant, out: &mut SendQueue) -> SendOutcome {
        let (readings, seconds) = self.readings(now);
        self.n_samples += 1;
        let mut values = [0; 22];
        let bits = (0..23).filter(|bit| *bit != 7);
        for (value, bit) in values.iter_mut().zip(bits) {
            *value = sensors::fine_count(readings[bit]);
        }
        let record = self.model_three.record(seconds, &values);
        let layout = Layout { data: 14..record.len() - 3, station: None };
        if self.model_three.is_usb_on() {
            out.record(&record, &layout, SendReason::Streamed)
        } else {
            SendOutcome::Lost
        }
    }

    fn pulse(&mut self, now: Instant, out: &mut SendQueue) {
        let header = match self.settings.sync() {
            Sync::Off => return,
            Sync::Binary => b'Y',
            Sync::Text => b'y',
        };
        let since = self.last_pulse.replace(now).map(|last| now.saturating_duration_since(last));
        if since.is_some_and(|since| since.as_secs_f64() < 1.0 / FASTEST_HZ) {
            out.reply(b"ey\0");
        } else {
            self.send(header, SamplePace::Fine, SendReason::Streamed, now, out);
        }
    }
}

impl EmulatedDevice for Glove {
    fn receive(&mut self, bytes: &[u8], now: Instant, out: &mut SendQueue) {
        for byte in bytes {
            let grammar = Grammar {
                n_values: self.settings.enabled_bits().count(),
                is_third: self.options.model == GloveModel::Third,
            };
            if self.restarting.is_none()
                && let Some(command) = self.commands.push(*byte, grammar)
            {
                self.obey(command, now, out);
            }
        }
    }

    fn happen(&mut self, event: DeviceEvent, now: Instant, out: &mut SendQueue) {
        match event {
            DeviceEvent::PowerCycle => self.restart(now, false),
            DeviceEvent::PulledOff { .. } | DeviceEvent::PutBack { .. } => {
                self.is_plugged_in = matches!(event, DeviceEvent::PutBack { .. });
                self.settings.set_plugged_in(self.is_plugged_in);
            }
            DeviceEvent::SyncPulse if self.restarting.is_none() => self.pulse(now, out),
            DeviceEvent::WristSwitch => self.settings.press_switch(),
            DeviceEvent::SensorStuck { bit } => {
                let reading = self.readings(now).0.get(usize::from(bit)).copied();
                if let Some(stuck) = self.stuck_counts.get_mut(usize::from(bit)) {
                    *stuck = reading;
                }
            }
            DeviceEvent::SyncPulse | DeviceEvent::StylusPressed | DeviceEvent::StylusReleased => {}
        }
    }

    fn next_due(&self) -> Option<Instant> {
        match self.restarting {
            Some(restarting) => Some(restarting.ends),
            None => Some(self.stream.as_ref()?.schedule.next_due()),
        }
    }

    fn emit(&mut self, now: Instant, out: &mut SendQueue) {
        if let Some(restarting) = self.restarting.take()
            && restarting.is_answered
        {
            out.reply(&[0x12, 0x0D, 0x0A, 0]);
        }
        let Some(stream) = &mut self.stream else { return };
        out.skip(stream.schedule.advance(now));
        let is_too_fast = stream.was_withheld || self.settings.is_too_fast();
        let pace = if is_too_fast { SamplePace::TooFast } else { SamplePace::Fine };
        let fate = match stream.form {
            StreamForm::Binary => self.send(b'S', pace, SendReason::Streamed, now, out),
            StreamForm::Text => self.send(b's', pace, SendReason::Streamed, now, out),
            StreamForm::HighResolution => self.send_fine(now, out),
        };
        if let Some(stream) = &mut self.stream {
            stream.was_withheld = fate == SendOutcome::LineTooSlow;
        }
    }

    fn feedback(&self) -> Feedback {
        Feedback {
            actuators: self.settings.actuators(),
            is_light_on: self.settings.is_light_on(),
            ..Feedback::default()
        }
    }
}

#[cfg(test)]
mod tests;
