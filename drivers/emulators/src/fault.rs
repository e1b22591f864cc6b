//! What can go wrong between a device and the host, on purpose and repeatably.

pub(crate) mod injector;
mod plan;
mod text;
pub(crate) mod timeline;

use std::time::Duration;

pub use plan::{FaultPlan, FaultPlanError};
pub use text::FaultError;

/// One thing that goes wrong.
///
/// Faults are written as `kind`, `kind:amount`, `kind@when` or `kind:amount@when`:
///
/// | Text | What happens |
/// |---|---|
/// | `drop:0.01` | one record in a hundred loses a byte |
/// | `drop@#120` | the 120th data record loses a byte; records count from 1 |
/// | `duplicate`, `flip`, `insert`, `zero`, `drop-end`, `station`, `text` | other harm to single records, written alike; see [`RecordFault`] |
/// | `stall:2s@10s` | 10 s after the start the line delivers nothing for 2 s, then all that fits in a burst |
/// | `hangup:1s@5s` | after 5 s the port vanishes, 1 s later it is back under the same name |
/// | `restart@5s` | after 5 s the device loses its power for a moment: it starts anew, deaf and silent |
/// | `unplugged:2s@5s` | after 5 s the glove (or the tracker's first receiver) is off its unit for 2 s |
/// | `late:300ms` | every reply to a command comes so much late; `late:300ms@#3`: only the third |
/// | `stuck:5@2s` | from 2 s on the sensor of mask bit 5 shows one count only |
///
/// Durations have the units `s` or `ms`. A moment may be repeated: `stall:50ms@every2s` first
/// happens after 2 s. Rates are chances per record, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fault {
    /// Harms single data records.
    Record { kind: RecordFault, which: Which },
    /// Nothing is delivered for a while; what the adapter's buffer holds comes afterwards at once.
    Stall { lasts: Duration, when: When },
    /// The port vanishes and comes back under the same name.
    HangUp { lasts: Duration, when: When },
    /// The device starts anew without having been told to.
    Restart { when: When },
    /// The glove is pulled off its unit, or the first receiver off the tracker, and put back.
    Unplugged { lasts: Duration, when: When },
    /// Replies to commands come late; records do not.
    LateReply { by: Duration, which: WhichReply },
    /// A glove's sensor keeps the count that it has at that moment.
    StuckSensor { bit: u8, from: Duration },
}

/// Harm to one data record. It touches only bytes of that record and, but for
/// [`DropEnd`](Self::DropEnd), leaves the last byte in place, so that its neighbours stay readable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordFault {
    /// `drop`: a byte before the last is lost.
    DropByte,
    /// `duplicate`: a byte before the last comes twice.
    DuplicateByte,
    /// `flip`: one bit of a byte before the last is wrong; the byte does not become 0.
    FlipBit,
    /// `insert`: a byte of garbage, 80 to FF hexadecimal, comes after the first byte or later.
    InsertByte,
    /// `zero`: a data byte is 0.
    ZeroByte,
    /// `drop-end`: the last byte is lost, so that the record runs into the next. The next record
    /// gets no fault of its own.
    DropEnd,
    /// `station`: the record says that it is of station 0 or 5 to 9. Only a tracker has stations.
    WrongStation,
    /// `text`: a line of text in the middle of the record.
    StrayText,
}

impl RecordFault {
    pub const ALL: [Self; 8] = [
        Self::DropByte,
        Self::DuplicateByte,
        Self::FlipBit,
        Self::InsertByte,
        Self::ZeroByte,
        Self::DropEnd,
        Self::WrongStation,
        Self::StrayText,
    ];
}

/// Which data records a fault hits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Which {
    /// Any, with this chance from 0 to 1.
    Rate(f64),
    /// The one with this number, counted from 1 over all records given to the line.
    Number(u64),
}

/// Which replies a fault hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhichReply {
    Every,
    /// The one with this number, counted from 1.
    Number(u64),
}

/// A moment after the emulator's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    Once(Duration),
    /// First after this time, then again and again.
    Every(Duration),
}

/// What is emulated, as far as faults care.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeviceKind {
    Glove,
    Tracker,
    LucidGlove,
}

impl Fault {
    /// Whether this can happen to such a device at all.
    pub(crate) fn suits(&self, device: DeviceKind) -> bool {
        match self {
            Self::Record { kind: RecordFault::WrongStation, .. } => device == DeviceKind::Tracker,
            Self::StuckSensor { .. } => device == DeviceKind::Glove,
            Self::Unplugged { .. } => device != DeviceKind::LucidGlove,
            Self::Record { .. }
            | Self::Stall { .. }
            | Self::HangUp { .. }
            | Self::Restart { .. }
            | Self::LateReply { .. } => true,
        }
    }
}
