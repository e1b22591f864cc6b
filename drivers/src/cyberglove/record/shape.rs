//! The shape of a record, which depends on the unit's settings.

use std::time::Instant;

use super::{Conditions, GloveSample};
use crate::cyberglove::protocol::{Status, Switch};
use crate::cyberglove::sensor::{SensorCounts, SensorMask};

/// The parts of a record: a header letter, values, an optional time stamp, an optional status byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordShape {
    /// The sensors whose values are sent.
    pub sensors: SensorMask,
    pub time_stamp: Switch,
    pub status_byte: Switch,
}

/// Bytes of a time stamp: a flag byte and four bytes.
const TIME_STAMP: usize = 5;
/// Most bytes of error pairs after the body: two pairs.
const MAX_PAIRS: usize = 2 * 2;
/// Most bytes of a record: header, 24 values, time stamp, status byte, error pairs.
const MAX_RECORD: usize = 1 + 24 + TIME_STAMP + 1 + MAX_PAIRS;
/// Most bytes of a useful piece: two records, and another byte in the place of the NUL between
/// them.
pub(super) const MAX_PIECE: usize = 2 * MAX_RECORD + 1;

impl RecordShape {
    /// Records with only the values of `sensors`, as after power-up.
    pub const fn plain(sensors: SensorMask) -> Self {
        Self { sensors, time_stamp: Switch::Off, status_byte: Switch::Off }
    }

    /// Number of bytes of a record without error pairs and without its NUL.
    pub const fn n_bytes(self) -> usize {
        1 + self.sensors.n_sensors()
            + self.time_stamp as usize * TIME_STAMP
            + self.status_byte as usize
    }

    /// Decodes `record`, which is one record without its NUL; `None` if it is not valid.
    pub(super) fn read(&self, record: &[u8], arrival: Instant) -> Option<GloveSample> {
        let (b'G' | b'S' | b'Y', rest) = record.split_first()? else { return None };
        let (values, mut rest) = rest.split_at_checked(self.sensors.n_sensors())?;
        let mut ticks = None;
        if self.time_stamp == Switch::On {
            let (stamp, after) = rest.split_first_chunk()?;
            (ticks, rest) = (Some(read_ticks(*stamp)), after);
        }
        let mut status = None;
        if self.status_byte == Switch::On {
            let (byte, after) = rest.split_first()?;
            (status, rest) = (Some(Status::from_wire(*byte)), after);
        }
        let mut conditions = conditions(rest)?;
        conditions.is_plugged_in &= status.is_none_or(Status::is_plugged_in);
        let counts = SensorCounts::from_values(self.sensors, values);
        Some(GloveSample { counts, arrival, conditions, ticks, status })
    }

    /// Splits a piece into two records between which the NUL was lost or became another byte.
    ///
    /// There is only one way to split such a piece: after the body of the first record, an error
    /// pair of it begins with `e`, but the second record begins with its header.
    #[cold]
    pub(super) fn split_merged<'a>(&self, piece: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
        // A piece of this length may also be one record with error pairs and one extra byte.
        if piece.len() <= self.n_bytes() + MAX_PAIRS + 1 {
            return None;
        }
        let (firsts, nuls) = ([0, 2, 4].map(|n_pairs| self.n_bytes() + n_pairs), [0, 1]);
        firsts.into_iter().flat_map(|n_first| nuls.map(|n_nul| (n_first, n_nul))).find_map(
            |(n_first, n_nul)| {
                let first = piece.get(..n_first)?;
                let second = piece.get(n_first + n_nul..)?;
                (self.is_record(first) && self.is_record(second)).then_some((first, second))
            },
        )
    }

    fn is_record(&self, bytes: &[u8]) -> bool {
        let Some(pairs) = bytes.get(self.n_bytes()..) else { return false };
        matches!(bytes[0], b'G' | b'S' | b'Y') && conditions(pairs).is_some()
    }
}

/// Decodes the error pairs at the end of a record; `None` if these bytes are not error pairs.
fn conditions(pairs: &[u8]) -> Option<Conditions> {
    let (is_plugged_in, is_too_fast) = match pairs {
        b"" => (true, false),
        b"eg" => (false, false),
        b"es" => (true, true),
        b"eseg" | b"eges" => (false, true),
        _ => return None,
    };
    Some(Conditions { is_plugged_in, is_too_fast })
}

/// Decodes a time stamp: four bytes, the least significant first. A zero byte is sent as 1 and
/// marked in the flag byte.
fn read_ticks([flags, bytes @ ..]: [u8; TIME_STAMP]) -> u32 {
    let mut bytes = bytes;
    for (place, byte) in bytes.iter_mut().enumerate() {
        *byte ^= flags >> place & 1;
    }
    u32::from_le_bytes(bytes)
}
