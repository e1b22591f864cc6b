//! Vibrators of a CyberTouch beside a stream of samples.
//!
//! A command within a stream has its acknowledgement between two records. The manuals do not say so
//! of every unit; the emulator does it, and a unit that ends its stream is woken as after silence.

use std::time::{Duration, Instant};

use super::CyberGlove;
use crate::cyberglove::protocol::{ACTUATORS, Flag, Request};
use crate::serial::DeviceError;

/// Time after which equal strengths are sent again: a command may be lost on the line.
const REPEAT: Duration = Duration::from_millis(100);

/// Shortest time between two commands: vibrators follow no faster.
const LEAST: Duration = Duration::from_millis(15);

/// Strengths that were sent last, and when.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SentVibration {
    strengths: [u8; ACTUATORS],
    at: Option<Instant>,
}

impl CyberGlove {
    /// True if the glove has vibrators.
    pub fn has_vibrators(&self) -> bool {
        self.info.flags.is_some_and(|flags| flags.contains(Flag::CyberTouch))
    }

    /// Sets the strengths of the vibrators, 255 is full, without a pause of the stream. Does
    /// nothing on a glove without vibrators.
    ///
    /// Call it repeatedly: strengths that change too quickly are left out.
    pub fn vibrate(&mut self, strengths: [u8; ACTUATORS]) -> Result<(), DeviceError> {
        if !self.has_vibrators() {
            return Ok(());
        }
        let is_off = strengths == [0; ACTUATORS];
        let elapsed = self.sent_vibration.at.map(|at| at.elapsed());
        let is_same = strengths == self.sent_vibration.strengths;
        let is_due = match elapsed {
            // Nothing vibrates before the first command.
            None => !is_off,
            Some(elapsed) => elapsed >= if is_same { REPEAT } else { LEAST },
        };
        if !is_due {
            return Ok(());
        }
        // Set before the command is sent: one that fails may have reached the unit.
        self.has_touched |= !is_off;
        self.line.decoder().records.expect_acknowledgement(b'A');
        self.line.send(&Request::TouchAll(strengths).encode())?;
        self.sent_vibration = SentVibration { strengths, at: Some(Instant::now()) };
        Ok(())
    }
}
