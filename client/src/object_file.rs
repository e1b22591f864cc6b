//! Objects in files: reads them with companion files, fills surfaces, and writes them completely or
//! not at all, with verification.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, ensure};
use nalgebra::Vector3;
use objects::check::{FindingKind, Findings, Length, UnitSource};
use objects::filling::{Filled, Progress, colours_at, fill};
use objects::format::{
    BodyToWrite, ByteCount, DuplicateNodes, Field, FieldPlace, FormatError, Limits, ObjectToWrite,
    Sibling, VerifyError, WriteError, verify, write,
};
use objects::{Body, FileKind, OpenedObject, ReadingOptions, Unit};
use physics::family::solid::Solution;
use physics::{NodeId, TetMesh};

pub(crate) use crate::atomic_write::ExistingFile;
use crate::atomic_write::put_checked;

/// Default number of nodes of a filled surface.
pub(crate) const USUAL_NODES: u32 = 2000;

/// A solid from a file, with the findings.
pub(crate) struct SolidFile {
    pub(crate) mesh: TetMesh,
    /// Other values in the file, and colours.
    pub(crate) fields: Vec<Field>,
    pub(crate) findings: Findings,
    /// Report of filling a surface.
    pub(crate) filling: Option<String>,
}

impl SolidFile {
    /// True if there are findings beyond a summary and the quality of elements.
    pub(crate) fn is_remarkable(&self) -> bool {
        !self.findings.findings.is_empty() || self.filling.is_some()
    }

    /// Refuses objects that are too small or too large for a hand.
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

    /// Linear colour of each node.
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

/// Returns the kind of a file by its name.
pub(crate) fn kind(path: &Path) -> Result<FileKind, FormatError> {
    let name = || path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    FileKind::of(path).ok_or_else(|| FormatError::UnknownKind(name()))
}

/// Reads and checks a file of any kind. Without a unit, the unit is guessed, and the findings say
/// so.
pub(crate) fn open(path: &Path, unit: Option<Unit>) -> anyhow::Result<OpenedObject> {
    open_as(path, unit, DuplicateNodes::default())
}

/// Reads a file for commands whose results depend on the unit: without one, the unit is that of the
/// file or its format, else metres. It is never guessed.
pub(crate) fn open_unguessed(path: &Path, unit: Option<Unit>) -> anyhow::Result<OpenedObject> {
    let opened = open(path, unit)?;
    match opened.findings.unit_source {
        UnitSource::Guessed => open(path, Some(Unit::Metre)),
        UnitSource::Told | UnitSource::Format | UnitSource::Remark => Ok(opened),
    }
}

/// Reads a file as [`open`] does. `join` chooses the treatment of a solid's coincident nodes.
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
        // A file that is too large counts as missing.
        self::bytes(&beside, &limits).ok()
    };
    let reading = ReadingOptions { unit, duplicate_nodes, limits: limits.clone() };
    let opened = objects::open(kind, &bytes, &mut siblings, &reading);
    Ok(opened.map_err(|error| error.with_names_beside(path))?)
}

fn bytes(path: &Path, limits: &Limits) -> anyhow::Result<Vec<u8>> {
    /// Space for a stream of unknown length.
    const AT_FIRST: usize = 1 << 16;
    let most = limits.file_bytes;
    let is_within = |n_bytes: u64| -> anyhow::Result<()> {
        ensure!(
            n_bytes <= most as u64,
            "it is larger than {}, the limit for files",
            ByteCount(most)
        );
        Ok(())
    };
    let mut file = File::open(path)?;
    let about = file.metadata()?;
    if about.is_file() {
        // Known before the file is read.
        is_within(about.len())?;
    }
    // A device has no length, and a file may grow meanwhile, so what comes is counted. One byte
    // more than there should be shows the end, and one more than the limit is never read.
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

/// Reads a solid, or fills a surface with about `n_nodes` nodes.
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

/// Writes an object, reads it back from the disk and compares it to the last bit that the format
/// can hold, and only then gives it its name. The format must be able to hold the fields.
/// Everything is in metres.
pub(crate) fn save(
    path: &Path,
    body: BodyToWrite<'_>,
    fields: &[Field],
    existing: ExistingFile,
) -> anyhow::Result<()> {
    save_object(path, &ObjectToWrite { body, unit: Unit::Metre, fields }, existing)
}

/// Writes an object in another unit.
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

/// Converts a solution to fields: displacement (m) and reaction (N) at nodes, stress (Pa) and von
/// Mises stress (Pa) in elements. Nodes that no element uses have no displacement: NaN.
pub(crate) fn solution_fields(mesh: &TetMesh, solution: &Solution) -> Vec<Field> {
    let mut reactions = vec![Vector3::zeros(); mesh.n_nodes()];
    for reaction in &solution.reactions {
        reactions[reaction.node.index()] += reaction.force;
    }
    let displacements: Vec<Vector3<f64>> = known_displacements(mesh, solution)
        .map(|u| u.unwrap_or_else(|| Vector3::repeat(f64::NAN)))
        .collect();
    let mut fields = vec![
        Field::nodal_vectors("displacement", &displacements).with_unit("m"),
        Field::nodal_vectors("reaction", &reactions).with_unit("N"),
        Field::stress(&solution.stresses).with_unit("Pa"),
    ];
    let von_mises = solution.stresses.iter().map(von_mises).collect();
    let von_mises = Field::new("von Mises stress", FieldPlace::Elements, 1, von_mises);
    fields.extend(von_mises.ok().map(|field| field.with_unit("Pa")));
    fields
}

/// Displacement of each node; `None` for a node that no element uses: nothing moves it.
pub(crate) fn known_displacements<'a>(
    mesh: &'a TetMesh,
    solution: &'a Solution,
) -> impl Iterator<Item = Option<Vector3<f64>>> + 'a {
    let nodes = (0..mesh.n_nodes() as u32).map(NodeId);
    solution.displacements.iter().zip(nodes).map(|(u, node)| mesh.body_of(node).map(|_| *u))
}

/// Equivalent stress of a stress in the order xx, yy, zz, yz, xz, xy.
fn von_mises([xx, yy, zz, yz, xz, xy]: &[f64; 6]) -> f64 {
    let normal = (xx - yy).powi(2) + (yy - zz).powi(2) + (zz - xx).powi(2);
    (normal / 2.0 + 3.0 * (yz * yz + xz * xz + xy * xy)).sqrt()
}

/// Splits fields into those that a kind of file can hold, and the names of the others.
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
    use super::*;

    #[test]
    fn equivalent_stress_is_that_of_pure_pull_and_pure_shear() {
        assert_eq!(von_mises(&[5.0, 0.0, 0.0, 0.0, 0.0, 0.0]), 5.0);
        assert!((von_mises(&[0.0, 0.0, 0.0, 0.0, 2.0, 0.0]) - 12.0_f64.sqrt()).abs() < 1e-12);
        assert_eq!(von_mises(&[3.0, 3.0, 3.0, 0.0, 0.0, 0.0]), 0.0, "pressure alone");
    }

    #[test]
    fn fields_that_would_spoil_a_file_are_left_out_and_named() {
        let field =
            |name: &str, value: f64| Field::new(name, FieldPlace::Nodes, 1, vec![value]).unwrap();
        let fields = vec![field("a", 1.0), field("", 2.0), field("b\n", 3.0), field("a", 4.0)];
        let (kept, left) = fields_for(FileKind::Vtu, fields).unwrap();
        assert_eq!(kept, [field("a", 1.0)]);
        assert_eq!(left, ["values without a name", "b\n", "a for the second time"]);
    }

    /// Files of known and unknown length are read only up to the limit.
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
        assert_eq!(endless.to_string(), "it is larger than 1 MiB, the limit for files");
        assert!(bytes(Path::new("/dev/null"), &limits).unwrap().is_empty());
    }

    /// A file with a length beyond all memory: reading any of it first would take minutes.
    #[test]
    fn a_file_that_is_too_long_is_not_read_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("huge.stl");
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        let error = open(&path, None).unwrap_err();
        assert_eq!(error.to_string(), "it is larger than 2 GiB, the limit for files");
    }
}
