//! Lines of a journal, and their reader.

use drivers::Side;
use drivers::recording::DeviceId;
use interaction::shape_history::{RestShape, ShapeHistory, ShapeId};
use serde::{Deserialize, Serialize};

use super::orders::OrderFile;
use super::person::PersonFile;
use super::state::StateFile;
use super::thing::ThingFile;
use super::{JournalError, OLDEST, VERSION};
use crate::input::{DeviceRecord, PairedRecords};

/// One line of a journal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(in crate::session) enum JournalLine {
    /// First line: the settings.
    Settings { version: u32, rules: Vec<String>, person: PersonFile },
    /// Next, one line for each emulated device: the origin of its bytes.
    Emulated { device: u8, what: String, seed: u64, script: String },
    /// Next, one line for each thing.
    Thing(ThingFile),
    /// Shape history of a thing, if the recording begins in the middle of a run: shapes with their
    /// ids, the index of the present one, and the number of ids given out.
    Shapes { thing: usize, made: Vec<(u32, ThingFile)>, at: usize, n_begun: u32 },
    /// A pose of a hand.
    Hand {
        hand: SideFile,
        sample: u64,
        time: f64,
        angles: [f64; 23],
        wrist: [f64; 7],
        /// Records of the pose; absent if it did not come from recorded devices.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<PairedRecordsFile>,
    },
    /// A hand was lost.
    Gone { hand: SideFile, why: String, sample: u64, time: f64 },
    /// Time passed without a hand.
    Passed { sample: u64, time: f64 },
    /// The person gave an order.
    Order(OrderFile),
    /// A solved frame was taken.
    Frame {
        thing: usize,
        shape: u32,
        sample: u64,
        digest: String,
        /// State that was restored before the frame.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        restored: Option<Box<StateFile>>,
        /// Touches that were stepped after that, and whose frames were overtaken.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        overtaken: Vec<u64>,
    },
    /// The computation of a shape to keep ended.
    Made { thing: usize, shape: u32, was_found: bool },
}

/// Device and number of the records from which a pose was made.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::session) struct PairedRecordsFile {
    glove: (u8, u64),
    /// Absent for a hand that mouse and keys or a headset placed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tracker: Option<(u8, u64)>,
}

/// Side of a hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::session) enum SideFile {
    Left,
    Right,
}

/// Reads the lines of a journal; an unfinished last line is left out.
pub(in crate::session) fn lines(
    bytes: &[u8],
) -> impl Iterator<Item = Result<JournalLine, JournalError>> + '_ {
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let lines = bytes[..whole].split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.enumerate().map(|(i, line)| {
        // The first line of another version may have any form.
        if i == 0
            && let Ok(VersionFile { version: Some(version) }) = serde_json::from_slice(line)
            && !(OLDEST..=VERSION).contains(&version)
        {
            return Err(JournalError::Version(version));
        }
        serde_json::from_slice(line).map_err(|source| JournalError::Line { line: i + 1, source })
    })
}

/// The version of a settings line, which any version has.
#[derive(Deserialize)]
struct VersionFile {
    version: Option<u32>,
}

/// Reads the shape history of a thing.
pub(in crate::session) fn shapes(
    made: Vec<(u32, ThingFile)>,
    at: usize,
    n_begun: u32,
) -> Result<ShapeHistory, JournalError> {
    let shape = |(shape, file): (u32, ThingFile)| Ok((ShapeId(shape), file.thing()?.spec));
    let made = made.into_iter().map(shape).collect::<Result<Vec<RestShape>, JournalError>>()?;
    ShapeHistory::from_history(made, at, n_begun).ok_or(JournalError::Shapes)
}

impl From<SideFile> for Side {
    fn from(side: SideFile) -> Self {
        match side {
            SideFile::Left => Self::Left,
            SideFile::Right => Self::Right,
        }
    }
}

impl From<Side> for SideFile {
    fn from(side: Side) -> Self {
        match side {
            Side::Left => Self::Left,
            Side::Right => Self::Right,
        }
    }
}

impl From<&PairedRecords> for PairedRecordsFile {
    fn from(records: &PairedRecords) -> Self {
        let file = |record: DeviceRecord| (record.device.number(), record.number);
        Self { glove: file(records.glove), tracker: records.tracker.map(file) }
    }
}

impl PairedRecordsFile {
    pub(in crate::session) fn records(self) -> Result<PairedRecords, JournalError> {
        let record = |(device, number): (u8, u64)| {
            let device = DeviceId::new(device).ok_or(JournalError::Device { number: device })?;
            Ok::<_, JournalError>(DeviceRecord { device, number })
        };
        let tracker = self.tracker.map(record).transpose()?;
        Ok(PairedRecords { glove: record(self.glove)?, tracker })
    }
}
