//! Faults between a device and its host, on purpose and repeatable.

pub(crate) mod injector;
mod plan;
mod text;
pub(crate) mod timeline;

use std::time::Duration;

pub use plan::{FaultPlan, FaultPlanError};
pub use text::FaultError;

/// One fault.
///
/// Faults are written as `kind`, `kind:amount`, `kind@when` or `kind:amount@when`:
///
/// | Text | Effect |
/// |---|---|
/// | `drop:0.01` | one record in a hundred loses a byte |
/// | `drop@#120` | the 120th data record loses a byte; records count from 1 |
/// | `flip:0.01`, `flip@#120` | the same forms for each [`RecordFault`], by the words given there |
/// | `stall:2s@10s` | after 10 s the line delivers nothing for 2 s, then a burst |
/// | `hangup:1s@5s` | after 5 s the port vanishes; 1 s later it is back under the same name |
/// | `restart@5s` | after 5 s the device loses its power for a moment and restarts |
/// | `unplugged:2s@5s` | after 5 s the glove (or the first receiver) is unplugged for 2 s |
/// | `late:300ms` | every reply to a command is 300 ms late; `late:300ms@#3`: only the third |
/// | `reply:0.01` | one byte in a hundred of the replies to commands is lost, changed or added |
/// | `stuck:5@2s` | from 2 s on the sensor of mask bit 5 always has the same count |
///
/// Durations have the units `s` or `ms`. A time may be repeated: `stall:50ms@every2s` first happens
/// after 2 s. Rates are chances per record, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fault {
    /// Damages single data records.
    Record { kind: RecordFault, which: Which },
    /// Delivers no bytes for a while; then the bytes in the adapter's buffer come at once.
    Stall { lasts: Duration, when: When },
    /// The port vanishes and comes back under the same name.
    HangUp { lasts: Duration, when: When },
    /// The device restarts without a command.
    Restart { when: When },
    /// The glove is pulled off its unit, or the first receiver off the tracker, and put back.
    Unplugged { lasts: Duration, when: When },
    /// Replies to commands come late; records do not.
    LateReply { by: Duration, which: WhichReply },
    /// Bytes of replies to commands are damaged, each with this chance from 0 to 1.
    DamagedReply { rate: f64 },
    /// A glove's sensor keeps the count that it has at `from`.
    StuckSensor { bit: u8, from: Duration },
}

/// Damage to one data record.
///
/// The damage affects only bytes of that record. All kinds except [`DropEnd`](Self::DropEnd) keep
/// the last byte, so that the neighbouring records stay readable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordFault {
    /// `drop`: a byte before the last is lost.
    DropByte,
    /// `duplicate`: a byte before the last comes twice.
    DuplicateByte,
    /// `flip`: one bit of a byte before the last is flipped; the byte does not become 0.
    FlipBit,
    /// `insert`: a garbage byte, 80 to FF hexadecimal, is inserted after the first byte or later.
    InsertByte,
    /// `zero`: a data byte becomes 0.
    ZeroByte,
    /// `drop-end`: the last byte is lost, so that the record runs into the next, which gets no
    /// fault of its own.
    DropEnd,
    /// `station`: the record has the station 0 or 5 to 9. Only a tracker has stations.
    WrongStation,
    /// `text`: a line of text is inserted into the record.
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

/// The data records that a fault hits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Which {
    /// Each record, with this chance from 0 to 1.
    Rate(f64),
    /// The record with this number; all records of the line are counted from 1.
    Number(u64),
}

/// The replies that a fault hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhichReply {
    Every,
    /// The reply with this number, counted from 1.
    Number(u64),
}

/// The time of a fault, counted from the emulator's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    Once(Duration),
    /// First after this time, then again after each further such time.
    Every(Duration),
}

/// Kind of the emulated device; some faults suit only some kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeviceKind {
    Glove,
    Tracker,
    LucidGlove,
    OneAxis,
}

impl Fault {
    /// True if this fault is possible for such a device.
    pub(crate) fn suits(&self, device: DeviceKind) -> bool {
        match self {
            Self::Record { kind: RecordFault::WrongStation, .. } => device == DeviceKind::Tracker,
            Self::StuckSensor { .. } => device == DeviceKind::Glove,
            Self::Unplugged { .. } => matches!(device, DeviceKind::Glove | DeviceKind::Tracker),
            Self::Record { .. }
            | Self::Stall { .. }
            | Self::HangUp { .. }
            | Self::Restart { .. }
            | Self::LateReply { .. }
            | Self::DamagedReply { .. } => true,
        }
    }
}
