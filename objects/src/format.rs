//! File formats, one file each, each a pure function of bytes.
//!
//! [`open`] reads any of them, checks what it finds and says it in words; [`write`](fn@write) and [`verify`]
//! are the way back. Readers hold limits, trust no count before the bytes are there, and never panic; an
//! error names the place and what was expected there.

mod binary;
mod field;
mod gltf;
mod gmsh;
mod kind;
mod medit;
mod obj;
mod ply;
mod raw;
mod remark;
mod srgb;
mod stl;
mod tetgen;
mod text;
mod thesis;
mod vtk;
mod vtu;
mod welding;
mod write;

use std::fmt;
use std::path::Path;

use physics::{MeshError, TetMesh};

use crate::check::{self, Findings, Unit, UnitSource};
use crate::surface::TriangleSurface;

pub use field::{Field, FieldError, Numbers, Place};
pub use gmsh::GmshDialect;
pub use kind::{Holds, Kind, Precision};
pub use raw::{MISSING, RawMesh, Shape};
pub use thesis::write_thesis;
pub use write::{BodyToWrite, ObjectToWrite, VerifyError, WriteError, verify, write, write_gmsh};

/// Why bytes are not an object.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FormatError {
    /// No reader knows such files.
    #[error("unknown kind of file {0:?}, expected one of {known}", known = kind::known())]
    UnknownKind(String),
    /// A line is not what the format wants there.
    #[error("line {line}: expected {expected}, found {found:?}")]
    Line {
        /// Counted from 1.
        line: usize,
        /// In words.
        expected: String,
        /// The offending word or line, shortened.
        found: String,
    },
    /// The file ends too soon.
    #[error("the file ends where {0} should follow")]
    Ends(String),
    /// Something inside the file is broken, such as compressed bytes.
    #[error("{what} cannot be read: {why}")]
    Damaged {
        /// A part of the file.
        what: String,
        /// In words.
        why: String,
    },
    /// A dialect or an element that is not read.
    #[error("{0}")]
    Unsupported(String),
    /// More than is ever read.
    #[error("the file has {what}, expected at most {}", amount(what, *most))]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// The limit.
        most: usize,
    },
    /// A file that belongs to this one is not there.
    #[error("{0:?}, which belongs to this file, is not there")]
    NoSibling(String),
    /// A surface where a solid was asked for.
    #[error("the file holds a surface of triangles, expected a solid of tetrahedra")]
    NotSolid,
    /// What is in the file cannot be used.
    #[error("{}", .0.refusal())]
    Refused(Box<Findings>),
    /// Numbers that make no mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

/// How to read a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reading {
    /// What the file's numbers count. If not given, it is guessed from the size, except in formats that have
    /// a unit of their own; the findings say which.
    pub unit: Option<Unit>,
    /// What becomes of a solid's nodes in one and the same place. (A surface's are always joined.)
    pub duplicate_nodes: DuplicateNodes,
    /// What is too much.
    pub limits: Limits,
}

/// What becomes of nodes in one and the same place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DuplicateNodes {
    /// They stay apart, as at a cut, and nodes keep their numbers.
    #[default]
    Keep,
    /// They become one; later nodes move up.
    Join,
}

/// What is too much.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Bytes in a file.
    pub file_bytes: usize,
    /// Bytes that compressed or shared parts of a file unfold to.
    pub unfolded_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { file_bytes: 2 << 30, unfolded_bytes: 2 << 30 }
    }
}

/// An object that has been read, and what was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Opened {
    /// The object, in metres.
    pub body: Body,
    /// Values at its nodes and elements as they are in the file, and colours of nodes. Surfaces have values at
    /// points only.
    pub fields: Vec<Field>,
    /// What is worth knowing about it.
    pub findings: Findings,
}

/// What files hold.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// Tetrahedra, ready to be squeezed.
    Solid(TetMesh),
    /// Triangles, to be filled first.
    Surface(TriangleSurface),
}

/// A file that belongs to the one that is read. Asked for by whoever reads; a name never leads out of the
/// folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sibling<'a> {
    /// The file of the same name with this extension.
    Extension(&'a str),
    /// The file of this name in the same folder.
    Name(&'a str),
}

/// Fetches the bytes of a sibling, or nothing if it is not there.
pub type Siblings<'a> = dyn FnMut(Sibling<'_>) -> Option<Vec<u8>> + 'a;

/// For files that stand alone.
pub fn no_siblings(_: Sibling<'_>) -> Option<Vec<u8>> {
    None
}

/// Reads and checks an object.
pub fn open(
    kind: Kind,
    bytes: &[u8],
    siblings: &mut Siblings<'_>,
    reading: &Reading,
) -> Result<Opened, FormatError> {
    let raw = parse(kind, bytes, siblings, &reading.limits)?;
    let told = reading.unit.map(|unit| (unit, UnitSource::Told));
    let own = kind.own_unit().map(|unit| (unit, UnitSource::Format));
    let noted = || remark::remarked(bytes).map(|unit| (unit, UnitSource::Remark));
    check::checked(raw, told.or(own).or_else(noted), reading.duplicate_nodes)
}

/// Reads an object without checking anything but the form of the file.
pub fn parse(
    kind: Kind,
    bytes: &[u8],
    siblings: &mut Siblings<'_>,
    limits: &Limits,
) -> Result<RawMesh, FormatError> {
    if bytes.len() > limits.file_bytes {
        return Err(FormatError::TooLarge { what: "too many bytes", most: limits.file_bytes });
    }
    if bytes.is_empty() {
        return Err(FormatError::Unsupported("the file is empty".to_owned()));
    }
    match kind {
        Kind::Thesis => thesis::parse(bytes),
        Kind::Gmsh => gmsh::parse(bytes),
        Kind::TetGenNodes => tetgen::parse(Some(bytes), None, siblings, limits),
        Kind::TetGenElements => tetgen::parse(None, Some(bytes), siblings, limits),
        Kind::Vtk => vtk::parse(bytes, limits),
        Kind::Vtu => vtu::parse(bytes, limits),
        Kind::Medit => medit::parse(bytes),
        Kind::MeditBinary => medit::parse_binary(bytes),
        Kind::Obj => obj::parse(bytes),
        Kind::Stl => stl::parse(bytes),
        Kind::Ply => ply::parse(bytes),
        Kind::Gltf | Kind::Glb => gltf::parse(bytes, siblings, limits),
    }
}

/// Reads a solid in metres from the bytes of one file; its name tells the format.
pub fn read(path: &Path, bytes: &[u8]) -> Result<TetMesh, FormatError> {
    let kind =
        Kind::of(path).ok_or_else(|| FormatError::UnknownKind(path.display().to_string()))?;
    let reading = Reading { unit: Some(Unit::Metre), ..Reading::default() };
    match open(kind, bytes, &mut no_siblings, &reading)?.body {
        Body::Solid(mesh) => Ok(mesh),
        Body::Surface(_) => Err(FormatError::NotSolid),
    }
}

/// More values than this at a point are nothing that we could show.
const MOST_FIELDS: usize = 64;

/// A limit as people say it: bytes in the largest unit of which they are a whole number.
fn amount(what: &str, most: usize) -> String {
    if what.contains("bytes") { Bytes(most).to_string() } else { most.to_string() }
}

/// A number of bytes that is easy to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bytes(pub usize);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
        let whole = |(shift, _): &(u32, &str)| self.0 > 0 && self.0.trailing_zeros() >= *shift;
        match units.into_iter().find(whole) {
            Some((shift, unit)) => write!(f, "{} {unit}", self.0 >> shift),
            None => write!(f, "{} bytes", self.0),
        }
    }
}

/// Takes from what may still be unfolded.
fn spend(left: &mut usize, n_bytes: usize, limits: &Limits) -> Result<(), FormatError> {
    *left = left.checked_sub(n_bytes).ok_or(FormatError::TooLarge {
        what: "too many bytes when it is unfolded",
        most: limits.unfolded_bytes,
    })?;
    Ok(())
}
