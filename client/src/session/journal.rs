//! What a run decided and why, line by line, so that it can be run again to the same bits.
//!
//! A recording holds the devices' bytes; beside them the journal keeps, as lines of JSON, in which order
//! things reached the table: settings and objects first, then every pose of a hand, every order, and
//! every frame that was taken, with a digest of its bits.

use std::path::Path;
use std::sync::Arc;

use calibration::{FingerAngles, HandPose, HandSize, JointAngles, Profile, ThumbAngles};
use drivers::Hand as Side;
use drivers::recorder::Notes;
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion};
use physics::material::IsotropicElastic;
use physics::{NodeId, ObjectSpec, SampleId, SolidSpec, SurfaceFrame};
use serde::{Deserialize, Serialize};

use super::shapes::{Back, ShapeId};
use super::{Order, Profiles, ThingParts};
use crate::grasp::GraspRules;

/// The kind under which a recording keeps a journal.
pub const KIND: &str = "palpate-journal";
/// Of the lines below.
const VERSION: u32 = 1;

/// One thing that reached the table.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Line {
    /// The first line.
    Settings {
        version: u32,
        rules: Vec<String>,
        left: SizeFile,
        right: SizeFile,
    },
    /// Next, one for each thing.
    Thing(ThingFile),
    Hand {
        hand: SideFile,
        sample: u64,
        time: f64,
        angles: [f64; 23],
        wrist: [f64; 7],
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

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SizeFile {
    length: f64,
    breadth: f64,
    segments: [[Option<f64>; 3]; 5],
}

/// Things by their three lists, so that a recording needs no other file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ThingFile {
    name: String,
    young: f64,
    poisson: f64,
    supports: Vec<u32>,
    home: [f64; 7],
    colours: Option<Vec<[f32; 3]>>,
    mesh: String,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
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
    Rules(#[from] crate::grasp::RuleError),
    #[error("the journal's thing {name:?}: {why}")]
    Thing { name: String, why: String },
    #[error("the journal's hand has a size that no hand has")]
    Size,
    #[error("the journal has a number that is not finite or no rotation, expected a pose")]
    Pose,
}

/// Writes a journal.
pub struct Journal {
    notes: Notes,
    line: Vec<u8>,
}

impl Journal {
    /// Begins with what was set.
    pub fn begin(
        notes: Notes,
        rules: &GraspRules,
        profiles: &Profiles,
        things: &[ThingParts],
    ) -> Self {
        let mut journal = Self { notes, line: Vec::new() };
        journal.write(&Line::Settings {
            version: VERSION,
            rules: rules.in_words(),
            left: profiles.left.size().into(),
            right: profiles.right.size().into(),
        });
        for thing in things {
            journal.write(&Line::Thing(thing.into()));
        }
        journal
    }

    pub(super) fn hand(&mut self, side: Side, pose: &HandPose, sample: SampleId, time: f64) {
        let hand = match side {
            Side::Left => SideFile::Left,
            Side::Right => SideFile::Right,
        };
        let (angles, wrist) = (numbers(&pose.angles), placed(&pose.world_from_wrist));
        self.write(&Line::Hand { hand, sample: sample.0, time, angles, wrist });
    }

    pub(super) fn order(&mut self, order: &Order) {
        self.write(&Line::Order(match order {
            Order::KeepShape => OrderFile::KeepShape,
            Order::Back(Back::Undo) => OrderFile::Undo,
            Order::Back(Back::Redo) => OrderFile::Redo,
            Order::Back(Back::Reset) => OrderFile::Reset,
            Order::Rules(rules) => OrderFile::Rules(rules.in_words()),
            Order::Replace(parts) => OrderFile::Replace((&**parts).into()),
        }));
    }

    pub(super) fn frame(&mut self, thing: usize, shape: ShapeId, frame: &SurfaceFrame) {
        let (sample, digest) = (frame.sample.0, digest(frame));
        self.write(&Line::Frame { thing, shape: shape.0, sample, digest });
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
        serde_json::from_slice(line).map_err(|source| JournalError::Line { line: i + 1, source })
    })
}

/// What the first line says.
pub(super) fn settings(line: Line) -> Result<(GraspRules, Profiles), JournalError> {
    match line {
        Line::Settings { version: VERSION, rules, left, right } => {
            let profile = |side, size: SizeFile| {
                let size = HandSize::from(size);
                let is_bone = |metres: &f64| (0.002..0.2).contains(metres);
                if size.check().is_err() || !size.segments.iter().flatten().flatten().all(is_bone) {
                    return Err(JournalError::Size);
                }
                Ok(Profile::uncalibrated(side).with_size(size))
            };
            let profiles =
                Profiles { left: profile(Side::Left, left)?, right: profile(Side::Right, right)? };
            Ok((GraspRules::with(&rules)?, profiles))
        }
        Line::Settings { version, .. } => Err(JournalError::Version(version)),
        Line::Thing(_)
        | Line::Hand { .. }
        | Line::Order(_)
        | Line::Frame { .. }
        | Line::Made { .. } => Err(JournalError::NoSettings),
    }
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

impl OrderFile {
    pub(super) fn order(self) -> Result<Order, JournalError> {
        Ok(match self {
            Self::KeepShape => Order::KeepShape,
            Self::Undo => Order::Back(Back::Undo),
            Self::Redo => Order::Back(Back::Redo),
            Self::Reset => Order::Back(Back::Reset),
            Self::Rules(words) => Order::Rules(GraspRules::with(&words)?),
            Self::Replace(thing) => Order::Replace(Box::new(thing.thing()?)),
        })
    }
}

impl From<&HandSize> for SizeFile {
    fn from(size: &HandSize) -> Self {
        Self { length: size.length, breadth: size.breadth, segments: size.segments }
    }
}

impl From<SizeFile> for HandSize {
    fn from(size: SizeFile) -> Self {
        Self { length: size.length, breadth: size.breadth, segments: size.segments }
    }
}

impl From<&ThingParts> for ThingFile {
    fn from(thing: &ThingParts) -> Self {
        let ObjectSpec::Solid(solid) = &*thing.spec;
        Self {
            name: thing.name.clone(),
            young: solid.material().young(),
            poisson: solid.material().poisson(),
            supports: solid.supports().iter().map(|node| node.0).collect(),
            home: placed(&thing.home),
            colours: thing.colours.as_deref().cloned(),
            mesh: objects::format::write_thesis(solid.mesh()),
        }
    }
}

impl ThingFile {
    pub(super) fn thing(self) -> Result<ThingParts, JournalError> {
        let spec = || -> Result<SolidSpec, String> {
            let mesh = objects::format::read(Path::new("mesh.obj3"), self.mesh.as_bytes());
            let mesh = mesh.map_err(|e| e.to_string())?;
            let material = IsotropicElastic::new(self.young, self.poisson);
            let material = material.map_err(|e| e.to_string())?;
            let supports = self.supports.iter().copied().map(NodeId).collect();
            SolidSpec::new(mesh, material, supports).map_err(|e| e.to_string())
        };
        let spec = spec().map_err(|why| JournalError::Thing { name: self.name.clone(), why })?;
        Ok(ThingParts {
            name: self.name,
            spec: Arc::new(ObjectSpec::Solid(spec)),
            home: pose(&self.home)?,
            colours: self.colours.map(Arc::new),
        })
    }
}

/// Position, then quaternion x y z w.
fn placed(pose: &Isometry3<f64>) -> [f64; 7] {
    let (t, q) = (pose.translation.vector, pose.rotation);
    [t.x, t.y, t.z, q.i, q.j, q.k, q.w]
}

fn pose(numbers: &[f64; 7]) -> Result<Isometry3<f64>, JournalError> {
    let [x, y, z, i, j, k, w] = *numbers;
    let quaternion = Quaternion::new(w, i, j, k);
    let is_rotation = (quaternion.norm() - 1.0).abs() < 1e-6;
    if !numbers.iter().all(|number| number.is_finite()) || !is_rotation {
        return Err(JournalError::Pose);
    }
    // Unit already; normalising again might change its last bit.
    let rotation = UnitQuaternion::new_unchecked(quaternion);
    Ok(Isometry3::from_parts(Translation3::new(x, y, z), rotation))
}

/// A pose as it was written down.
pub(super) fn hand_pose(angles: &[f64; 23], wrist: &[f64; 7]) -> Result<HandPose, JournalError> {
    if !angles.iter().all(|angle| angle.is_finite()) {
        return Err(JournalError::Pose);
    }
    let finger = |i: usize| FingerAngles {
        abduction: angles[i],
        mpj: angles[i + 1],
        pij: angles[i + 2],
        dij: angles[i + 3],
    };
    let angles = JointAngles {
        thumb: ThumbAngles { roll: angles[0], abduction: angles[1], mpj: angles[2], ij: angles[3] },
        fingers: [4, 8, 12, 16].map(finger),
        palm_arch: angles[20],
        wrist_pitch: angles[21],
        wrist_yaw: angles[22],
    };
    Ok(HandPose { angles, world_from_wrist: pose(wrist)? })
}

fn numbers(angles: &JointAngles) -> [f64; 23] {
    let mut numbers = [0.0; 23];
    let thumb = &angles.thumb;
    numbers[..4].copy_from_slice(&[thumb.roll, thumb.abduction, thumb.mpj, thumb.ij]);
    for (i, finger) in angles.fingers.iter().enumerate() {
        numbers[4 + 4 * i..8 + 4 * i].copy_from_slice(&[
            finger.abduction,
            finger.mpj,
            finger.pij,
            finger.dij,
        ]);
    }
    numbers[20..].copy_from_slice(&[angles.palm_arch, angles.wrist_pitch, angles.wrist_yaw]);
    numbers
}
