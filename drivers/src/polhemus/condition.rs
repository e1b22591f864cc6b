//! The condition of a pose, from the record's error character.

/// Condition of a pose, from the record's error character.
///
/// The character is the last fault that the unit found and stays until it is cleared, so the fault
/// may be older than this record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    Good,
    /// Usable: a soft reset, or a fault of compensation map, memory or synchronisation.
    Warning(char),
    /// Doubtful: too close, too far, outside the envelope, self-calibration.
    Degraded(char),
    /// No pose: the receiver is unplugged, or the electronics have a fault.
    Invalid(char),
}

impl Condition {
    /// `None` if no FASTRAK sends this character.
    pub(super) fn from_wire(byte: u8) -> Option<Self> {
        let character = char::from(byte);
        match byte {
            b' ' => Some(Self::Good),
            b's' | b'u' | b'v' | b'm' | b't' | b'w' => Some(Self::Warning(character)),
            b'l' | b'A'..=b'Z' => Some(Self::Invalid(character)),
            b'a'..=b'z' => Some(Self::Degraded(character)),
            _ => None,
        }
    }

    /// The fault that the unit reports, in the manual's terms; `None` if it reports none.
    pub fn fault(self) -> Option<&'static str> {
        match self {
            Self::Good => None,
            Self::Warning(character) | Self::Degraded(character) | Self::Invalid(character) => {
                Some(meaning(character))
            }
        }
    }
}

/// Meaning of an error character. Built-in-test numbers are the characters' ASCII codes.
pub(super) fn meaning(character: char) -> &'static str {
    match character {
        'A'..='C' => "driver linearity",
        'D'..='F' => "gain linearity",
        'G'..='I' => "driver slope",
        'J'..='L' => "coil slope",
        'T' => "receiver memory",
        'U' => "transmitter memory",
        'V' => "receiver circuit",
        'W' => "transmitter circuit",
        'X'..='Z' => "characterisation data",
        'a'..='c' => "driver self-calibration",
        'd'..='f' => "gain self-calibration",
        'g' => "coil",
        'j' => "signal saturated: too close to the transmitter",
        'k' => "signal too low: too far from the transmitter",
        'l' => "no signal: receiver unplugged",
        'm' => "settings memory checksum",
        's' => "position was reset to a plausible one",
        't' | 'u' => "compensation map",
        'v' => "no synchronisation with the screen",
        'w' => "settings memory not written",
        'x' => "outside the position envelope",
        'y' => "outside the angular envelope",
        _ => "unknown fault",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_characters_give_the_condition_of_a_pose() {
        let check = |byte, want| assert_eq!(Condition::from_wire(byte), want);
        check(b' ', Some(Condition::Good));
        for byte in *b"suv" {
            check(byte, Some(Condition::Warning(char::from(byte))));
        }
        for byte in *b"jkxy" {
            check(byte, Some(Condition::Degraded(char::from(byte))));
        }
        for byte in *b"lATZ" {
            check(byte, Some(Condition::Invalid(char::from(byte))));
        }
        check(b'0', None);
        check(0, None);
    }

    #[test]
    fn faults_are_in_words() {
        assert_eq!(Condition::Good.fault(), None);
        let unplugged = Condition::Invalid('l').fault();
        assert_eq!(unplugged, Some("no signal: receiver unplugged"));
    }
}
