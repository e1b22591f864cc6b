//! Starts a device that pushes a finger: at a port, or emulated.

use std::time::Instant;

use anyhow::Context;
use emulators::{OneAxisEmulator, OneAxisOptions, Push, ScriptClock};
use haptics::{DeviceAxes, DevicePlacement};

use crate::command_line::{DeviceSource, SqueezeOptions};
use crate::feedback::PushDevice;

/// Push of the person in an emulated device: slowly to and fro, with half a newton.
const PUSH: Push = Push { steady: 0.0, swing: 0.5, hz: 0.5 };

/// Starts the device of these options, if there is one.
pub(super) fn push_device(squeeze: &SqueezeOptions) -> anyhow::Result<Option<PushDevice>> {
    let Some(source) = &squeeze.feel.push_device else { return Ok(None) };
    let placement = DevicePlacement {
        finger: squeeze.feel.push_finger.index(),
        axes: DeviceAxes::OpeningFinger,
    };
    let side = squeeze.side().into();
    let started = match source {
        DeviceSource::Port(path) => PushDevice::start(path, side, placement),
        DeviceSource::Emulated => {
            let options = OneAxisOptions { push: PUSH, ..OneAxisOptions::default() };
            let emulator = OneAxisEmulator::start(options, ScriptClock::since(Instant::now()))
                .context("cannot start the emulated device that pushes a finger")?;
            PushDevice::start(emulator.path(), side, placement)
                .map(|device| device.keeping(emulator))
        }
    };
    started.map(Some).context("cannot start the thread of the device that pushes a finger")
}
