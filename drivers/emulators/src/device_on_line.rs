//! A device with its line and its faults: an emulator without terminal and clock.

use std::time::{Duration, Instant};

use crate::device_event::{DeviceEvent, Feedback};
use crate::fault::timeline::{Happening, Timeline};
use crate::line_options::LineOptions;
use crate::send_queue::{Listener, SendQueue};

/// A device from bytes to bytes. Time is an argument, so a device can be tested without a clock.
pub(crate) trait EmulatedDevice: Send + 'static {
    /// Takes bytes from the host: a part of a command, or several commands.
    fn receive(&mut self, bytes: &[u8], now: Instant, out: &mut SendQueue);

    /// Applies an event that does not come over the line.
    fn happen(&mut self, event: DeviceEvent, now: Instant, out: &mut SendQueue);

    /// Time at which the device next sends bytes by itself; `None` if it will not.
    fn next_due(&self) -> Option<Instant>;

    /// Queues the bytes that are due at `now`.
    fn emit(&mut self, now: Instant, out: &mut SendQueue);

    fn feedback(&self) -> Feedback;
}

/// Age from which on records are skipped instead of sent late.
const LATEST: Duration = Duration::from_secs(1);

pub(crate) struct DeviceOnLine<D> {
    pub(crate) device: D,
    pub(crate) queue: SendQueue,
    timeline: Timeline,
    listener: Listener,
}

impl<D: EmulatedDevice> DeviceOnLine<D> {
    pub(crate) fn new(device: D, options: &LineOptions, start: Instant) -> Self {
        Self {
            device,
            queue: SendQueue::new(options, start),
            timeline: Timeline::new(&options.faults, start),
            listener: Listener::Host,
        }
    }

    pub(crate) fn set_listener(&mut self, listener: Listener) {
        if self.listener != listener {
            self.listener = listener;
            self.queue.set_listener(listener);
        }
    }

    pub(crate) fn receive(&mut self, bytes: &[u8], now: Instant) {
        self.queue.begin(now);
        if self.listener == Listener::HostAtOtherBaud {
            let mut garbage = bytes.to_vec();
            self.queue.garble(&mut garbage);
            self.device.receive(&garbage, now, &mut self.queue);
        } else {
            self.device.receive(bytes, now, &mut self.queue);
        }
    }

    pub(crate) fn happen(&mut self, event: DeviceEvent, now: Instant) {
        self.queue.begin(now);
        self.device.happen(event, now, &mut self.queue);
    }

    /// Time at which [`step`](Self::step) has work, or [`SendQueue::sendable`] will have bytes.
    /// Bytes that are sendable already are left out: they wait for the host, not for a time.
    pub(crate) fn next_due(&self) -> Option<Instant> {
        let is_ready = !self.queue.sendable().is_empty();
        let line = if is_ready { None } else { self.queue.next_due() };
        [self.timeline.next_due(), self.device.next_due(), line].into_iter().flatten().min()
    }

    /// Does the work that is due. If the line must hang up, returns for how long.
    pub(crate) fn step(&mut self, now: Instant) -> Option<Duration> {
        self.queue.begin(now);
        let mut hang_up = None;
        while let Some(happening) = self.timeline.take_due(now) {
            match happening {
                Happening::Stall(lasts) => self.queue.stall(now + lasts),
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
        // A thread that ran late sends what the device would have sent meanwhile, with the contents
        // that it would have had. After a longer time, the buffer of a line would have overflowed.
        let oldest = now.checked_sub(LATEST).unwrap_or(now);
        while let Some(due) = self.device.next_due().filter(|due| *due <= now) {
            let due = due.max(oldest);
            self.queue.begin(due);
            self.device.emit(due, &mut self.queue);
        }
        self.queue.begin(now);
        hang_up
    }
}

#[cfg(test)]
mod tests;
