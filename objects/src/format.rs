//! File formats: readers and writers, one file for each, as pure functions of bytes.
//!
//! [`open`] reads any of them, checks the content and reports findings; [`write`](fn@write) writes
//! an object and [`verify`] compares the written bytes with it. Readers respect limits, never trust
//! a count before the bytes are there, and never panic; an error names the place and what was
//! expected there.

mod binary;
mod field;
mod file_kind;
mod gltf;
mod gmsh;
mod medit;
mod memory;
mod obj;
mod obj3;
mod ply;
mod polygon;
mod raw_mesh;
mod srgb;
mod stl;
mod tetgen;
mod text;
mod unit_comment;
mod vtk;
mod vtu;
mod welding;
mod write;

use std::fmt;
use std::path::Path;

use physics::{MeshError, TetMesh};

use crate::check::{self, Findings, Unit, UnitSource};
use crate::surface::TriangleSurface;
use memory::Memory;

pub use field::{Field, FieldError, FieldPlace, NumberKind};
pub use file_kind::{FileKind, Holds, Precision};
pub use gmsh::GmshDialect;
pub use obj3::write_thesis;
pub use raw_mesh::{ElementShape, MISSING, RawMesh};
pub use write::{BodyToWrite, ObjectToWrite, VerifyError, WriteError, verify, write, write_gmsh};

/// Error of reading an object.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FormatError {
    /// No reader exists for such files.
    #[error("unknown kind of file {0:?}, expected one of {known}", known = file_kind::known())]
    UnknownKind(String),
    /// A line does not match the format.
    #[error("line {line}: expected {expected}, found {found:?}")]
    Line {
        /// Line number, counted from 1.
        line: usize,
        /// Description of the expected text.
        expected: String,
        /// The offending word or line, shortened.
        found: String,
    },
    /// A line has too few words.
    #[error("line {line}: expected {expected}, found the end of the line")]
    LineEnds {
        /// Line number, counted from 1.
        line: usize,
        /// Description of the expected text.
        expected: String,
    },
    /// The file is incomplete.
    #[error("the file ends where {0} should follow")]
    Ends(String),
    /// A part of the file is broken, such as compressed bytes.
    #[error("{what} cannot be read: {why}")]
    Damaged {
        /// The part of the file.
        what: String,
        /// Description of the damage.
        why: String,
    },
    /// A dialect or an element that is not supported.
    #[error("{0}")]
    Unsupported(String),
    /// The file exceeds a limit.
    #[error("the file has {what}, expected at most {}", amount(what, *most))]
    TooLarge {
        /// Description of the excess, such as "too many bytes".
        what: &'static str,
        /// The limit.
        most: usize,
    },
    /// Reading would take too much memory.
    #[error(
        "reading it would take {needed} MB of memory, expected at most {most} MB, which is 40 times \
         its size and 64 MB"
    )]
    Memory {
        /// Memory that a part of the file or all of it would take, in MB.
        needed: usize,
        /// Memory that may be taken, in MB.
        most: usize,
    },
    /// A second file that belongs to this one is missing.
    #[error("{0:?}, which belongs to this file, is missing")]
    NoSibling(String),
    /// An error in a second file that belongs to this one.
    #[error("{name:?}, which belongs to this file: {error}")]
    InSibling {
        /// Name of the second file, or its extension.
        name: String,
        /// The error.
        error: Box<FormatError>,
    },
    /// The file holds a surface, but a solid was requested.
    #[error("the file holds a surface of triangles, expected a solid of tetrahedra")]
    NotSolid,
    /// The content of the file cannot be used.
    #[error("{}", .0.refusal())]
    Refused(Box<Findings>),
    /// The numbers do not make a valid mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

impl FormatError {
    /// Names second files by the name of the first one, where only their extension is known.
    #[must_use]
    pub fn with_names_beside(self, path: &Path) -> Self {
        let named = |name: String| match name.strip_prefix('.').map(|end| path.with_extension(end))
        {
            Some(beside) => beside.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            None => name,
        };
        match self {
            Self::NoSibling(name) => Self::NoSibling(named(name)),
            Self::InSibling { name, error } => Self::InSibling { name: named(name), error },
            other => other,
        }
    }
}

/// Options of reading a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReadingOptions {
    /// Unit of the file's numbers. If `None`, the unit comes from the format or from a comment in
    /// the file, or is guessed from the size; the findings say which.
    pub unit: Option<Unit>,
    /// Treatment of nodes of a solid at the same position. (Points of a surface are always
    /// joined.)
    pub duplicate_nodes: DuplicateNodes,
    /// Limits of the sizes.
    pub limits: Limits,
}

/// Treatment of nodes at the same position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DuplicateNodes {
    /// Keep them apart, as at a cut; nodes keep their numbers.
    #[default]
    Keep,
    /// Join them into one; later nodes move up.
    Join,
}

/// Limits of the sizes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Largest number of bytes in a file.
    pub file_bytes: usize,
    /// Largest number of bytes after compressed or shared parts of a file are expanded.
    pub unfolded_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { file_bytes: 2 << 30, unfolded_bytes: 2 << 30 }
    }
}

/// An object that has been read, with the findings of the checks.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenedObject {
    /// The object, in metres.
    pub body: Body,
    /// Values at its nodes and elements as they are in the file, and colours of nodes. Surfaces
    /// have values at points only.
    pub fields: Vec<Field>,
    /// Report on the file.
    pub findings: Findings,
}

/// Content of a file.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// Tetrahedra, ready for a solver.
    Solid(TetMesh),
    /// Triangles, which have to be filled first.
    Surface(TriangleSurface),
}

/// A file that belongs to the one that is read. Readers request it from the caller; a name never
/// leads out of the folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sibling<'a> {
    /// The file of the same name with this extension.
    Extension(&'a str),
    /// The file of this name in the same folder.
    Name(&'a str),
}

/// Returns the bytes of a sibling, or `None` if it does not exist.
pub type Siblings<'a> = dyn FnMut(Sibling<'_>) -> Option<Vec<u8>> + 'a;

/// `Siblings` for files that stand alone.
pub fn no_siblings(_: Sibling<'_>) -> Option<Vec<u8>> {
    None
}

/// Reads and checks an object.
pub fn open(
    kind: FileKind,
    bytes: &[u8],
    siblings: &mut Siblings<'_>,
    reading: &ReadingOptions,
) -> Result<OpenedObject, FormatError> {
    let mut n_bytes = bytes.len();
    let mut counted = |sibling: Sibling<'_>| {
        let found = siblings(sibling);
        n_bytes = n_bytes.saturating_add(found.as_ref().map_or(0, Vec::len));
        found
    };
    let raw = parse(kind, bytes, &mut counted, &reading.limits)?;
    Memory::of(n_bytes, &reading.limits).check(&raw)?;
    let told = reading.unit.map(|unit| (unit, UnitSource::Told));
    let own = kind.own_unit().map(|unit| (unit, UnitSource::Format));
    let noted = || unit_comment::unit_in_comment(bytes).map(|unit| (unit, UnitSource::Remark));
    check::checked(raw, told.or(own).or_else(noted), reading.duplicate_nodes)
}

/// Reads an object and checks only the form of the file.
pub fn parse(
    kind: FileKind,
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
    let mut memory = Memory::of(bytes.len(), limits);
    let text = || without_mark(bytes);
    let mut mesh = match kind {
        FileKind::Thesis => obj3::parse(text()),
        FileKind::Gmsh => gmsh::parse(text()),
        FileKind::TetGenNodes => tetgen::parse(Some(text()), None, siblings, limits),
        FileKind::TetGenElements => tetgen::parse(None, Some(text()), siblings, limits),
        FileKind::Vtk => vtk::parse(text(), &mut memory),
        FileKind::Vtu => vtu::parse(text(), &mut memory),
        FileKind::Medit => medit::parse(text()),
        FileKind::MeditBinary => medit::parse_binary(bytes),
        FileKind::Obj => obj::parse(text()),
        FileKind::Stl => stl::parse(bytes),
        FileKind::Ply => ply::parse(text()),
        FileKind::Gltf => gltf::parse(text(), siblings, &mut memory),
        FileKind::Glb => gltf::parse(bytes, siblings, &mut memory),
    }?;
    mesh.cut_concave_polygons();
    Ok(mesh)
}

/// The bytes without the mark that some editors put in front of a text.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// Reads a solid in metres from the bytes of one file; the extension selects the format.
pub fn read(path: &Path, bytes: &[u8]) -> Result<TetMesh, FormatError> {
    let kind =
        FileKind::of(path).ok_or_else(|| FormatError::UnknownKind(path.display().to_string()))?;
    let reading = ReadingOptions { unit: Some(Unit::Metre), ..ReadingOptions::default() };
    match open(kind, bytes, &mut no_siblings, &reading)?.body {
        Body::Solid(mesh) => Ok(mesh),
        Body::Surface(_) => Err(FormatError::NotSolid),
    }
}

/// Largest number of fields that are read; further ones are left out.
const MOST_FIELDS: usize = 64;

/// A limit as text: bytes in the largest unit of which they are a whole number.
fn amount(what: &str, most: usize) -> String {
    if what.contains("bytes") { ByteCount(most).to_string() } else { most.to_string() }
}

/// A number of bytes, formatted with a binary unit if it is a whole number of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteCount(pub usize);

impl fmt::Display for ByteCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
        let whole = |(shift, _): &(u32, &str)| self.0 > 0 && self.0.trailing_zeros() >= *shift;
        match units.into_iter().find(whole) {
            Some((shift, unit)) => write!(f, "{} {unit}", self.0 >> shift),
            None => write!(f, "{} bytes", self.0),
        }
    }
}
