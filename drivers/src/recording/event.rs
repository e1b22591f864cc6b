//! What a recording is made of, and how it looks as one line of text.

use std::fmt;
use std::time::Duration;

/// A device's number within one recording. There may be 32 of them, numbered from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceId(u8);

impl DeviceId {
    /// How many devices one recording can tell apart.
    pub const COUNT: usize = 32;

    /// `None` if `number` is not below [`Self::COUNT`].
    pub const fn new(number: u8) -> Option<Self> {
        if (number as usize) < Self::COUNT { Some(Self(number)) } else { None }
    }

    pub const fn number(self) -> u8 {
        self.0
    }
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Time since the recording began, in whole microseconds.
    ///
    /// Events come in the order in which they were handed to the writer. Those of one device are in
    /// order of time if the device's thread hands them over in order; between devices the time may
    /// step back a little.
    pub at: Duration,
    pub what: What,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// A device was opened, for the first time or again.
    Opened {
        device: DeviceId,
        /// Which decoder its bytes need, for example "cyberglove".
        kind: String,
        /// The port, for example "/dev/ttyUSB0".
        name: String,
        /// How that decoder is set up; the driver alone knows what these bytes mean.
        settings: Vec<u8>,
    },
    /// Bytes that arrived together.
    Received { device: DeviceId, bytes: Vec<u8> },
    /// Bytes that we wrote.
    Sent { device: DeviceId, bytes: Vec<u8> },
    /// The device is gone.
    Lost { device: DeviceId, reason: String },
    /// Something that the person at the desk wants to find again.
    Mark { text: String },
    /// The recording was finished in good order.
    Ended,
}

/// How a mark ends that stands for events which are not there.
const MISSING: &str = " events are missing here: the disk was too slow";

impl What {
    /// The mark of so many events that were lost on their way to the file.
    pub(crate) fn missing(n_events: u64) -> Self {
        Self::Mark { text: format!("{n_events}{MISSING}") }
    }

    /// How many events should stand here and do not.
    pub fn n_missing(&self) -> Option<u64> {
        match self {
            Self::Mark { text } => text.strip_suffix(MISSING)?.parse().ok(),
            Self::Opened { .. }
            | Self::Received { .. }
            | Self::Sent { .. }
            | Self::Lost { .. }
            | Self::Ended => None,
        }
    }

    /// Which device it is about; marks and the end are about none.
    pub fn device(&self) -> Option<DeviceId> {
        match self {
            Self::Opened { device, .. }
            | Self::Received { device, .. }
            | Self::Sent { device, .. }
            | Self::Lost { device, .. } => Some(*device),
            Self::Mark { .. } | Self::Ended => None,
        }
    }
}

/// One line: time, device, what happened; text is escaped and never breaks the line.
impl fmt::Display for Event {
    fn fmt(&self, line: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, micros) = (self.at.as_secs(), self.at.subsec_micros());
        write!(line, "{seconds:>6}.{micros:06} s  ")?;
        match &self.what {
            What::Opened { device, kind, name, settings } => {
                let (kind, name) = (kind.escape_debug(), name.escape_debug());
                write!(line, "{device} opened as {kind} on {name}, {}", Bytes(settings))
            }
            What::Received { device, bytes } => write!(line, "{device} received {}", Bytes(bytes)),
            What::Sent { device, bytes } => write!(line, "{device} sent {}", Bytes(bytes)),
            What::Lost { device, reason } => {
                write!(line, "{device} lost: {}", reason.escape_debug())
            }
            What::Mark { text } => write!(line, "mark: {}", text.escape_debug()),
            What::Ended => write!(line, "end"),
        }
    }
}

impl fmt::Display for DeviceId {
    fn fmt(&self, line: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(line, "#{}", self.0)
    }
}

/// Bytes for people: quoted if they are a line of text, else as hexadecimal words.
pub struct Bytes<'a>(pub &'a [u8]);

impl fmt::Display for Bytes<'_> {
    fn fmt(&self, line: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_text = |byte: &u8| matches!(byte, b' '..=b'~' | b'\r' | b'\n' | b'\t');
        if self.0.is_empty() {
            return write!(line, "nothing");
        }
        if self.0.iter().all(is_text) {
            return write!(line, "\"{}\"", self.0.escape_ascii());
        }
        let (first, rest) = self.0.split_at(1);
        write!(line, "{:02X}", first[0])?;
        rest.iter().try_for_each(|byte| write!(line, " {byte:02X}"))
    }
}
