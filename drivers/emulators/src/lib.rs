//! Emulated gloves and trackers: real serial peers on pseudo-terminals, for tests and
//! demonstrations.
//!
//! The emulated hand and the devices:
//!
//! - [`motion`]: the motion of the hand, as keyframes, from a table or a text file;
//! - [`clock`]: the script's time, shared so that glove and tracker stay synchronous;
//! - [`cyberglove`], [`fastrak`], [`lucidglove`], [`one_axis`]: the devices, from bytes to bytes,
//!   without I/O;
//! - [`device_event`]: actions of people on a device, and feedback from the device.
//!
//! The line:
//!
//! - [`line_options`]: baud rate, journal and faults of a line;
//! - [`fault`]: faults of a line, on purpose and repeatable;
//! - [`line_report`]: exact counts of all records, whole, damaged and withheld;
//! - `send_queue`: the bytes that wait to be sent;
//! - `record_schedule`: the times at which records of a stream are due;
//! - `random`: repeatable random numbers.
//!
//! The running emulator:
//!
//! - [`emulator`]: the handle; `serve`: the thread that serves a terminal;
//! - `device_on_line`: a device with its line, in real or simulated time;
//! - `pty`: the pseudo-terminal; `port_name`: its name.
//!
//! All code is written from the devices' manuals and shares nothing with the drivers, so that both
//! cannot have the same error.

pub mod clock;
pub mod cyberglove;
pub mod device_event;
mod device_on_line;
pub mod emulator;
pub mod fastrak;
pub mod fault;
pub mod line_options;
pub mod line_report;
pub mod lucidglove;
pub mod motion;
pub mod one_axis;
mod port_name;
mod pty;
mod random;
mod record_schedule;
mod send_queue;
mod serve;

use std::time::Instant;

pub use clock::ScriptClock;
pub use cyberglove::{GloveModel, GloveOptions, Response, SensorSet};
pub use device_event::{DeviceEvent, Feedback, Vibration};
use emulator::Names;
pub use emulator::{Emulator, EmulatorError, PlugName};
pub use fastrak::{ErrorReport, Firmware, TrackerOptions};
use fault::DeviceKind;
pub use fault::{
    Fault, FaultError, FaultPlan, FaultPlanError, RecordFault, When, Which, WhichReply,
};
pub use line_options::{LineOptions, WrongBaud};
pub use line_report::{Damage, DamageKind, LineReport, SentRecord, Withheld};
pub use lucidglove::{LucidGloveOptions, LucidKeys};
pub use motion::{HandState, Keyframe, Motion, MotionError, Puppet};
pub use one_axis::{OneAxisOptions, OneAxisPace, OneAxisState, Push};
pub use port_name::running;

/// Starts emulated CyberGloves.
pub struct GloveEmulator;

impl GloveEmulator {
    /// Puts a glove that performs `motion` on a pseudo-terminal of its own.
    pub fn start(
        options: GloveOptions,
        motion: Motion,
        clock: ScriptClock,
    ) -> Result<Emulator, EmulatorError> {
        Self::start_on(&LineOptions::default(), options, motion, clock)
    }

    /// Starts a glove on a line with the given baud rate and faults.
    pub fn start_on(
        line: &LineOptions,
        options: GloveOptions,
        motion: Motion,
        clock: ScriptClock,
    ) -> Result<Emulator, EmulatorError> {
        EmulatorError::check_stream_hz(options.stream_hz)?;
        let names = Names {
            device: "emulated CyberGlove",
            thread: "glove-emulator",
            port: "glove",
            kind: DeviceKind::Glove,
        };
        Emulator::start(&names, cyberglove::Glove::new(options, motion, clock), line)
    }
}

/// Starts emulated trackers.
pub struct TrackerEmulator;

impl TrackerEmulator {
    /// Puts a tracker whose receivers follow `motion` on a pseudo-terminal of its own.
    pub fn start(
        options: TrackerOptions,
        motion: Motion,
        clock: ScriptClock,
    ) -> Result<Emulator, EmulatorError> {
        Self::start_on(&LineOptions::default(), options, motion, clock)
    }

    /// Starts a tracker on a line with the given baud rate and faults.
    pub fn start_on(
        line: &LineOptions,
        options: TrackerOptions,
        motion: Motion,
        clock: ScriptClock,
    ) -> Result<Emulator, EmulatorError> {
        Self::serve(line, fastrak::Tracker::new(options, motion, clock))
    }

    /// Starts a tracker for two hands: the receiver of station 2, if there is one, follows the
    /// second motion, and all others the first.
    pub fn start_on_both_hands(
        line: &LineOptions,
        options: TrackerOptions,
        [first, second]: [Motion; 2],
        clock: ScriptClock,
    ) -> Result<Emulator, EmulatorError> {
        let tracker = fastrak::Tracker::new(options, first, clock).with_second_hand(second);
        Self::serve(line, tracker)
    }

    fn serve(line: &LineOptions, tracker: fastrak::Tracker) -> Result<Emulator, EmulatorError> {
        EmulatorError::check_stream_hz(tracker.stream_hz())?;
        let names = Names {
            device: "emulated FASTRAK",
            thread: "tracker-emulator",
            port: "tracker",
            kind: DeviceKind::Tracker,
        };
        Emulator::start(&names, tracker, line)
    }
}

/// Starts emulated LucidGloves, which use the OpenGloves encoding.
pub struct LucidGloveEmulator;

impl LucidGloveEmulator {
    /// Puts a glove that performs `motion` on a pseudo-terminal of its own.
    pub fn start(
        options: LucidGloveOptions,
        motion: Motion,
        clock: ScriptClock,
    ) -> Result<Emulator, EmulatorError> {
        Self::start_on(&LineOptions::default(), options, motion, clock)
    }

    /// Starts a glove on a line with the given baud rate and faults.
    pub fn start_on(
        line: &LineOptions,
        options: LucidGloveOptions,
        motion: Motion,
        clock: ScriptClock,
    ) -> Result<Emulator, EmulatorError> {
        EmulatorError::check_stream_hz(options.stream_hz)?;
        let names = Names {
            device: "emulated LucidGlove",
            thread: "lucid-emulator",
            port: "lucidglove",
            kind: DeviceKind::LucidGlove,
        };
        let glove = lucidglove::LucidGlove::new(options, motion, clock, Instant::now());
        Emulator::start(&names, glove, line)
    }
}

/// Starts emulated kinaesthetic devices with one axis.
pub struct OneAxisEmulator;

impl OneAxisEmulator {
    /// Puts a device with a finger in it on a pseudo-terminal of its own, on a line without a
    /// limit: by its own clock it sends a thousand places a second.
    pub fn start(options: OneAxisOptions, clock: ScriptClock) -> Result<Emulator, EmulatorError> {
        let line = LineOptions { baud: None, ..LineOptions::default() };
        Self::start_on(&line, options, clock)
    }

    /// Starts a device on a line with the given baud rate and faults.
    pub fn start_on(
        line: &LineOptions,
        options: OneAxisOptions,
        clock: ScriptClock,
    ) -> Result<Emulator, EmulatorError> {
        options.check()?;
        let names = Names {
            device: "emulated one-axis device",
            thread: "one-axis-emulator",
            port: "one-axis",
            kind: DeviceKind::OneAxis,
        };
        Emulator::start(&names, one_axis::OneAxis::new(options, clock, Instant::now()), line)
    }
}
