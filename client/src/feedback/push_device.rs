//! The thread of a kinaesthetic device: it reads the device, computes the force of its fingertip
//! and pushes it, a thousand times a second, and opens the device again after a loss.

use std::error::Error;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use drivers::{DeviceError, KinaestheticDevice, OneAxis, Side};
use emulators::Emulator;
use engine::Mailbox;
use haptics::{DeviceLoop, DevicePlacement, HandFelt, LoopThread, Wake};

use super::PERIOD;
use crate::input::DeviceState;

/// Time between two attempts to open a device.
const AGAIN: Duration = Duration::from_secs(1);

/// A device on one finger of a hand. Dropping it frees the finger.
pub struct PushDevice {
    side: Side,
    felt: Arc<Mailbox<Option<HandFelt>>>,
    /// New states of the device, from the thread.
    states: Arc<Mailbox<DeviceState>>,
    state: DeviceState,
    thread: LoopThread,
    /// Emulator of the device, which ends after the thread.
    emulator: Option<Emulator>,
}

/// The thread's part.
struct DeviceTurn {
    path: String,
    placement: DevicePlacement,
    felt: Arc<Mailbox<Option<HandFelt>>>,
    newest: Option<HandFelt>,
    device: Option<DeviceLoop<OneAxis>>,
    /// Time of the last attempt to open the device.
    tried: Option<Instant>,
    was_active: bool,
    /// True if the device was there before.
    was_there: bool,
    states: Arc<Mailbox<DeviceState>>,
    /// State that is not told yet: the mailbox was in use.
    untold: Option<DeviceState>,
}

impl PushDevice {
    /// Starts the thread of the device at a port, now and whenever it comes back.
    pub fn start(path: &str, side: Side, placement: DevicePlacement) -> io::Result<Self> {
        let felt = Arc::new(Mailbox::default());
        let states = Arc::new(Mailbox::default());
        let mut turn = DeviceTurn {
            path: path.to_owned(),
            placement,
            felt: Arc::clone(&felt),
            newest: None,
            device: None,
            tried: None,
            was_active: false,
            was_there: false,
            states: Arc::clone(&states),
            untold: None,
        };
        let thread = LoopThread::start("push-device", PERIOD, move |wake| {
            turn.turn(wake);
            ControlFlow::Continue(())
        })?;
        let state = DeviceState::Opening;
        Ok(Self { side, felt, states, state, thread, emulator: None })
    }

    /// The same; it keeps the emulator at its port.
    pub fn keeping(self, emulator: Emulator) -> Self {
        Self { emulator: Some(emulator), ..self }
    }

    /// Emulator at the device's port, if it is emulated.
    pub fn emulator(&self) -> Option<&Emulator> {
        self.emulator.as_ref()
    }

    /// State of the device.
    pub fn state(&mut self) -> &DeviceState {
        if let Some(newest) = self.states.take() {
            self.state = newest;
        }
        &self.state
    }

    /// True if the thread has ended by itself: it has panicked, and the device has let go.
    pub fn has_ended(&self) -> bool {
        self.thread.has_ended()
    }

    /// Hand on which the device is.
    pub fn side(&self) -> Side {
        self.side
    }

    /// Sets what the hand feels from now on; `None` for nothing.
    pub fn feel(&self, felt: Option<HandFelt>) {
        self.felt.put(felt);
    }
}

impl DeviceTurn {
    fn turn(&mut self, wake: Wake) {
        if let Some(newest) = self.felt.take_at_once() {
            self.newest = newest;
        }
        if let Some(state) = &self.untold
            && self.states.put_at_once(state.clone())
        {
            self.untold = None;
        }
        let Some(device) = &mut self.device else { return self.open(wake.now) };
        match device.turn(self.newest.as_ref(), wake.now, Duration::ZERO) {
            Ok(output) => {
                if output.is_active != self.was_active {
                    self.was_active = output.is_active;
                    self.untold = Some(self.working());
                }
            }
            Err(error) => {
                self.untold = Some(DeviceState::Lost(in_words(&error)));
                (self.device, self.tried) = (None, Some(wake.now));
            }
        }
    }

    fn open(&mut self, now: Instant) {
        if self.tried.is_some_and(|tried| now.saturating_duration_since(tried) < AGAIN) {
            return;
        }
        let opened = OneAxis::open(&self.path)
            .and_then(|device| in_step(device, &self.path))
            .and_then(|device| DeviceLoop::new(device, self.placement));
        match opened {
            Ok(device) => {
                self.device = Some(device);
                (self.was_there, self.was_active) = (true, false);
                self.untold = Some(self.working());
            }
            Err(error) => {
                let why = in_words(&error);
                self.untold = Some(match self.was_there {
                    true => DeviceState::Lost(why),
                    false => DeviceState::Missing(why),
                });
            }
        }
        self.tried = Some(Instant::now());
    }

    /// State of a device that is there.
    fn working(&self) -> DeviceState {
        match self.was_active {
            true => DeviceState::Doubtful("they gave energy, and are softer for some seconds"),
            false => DeviceState::Live(format!("one-axis device at {}", self.path)),
        }
    }
}

/// An error with its causes.
fn in_words(error: &DeviceError) -> String {
    let (mut text, mut cause) = (error.to_string(), error.source());
    while let Some(error) = cause {
        text += &format!(": {error}");
        cause = error.source();
    }
    text
}

/// Refuses a device whose period is not that of the loop: the stiffness that it allows is right for
/// no other.
fn in_step<D: KinaestheticDevice>(device: D, path: &str) -> Result<D, DeviceError> {
    let period = device.profile().period;
    match (period / PERIOD.as_secs_f64() - 1.0).abs() < 1e-3 {
        true => Ok(device),
        false => Err(DeviceError::UnexpectedAnswer {
            path: path.to_owned(),
            request: "the question for its period".to_owned(),
            got: format!("{} ms", 1e3 * period),
            want: "1 ms: the loop of force feedback turns a thousand times a second",
        }),
    }
}

#[cfg(test)]
mod tests {
    use emulators::{OneAxisEmulator, OneAxisOptions, PlugName, Push, ScriptClock};
    use haptics::{DeviceAxes, FingerFelt, LinearContact};
    use nalgebra::{Matrix3, Point3, Vector3};

    use super::*;

    fn until(what: &str, mut is_so: impl FnMut() -> bool) {
        let deadline = Instant::now() + Duration::from_secs(40);
        while !is_so() {
            assert!(Instant::now() < deadline, "never: {what}");
            std::thread::park_timeout(PERIOD);
        }
    }

    #[test]
    fn a_device_with_another_period_is_refused_in_words() {
        for (period, is_ours) in [(1e-3, true), (10e-3, false), (0.5e-3, false)] {
            let options = OneAxisOptions { period, ..OneAxisOptions::default() };
            let clock = ScriptClock::since(Instant::now());
            let emulator = OneAxisEmulator::start(options, clock).unwrap();
            let device = OneAxis::open(emulator.path()).unwrap();
            let words = in_step(device, "port").err().map(|error| error.to_string());
            assert_eq!(words.is_none(), is_ours, "{words:?}");
            if let Some(words) = words {
                let [got, wanted] = [format!("{} ms", 1e3 * period), "expected 1 ms".to_owned()];
                assert!(words.contains(&got) && words.contains(&wanted), "{words}");
            }
        }
    }

    #[test]
    fn an_emulated_device_pushes_the_finger_while_it_feels_something() {
        let push = Push { steady: 0.0, swing: 0.0, hz: 0.0 };
        let options = OneAxisOptions { push, ..OneAxisOptions::default() };
        let clock = ScriptClock::since(Instant::now());
        let mut emulator = OneAxisEmulator::start(options, clock).unwrap();
        let placement = DevicePlacement { finger: 1, axes: DeviceAxes::OpeningFinger };
        let mut device = PushDevice::start(emulator.path(), Side::Right, placement).unwrap();
        until("it is there", || matches!(device.state(), DeviceState::Live(_)));
        let force = || emulator.feedback().one_axis.force;
        let model = LinearContact {
            place: Point3::origin(),
            force: Vector3::new(0.0, 1.0, 0.0),
            normal: Vector3::y(),
            friction: 0.6,
            stiffness: Matrix3::identity() * 100.0,
        };
        let way = Vector3::new(0.0, -0.08, 0.0);
        until("it pushes", || {
            let now = Instant::now();
            let finger = FingerFelt { way, model, framed: Some(now), ..FingerFelt::NONE };
            device.feel(Some(HandFelt { fingers: [finger; 5], sampled: now }));
            force() > 0.02
        });
        device.feel(None);
        until("it lets go", || force() == 0.0);
        emulator.unplug();
        until("it is lost", || matches!(device.state(), DeviceState::Lost(_)));
        emulator.plug_in(PlugName::Same).unwrap();
        until("it is back", || matches!(device.state(), DeviceState::Live(_)));
        assert!(!device.has_ended());
        drop(device);
        assert_eq!(emulator.feedback().one_axis.force, 0.0);
    }

    #[test]
    fn a_device_that_is_not_there_is_missing() {
        let placement = DevicePlacement { finger: 1, axes: DeviceAxes::OpeningFinger };
        let mut device = PushDevice::start("/no/such/port", Side::Right, placement).unwrap();
        until("it is missing", || matches!(device.state(), DeviceState::Missing(_)));
    }
}
