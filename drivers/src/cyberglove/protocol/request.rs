//! All requests to the glove's interface unit, and their encoding.

use super::flags::Flags;
use super::model_three::ModelThreeRequest;
use super::period::SamplePeriod;
use super::query::Query;
use crate::cyberglove::sensor::SensorMask;

/// A request to the unit. Unless noted it is sent in the binary form: a letter, then raw parameter
/// bytes.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Asks for one record.
    OneRecord,
    /// Starts a stream of records by the unit's own clock.
    Stream,
    /// Ends a stream. The answer is short and not documented.
    Abort,
    /// Makes the unit read the glove's own information again, as after another glove is plugged in.
    Reinitialise,
    /// Restarts the firmware, which takes about two seconds and loses all settings.
    Restart,
    /// Sets the divisor of the line's clock. The rates of the divisors are not documented, so the
    /// driver refuses this request unless its options allow it.
    SetBaudDivisor(u8),
    /// Stores offsets and gains in the unit, one of each for each value of a record.
    StoreCalibration(StoredCalibration),
    StoreOffset {
        place: u8,
        offset: u8,
    },
    StoreGain {
        place: u8,
        gain: u8,
    },
    Turn(Feature, Switch),
    /// On: the unit sends a record at each pulse of the sync input.
    SetExternalSync(Switch),
    /// Sends only the fitted sensors that are in this mask.
    SetSoftwareMask(SensorMask),
    /// Sends only this number of enabled values, counted from the first; at most 24.
    SetValueCount(u8),
    /// Sets all flags at once. Flags that follow the hardware cannot be changed.
    SetFlags(Flags),
    SetPeriod(SamplePeriod),
    /// Sets the period as a line of text, in which the order of bytes is unambiguous.
    SetPeriodInAscii(SamplePeriod),
    /// Sets the CyberTouch actuators that have a strength; 255 is full power.
    TouchSome([Option<u8>; ACTUATORS]),
    TouchAll([u8; ACTUATORS]),
    Ask(Query),
    ModelThree(ModelThreeRequest),
}

/// Offsets and gains as the unit stores them, in the order of a record's values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCalibration {
    pub offsets: Vec<u8>,
    pub gains: Vec<u8>,
}

/// A feature that one letter turns on and off, and asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Feature {
    /// A time stamp in each record.
    TimeStamp = b'D',
    /// The unit's low-pass filter; on at power-up.
    Filter = b'F',
    /// The wrist switch drives the light; on at power-up.
    SwitchDrivesLight = b'J',
    /// The light itself; a light that was set no longer follows the switch.
    Light = b'L',
    Quantised = b'Q',
    /// A status byte in each record.
    StatusByte = b'U',
    /// The state of the wrist switch, as if it had been pressed.
    WristSwitch = b'W',
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Switch {
    Off = 0,
    On = 1,
}

/// Number of actuators of a CyberTouch.
pub const ACTUATORS: usize = 6;

/// A vibrating actuator of a CyberTouch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Actuator {
    Thumb = 0,
    Index = 1,
    Middle = 2,
    Ring = 3,
    Pinkie = 4,
    Palm = 5,
}

impl Request {
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::OneRecord => vec![b'G'],
            Self::Stream => vec![b'S'],
            Self::Abort => vec![0x03],
            Self::Reinitialise => vec![0x09],
            Self::Restart => vec![0x12],
            Self::SetBaudDivisor(divisor) => vec![b'B', *divisor],
            Self::StoreCalibration(StoredCalibration { offsets, gains }) => {
                [b"CA", offsets.as_slice(), gains.as_slice()].concat()
            }
            Self::StoreOffset { place, offset } => vec![b'C', b'O', *place, *offset],
            Self::StoreGain { place, gain } => vec![b'C', b'G', *place, *gain],
            Self::Turn(feature, switch) => vec![*feature as u8, *switch as u8],
            Self::SetExternalSync(switch) => vec![b'Y', *switch as u8],
            Self::SetSoftwareMask(mask) => [b"M", mask.to_wire().as_slice()].concat(),
            Self::SetValueCount(n_values) => vec![b'N', *n_values],
            Self::SetFlags(flags) => [b"P", flags.to_wire().as_slice()].concat(),
            Self::SetPeriod(period) => [b"T", period.to_wire().as_slice()].concat(),
            Self::SetPeriodInAscii(period) => {
                let [outer, inner] = period.words();
                format!("t {outer} {inner}\r").into_bytes()
            }
            Self::TouchSome(strengths) => touch_some(strengths),
            Self::TouchAll(strengths) => [b"A\xFF", strengths.as_slice()].concat(),
            Self::Ask(query) => vec![b'?', query.letter()],
            Self::ModelThree(request) => request.encode(),
        }
    }

    /// Sets one CyberTouch actuator and does not change the others.
    pub fn touch_one(actuator: Actuator, strength: u8) -> Self {
        let mut strengths = [None; ACTUATORS];
        strengths[actuator as usize] = Some(strength);
        Self::TouchSome(strengths)
    }
}

/// Encodes `TouchSome`: the number of actuators, then the index and the strength of each.
fn touch_some(strengths: &[Option<u8>; ACTUATORS]) -> Vec<u8> {
    let mut bytes = vec![b'A', 0];
    for (number, strength) in (0..).zip(strengths) {
        if let Some(strength) = strength {
            bytes[1] += 1;
            bytes.extend([number, *strength]);
        }
    }
    bytes
}
