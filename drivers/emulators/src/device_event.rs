//! Actions of people on a device, and feedback from the device to its wearer.

use crate::one_axis::OneAxisState;

/// An event of a device that does not come over its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceEvent {
    /// The power fails for a moment, and the device restarts.
    PowerCycle,
    /// The glove is pulled off its unit, or the receiver off this tracker station, 1 to 4.
    PulledOff {
        station: u8,
    },
    /// The glove, or the receiver of this station, is put back.
    PutBack {
        station: u8,
    },
    /// A pulse on the glove's external sync input.
    SyncPulse,
    /// The switch on the glove's wrist is pressed, which changes its state.
    WristSwitch,
    /// The sensor of this mask bit keeps its present count.
    SensorStuck {
        bit: u8,
    },
    /// The button of the stylus on station 1 goes down.
    StylusPressed,
    StylusReleased,
}

/// Feedback that the wearer of a device feels and sees.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Feedback {
    /// CyberTouch actuators: thumb, index, middle, ring, pinkie, palm.
    pub actuators: [u8; 6],
    /// The light on the glove's wrist.
    pub is_light_on: bool,
    /// The forces that a LucidGlove received last, thumb to pinkie; 1000 is full force.
    pub forces: Option<[u16; 5]>,
    /// The vibration that a LucidGlove received last.
    pub vibration: Option<Vibration>,
    /// The finger in a one-axis device.
    pub one_axis: OneAxisState,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vibration {
    pub frequency_hz: f64,
    pub seconds: f64,
    pub amplitude: f64,
}
