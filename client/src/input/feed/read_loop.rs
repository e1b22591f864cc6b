//! Loop that reads a device and sends the samples of each part to its feed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use drivers::reconnect::{Presence, ReconnectingDevice};

use super::{DeviceState, NumberedReading, Shared};
use crate::input::input_device::InputDevice;

/// Time without a sample after which a device is silent, not only late.
const SILENT_AFTER: Duration = Duration::from_secs(1);
/// Time for which a part counts as doubtful after a doubtful sample: its samples may alternate.
const DOUBT_LASTS: Duration = Duration::from_secs(1);
/// Longest wait for a sample before the loop checks if the feeds still exist.
const PATIENCE: Duration = Duration::from_millis(100);
/// Time without a sample after which a part is late although other parts send samples.
const PART_LATE_AFTER: Duration = Duration::from_millis(250);

/// One part of the device, on the reading thread.
struct Part<'a, R> {
    number: usize,
    shared: &'a Shared<R>,
    /// State of the part, as in its feed.
    state: DeviceState,
    /// Time of the part's last sample, or of the opening of the device.
    last_sign: Instant,
    /// Reason and time of the last doubtful sample.
    doubt: Option<(&'static str, Instant)>,
}

pub(super) fn keep_reading<D: InputDevice>(
    mut reconnecting: ReconnectingDevice<D>,
    shared: &[Arc<Shared<D::Reading>>],
    stop: &AtomicBool,
    mut tend: impl FnMut(&mut D),
) {
    let part = |(number, shared)| Part::new(number, shared);
    let mut parts: Vec<_> = shared.iter().enumerate().map(part).collect();
    let (mut n_connections, mut number) = (0, 0);
    while !stop.load(Ordering::Relaxed) {
        let sample = reconnecting.next_sample(PATIENCE);
        let is_new = reconnecting.counts().n_connections > n_connections;
        n_connections = reconnecting.counts().n_connections;
        if is_new && let Some(device) = reconnecting.device() {
            let what = device.describe();
            tracing::info!("{}: {what} at {}", D::NAME, reconnecting.path());
            parts.iter_mut().for_each(|part| part.last_sign = Instant::now());
        }
        if let Some(first) = parts.first() {
            let n_lost = reconnecting.counts().decoded.dropped_records;
            first.shared.n_lost.store(n_lost, Ordering::Relaxed);
        }
        let has_come = sample.is_some();
        number += u64::from(has_come);
        let mut whose = None;
        if let (Some(device), Some(sample)) = (reconnecting.device(), sample)
            && let Some(part) = device.part(&sample)
        {
            let doubt = device.doubt(&sample);
            let reading = device.reading(sample);
            if let Some(part) = parts.get_mut(part) {
                part.note_doubt(doubt);
                part.take(&mut reconnecting, number, reading);
            }
            whose = Some(part);
        }
        for part in parts.iter_mut().filter(|part| whose != Some(part.number)) {
            // A sample of another part tells nothing about this one, unless this part is overdue.
            if !has_come || part.is_overdue() || part.is_lacking(&mut reconnecting) {
                part.look(&mut reconnecting, None);
            }
        }
        if let Some(device) = reconnecting.device() {
            tend(device);
        }
    }
}

impl<'a, R> Part<'a, R> {
    fn new(number: usize, shared: &'a Arc<Shared<R>>) -> Self {
        let (state, last_sign) = (DeviceState::Opening, Instant::now());
        Self { number, shared, state, last_sign, doubt: None }
    }

    /// Notes whether the present sample is doubtful.
    fn note_doubt(&mut self, doubt: Option<&'static str>) {
        if let Some(why) = doubt {
            self.doubt = Some((why, Instant::now()));
            self.shared.n_doubtful.fetch_add(1, Ordering::Relaxed);
        }
        self.doubt.take_if(|(_, since)| since.elapsed() > DOUBT_LASTS);
    }

    fn is_overdue(&self) -> bool {
        self.last_sign.elapsed() > PART_LATE_AFTER
    }

    fn is_lacking<D: InputDevice>(&self, reconnecting: &mut ReconnectingDevice<D>) -> bool {
        reconnecting.device().is_some_and(|device| device.lacks(self.number).is_some())
    }

    /// Takes a reading of this part, or the reason why there is none.
    fn take<D: InputDevice>(
        &mut self,
        reconnecting: &mut ReconnectingDevice<D>,
        number: u64,
        reading: Result<R, &'static str>,
    ) {
        self.last_sign = Instant::now();
        self.look(reconnecting, reading.as_ref().err().copied());
        if let Ok(reading) = reading {
            self.shared.readings.put(NumberedReading { number, reading });
            // The count follows the reading: a caller that sees the count finds the reading.
            self.shared.n_readings.fetch_add(1, Ordering::Release);
        }
    }

    /// Updates the state of this part.
    fn look<D: InputDevice>(
        &mut self,
        reconnecting: &mut ReconnectingDevice<D>,
        fault: Option<&'static str>,
    ) {
        let now = self.state_now(reconnecting, fault);
        if self.state != now {
            self.state.clone_from(&now);
            *self.shared.state.lock().unwrap_or_else(PoisonError::into_inner) = now;
        }
    }

    fn state_now<D: InputDevice>(
        &self,
        reconnecting: &mut ReconnectingDevice<D>,
        fault: Option<&'static str>,
    ) -> DeviceState {
        let was_there = reconnecting.counts().n_connections > 0;
        let is_late = match reconnecting.presence() {
            Presence::Unopened => return DeviceState::Opening,
            Presence::Ended => return DeviceState::Ended,
            Presence::Lost(why) if was_there => return DeviceState::Lost(why.clone()),
            Presence::Lost(why) => return DeviceState::Missing(why.clone()),
            Presence::Live => self.is_overdue(),
            Presence::Late => true,
        };
        let (is_recorded, is_garbled) = (reconnecting.is_recorded(), reconnecting.is_garbled());
        let Some(device) = reconnecting.device() else { return DeviceState::Opening };
        if let Some(why) = device.lacks(self.number) {
            return DeviceState::Missing(why);
        }
        match fault {
            Some(why) => DeviceState::Faulty(why),
            None if !is_late => match self.doubt {
                Some((why, _)) => DeviceState::Doubtful(why),
                None => DeviceState::Live(device.describe()),
            },
            None if self.last_sign.elapsed() > SILENT_AFTER && !is_recorded => match is_garbled {
                true => DeviceState::Garbled,
                false => DeviceState::Silent,
            },
            None => DeviceState::Late,
        }
    }
}
