//! A device with its line and its faults: everything but the terminal and the clock.

use std::time::{Duration, Instant};

use crate::event::{DeviceEvent, Feedback};
use crate::fault::timeline::{Happening, Timeline};
use crate::line::LineOptions;
use crate::outbox::{Listener, Outbox};

/// A device from bytes to bytes. Time is an argument, so a device can be tested without a clock.
pub(crate) trait Device: Send + 'static {
    /// The host sent `bytes`, any part of a command or several of them.
    fn receive(&mut self, bytes: &[u8], now: Instant, out: &mut Outbox);

    /// Somebody did something to the device itself.
    fn happen(&mut self, event: DeviceEvent, now: Instant, out: &mut Outbox);

    /// When the device next has something to say by itself.
    fn next_due(&self) -> Option<Instant>;

    /// Says what is due at `now`.
    fn emit(&mut self, now: Instant, out: &mut Outbox);

    fn feedback(&self) -> Feedback;
}

pub(crate) struct Peer<D> {
    pub(crate) device: D,
    pub(crate) outbox: Outbox,
    timeline: Timeline,
    listener: Listener,
}

impl<D: Device> Peer<D> {
    pub(crate) fn new(device: D, options: &LineOptions, start: Instant) -> Self {
        Self {
            device,
            outbox: Outbox::new(options, start),
            timeline: Timeline::new(&options.faults, start),
            listener: Listener::Host,
        }
    }

    pub(crate) fn set_listener(&mut self, listener: Listener) {
        if self.listener != listener {
            self.listener = listener;
            self.outbox.set_listener(listener);
        }
    }

    pub(crate) fn receive(&mut self, bytes: &[u8], now: Instant) {
        self.outbox.begin(now);
        if self.listener == Listener::DeafHost {
            let mut garbage = bytes.to_vec();
            self.outbox.garble(&mut garbage);
            self.device.receive(&garbage, now, &mut self.outbox);
        } else {
            self.device.receive(bytes, now, &mut self.outbox);
        }
    }

    pub(crate) fn happen(&mut self, event: DeviceEvent, now: Instant) {
        self.outbox.begin(now);
        self.device.happen(event, now, &mut self.outbox);
    }

    /// When [`step`](Self::step) has something to do, or [`Outbox::sendable`] will have something to
    /// send. What is ready to be sent already waits for the host, not for a moment.
    pub(crate) fn next_due(&self) -> Option<Instant> {
        let is_ready = !self.outbox.sendable().is_empty();
        let line = if is_ready { None } else { self.outbox.next_due() };
        [self.timeline.next_due(), self.device.next_due(), line].into_iter().flatten().min()
    }

    /// Does what is due. If the line is to hang up, says for how long.
    pub(crate) fn step(&mut self, now: Instant) -> Option<Duration> {
        self.outbox.begin(now);
        let mut hang_up = None;
        while let Some(happening) = self.timeline.take_due(now) {
            match happening {
                Happening::Stall(lasts) => self.outbox.stall(now + lasts),
                Happening::HangUp(lasts) => hang_up = Some(lasts),
                Happening::Restart => self.happen(DeviceEvent::PowerCycle, now),
                Happening::Unplug(lasts) => {
                    self.timeline.add(now + lasts, Happening::PlugIn);
                    self.happen(DeviceEvent::PulledOff { station: 1 }, now);
                }
                Happening::PlugIn => self.happen(DeviceEvent::PutBack { station: 1 }, now),
                Happening::StickSensor(bit) => self.happen(DeviceEvent::SensorStuck { bit }, now),
            }
        }
        if self.device.next_due().is_some_and(|due| due <= now) {
            self.device.emit(now, &mut self.outbox);
        }
        hang_up
    }
}

#[cfg(test)]
mod tests;
