//! Decodes the unit's replies.
//!
//! Every reply ends with a NUL, but most answers may also contain NULs. Therefore they are read by
//! their fixed length and never up to a NUL.

mod form;

use form::{
    MAX_SHORT_TEXT, acknowledgement, after_echo, ascii_line, fixed, of_length, refusal, text_after,
    up_to_nul, version,
};

use super::flags::Flags;
use super::period::SamplePeriod;
use super::query::Query;
use super::request::{ACTUATORS, Request, StoredCalibration, Switch};
use crate::cyberglove::sensor::SensorMask;
use crate::side::Side;

/// The unit's reply to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// The unit has carried out the command.
    Done,
    State(GloveState),
    /// Answer to [`Query::SensorCount`] and [`Query::ValueCount`].
    Count(u8),
    Mask(SensorMask),
    Hand(Side),
    Flags(Flags),
    Period(SamplePeriod),
    BaudDivisor(u8),
    Calibration(StoredCalibration),
    Touch([u8; ACTUATORS]),
    Feature(Switch),
    Version(Version),
    Description(String),
}

/// State of a reply that is being received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplyProgress<T = Reply> {
    Incomplete,
    /// A whole reply if no byte follows at once; else the beginning of a longer one.
    Enough(T),
    Complete(T),
    /// The unit answered with an error.
    Refused(ErrorReply),
    /// These bytes cannot become a reply to that request.
    Mismatch,
}

/// The unit's error reply to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ErrorReply {
    #[error("it does not know that command (e?)")]
    UnknownCommand,
    #[error("it got too many numbers (en)")]
    TooManyNumbers,
    #[error("its sync input is too fast (ey)")]
    SyncTooFast,
    #[error("no glove is plugged in (eg)")]
    NotPluggedIn,
    #[error("it cannot sample that fast (es)")]
    TooFast,
    #[error("it gave the unlisted error e{}", _0.escape_ascii())]
    Unlisted(u8),
}

/// State of the glove. A working glove is initialised and plugged in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GloveState {
    pub is_initialised: bool,
    pub is_plugged_in: bool,
}

/// Version numbers of the unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version {
    pub firmware: u16,
    /// Version of the format of the information in the glove; `None` from units that do not send
    /// it.
    pub information_format: Option<u16>,
}

/// Longest accepted description, in bytes; known ones have up to about 2 kB.
const MAX_DESCRIPTION: usize = 4096;

impl Request {
    /// Reads the reply to this request at the beginning of `bytes`.
    ///
    /// `n_values` is the number of values in a record; the stored calibration has that number of
    /// offsets and of gains. Records are read by the record decoder, not here.
    pub fn read_reply(&self, n_values: usize, bytes: &[u8]) -> ReplyProgress {
        match self {
            Self::OneRecord | Self::Stream => ReplyProgress::Mismatch,
            // The content is not documented, so even an error is accepted.
            Self::Abort => up_to_nul(bytes, MAX_SHORT_TEXT).map(|_| Reply::Done),
            _ if bytes.first() == Some(&b'e') => refusal(bytes),
            Self::Reinitialise => text_after(&[0x09], bytes).map(|_| Reply::Done),
            Self::Restart => text_after(&[0x12], bytes).map(|_| Reply::Done),
            Self::SetPeriodInAscii(_) => ascii_line(bytes),
            Self::Ask(query) => match after_echo(&self.encode(), bytes) {
                ReplyProgress::Complete(answer) => query.read_answer(n_values, answer),
                ReplyProgress::Incomplete | ReplyProgress::Enough(_) => ReplyProgress::Incomplete,
                ReplyProgress::Refused(error) => ReplyProgress::Refused(error),
                ReplyProgress::Mismatch => ReplyProgress::Mismatch,
            },
            Self::StoreCalibration(_) | Self::StoreOffset { .. } | Self::StoreGain { .. } => {
                acknowledgement(&self.encode()[..2], bytes)
            }
            Self::SetBaudDivisor(_)
            | Self::Turn(..)
            | Self::SetExternalSync(_)
            | Self::SetSoftwareMask(_)
            | Self::SetValueCount(_)
            | Self::SetFlags(_)
            | Self::SetPeriod(_)
            | Self::TouchSome(_)
            | Self::TouchAll(_) => acknowledgement(&self.encode()[..1], bytes),
            Self::ModelThree(request) => acknowledgement(&request.echo(), bytes),
        }
    }
}

impl Query {
    /// Reads the bytes that follow the repeated query.
    fn read_answer(self, n_values: usize, bytes: &[u8]) -> ReplyProgress {
        match self {
            Self::State => fixed(bytes).map(|[byte]| Reply::State(GloveState::from_wire(byte))),
            Self::SensorCount | Self::ValueCount => fixed(bytes).map(|[n]| Reply::Count(n)),
            Self::HardwareMask | Self::SoftwareMask => {
                fixed(bytes).map(|mask| Reply::Mask(SensorMask::from_wire(mask)))
            }
            Self::Hand => match fixed(bytes).map(|[byte]| Side::from_wire(byte)) {
                ReplyProgress::Complete(None) => ReplyProgress::Mismatch,
                hand => hand.map(|hand| Reply::Hand(hand.expect("`None` is matched above"))),
            },
            Self::Flags => fixed(bytes).map(|flags| Reply::Flags(Flags::from_wire(flags))),
            Self::Period => fixed(bytes).map(|words| Reply::Period(SamplePeriod::from_wire(words))),
            Self::BaudDivisor => fixed(bytes).map(|[divisor]| Reply::BaudDivisor(divisor)),
            Self::Calibration => of_length(2 * n_values, bytes).map(|stored| {
                let (offsets, gains) = stored.split_at(n_values);
                let (offsets, gains) = (offsets.to_vec(), gains.to_vec());
                Reply::Calibration(StoredCalibration { offsets, gains })
            }),
            Self::Touch => fixed(bytes).map(Reply::Touch),
            Self::Feature(_) => fixed(bytes)
                .map(|[byte]| Reply::Feature(if byte == 0 { Switch::Off } else { Switch::On })),
            Self::Version => version(bytes).map(Reply::Version),
            Self::Description => up_to_nul(bytes, MAX_DESCRIPTION)
                .map(|text| Reply::Description(String::from_utf8_lossy(text).trim().to_owned())),
        }
    }
}

/// Converts each reply into the value that it holds; returns a reply of another kind unchanged.
macro_rules! reply_holds {
    ($($variant:ident: $held:ty),* $(,)?) => {$(
        impl TryFrom<Reply> for $held {
            type Error = Reply;

            fn try_from(reply: Reply) -> Result<Self, Reply> {
                match reply {
                    Reply::$variant(held) => Ok(held),
                    other => Err(other),
                }
            }
        }
    )*};
}

reply_holds! {
    State: GloveState,
    Count: u8,
    Mask: SensorMask,
    Hand: Side,
    Flags: Flags,
    Period: SamplePeriod,
    Calibration: StoredCalibration,
    Touch: [u8; ACTUATORS],
    Feature: Switch,
    Version: Version,
    Description: String,
}

impl<T> ReplyProgress<T> {
    fn map<U>(self, change: impl FnOnce(T) -> U) -> ReplyProgress<U> {
        match self {
            Self::Incomplete => ReplyProgress::Incomplete,
            Self::Enough(reply) => ReplyProgress::Enough(change(reply)),
            Self::Complete(reply) => ReplyProgress::Complete(change(reply)),
            Self::Refused(error) => ReplyProgress::Refused(error),
            Self::Mismatch => ReplyProgress::Mismatch,
        }
    }
}

impl ErrorReply {
    pub const fn from_code(code: u8) -> Self {
        match code {
            b'?' => Self::UnknownCommand,
            b'n' => Self::TooManyNumbers,
            b'y' => Self::SyncTooFast,
            b'g' => Self::NotPluggedIn,
            b's' => Self::TooFast,
            code => Self::Unlisted(code),
        }
    }
}

impl Side {
    const fn from_wire(byte: u8) -> Option<Self> {
        match byte {
            0 => Some(Self::Left),
            1 => Some(Self::Right),
            _ => None,
        }
    }
}

impl GloveState {
    pub const fn from_wire(byte: u8) -> Self {
        Self { is_initialised: byte & 1 != 0, is_plugged_in: byte & 2 != 0 }
    }
}
