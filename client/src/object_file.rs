//! Objects in files: read with all that belongs to them, filled if they are surfaces, written whole or not at
//! all and verified.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, ensure};
use nalgebra::Vector3;
use objects::check::{FindingKind, Findings, Length, UnitSource};
use objects::filling::{Filled, Progress, colours_at, fill};
use objects::format::{
    BodyToWrite, ByteCount, DuplicateNodes, Field, FormatError, Limits, ObjectToWrite, Sibling,
    VerifyError, WriteError, verify, write,
};
use objects::{Body, FileKind, OpenedObject, ReadingOptions, Unit};
use physics::TetMesh;
use physics::family::solid::Solution;

pub(crate) use crate::atomic_write::ExistingFile;
use crate::atomic_write::put_checked;

/// Nodes that a surface is filled with if nobody says how many.
pub(crate) const USUAL_NODES: u32 = 2000;

/// A solid from a file, and what to know about it.
pub(crate) struct SolidFile {
    pub(crate) mesh: TetMesh,
    /// Values that came along, and colours.
    pub(crate) fields: Vec<Field>,
    pub(crate) findings: Findings,
    /// How a surface was filled.
    pub(crate) filling: Option<String>,
}

impl SolidFile {
    /// Whether there is more to say than what it is and how good its elements are.
    pub(crate) fn is_remarkable(&self) -> bool {
        !self.findings.findings.is_empty() || self.filling.is_some()
    }

    /// Refuses what no hand can hold, before anybody tries.
    pub(crate) fn for_a_hand(self) -> anyhow::Result<Self> {
        let sizes = self.findings.findings.iter().any(|finding| finding.what == FindingKind::Size);
        let [x, y, z] = self.findings.size;
        ensure!(
            !sizes,
            "it would be {} long, which no hand can hold; expected 1 mm to 1.5 m: --unit mm, cm, m or in says what \
             its numbers count",
            Length(x.max(y).max(z))
        );
        Ok(self)
    }

    /// Linear, of each node.
    pub(crate) fn colours(&self) -> Option<Vec<[f32; 3]>> {
        self.fields.iter().find_map(Field::as_colours)
    }
}

impl fmt::Display for SolidFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.findings)?;
        self.filling.iter().try_for_each(|filling| write!(f, "\n- {filling}"))
    }
}

/// The kind of file that a name asks for.
pub(crate) fn kind(path: &Path) -> Result<FileKind, FormatError> {
    let name = || path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    FileKind::of(path).ok_or_else(|| FormatError::UnknownKind(name()))
}

/// Reads and checks whatever a file holds. Without a unit it is guessed, and the findings say so.
pub(crate) fn open(path: &Path, unit: Option<Unit>) -> anyhow::Result<OpenedObject> {
    open_as(path, unit, DuplicateNodes::default())
}

/// The same for commands whose results depend on the unit: without one it is as the file or its format says, else
/// metres, and never guessed.
pub(crate) fn open_unguessed(path: &Path, unit: Option<Unit>) -> anyhow::Result<OpenedObject> {
    let opened = open(path, unit)?;
    match opened.findings.unit_source {
        UnitSource::Guessed => open(path, Some(Unit::Metre)),
        UnitSource::Told | UnitSource::Format | UnitSource::Remark => Ok(opened),
    }
}

/// The same as [`open`], and says what becomes of a solid's nodes in one place.
pub(crate) fn open_as(
    path: &Path,
    unit: Option<Unit>,
    duplicate_nodes: DuplicateNodes,
) -> anyhow::Result<OpenedObject> {
    ensure!(!path.is_dir(), "it is a folder, expected a file");
    let kind = kind(path)?;
    let limits = Limits::default();
    let bytes = bytes(path, &limits)?;
    let mut siblings = |sibling: Sibling<'_>| {
        let beside = match sibling {
            Sibling::Extension(extension) => path.with_extension(extension),
            Sibling::Name(name) => path.with_file_name(name),
        };
        // One that is too large is as good as none.
        self::bytes(&beside, &limits).ok()
    };
    let reading = ReadingOptions { unit, duplicate_nodes, limits: limits.clone() };
    Ok(objects::open(kind, &bytes, &mut siblings, &reading)?)
}

fn bytes(path: &Path, limits: &Limits) -> anyhow::Result<Vec<u8>> {
    /// Room for something that does not say its length.
    const AT_FIRST: usize = 1 << 16;
    let most = limits.file_bytes;
    let is_within = |n_bytes: u64| -> anyhow::Result<()> {
        ensure!(
            n_bytes <= most as u64,
            "it has more than {}, which is the most that is read",
            ByteCount(most)
        );
        Ok(())
    };
    let mut file = File::open(path)?;
    let about = file.metadata()?;
    if about.is_file() {
        // Nothing of it need be read to know this.
        is_within(about.len())?;
    }
    // A device has no length, and a file may grow meanwhile, so what comes is counted. One byte more than there should
    // be shows the end, and one more than the limit is never read.
    let mut room = if about.is_file() { about.len() as usize + 1 } else { AT_FIRST };
    let mut bytes = Vec::new();
    loop {
        bytes.try_reserve_exact(room)?;
        let n_read = (&mut file).take(room as u64).read_to_end(&mut bytes)?;
        is_within(bytes.len() as u64)?;
        if n_read < room {
            return Ok(bytes);
        }
        room = bytes.len().min(most + 1 - bytes.len());
    }
}

/// Reads a solid, or fills the surface that is there instead with about `n_nodes` nodes.
pub(crate) fn open_solid(
    path: &Path,
    unit: Option<Unit>,
    n_nodes: u32,
    progress: &Progress,
) -> anyhow::Result<SolidFile> {
    let OpenedObject { body, fields, findings } = open(path, unit)?;
    match body {
        Body::Solid(mesh) => Ok(SolidFile { mesh, fields, findings, filling: None }),
        Body::Surface(surface) => {
            let filled = fill(&surface, n_nodes as usize, progress)?;
            let filling = Some(filled.to_string());
            let Filled { mesh, .. } = filled;
            let colours = fields.iter().find_map(Field::as_colours).map(|colours| {
                Field::colours(&colours_at(mesh.rest_positions(), &surface, &colours))
            });
            let fields = colours.into_iter().collect();
            Ok(SolidFile { mesh, fields, findings, filling })
        }
    }
}

/// Writes an object, reads it back from the disk and compares it to the last bit that the format can hold, and
/// only then gives it its name. Fields must be such that the format holds them. Everything is in metres.
pub(crate) fn save(
    path: &Path,
    body: BodyToWrite<'_>,
    fields: &[Field],
    existing: ExistingFile,
) -> anyhow::Result<()> {
    save_object(path, &ObjectToWrite { body, unit: Unit::Metre, fields }, existing)
}

/// The same for numbers that count something else.
pub(crate) fn save_object(
    path: &Path,
    object: &ObjectToWrite<'_>,
    existing: ExistingFile,
) -> anyhow::Result<()> {
    let kind = kind(path)?;
    let bytes = write(kind, object)?;
    let is_same = |read: &[u8]| verify(kind, read, object).map_err(VerifyError::into);
    put_checked(path, &bytes, existing, is_same)
        .with_context(|| format!("cannot write {}", path.display()))
}

/// What solving found, as fields: displacement (m) and reaction (N) at nodes, stress (Pa) in elements.
pub(crate) fn solution_fields(mesh: &TetMesh, solution: &Solution) -> Vec<Field> {
    let mut reactions = vec![Vector3::zeros(); mesh.n_nodes()];
    for reaction in &solution.reactions {
        reactions[reaction.node.index()] += reaction.force;
    }
    vec![
        Field::nodal_vectors("displacement", &solution.displacements),
        Field::nodal_vectors("reaction", &reactions),
        Field::stress(&solution.stresses),
    ]
}

/// Those fields that a kind of file has room for, and the names of the others.
pub(crate) fn fields_for(
    kind: FileKind,
    fields: Vec<Field>,
) -> Result<(Vec<Field>, Vec<String>), WriteError> {
    let holds = kind.holds().ok_or(WriteError::ReadOnly(kind))?;
    let (mut kept, mut left): (Vec<Field>, Vec<String>) = (Vec::new(), Vec::new());
    for field in fields {
        let has_name_of =
            |other: &Field| (other.name(), other.place()) == (field.name(), field.place());
        if holds.holds(&field) && field.has_fit_name() && !kept.iter().any(has_name_of) {
            kept.push(field);
        } else if field.name().is_empty() {
            left.push("values without a name".to_owned());
        } else if kept.iter().any(has_name_of) {
            left.push(format!("{} for the second time", field.name()));
        } else {
            left.push(field.name().to_owned());
        }
    }
    Ok((kept, left))
}

#[cfg(test)]
mod tests {
    use objects::format::FieldPlace;

    use super::*;

    #[test]
    fn fields_that_would_spoil_a_file_are_left_out_and_named() {
        let field =
            |name: &str, value: f64| Field::new(name, FieldPlace::Nodes, 1, vec![value]).unwrap();
        let fields = vec![field("a", 1.0), field("", 2.0), field("b\n", 3.0), field("a", 4.0)];
        let (kept, left) = fields_for(FileKind::Vtu, fields).unwrap();
        assert_eq!(kept, [field("a", 1.0)]);
        assert_eq!(left, ["values without a name", "b\n", "a for the second time"]);
    }

    /// Whatever says its length, or none, is read no further than the limit.
    #[cfg(unix)]
    #[test]
    fn files_are_read_up_to_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("thing");
        let limits = Limits { file_bytes: 1 << 20, ..Limits::default() };
        for (n_bytes, is_read) in [(0, true), (100, true), (1 << 20, true), ((1 << 20) + 1, false)]
        {
            std::fs::write(&path, vec![7; n_bytes]).unwrap();
            let read = bytes(&path, &limits);
            assert_eq!(read.ok().map(|bytes| bytes.len()), is_read.then_some(n_bytes));
        }
        let endless = bytes(Path::new("/dev/zero"), &limits).unwrap_err();
        assert_eq!(endless.to_string(), "it has more than 1 MiB, which is the most that is read");
        assert!(bytes(Path::new("/dev/null"), &limits).unwrap().is_empty());
    }

    /// A file with a length beyond all memory: reading any of it first would take minutes.
    #[test]
    fn a_file_that_is_too_long_is_not_read_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("huge.stl");
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        let error = open(&path, None).unwrap_err();
        assert_eq!(error.to_string(), "it has more than 2 GiB, which is the most that is read");
    }
}
