//! The glove's language: requests to bytes, bytes to replies. No I/O; records are in `record`.
//!
//! Every reply ends with a NUL, but replies to queries also hold NULs inside, so they are read by
//! their fixed length and never up to a NUL.

use super::sensor::SensorMask;

/// What we ask of the glove, in the binary form: a letter, then raw parameter bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Request {
    /// Ends a stream or a half-sent command. Answered by something short and undocumented.
    Abort,
    /// One record.
    OneRecord,
    /// Records until aborted.
    Stream,
    /// Is the glove initialised and plugged in?
    QueryState,
    QuerySensorCount,
    /// Which sensors are fitted?
    QueryHardwareMask,
    QueryHand,
    /// Send only the first so many enabled values.
    SetValueCount(u8),
    /// Send only these of the fitted sensors.
    SetSoftwareMask(SensorMask),
    /// Append a time stamp to records?
    SetTimeStamp(Switch),
    /// Append a status byte to records?
    SetStatusByte(Switch),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Switch {
    Off = 0,
    On = 1,
}

impl Request {
    pub fn encode(self) -> Vec<u8> {
        match self {
            Self::Abort => vec![0x03],
            Self::OneRecord => vec![b'G'],
            Self::Stream => vec![b'S'],
            Self::QueryState => vec![b'?', b'G'],
            Self::QuerySensorCount => vec![b'?', b'S'],
            Self::QueryHardwareMask => vec![b'?', b'K'],
            Self::QueryHand => vec![b'?', b'R'],
            Self::SetValueCount(n_values) => vec![b'N', n_values],
            Self::SetSoftwareMask(mask) => {
                let [low, middle, high] = mask.to_wire();
                vec![b'M', low, middle, high]
            }
            Self::SetTimeStamp(switch) => vec![b'D', switch as u8],
            Self::SetStatusByte(switch) => vec![b'U', switch as u8],
        }
    }

    /// The first bytes of the reply: a query comes back whole, a setting's letter alone.
    fn echo(self) -> Vec<u8> {
        let mut echo = self.encode();
        echo.truncate(if echo[0] == b'?' { 2 } else { 1 });
        echo
    }
}

/// How much of a reply is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyProgress<T> {
    Incomplete,
    Complete(T),
    /// These bytes cannot become a reply to that request.
    Mismatch,
}

/// Reads the answer to a query at the beginning of `bytes`: the query, `N` bytes, NUL.
///
/// The `N` bytes may be NUL themselves, so only their number says where the answer ends.
pub fn answer<const N: usize>(request: Request, bytes: &[u8]) -> ReplyProgress<[u8; N]> {
    match after_echo(request, bytes) {
        ReplyProgress::Complete(rest) => match rest.split_first_chunk::<N>() {
            Some((answer, [0, ..])) => ReplyProgress::Complete(*answer),
            Some((_, [_, ..])) => ReplyProgress::Mismatch,
            Some((_, [])) | None => ReplyProgress::Incomplete,
        },
        ReplyProgress::Incomplete => ReplyProgress::Incomplete,
        ReplyProgress::Mismatch => ReplyProgress::Mismatch,
    }
}

/// Reads the acknowledgement of a setting: its letter, on some units one byte more, NUL.
pub fn acknowledgement(request: Request, bytes: &[u8]) -> ReplyProgress<()> {
    match after_echo(request, bytes) {
        ReplyProgress::Complete([0, ..] | [_, 0, ..]) => ReplyProgress::Complete(()),
        ReplyProgress::Complete([] | [_]) | ReplyProgress::Incomplete => ReplyProgress::Incomplete,
        ReplyProgress::Complete(_) | ReplyProgress::Mismatch => ReplyProgress::Mismatch,
    }
}

/// What follows the repeated request.
fn after_echo(request: Request, bytes: &[u8]) -> ReplyProgress<&[u8]> {
    let echo = request.echo();
    match bytes.strip_prefix(echo.as_slice()) {
        Some(rest) => ReplyProgress::Complete(rest),
        None if echo.starts_with(bytes) => ReplyProgress::Incomplete,
        None => ReplyProgress::Mismatch,
    }
}

/// Which hand the glove is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hand {
    Left,
    Right,
}

impl Hand {
    /// From the answer to [`Request::QueryHand`].
    pub fn from_wire(byte: u8) -> Option<Self> {
        match byte {
            0 => Some(Self::Left),
            1 => Some(Self::Right),
            _ => None,
        }
    }
}

/// The answer to [`Request::QueryState`]; a healthy glove says both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GloveState {
    pub is_initialised: bool,
    pub is_plugged_in: bool,
}

impl GloveState {
    pub fn from_wire(byte: u8) -> Self {
        Self { is_initialised: byte & 1 != 0, is_plugged_in: byte & 2 != 0 }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::transcript::hex;

    #[test]
    fn requests_have_the_manuals_bytes() {
        let check = |request: Request, want| assert_eq!(request.encode(), hex(want), "{request:?}");
        check(Request::Abort, "03");
        check(Request::OneRecord, "47");
        check(Request::Stream, "53");
        check(Request::QueryState, "3F 47");
        check(Request::QuerySensorCount, "3F 53");
        check(Request::QueryHardwareMask, "3F 4B");
        check(Request::QueryHand, "3F 52");
        check(Request::SetValueCount(22), "4E 16");
        check(Request::SetSoftwareMask(SensorMask::GLOVE_22), "4D 7F FF 7F");
        check(Request::SetTimeStamp(Switch::Off), "44 00");
        check(Request::SetStatusByte(Switch::On), "55 01");
    }

    /// Every beginning of `bytes` is incomplete, the whole is `want`.
    fn check<const N: usize>(request: Request, bytes: &str, want: [u8; N]) {
        let bytes = hex(bytes);
        for n_bytes in 0..bytes.len() {
            assert_eq!(answer::<N>(request, &bytes[..n_bytes]), ReplyProgress::Incomplete);
        }
        assert_eq!(answer(request, &bytes), ReplyProgress::Complete(want));
    }

    #[test]
    fn answers_are_read_by_length_even_with_nuls_inside() {
        check(Request::QueryState, "3F 47 03 00", [3]);
        check(Request::QuerySensorCount, "3F 53 16 00", [22]);
        check(Request::QueryHardwareMask, "3F 4B 7F FF 7F 00", [0x7F, 0xFF, 0x7F]);
        check(Request::QueryHardwareMask, "3F 4B 00 00 01 00", [0, 0, 1]);
        check(Request::QueryHand, "3F 52 00 00", [0]);
        assert_eq!(answer::<1>(Request::QueryState, b"e?\0"), ReplyProgress::Mismatch);
        assert_eq!(answer::<1>(Request::QueryState, b"?G\x03\x03"), ReplyProgress::Mismatch);
    }

    #[test]
    fn an_acknowledgement_may_hold_one_byte_more() {
        let check = |bytes, want| {
            assert_eq!(acknowledgement(Request::SetValueCount(22), &hex(bytes)), want, "{bytes}");
        };
        check("4E", ReplyProgress::Incomplete);
        check("4E 00", ReplyProgress::Complete(()));
        check("4E 16", ReplyProgress::Incomplete);
        check("4E 16 00", ReplyProgress::Complete(()));
        check("4E 16 16", ReplyProgress::Mismatch);
        check("65 3F 00", ReplyProgress::Mismatch);
    }

    proptest! {
        #[test]
        fn a_mask_survives_the_wire(bytes in any::<[u8; 3]>()) {
            let mask = SensorMask::from_wire(bytes);
            prop_assert_eq!(mask.to_wire(), bytes);
            prop_assert_eq!(mask.sensors().count(), mask.n_sensors());
        }

        #[test]
        fn any_bytes_are_a_reply_or_not(bytes in any::<Vec<u8>>()) {
            let _ = answer::<3>(Request::QueryHardwareMask, &bytes);
            let _ = acknowledgement(Request::SetValueCount(1), &bytes);
        }
    }
}
