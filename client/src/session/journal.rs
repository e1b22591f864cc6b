//! What a run decided and why, line by line, so that it can be run again to the same bits.
//!
//! A recording holds the devices' bytes; beside them the journal keeps, as lines of JSON, in which order
//! things reached the table: settings, emulators and objects first, then every pose of a hand with the records that it
//! was made from, every order, every moment that mattered, and every frame that was taken, with a digest of its bits.

mod head;
mod person;
mod pose;
mod poses;
mod thing;

use std::sync::Arc;

use calibration::HandPose;
use drivers::Hand as Side;
use drivers::recorder::Notes;
use drivers::recording::DeviceId;
use interaction::grasp::GraspRules;
use interaction::shapes::{Back, Made, ShapeId, Shapes};
use interaction::tabletop::{Matter, Order};
use interaction::thing::{Thing, ThingParts};
use physics::material::IsotropicElastic;
use physics::{SampleId, SurfaceFrame};
use serde::{Deserialize, Serialize};

use super::Fitting;
use crate::input::{DeviceRecord, PairedRecords};

pub use head::{Head, Tape, TapeError};
use person::{PersonFile, SizeFile};
pub(super) use pose::{first_difference, hand_pose};
use pose::{numbers, placed, pose};
use thing::ThingFile;

/// The kind under which a recording keeps a journal.
pub const KIND: &str = "palpate-journal";
/// Of the lines below.
const VERSION: u32 = 2;

/// One thing that reached the table.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Line {
    /// The first line.
    Settings {
        version: u32,
        rules: Vec<String>,
        person: PersonFile,
    },
    /// Next, one for each device that was emulated: how its bytes came about.
    Emulated {
        device: u8,
        what: String,
        seed: u64,
        script: String,
    },
    /// Next, one for each thing.
    Thing(ThingFile),
    /// What a thing has been before, if the recording does not begin with it: shapes with their numbers, which
    /// of them is there now, and how many were ever begun.
    Shapes {
        thing: usize,
        made: Vec<(u32, ThingFile)>,
        at: usize,
        n_begun: u32,
    },
    Hand {
        hand: SideFile,
        sample: u64,
        time: f64,
        angles: [f64; 23],
        wrist: [f64; 7],
        /// Nothing if it did not come from recorded devices.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<FromFile>,
    },
    /// A hand's devices have said nothing for too long.
    Gone {
        hand: SideFile,
        why: String,
        sample: u64,
        time: f64,
    },
    /// Time passed without a hand that would have brought it along.
    Passed {
        sample: u64,
        time: f64,
    },
    Order(OrderFile),
    Frame {
        thing: usize,
        shape: u32,
        sample: u64,
        digest: String,
    },
    /// A shape was found, or not.
    Made {
        thing: usize,
        shape: u32,
        was_found: bool,
    },
}

/// Device and number of the records that a pose was made from.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FromFile {
    glove: (u8, u64),
    tracker: (u8, u64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SideFile {
    Left,
    Right,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum OrderFile {
    KeepShape,
    Undo,
    Redo,
    Reset,
    Rules(Vec<String>),
    Replace(ThingFile),
    Material { name: String, young: f64, poisson: f64 },
    Add(ThingFile),
    Select(usize),
    Place { thing: usize, home: [f64; 7] },
    Size { hand: SideFile, size: SizeFile },
}

/// Why a journal cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error("line {line} of the journal: {source}")]
    Line { line: usize, source: serde_json::Error },
    #[error("the journal begins with something else than its settings")]
    NoSettings,
    #[error("the journal is of version {0}, expected {VERSION}")]
    Version(u32),
    #[error("the journal's rules: {0}")]
    Rules(#[from] interaction::grasp::RuleError),
    #[error("the journal's thing {name:?}: {why}")]
    Thing { name: String, why: String },
    #[error("the journal's shapes are not numbered one after the other")]
    Shapes,
    #[error("a profile in the journal has a {0} that none has")]
    Profile(&'static str),
    #[error("the journal has a number that is not finite or no rotation, expected a pose")]
    Pose,
    #[error("the journal has a moment at {0} s, expected one after the first")]
    Time(f64),
    #[error("the journal speaks of device {number}, expected a number below {}", DeviceId::COUNT)]
    Device { number: u8 },
}

/// An emulated device of a recorded run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmulatedDevice {
    pub device: DeviceId,
    /// In words.
    pub what: String,
    /// Of all that is random about it.
    pub seed: u64,
    /// What the hand does, as `palpate emulate --script` reads it.
    pub script: String,
}

/// What a run begins with.
pub(super) struct Settings<'a> {
    pub(super) rules: &'a GraspRules,
    pub(super) fitting: &'a Fitting,
    pub(super) emulated: &'a [EmulatedDevice],
    pub(super) things: &'a [ThingParts],
}

/// Writes a journal.
pub(super) struct Journal {
    notes: Notes,
    line: Vec<u8>,
    /// Answers to samples up to this one belong to what was before.
    begins_after: u64,
    /// Whether the devices' bytes of the whole run stand in the same file.
    has_bytes: bool,
}

impl Journal {
    /// Begins with what was set, together with the run.
    pub(super) fn begin(notes: Notes, settings: &Settings<'_>) -> Self {
        let mut journal = Self { notes, line: Vec::new(), begins_after: 0, has_bytes: true };
        journal.write(&Line::Settings {
            version: VERSION,
            rules: settings.rules.in_words(),
            person: settings.fitting.into(),
        });
        for EmulatedDevice { device, what, seed, script } in settings.emulated {
            let (what, script) = (what.clone(), script.clone());
            journal.write(&Line::Emulated { device: device.number(), what, seed: *seed, script });
        }
        for thing in settings.things {
            journal.write(&Line::Thing(thing.into()));
        }
        journal
    }

    pub(super) fn hand(
        &mut self,
        side: Side,
        pose: &HandPose,
        from: Option<&PairedRecords>,
        sample: SampleId,
        time: f64,
    ) {
        let (angles, wrist) = (numbers(&pose.angles), placed(&pose.world_from_wrist));
        // What is not in the file cannot be decoded again.
        let from = from.filter(|_| self.has_bytes);
        let (hand, from) = (side.into(), from.map(FromFile::from));
        self.write(&Line::Hand { hand, sample: sample.0, time, angles, wrist, from });
    }

    pub(super) fn gone(&mut self, side: Side, why: &str, sample: SampleId, time: f64) {
        let (hand, why) = (side.into(), why.to_owned());
        self.write(&Line::Gone { hand, why, sample: sample.0, time });
    }

    pub(super) fn passed(&mut self, sample: SampleId, time: f64) {
        self.write(&Line::Passed { sample: sample.0, time });
    }

    pub(super) fn order(&mut self, order: &Order) {
        self.write(&Line::Order(match order {
            Order::KeepShape => OrderFile::KeepShape,
            Order::Back(Back::Undo) => OrderFile::Undo,
            Order::Back(Back::Redo) => OrderFile::Redo,
            Order::Back(Back::Reset) => OrderFile::Reset,
            Order::Rules(rules) => OrderFile::Rules(rules.in_words()),
            Order::Replace(parts) => OrderFile::Replace((&**parts).into()),
            Order::Material(Matter { name, material }) => OrderFile::Material {
                name: name.clone(),
                young: material.young(),
                poisson: material.poisson(),
            },
            Order::Add(parts) => OrderFile::Add((&**parts).into()),
            Order::Select(thing) => OrderFile::Select(*thing),
            Order::Place { thing, home } => OrderFile::Place { thing: *thing, home: placed(home) },
            Order::Size { hand, size } => {
                OrderFile::Size { hand: (*hand).into(), size: (&**size).into() }
            }
        }));
    }

    pub(super) fn frame(&mut self, thing: usize, shape: ShapeId, frame: &SurfaceFrame) {
        let (sample, digest) = (frame.sample.0, digest(frame));
        if sample == 0 || sample > self.begins_after {
            self.write(&Line::Frame { thing, shape: shape.0, sample, digest });
        }
    }

    /// The first frame of a thing that was there before.
    pub(super) fn frame_at_rest(&mut self, thing: usize, shape: ShapeId, frame: &SurfaceFrame) {
        let (sample, digest) = (0, digest(frame));
        self.write(&Line::Frame { thing, shape: shape.0, sample, digest });
    }

    /// The shapes that a thing has had before.
    pub(super) fn shapes(&mut self, thing: usize, of: &Thing) {
        let (made, at, n_begun) = of.shapes().history();
        let file = |(shape, spec): &Made| {
            (shape.0, (&ThingParts { spec: Arc::clone(spec), colours: None, ..of.parts() }).into())
        };
        let made = made.iter().map(file).collect();
        self.write(&Line::Shapes { thing, made, at, n_begun });
    }

    /// It begins in the middle of a run: what answers samples up to this one does not belong to it, and the devices'
    /// bytes are not in its file.
    pub(super) fn begin_after(&mut self, sample: u64) {
        (self.begins_after, self.has_bytes) = (sample, false);
    }

    pub(super) fn made(&mut self, thing: usize, shape: ShapeId, was_found: bool) {
        self.write(&Line::Made { thing, shape: shape.0, was_found });
    }

    fn write(&mut self, line: &Line) {
        self.line.clear();
        serde_json::to_writer(&mut self.line, line).expect("numbers and texts have JSON");
        self.line.push(b'\n');
        self.notes.write(&self.line);
    }
}

/// The lines of a journal; an unfinished last one is left out.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = Result<Line, JournalError>> + '_ {
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let lines = bytes[..whole].split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.enumerate().map(|(i, line)| {
        // The first line of another version may have any form.
        if i == 0
            && let Ok(VersionFile { version: Some(version) }) = serde_json::from_slice(line)
            && version != VERSION
        {
            return Err(JournalError::Version(version));
        }
        serde_json::from_slice(line).map_err(|source| JournalError::Line { line: i + 1, source })
    })
}

/// Only what says how to read the rest.
#[derive(Deserialize)]
struct VersionFile {
    version: Option<u32>,
}

/// The shapes that a thing has had before.
pub(super) fn shapes(
    made: Vec<(u32, ThingFile)>,
    at: usize,
    n_begun: u32,
) -> Result<Shapes, JournalError> {
    let shape = |(shape, file): (u32, ThingFile)| Ok((ShapeId(shape), file.thing()?.spec));
    let made = made.into_iter().map(shape).collect::<Result<Vec<Made>, JournalError>>()?;
    Shapes::from_history(made, at, n_begun).ok_or(JournalError::Shapes)
}

/// The bits of a frame, in short.
pub(super) fn digest(frame: &SurfaceFrame) -> String {
    // FNV-1a: short to write, and the same everywhere.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut eat = |bits: u32| {
        for byte in bits.to_le_bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    };
    frame.positions.iter().flatten().for_each(|x| eat(x.to_bits()));
    for (node, force) in &frame.reactions {
        eat(node.0);
        force.iter().for_each(|f| eat(f.to_bits()));
    }
    format!("{hash:016x}")
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

impl From<&PairedRecords> for FromFile {
    fn from(records: &PairedRecords) -> Self {
        let file = |record: DeviceRecord| (record.device.number(), record.number);
        Self { glove: file(records.glove), tracker: file(records.tracker) }
    }
}

impl FromFile {
    pub(super) fn records(self) -> Result<PairedRecords, JournalError> {
        let record = |(device, number): (u8, u64)| {
            let device = DeviceId::new(device).ok_or(JournalError::Device { number: device })?;
            Ok::<_, JournalError>(DeviceRecord { device, number })
        };
        Ok(PairedRecords { glove: record(self.glove)?, tracker: record(self.tracker)? })
    }
}

impl OrderFile {
    pub(super) fn order(self) -> Result<Order, JournalError> {
        Ok(match self {
            Self::KeepShape => Order::KeepShape,
            Self::Undo => Order::Back(Back::Undo),
            Self::Redo => Order::Back(Back::Redo),
            Self::Reset => Order::Back(Back::Reset),
            Self::Rules(words) => Order::Rules(GraspRules::with(&words)?),
            Self::Replace(thing) => Order::Replace(Box::new(thing.thing()?)),
            Self::Material { name, young, poisson } => {
                let material = IsotropicElastic::new(young, poisson);
                let material = material
                    .map_err(|e| JournalError::Thing { name: name.clone(), why: e.to_string() })?;
                Order::Material(Matter { name, material })
            }
            Self::Add(thing) => Order::Add(Box::new(thing.thing()?)),
            Self::Select(thing) => Order::Select(thing),
            Self::Place { thing, home } => Order::Place { thing, home: pose(&home)? },
            Self::Size { hand, size } => Order::of_size(hand.into(), size.size()?),
        })
    }
}
