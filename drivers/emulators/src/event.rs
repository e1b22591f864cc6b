//! What people do to a device, and what the device does back.

/// Something that happens to a device other than through its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceEvent {
    /// The power fails for a moment: the device starts anew.
    PowerCycle,
    /// The glove is pulled off its unit, or the receiver off this tracker station, 1 to 4.
    PulledOff {
        station: u8,
    },
    /// And put back.
    PutBack {
        station: u8,
    },
    /// A pulse on the glove's external sync input.
    SyncPulse,
    /// Somebody presses the switch on the glove's wrist; it changes its state.
    WristSwitch,
    /// The sensor of this mask bit keeps the count that it has now.
    SensorStuck {
        bit: u8,
    },
    /// The button of the stylus on station 1 goes down.
    StylusPressed,
    StylusReleased,
}

/// What a device lets its wearer feel and see.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Feedback {
    /// CyberTouch actuators: thumb, index, middle, ring, pinkie, palm.
    pub actuators: [u8; 6],
    /// The light on the glove's wrist.
    pub is_light_on: bool,
    /// The last force line that a LucidGlove was sent, thumb to pinkie; 1000 is full force.
    pub forces: Option<[u16; 5]>,
    /// The last vibration that a LucidGlove was sent.
    pub vibration: Option<Vibration>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vibration {
    pub frequency_hz: f64,
    pub seconds: f64,
    pub amplitude: f64,
}
