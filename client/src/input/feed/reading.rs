//! The loop that reads a device and hands each part's samples to its own feed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use drivers::keeper::{Keeper, Presence};

use super::{DeviceState, Numbered, Shared, Source};

/// Without a sample for so long, a device is not only late but silent.
const SILENT_AFTER: Duration = Duration::from_secs(1);
/// How long to wait for a sample before looking whether the feeds are still wanted.
const PATIENCE: Duration = Duration::from_millis(100);
/// A part that says nothing for so long is late although others go on.
const PART_LATE_AFTER: Duration = Duration::from_millis(250);

/// One part of the device, on the reading thread.
struct Part<'a, R> {
    number: usize,
    shared: &'a Shared<R>,
    /// As the feed shows it.
    state: DeviceState,
    /// When its last sample came, or the device was opened.
    last_sign: Instant,
}

pub(super) fn keep_reading<D: Source>(
    mut keeper: Keeper<D>,
    shared: &[Arc<Shared<D::Reading>>],
    stop: &AtomicBool,
    mut tend: impl FnMut(&mut D),
) {
    let part = |(number, shared)| Part::new(number, shared);
    let mut parts: Vec<_> = shared.iter().enumerate().map(part).collect();
    let (mut n_connections, mut number) = (0, 0);
    while !stop.load(Ordering::Relaxed) {
        let sample = keeper.next_sample(PATIENCE);
        let is_new = keeper.tally().n_connections > n_connections;
        n_connections = keeper.tally().n_connections;
        if is_new && let Some(device) = keeper.device() {
            let what = device.describe();
            tracing::info!("{}: {what} at {}", D::NAME, keeper.path());
            parts.iter_mut().for_each(|part| part.last_sign = Instant::now());
        }
        if let Some(first) = parts.first() {
            let n_lost = keeper.tally().decoded.dropped_records;
            first.shared.n_lost.store(n_lost, Ordering::Relaxed);
        }
        let has_come = sample.is_some();
        number += u64::from(has_come);
        let mut whose = None;
        if let (Some(device), Some(sample)) = (keeper.device(), sample)
            && let Some(part) = device.part(&sample)
        {
            let reading = device.reading(sample);
            if let Some(part) = parts.get_mut(part) {
                part.take(&mut keeper, number, reading);
            }
            whose = Some(part);
        }
        for part in parts.iter_mut().filter(|part| whose != Some(part.number)) {
            // A sample of another part says nothing about this one, unless it should have come
            // long ago.
            if !has_come || part.is_overdue() || part.is_lacking(&mut keeper) {
                part.look(&mut keeper, None);
            }
        }
        if let Some(device) = keeper.device() {
            tend(device);
        }
    }
}

impl<'a, R> Part<'a, R> {
    fn new(number: usize, shared: &'a Arc<Shared<R>>) -> Self {
        Self { number, shared, state: DeviceState::Opening, last_sign: Instant::now() }
    }

    fn is_overdue(&self) -> bool {
        self.last_sign.elapsed() > PART_LATE_AFTER
    }

    fn is_lacking<D: Source>(&self, keeper: &mut Keeper<D>) -> bool {
        keeper.device().is_some_and(|device| device.lacks(self.number).is_some())
    }

    /// Takes a reading of this part, or why there is none.
    fn take<D: Source>(
        &mut self,
        keeper: &mut Keeper<D>,
        number: u64,
        reading: Result<R, &'static str>,
    ) {
        self.last_sign = Instant::now();
        self.look(keeper, reading.as_ref().err().copied());
        if let Ok(reading) = reading {
            self.shared.readings.put(Numbered { number, reading });
            // After it is there: a caller that sees the count finds the reading.
            self.shared.n_readings.fetch_add(1, Ordering::Release);
        }
    }

    /// Shows how this part is now.
    fn look<D: Source>(&mut self, keeper: &mut Keeper<D>, fault: Option<&'static str>) {
        let now = self.state_now(keeper, fault);
        if self.state != now {
            self.state.clone_from(&now);
            *self.shared.state.lock().unwrap_or_else(PoisonError::into_inner) = now;
        }
    }

    fn state_now<D: Source>(
        &self,
        keeper: &mut Keeper<D>,
        fault: Option<&'static str>,
    ) -> DeviceState {
        let was_there = keeper.tally().n_connections > 0;
        let is_late = match keeper.presence() {
            Presence::Unopened => return DeviceState::Opening,
            Presence::Ended => return DeviceState::Ended,
            Presence::Lost(why) if was_there => return DeviceState::Lost(why.clone()),
            Presence::Lost(why) => return DeviceState::Missing(why.clone()),
            Presence::Live => self.is_overdue(),
            Presence::Late => true,
        };
        let is_recorded = keeper.is_recorded();
        let Some(device) = keeper.device() else { return DeviceState::Opening };
        if let Some(why) = device.lacks(self.number) {
            return DeviceState::Missing(why);
        }
        match fault {
            Some(why) => DeviceState::Faulty(why),
            None if !is_late => DeviceState::Live(device.describe()),
            None if self.last_sign.elapsed() > SILENT_AFTER && !is_recorded => DeviceState::Silent,
            None => DeviceState::Late,
        }
    }
}
