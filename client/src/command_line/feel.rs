//! Options of devices that push fingers.

use clap::{Args, ValueEnum};

use super::squeeze::DeviceSource;

/// A device that pushes a finger.
#[derive(Debug, Clone, Args)]
pub struct FeelOptions {
    /// Serial port of a one-axis device that pushes a finger of the hand (see --side) as objects
    /// do, or `emulated`. It pushes for objects that hands hold by contact
    #[arg(long, value_name = "PORT")]
    pub push_device: Option<DeviceSource>,
    /// Finger in the device
    #[arg(long, value_name = "FINGER", default_value = "index", requires = "push_device")]
    pub push_finger: PushFinger,
}

/// Finger in a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PushFinger {
    Thumb,
    Index,
    Middle,
    Ring,
    Pinkie,
}

impl PushFinger {
    /// Number of the finger, from the thumb.
    pub fn index(self) -> usize {
        self as usize
    }
}
