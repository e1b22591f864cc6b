//! An emulated LucidGlove in the alpha encoding of OpenGloves: lines of text in both directions.

mod host;

use std::time::Instant;

use host::{HostReader, Order};

use crate::clock::ScriptClock;
use crate::device_event::{DeviceEvent, Feedback};
use crate::device_on_line::EmulatedDevice;
use crate::fault::injector::Layout;
use crate::motion::{HandState, Motion};
use crate::record_schedule::RecordSchedule;
use crate::send_queue::{SendQueue, SendReason};

/// Keys of a glove's lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LucidKeys {
    /// One curl per finger.
    Curls,
    /// One curl and one splay per finger.
    CurlsAndSplays,
    /// Curls, the bend of every joint, and splays.
    Joints,
}

/// Options of the emulated glove when it is switched on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LucidGloveOptions {
    pub keys: LucidKeys,
    pub is_right_hand: bool,
    /// Value of a finger that is fully bent.
    pub full_scale: u16,
    pub stream_hz: f64,
    /// True if lines come before the host has asked for them, as from most firmware.
    pub streams_at_power_up: bool,
}

impl Default for LucidGloveOptions {
    fn default() -> Self {
        Self {
            keys: LucidKeys::CurlsAndSplays,
            is_right_hand: true,
            full_scale: 4095,
            stream_hz: 100.0,
            streams_at_power_up: true,
        }
    }
}

/// Line that the board sends when it starts, before the first line of data.
const GREETING: &[u8] = b"ets reset: power on\n";
/// Mask bits of each finger's flexion, from the base outwards, and the largest angle of each joint
/// in degrees.
const FINGERS: [&[(usize, f64)]; 5] = [
    &[(1, 55.0), (2, 80.0)],
    &[(4, 90.0), (5, 100.0), (6, 80.0)],
    &[(8, 90.0), (9, 100.0), (10, 80.0)],
    &[(12, 90.0), (13, 100.0), (14, 80.0)],
    &[(16, 90.0), (17, 100.0), (18, 80.0)],
];
/// Splay at both ends of the scale, in degrees to either side.
const FULL_SPLAY_DEG: f64 = 35.0;

pub(crate) struct LucidGlove {
    options: LucidGloveOptions,
    motion: Motion,
    clock: ScriptClock,
    host: HostReader,
    stream: Option<RecordSchedule>,
    has_greeted: bool,
    start: Instant,
    feedback: Feedback,
}

impl LucidGlove {
    pub(crate) fn new(
        options: LucidGloveOptions,
        motion: Motion,
        clock: ScriptClock,
        now: Instant,
    ) -> Self {
        let mut glove = Self {
            options,
            motion,
            clock,
            host: HostReader::default(),
            stream: None,
            has_greeted: false,
            start: now,
            feedback: Feedback::default(),
        };
        glove.power_up(now);
        glove
    }

    fn power_up(&mut self, now: Instant) {
        self.start = now;
        self.has_greeted = false;
        self.host = HostReader::default();
        self.feedback = Feedback::default();
        let schedule = RecordSchedule::new(now, 1.0 / self.options.stream_hz);
        self.stream = self.options.streams_at_power_up.then_some(schedule);
    }

    fn obey(&mut self, order: Order, now: Instant, out: &mut SendQueue) {
        match order {
            Order::Start => {
                self.stream = Some(RecordSchedule::new(now, 1.0 / self.options.stream_hz));
            }
            Order::Stop => self.stream = None,
            Order::Information => {
                let hand = u8::from(self.options.is_right_hand);
                out.reply(format!("Z(ZV)1(ZG)1(ZH){hand}\n").as_bytes());
            }
            Order::Forces(forces) => self.feedback.forces = Some(forces),
            Order::Vibration(vibration) => self.feedback.vibration = Some(vibration),
        }
    }

    /// The line for the hand's present state.
    fn line(&self, hand: &HandState) -> String {
        let full_scale = f64::from(self.options.full_scale);
        let value = |part: f64| (part.clamp(0.0, 1.0) * full_scale).round() as u16;
        let bent = |(bit, most): &(usize, f64)| (hand.angles_deg[*bit] / most).clamp(0.0, 1.0);
        let mut line = String::new();
        let mut curls = [0.0; 5];
        for ((finger, joints), curl) in ('A'..='E').zip(FINGERS).zip(&mut curls) {
            *curl = joints.iter().map(bent).sum::<f64>() / joints.len() as f64;
            line.push_str(&format!("{finger}{}", value(*curl)));
        }
        if self.options.keys == LucidKeys::Joints {
            for (finger, joints) in ('A'..='E').zip(FINGERS) {
                for (joint, angle) in ('A'..='D').zip(joints) {
                    line.push_str(&format!("({finger}A{joint}){}", value(bent(angle))));
                }
            }
        }
        if self.options.keys != LucidKeys::Curls {
            for (finger, splay_deg) in ('A'..='E').zip(splays_deg(hand)) {
                let part = (splay_deg / FULL_SPLAY_DEG + 1.0) / 2.0;
                line.push_str(&format!("({finger}B){}", value(part)));
            }
        }
        // The joystick is in its middle.
        let middle = self.options.full_scale / 2;
        line.push_str(&format!("F{middle}G{middle}"));
        if curls.iter().skip(1).all(|curl| *curl > 0.5) {
            line.push('L');
        } else if curls[0] > 0.2 && curls[1] > 0.3 {
            line.push('M');
        }
        line.push('\n');
        line
    }
}

/// Abduction of each finger from the middle finger. (The glove's sensors measure the angle between
/// neighbours.)
fn splays_deg(hand: &HandState) -> [f64; 5] {
    let [thumb, index, ring, pinkie] = [3, 11, 15, 19].map(|bit| hand.angles_deg[bit]);
    [thumb, index, 0.0, ring, ring + pinkie]
}

impl EmulatedDevice for LucidGlove {
    fn receive(&mut self, bytes: &[u8], now: Instant, out: &mut SendQueue) {
        for byte in bytes {
            if let Some(order) = self.host.push(*byte) {
                self.obey(order, now, out);
            }
        }
    }

    fn happen(&mut self, event: DeviceEvent, now: Instant, _out: &mut SendQueue) {
        match event {
            DeviceEvent::PowerCycle => self.power_up(now),
            DeviceEvent::PulledOff { .. }
            | DeviceEvent::PutBack { .. }
            | DeviceEvent::SyncPulse
            | DeviceEvent::WristSwitch
            | DeviceEvent::SensorStuck { .. }
            | DeviceEvent::StylusPressed
            | DeviceEvent::StylusReleased => {}
        }
    }

    fn next_due(&self) -> Option<Instant> {
        if self.has_greeted { Some(self.stream.as_ref()?.next_due()) } else { Some(self.start) }
    }

    fn emit(&mut self, now: Instant, out: &mut SendQueue) {
        if !self.has_greeted {
            self.has_greeted = true;
            out.reply(GREETING);
        }
        if let Some(stream) = self.stream.as_mut().filter(|stream| stream.next_due() <= now) {
            out.skip(stream.advance(now));
            let line = self.line(&self.motion.state_at(self.clock.seconds_at(now)));
            let layout = Layout { data: 0..line.len() - 1, station: None };
            out.record(line.as_bytes(), &layout, SendReason::Streamed);
        }
    }

    fn feedback(&self) -> Feedback {
        self.feedback
    }
}

#[cfg(test)]
mod tests;
