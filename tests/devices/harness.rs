//! Shared by all scenarios: emulators on pseudo-terminals, reconnecting devices, and waiting.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use drivers::device::Device;
use drivers::line_source::{LineSource, SystemLines};
use drivers::ports::{PortInfo, Ports};
use drivers::reconnect::{Presence, ReconnectingDevice};
use drivers::serial::SerialLine;
use emulators::{
    DeviceEvent, Emulator, FaultPlan, GloveEmulator, HandState, Keyframe, LineOptions, Motion,
    ScriptClock, TrackerEmulator,
};

/// Longer than anything here takes, even on a busy machine.
pub(crate) const DEADLINE: Duration = Duration::from_secs(40);
/// A look at a stream: many of its periods.
pub(crate) const LOOK: Duration = Duration::from_millis(50);
/// From one look at what another thread does to the next: a look that follows at once takes a core
/// from it.
const BETWEEN_LOOKS: Duration = Duration::from_millis(2);
/// After this time without a sample nothing is on its way any more.
const SILENCE: Duration = Duration::from_millis(400);

/// A line without a limit that remembers all records; faults are written as for the command line.
pub(crate) fn line(faults: &[&str]) -> LineOptions {
    let faults = faults.iter().map(|text| text.parse().unwrap()).collect();
    LineOptions {
        baud: None,
        faults: FaultPlan::new(7, faults).unwrap(),
        journal_capacity: 1_000_000,
        ..LineOptions::default()
    }
}

pub(crate) fn glove(options: emulators::GloveOptions, line: &LineOptions) -> Emulator {
    glove_in(options, wandering(), line)
}

/// A glove on a hand that does `motion`.
pub(crate) fn glove_in(
    options: emulators::GloveOptions,
    motion: Motion,
    line: &LineOptions,
) -> Emulator {
    GloveEmulator::start_on(line, options, motion, ScriptClock::since(Instant::now())).unwrap()
}

pub(crate) fn tracker(options: emulators::TrackerOptions, line: &LineOptions) -> Emulator {
    tracker_in(options, wandering(), line)
}

/// A tracker of a hand that does `motion`.
pub(crate) fn tracker_in(
    options: emulators::TrackerOptions,
    motion: Motion,
    line: &LineOptions,
) -> Emulator {
    TrackerEmulator::start_on(line, options, motion, ScriptClock::since(Instant::now())).unwrap()
}

/// A tracker that starts again in no time.
pub(crate) fn quick_tracker() -> emulators::TrackerOptions {
    let reinitialise = Duration::from_millis(300);
    emulators::TrackerOptions { reinitialise, ..emulators::TrackerOptions::default() }
}

/// A hand that never stands still, so that no two records are alike.
pub(crate) fn wandering() -> Motion {
    let here = HandState { receiver_position_cm: [20.0, -10.0, -35.0], ..HandState::FLAT };
    let there = HandState {
        angles_deg: [40.0; 24],
        receiver_position_cm: [60.0, 25.0, 15.0],
        receiver_quaternion: [0.5, -0.5, 0.5, 0.5],
    };
    let keyframe =
        |seconds, state, name: &'static str| Keyframe { seconds, state, name: name.into() };
    Motion::new(vec![keyframe(0.0, here, "here"), keyframe(20.0, there, "there")], 40.0).unwrap()
}

/// Waits until `is_so`, which another thread makes true.
pub(crate) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + DEADLINE;
    while !is_so() {
        assert!(Instant::now() < deadline, "never: {what}");
        std::thread::park_timeout(BETWEEN_LOOKS);
    }
}

/// Checks all cases at the same time: devices spend theirs with waiting.
pub(crate) fn at_once<T: Sync + std::fmt::Debug>(cases: &[T], check: impl Fn(&T) + Sync) {
    std::thread::scope(|scope| {
        for case in cases {
            let thread = std::thread::Builder::new().name(format!("{case:?}"));
            thread.spawn_scoped(scope, || check(case)).unwrap();
        }
    });
}

/// Opens and starts a device. The system may need a moment to let go of a port that was just
/// closed, and on a busy machine an emulator may answer later than a driver waits.
pub(crate) fn start<D: Device>(path: &str, options: &D::Options) -> D {
    let mut device = None;
    until("the device answers", || {
        let line = SerialLine::open(path, D::baud(options)).ok();
        device = line.and_then(|line| D::start(line, options, &mut D::Memory::default()).ok());
        device.is_some()
    });
    device.unwrap()
}

/// The next sample of a device that has some.
pub(crate) fn next<D: Device>(device: &mut D) -> D::Sample {
    device.next_sample(DEADLINE).unwrap().expect("samples come")
}

/// Ends the device's stream by cutting its power, and takes what was still on its way.
pub(crate) fn take_rest<D: Device>(emulator: &Emulator, device: &mut D) -> Vec<D::Sample> {
    emulator.happen(DeviceEvent::PowerCycle);
    std::iter::from_fn(|| device.next_sample(SILENCE).unwrap()).collect()
}

/// The same, of a kept device.
pub(crate) fn take_rest_kept<D: Device>(
    emulator: &Emulator,
    reconnecting: &mut ReconnectingDevice<D>,
) -> Vec<D::Sample> {
    emulator.happen(DeviceEvent::PowerCycle);
    std::iter::from_fn(|| reconnecting.next_sample(SILENCE)).collect()
}

/// Keeps the device at `path`; its machine has no list of ports.
pub(crate) fn keep<D: Device>(path: &str, options: D::Options) -> ReconnectingDevice<D> {
    keep_on(path, options, Box::new(SystemLines))
}

pub(crate) fn keep_on<D: Device>(
    path: &str,
    options: D::Options,
    lines: Box<dyn LineSource>,
) -> ReconnectingDevice<D> {
    ReconnectingDevice::new(path, options, Box::new(Sockets::default()), lines)
}

/// Ports that a test plugs in and out.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sockets(pub(crate) Arc<Mutex<Vec<PortInfo>>>);

impl Ports for Sockets {
    fn list(&self) -> Vec<PortInfo> {
        self.0.lock().unwrap().clone()
    }
}

/// Takes samples until `is_so`, and gives them all.
pub(crate) fn keep_until<D: Device>(
    reconnecting: &mut ReconnectingDevice<D>,
    what: &str,
    mut is_so: impl FnMut(&mut ReconnectingDevice<D>) -> bool,
) -> Vec<D::Sample> {
    let deadline = Instant::now() + DEADLINE;
    let mut samples = Vec::new();
    while !is_so(reconnecting) {
        let (presence, counts) = (reconnecting.presence(), reconnecting.counts());
        assert!(Instant::now() < deadline, "never: {what}; {presence:?} {counts:?}");
        samples.extend(reconnecting.next_sample(LOOK));
    }
    samples
}

/// Takes samples until the device is live and has given `n_samples` of them.
pub(crate) fn live<D: Device>(
    reconnecting: &mut ReconnectingDevice<D>,
    n_samples: u64,
) -> Vec<D::Sample> {
    let n_wanted = reconnecting.counts().decoded.records + n_samples;
    keep_until(reconnecting, "live", |reconnecting| {
        *reconnecting.presence() == Presence::Live
            && reconnecting.counts().decoded.records >= n_wanted
    })
}

/// Takes samples until the device is late, then until it is live again.
pub(crate) fn late_then_live<D: Device>(
    reconnecting: &mut ReconnectingDevice<D>,
) -> Vec<D::Sample> {
    let mut samples =
        keep_until(reconnecting, "late", |reconnecting| *reconnecting.presence() == Presence::Late);
    samples.extend(live(reconnecting, 20));
    samples
}

/// Takes samples until the device is lost: those that were still on their way.
pub(crate) fn live_until_lost<D: Device>(
    reconnecting: &mut ReconnectingDevice<D>,
) -> Vec<D::Sample> {
    keep_until(reconnecting, "lost", |reconnecting| {
        matches!(reconnecting.presence(), Presence::Lost(_))
    })
}

/// Waits until the device is lost; gives the reason.
pub(crate) fn lost<D: Device>(reconnecting: &mut ReconnectingDevice<D>) -> String {
    live_until_lost(reconnecting);
    match reconnecting.presence() {
        Presence::Lost(reason) => reason.clone(),
        other => panic!("{other:?} after all"),
    }
}
