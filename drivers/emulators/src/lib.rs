//! Emulated devices: a CyberGlove and a FASTRAK as real serial peers on pseudo-terminals.
//!
//! - [`motion`]: what the emulated hand does, as keyframes; [`motion::grasp`] is the demonstration;
//! - [`clock`]: the seconds of that script, shared so that glove and tracker stay in step;
//! - [`cyberglove`], [`fastrak`]: the two devices, from bytes to bytes, without I/O;
//! - `serve`: one thread that carries bytes between a device and its pseudo-terminal;
//! - `pty`, `outbox`, `schedule`: the terminal, what waits to be sent, when the next record is due.
//!
//! Everything is written from the devices' manuals and shares nothing with the drivers, so that the
//! two cannot agree on the same mistake.

pub mod clock;
pub mod cyberglove;
pub mod fastrak;
pub mod motion;
mod outbox;
mod pty;
mod schedule;
mod serve;

pub use clock::ScriptClock;
pub use cyberglove::{GloveOptions, SensorSet};
pub use fastrak::TrackerOptions;
pub use motion::{HandState, Keyframe, Motion};
pub use serve::{Emulator, EmulatorError};

/// Starts emulated gloves.
pub struct GloveEmulator;

impl GloveEmulator {
    /// Puts a glove that performs `motion` on a pseudo-terminal of its own.
    pub fn start(
        options: GloveOptions,
        motion: Motion,
        clock: ScriptClock,
    ) -> Result<Emulator, EmulatorError> {
        EmulatorError::check_stream_hz(options.stream_hz)?;
        let glove = cyberglove::Glove::new(options, motion, clock);
        Emulator::start("emulated CyberGlove", "glove-emulator", glove)
    }
}

/// Starts emulated trackers.
pub struct TrackerEmulator;

impl TrackerEmulator {
    /// Puts a tracker whose receiver follows `motion` on a pseudo-terminal of its own.
    pub fn start(
        options: TrackerOptions,
        motion: Motion,
        clock: ScriptClock,
    ) -> Result<Emulator, EmulatorError> {
        EmulatorError::check_stream_hz(options.stream_hz)?;
        let tracker = fastrak::Tracker::new(options, motion, clock);
        Emulator::start("emulated FASTRAK", "tracker-emulator", tracker)
    }
}
