//! The events of a recording, and their form as one line of text.

use std::fmt;
use std::time::Duration;

/// A device's number within one recording: 0 to 31.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceId(u8);

impl DeviceId {
    /// Most devices in one recording.
    pub const COUNT: usize = 32;

    /// `None` if `number` is not below [`Self::COUNT`].
    pub const fn new(number: u8) -> Option<Self> {
        if (number as usize) < Self::COUNT { Some(Self(number)) } else { None }
    }

    pub const fn number(self) -> u8 {
        self.0
    }
}

/// One event of a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Time since the recording began, in whole microseconds.
    ///
    /// Events are in the order in which the writer got them. Those of one device are in order of
    /// time if the device's thread hands them over in order; between devices the time may step back
    /// a little.
    pub at: Duration,
    pub what: EventKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventKind {
    /// A device was opened, for the first time or again.
    Opened {
        device: DeviceId,
        /// The decoder that its bytes need, for example "cyberglove".
        kind: String,
        /// The port, for example "/dev/ttyUSB0".
        name: String,
        /// Settings of that decoder; only the driver knows the meaning of these bytes.
        settings: Vec<u8>,
    },
    /// Bytes that arrived together.
    Received { device: DeviceId, bytes: Vec<u8> },
    /// Bytes that the driver wrote.
    Sent { device: DeviceId, bytes: Vec<u8> },
    /// The device is gone.
    Lost { device: DeviceId, reason: String },
    /// A moment that the user wants to find again.
    Mark { text: String },
    /// The recording was finished normally.
    Ended,
}

/// Reason of a loss that is only a wake: the stream of a silent device is started again. Readers of
/// recordings depend on it.
pub(crate) const WOKEN: &str = "it fell silent; its stream is started again";

/// End of the text of a mark that stands for missing events. Readers of recordings depend on it.
const MISSING: &str = " events are missing here: the disk was too slow";

impl EventKind {
    /// The mark for `n_events` events that were lost on their way to the file.
    pub(crate) fn missing(n_events: u64) -> Self {
        Self::Mark { text: format!("{n_events}{MISSING}") }
    }

    /// Number of events that are missing here; `None` if this is not a mark for missing events.
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

    /// True for a loss that only says that a silent device is woken: its line stayed open.
    pub fn is_wake(&self) -> bool {
        matches!(self, Self::Lost { reason, .. } if reason == WOKEN)
    }

    /// The event's device; `None` for marks and the end.
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

/// One line: time, device and event. Text is escaped, so that it never breaks the line.
impl fmt::Display for Event {
    fn fmt(&self, line: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, micros) = (self.at.as_secs(), self.at.subsec_micros());
        write!(line, "{seconds:>6}.{micros:06} s  ")?;
        match &self.what {
            EventKind::Opened { device, kind, name, settings } => {
                write!(line, "{device} opened as {}", kind.escape_debug())?;
                // The journal has neither a port nor settings.
                if !name.is_empty() {
                    write!(line, " on {}", name.escape_debug())?;
                }
                if !settings.is_empty() {
                    write!(line, ", {}", Bytes(settings))?;
                }
                Ok(())
            }
            EventKind::Received { device, bytes } => {
                write!(line, "{device} received {}", Bytes(bytes))
            }
            EventKind::Sent { device, bytes } => write!(line, "{device} sent {}", Bytes(bytes)),
            EventKind::Lost { device, reason } => {
                write!(line, "{device} lost: {}", reason.escape_debug())
            }
            EventKind::Mark { text } => write!(line, "mark: {}", text.escape_debug()),
            EventKind::Ended => write!(line, "end"),
        }
    }
}

impl fmt::Display for DeviceId {
    fn fmt(&self, line: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(line, "#{}", self.0)
    }
}

/// Readable form of bytes: quoted if they are text, else as hexadecimal words.
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
