//! Decodes the status record.

/// The answer to a status request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    pub is_binary: bool,
    pub is_in_centimetres: bool,
    pub is_compensated: bool,
    pub is_continuous: bool,
    /// Number of the last fault that the unit found in itself, if there is one.
    pub built_in_test: Option<u16>,
    /// Bit mask of the receivers, printed as a hexadecimal digit; blank in older firmware.
    pub sensors: Option<u8>,
    /// Firmware version, as printed.
    pub version: String,
    /// The name that the owner gave the unit, up to 32 characters.
    pub id: String,
}

impl Status {
    /// Reads the columns of a status record. The manual's columns count from 1 and include the
    /// first three characters, which are not in `text`.
    ///
    /// Clones send one character less at the end of the id.
    pub(super) fn from_text(text: &str) -> Option<Self> {
        if !matches!(text.len(), 49 | 50) {
            return None;
        }
        let columns = |first: usize, last: usize| text.get(first - 4..last - 3);
        let flags = columns(4, 6)?;
        let is_hexadecimal = flags.bytes().all(|byte| byte.is_ascii_hexdigit());
        let flags = is_hexadecimal.then(|| u16::from_str_radix(flags, 16).ok()).flatten()?;
        let sensors = match columns(10, 15)?.as_bytes() {
            [b' ', b'F', b'3', map, b' ', b' '] => {
                char::from(*map).to_digit(16).and_then(|map| u8::try_from(map).ok())
            }
            _ => None,
        };
        Some(Self {
            is_binary: flags & 1 != 0,
            is_in_centimetres: flags & 2 != 0,
            is_compensated: flags & 4 != 0,
            is_continuous: flags & 8 != 0,
            built_in_test: columns(7, 9)?.trim().parse().ok().filter(|number| *number != 0),
            sensors,
            version: columns(16, 21)?.trim().to_owned(),
            id: text.get(22 - 4..)?.trim().to_owned(),
        })
    }
}
