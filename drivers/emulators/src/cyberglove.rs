//! An emulated CyberGlove with its interface unit: from the host's bytes to the unit's bytes.

mod command;
mod encode;
mod settings;

use std::time::{Duration, Instant};

use command::{Command, CommandReader};
use settings::Settings;

use crate::clock::ScriptClock;
use crate::motion::Motion;
use crate::outbox::Outbox;
use crate::schedule::Schedule;
use crate::serve::Device;

/// Which glove is emulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SensorSet {
    /// Without the fingers' end joints.
    Glove18,
    Glove22,
}

impl SensorSet {
    /// The hardware mask, 24 bits.
    const fn mask(self) -> u32 {
        match self {
            Self::Glove18 => 0x7B_BB3F,
            Self::Glove22 => 0x7F_FF7F,
        }
    }
}

/// What the emulated glove is like when it is switched on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GloveOptions {
    pub sensors: SensorSet,
    pub is_right_hand: bool,
    /// Whether the glove is plugged into its unit; if not, records carry the error `eg`.
    pub is_plugged_in: bool,
    /// Records per second of a stream until the host sets another sample period.
    pub stream_hz: f64,
}

impl Default for GloveOptions {
    fn default() -> Self {
        Self {
            sensors: SensorSet::Glove22,
            is_right_hand: true,
            is_plugged_in: true,
            stream_hz: 100.0,
        }
    }
}

/// A restart is acknowledged only after the firmware has come up again.
const RESTART: Duration = Duration::from_millis(1750);

pub(crate) struct Glove {
    options: GloveOptions,
    motion: Motion,
    clock: ScriptClock,
    settings: Settings,
    commands: CommandReader,
    stream: Option<Schedule>,
    /// When a restart that is under way ends; until then the unit is deaf and dumb.
    restarted: Option<Instant>,
}

impl Glove {
    pub(crate) fn new(options: GloveOptions, motion: Motion, clock: ScriptClock) -> Self {
        Self {
            options,
            motion,
            clock,
            settings: Settings::at_power_up(&options),
            commands: CommandReader::default(),
            stream: None,
            restarted: None,
        }
    }

    fn obey(&mut self, command: Command, now: Instant, out: &mut Outbox) {
        match command {
            Command::Abort => {
                self.stream = None;
                // What a real unit says is not documented, only that it is short and ends in NUL.
                out.reply(&[0x03, 0]);
            }
            Command::OneRecord => out.record(&self.record(b'G', now)),
            Command::Stream => {
                self.stream = Some(Schedule::new(now, self.settings.period_seconds()));
            }
            Command::Reinitialise => out.reply(&[0x09, 0x0D, 0x0A, 0]),
            Command::Restart => {
                self.settings = Settings::at_power_up(&self.options);
                self.stream = None;
                self.restarted = Some(now + RESTART);
            }
            Command::Query(letter) => match self.settings.answer(letter) {
                Some(answer) => {
                    let mut reply = vec![b'?', letter];
                    reply.extend(answer);
                    reply.push(0);
                    out.reply(&reply);
                }
                None => out.reply(b"e?\0"),
            },
            Command::Set { letter, parameters } => {
                if !self.settings.set(letter, &parameters) {
                    out.reply(b"e?\0");
                    return;
                }
                out.reply(&[letter, 0]);
                if letter == b'T' && self.stream.is_some() {
                    self.stream = Some(Schedule::new(now, self.settings.period_seconds()));
                }
            }
            Command::Line(line) => self.obey_line(&line, now, out),
            Command::Unknown => out.reply(b"e?\0"),
        }
    }

    /// The ASCII form: echo, decimal numbers, CR LF NUL.
    fn obey_line(&mut self, line: &str, now: Instant, out: &mut Outbox) {
        let mut words = line.split_ascii_whitespace();
        let letter = words.next().unwrap_or_default();
        let numbers: Vec<Option<u16>> = words.map(|word| word.parse().ok()).collect();
        let answer = match (letter, numbers.as_slice()) {
            ("g", []) => {
                let record = self.record(b'G', now);
                let values = &record[1..record.len() - 1];
                values.iter().map(u8::to_string).collect::<Vec<_>>().join(" ")
            }
            ("t", [Some(w1), Some(w2)]) => {
                let ([a, b], [c, d]) = (w1.to_be_bytes(), w2.to_be_bytes());
                self.settings.set(b'T', &[a, b, c, d]);
                format!("{w1} {w2}")
            }
            _ => "e?".to_owned(),
        };
        out.reply(format!("{letter} {answer}\r\n\0").as_bytes());
    }

    fn record(&self, header: u8, now: Instant) -> Vec<u8> {
        let seconds = self.clock.seconds_at(now);
        encode::record(header, &self.motion.state_at(seconds).angles_deg, seconds, &self.settings)
    }
}

impl Device for Glove {
    fn receive(&mut self, bytes: &[u8], now: Instant, out: &mut Outbox) {
        for byte in bytes {
            if self.restarted.is_none()
                && let Some(command) = self.commands.push(*byte)
            {
                self.obey(command, now, out);
            }
        }
    }

    fn next_due(&self) -> Option<Instant> {
        self.restarted.or_else(|| Some(self.stream.as_ref()?.next_due()))
    }

    fn emit(&mut self, now: Instant, out: &mut Outbox) {
        if self.restarted.take().is_some() {
            out.reply(&[0x12, 0x0D, 0x0A, 0]);
        }
        if let Some(stream) = &mut self.stream {
            out.skip(stream.advance(now));
            out.record(&self.record(b'S', now));
        }
    }
}

#[cfg(test)]
mod tests;
