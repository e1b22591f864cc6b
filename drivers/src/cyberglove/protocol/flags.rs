//! The unit's 24 flag bits; the first eight of them are also the status byte of a record.

use super::request::Switch;
use crate::side::Side;

/// All flags of the unit. Bits without a meaning are kept, so that flags can be read, changed and
/// written back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flags([u8; 3]);

/// One flag. Its number is its position: eight times the byte, plus the bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Flag {
    PluggedIn = 0,
    SwitchOn = 1,
    LightOn = 2,
    /// Always set, so that a status byte is never NUL.
    AlwaysOn = 7,
    /// Each pulse of the sync input sends a binary record.
    BinarySync = 8,
    /// Each pulse of the sync input sends a record as text.
    AsciiSync = 9,
    StatusByte = 10,
    SwitchDrivesLight = 11,
    Filter = 12,
    TimeStamp = 13,
    RightHand = 14,
    GloveValid = 15,
    Quantised = 16,
    CyberTouch = 17,
}

impl Flags {
    pub const fn from_wire(bytes: [u8; 3]) -> Self {
        Self(bytes)
    }

    pub const fn to_wire(self) -> [u8; 3] {
        self.0
    }

    pub const fn contains(self, flag: Flag) -> bool {
        let (byte, bit) = flag.place();
        self.0[byte] & bit != 0
    }

    /// The same flags with `flag` changed.
    pub const fn with(mut self, flag: Flag, switch: Switch) -> Self {
        let (byte, bit) = flag.place();
        match switch {
            Switch::On => self.0[byte] |= bit,
            Switch::Off => self.0[byte] &= !bit,
        }
        self
    }

    /// The flags that a record can hold: the first byte.
    pub const fn status(self) -> Status {
        Status(self.0[0])
    }

    pub const fn hand(self) -> Side {
        if self.contains(Flag::RightHand) { Side::Right } else { Side::Left }
    }
}

impl Flag {
    /// Index of the byte, and mask of the bit.
    const fn place(self) -> (usize, u8) {
        (self as usize / 8, 1 << (self as usize % 8))
    }
}

/// The status byte of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status(u8);

impl Status {
    pub const fn from_wire(byte: u8) -> Self {
        Self(byte)
    }

    pub const fn is_plugged_in(self) -> bool {
        self.contains(Flag::PluggedIn)
    }

    /// True if the wrist switch is on.
    pub const fn is_switch_on(self) -> bool {
        self.contains(Flag::SwitchOn)
    }

    pub const fn is_light_on(self) -> bool {
        self.contains(Flag::LightOn)
    }

    const fn contains(self, flag: Flag) -> bool {
        Flags([self.0, 0, 0]).contains(flag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_healthy_glove_has_the_manuals_flags() {
        let right = Flags::from_wire([0x81, 0xD8, 0x00]);
        let set = [
            Flag::PluggedIn,
            Flag::AlwaysOn,
            Flag::SwitchDrivesLight,
            Flag::Filter,
            Flag::RightHand,
            Flag::GloveValid,
        ];
        let composed = set.iter().fold(Flags::from_wire([0; 3]), |flags, flag| {
            assert!(!flags.contains(*flag));
            flags.with(*flag, Switch::On)
        });
        assert_eq!(composed, right);
        assert_eq!(right.hand(), Side::Right);
        let left = right.with(Flag::RightHand, Switch::Off);
        assert_eq!(left.to_wire(), [0x81, 0x98, 0x00]);
        assert_eq!(left.hand(), Side::Left);
    }

    #[test]
    fn the_other_flags_have_the_manuals_bits() {
        let check = |flag, want: [u8; 3]| {
            assert_eq!(Flags::from_wire([0; 3]).with(flag, Switch::On).to_wire(), want, "{flag:?}");
        };
        check(Flag::SwitchOn, [0x02, 0, 0]);
        check(Flag::LightOn, [0x04, 0, 0]);
        check(Flag::BinarySync, [0, 0x01, 0]);
        check(Flag::AsciiSync, [0, 0x02, 0]);
        check(Flag::StatusByte, [0, 0x04, 0]);
        check(Flag::TimeStamp, [0, 0x20, 0]);
        check(Flag::Quantised, [0, 0, 0x01]);
        check(Flag::CyberTouch, [0, 0, 0x02]);
    }

    #[test]
    fn a_status_byte_is_the_first_byte_of_the_flags() {
        let check = |byte, want: [bool; 3]| {
            let status = Flags::from_wire([byte, 0, 0]).status();
            assert_eq!(status, Status::from_wire(byte));
            let got = [status.is_plugged_in(), status.is_switch_on(), status.is_light_on()];
            assert_eq!(got, want, "{byte:#04X}");
        };
        check(0x85, [true, false, true]);
        check(0x82, [false, true, false]);
    }

    #[test]
    fn bits_without_a_meaning_survive() {
        let flags = Flags::from_wire([0x78, 0, 0xFC]).with(Flag::Quantised, Switch::On);
        assert_eq!(flags.to_wire(), [0x78, 0, 0xFD]);
    }
}
