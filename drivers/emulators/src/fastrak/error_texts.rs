//! The tracker's texts for its error characters; the error numbers are the characters' codes.

/// Text of the error with this number, in capitals like the tracker's own texts.
pub(super) fn text(number: u32) -> &'static str {
    match u8::try_from(number).map(char::from) {
        Ok('\0') => " NO ERRORS",
        Ok('A'..='C') => " DRIVER LINEARITY",
        Ok('D'..='F') => " GAIN LINEARITY",
        Ok('G'..='I') => " DRIVER SLOPE",
        Ok('J'..='L') => " COIL SLOPE",
        Ok('T') => " RECEIVER PROM",
        Ok('U') => " TRANSMITTER PROM",
        Ok('V') => " RECEIVER CIRCUIT",
        Ok('W') => " TRANSMITTER CIRCUIT",
        Ok('X'..='Z') => " CHARACTERISATION DATA",
        Ok('a'..='c') => " DRIVER SELF CALIBRATION",
        Ok('d'..='f') => " GAIN SELF CALIBRATION",
        Ok('g') => " COIL SELF CALIBRATION",
        Ok('j') => " SIGNAL SATURATION",
        Ok('k') => " LOW SIGNAL",
        Ok('l') => " NO SIGNAL",
        Ok('m') => " EEPROM CHECKSUM",
        Ok('s') => " POSITION NORM RESET",
        Ok('t' | 'u') => " COMPENSATION MAP",
        Ok('v') => " NO CRT SYNC",
        Ok('w') => " EEPROM WRITE",
        Ok('x') => " OUTSIDE POSITION ENVELOPE",
        Ok('y') => " OUTSIDE ANGULAR ENVELOPE",
        Ok(_) | Err(_) => " UNKNOWN",
    }
}
