//! Emulated devices: gloves and a tracker as real serial peers on pseudo-terminals.
//!
//! - [`motion`]: what the emulated hand does, as keyframes, from a table or a text file;
//! - [`clock`]: the seconds of that script, shared so that glove and tracker stay in step;
//! - [`cyberglove`], [`fastrak`], [`lucidglove`]: the devices, from bytes to bytes, without I/O;
//! - [`mod@line`], [`fault`], [`report`]: how fast bytes travel, what goes wrong with them, and an
//!   exact account of it; [`event`]: what people do to a device;
//! - `peer`: a device with its line, in simulated time as well as in real;
//! - [`emulator`], `serve`: the handle, and the thread that serves a terminal;
//! - `pty`, `port_name`, `outbox`, `schedule`, `random`: the terminal and its name, what waits to
//!   be sent, when the next record is due, repeatable chance.
//!
//! Everything is written from the devices' manuals and shares nothing with the drivers, so that the
//! two cannot agree on the same mistake.

pub mod clock;
pub mod cyberglove;
pub mod emulator;
pub mod event;
pub mod fastrak;
pub mod fault;
pub mod line;
pub mod lucidglove;
pub mod motion;
mod outbox;
mod peer;
mod port_name;
mod pty;
mod random;
pub mod report;
mod schedule;
mod serve;

use std::time::Instant;

pub use clock::ScriptClock;
pub use cyberglove::{GloveModel, GloveOptions, Response, SensorSet};
use emulator::Names;
pub use emulator::{Emulator, EmulatorError, PlugName};
pub use event::{DeviceEvent, Feedback, Vibration};
pub use fastrak::{ErrorReport, Firmware, TrackerOptions};
use fault::DeviceKind;
pub use fault::{
    Fault, FaultError, FaultPlan, FaultPlanError, RecordFault, When, Which, WhichReply,
};
pub use line::{LineOptions, WrongBaud};
pub use lucidglove::{LucidGloveOptions, LucidKeys};
pub use motion::{HandState, Keyframe, Motion, MotionError, Puppet};
pub use port_name::running;
pub use report::{Damage, DamageKind, JournalEntry, LineReport, Withheld};

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

    /// The same, on a line with a rate and faults of its own.
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

    /// The same, on a line with a rate and faults of its own.
    pub fn start_on(
        line: &LineOptions,
        options: TrackerOptions,
        motion: Motion,
        clock: ScriptClock,
    ) -> Result<Emulator, EmulatorError> {
        Self::serve(line, fastrak::Tracker::new(options, motion, clock))
    }

    /// The same for two hands: the receiver of station 2, if there is one, follows the second motion, and all
    /// others the first.
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

/// Starts emulated LucidGloves, which speak the encoding of OpenGloves.
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

    /// The same, on a line with a rate and faults of its own.
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
