//! An emulated kinaesthetic device with one axis: a finger with mass and damping that a person
//! pushes, and a motor whose force is held and late.
//!
//! In lockstep, a period passes when a force arrives, so that a loop over the line gives the same
//! numbers on a machine of any speed.

mod finger;
mod host;

use std::time::Instant;

use finger::Finger;
pub use finger::Push;
use host::{HostReader, Order};

use crate::clock::ScriptClock;
use crate::device_event::{DeviceEvent, Feedback};
use crate::device_on_line::EmulatedDevice;
use crate::emulator::EmulatorError;
use crate::fault::injector::Layout;
use crate::record_schedule::RecordSchedule;
use crate::send_queue::{SendQueue, SendReason};

/// When a period of the device passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OneAxisPace {
    /// By the device's own clock; it sends a place in every period.
    OwnClock,
    /// As a force arrives; it answers with a place.
    Lockstep,
}

/// Options of the emulated device.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OneAxisOptions {
    /// Mass that moves, in kg.
    pub mass: f64,
    /// Damping, in N s/m.
    pub damping: f64,
    /// Time for which a force is held, in seconds.
    pub period: f64,
    /// Periods that a force needs to reach the motor.
    pub n_delayed: usize,
    /// Damping that the device says it has; a wrong one lets a loop ring.
    pub claimed_damping: f64,
    /// Largest force of the motor, in newtons.
    pub most_force: f64,
    /// Push of the person.
    pub push: Push,
    pub pace: OneAxisPace,
}

impl Default for OneAxisOptions {
    fn default() -> Self {
        Self {
            mass: 0.1,
            damping: 0.5,
            period: 1e-3,
            n_delayed: 0,
            claimed_damping: 0.5,
            most_force: 5.0,
            push: Push { steady: -0.5, swing: 0.0, hz: 0.0 },
            pace: OneAxisPace::OwnClock,
        }
    }
}

impl OneAxisOptions {
    /// Refuses numbers that no device can have.
    pub(crate) fn check(&self) -> Result<(), EmulatorError> {
        /// Most periods of delay.
        const MOST: usize = 1000;
        let Self { mass, damping, period, claimed_damping, most_force, push, .. } = *self;
        let are_positive = [mass, period, most_force].iter().all(|x| x.is_finite() && *x > 0.0);
        let are_real = [damping, claimed_damping].iter().all(|x| x.is_finite() && *x >= 0.0);
        let is_push = [push.steady, push.swing, push.hz].iter().all(|x| x.is_finite());
        match are_positive && are_real && is_push && period <= 1.0 && self.n_delayed <= MOST {
            true => Ok(()),
            false => Err(EmulatorError::OneAxis),
        }
    }
}

/// State of the finger in the device, as a person sees it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct OneAxisState {
    /// Place of the finger, in metres.
    pub place: f64,
    /// Speed of the finger, in m/s.
    pub velocity: f64,
    /// Force of the motor, in newtons.
    pub force: f64,
    /// Number of periods since power-up.
    pub n_periods: u64,
}

/// Periods without a force after which the motor lets go.
const PATIENCE: u32 = 100;

pub(crate) struct OneAxis {
    options: OneAxisOptions,
    clock: ScriptClock,
    host: HostReader,
    finger: Finger,
    /// Force that came last, in newtons.
    ordered: f64,
    n_without_force: u32,
    schedule: RecordSchedule,
}

impl OneAxis {
    pub(crate) fn new(options: OneAxisOptions, clock: ScriptClock, now: Instant) -> Self {
        Self {
            options,
            clock,
            host: HostReader::default(),
            finger: Finger::new(&options),
            ordered: 0.0,
            n_without_force: 0,
            schedule: RecordSchedule::new(now, options.period / clock.rate()),
        }
    }

    fn power_up(&mut self, now: Instant) {
        *self = Self::new(self.options, self.clock, now);
    }

    /// Lets a period pass and sends the place after it.
    fn pass_period(&mut self, reason: SendReason, out: &mut SendQueue) {
        self.n_without_force += 1;
        if self.n_without_force > PATIENCE {
            self.ordered = 0.0;
        }
        self.finger.advance(self.ordered);
        let state = self.finger.state();
        let mut frame = vec![b'P'];
        frame.extend((state.n_periods as u16).to_le_bytes());
        frame.extend(((state.place * 1e9).round() as i32).to_le_bytes());
        let check = frame.iter().map(|byte| u32::from(*byte)).sum::<u32>() % 256;
        frame.push(check as u8);
        let layout = Layout { data: 1..frame.len() - 1, station: None };
        out.record(&frame, &layout, reason);
    }

    fn description(&self) -> String {
        let OneAxisOptions { mass, claimed_damping, period, most_force, .. } = self.options;
        let delay = self.options.n_delayed as f64 * period;
        let slew = most_force / 5e-3;
        format!(
            "one-axis 1 mass={mass} damping={claimed_damping} period={period} delay={delay} \
             force={most_force} slew={slew}\n"
        )
    }
}

impl EmulatedDevice for OneAxis {
    fn receive(&mut self, bytes: &[u8], _now: Instant, out: &mut SendQueue) {
        for byte in bytes {
            match self.host.push(*byte) {
                None => {}
                Some(Order::Describe) => out.reply(self.description().as_bytes()),
                Some(Order::Force(force)) => {
                    self.ordered = force;
                    self.n_without_force = 0;
                    if self.options.pace == OneAxisPace::Lockstep {
                        self.pass_period(SendReason::Asked, out);
                    }
                }
            }
        }
    }

    fn happen(&mut self, event: DeviceEvent, now: Instant, _out: &mut SendQueue) {
        if event == DeviceEvent::PowerCycle {
            self.power_up(now);
        }
    }

    fn next_due(&self) -> Option<Instant> {
        (self.options.pace == OneAxisPace::OwnClock).then(|| self.schedule.next_due())
    }

    fn emit(&mut self, now: Instant, out: &mut SendQueue) {
        if self.options.pace == OneAxisPace::OwnClock {
            // The finger goes on in periods that no place is sent for.
            let n_missed = self.schedule.advance(now);
            for _ in 0..n_missed {
                self.finger.advance(self.ordered);
            }
            out.skip(n_missed);
            self.pass_period(SendReason::Streamed, out);
        }
    }

    fn feedback(&self) -> Feedback {
        Feedback { one_axis: self.finger.state(), ..Feedback::default() }
    }
}

#[cfg(test)]
mod tests;
