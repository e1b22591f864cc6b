//! Objects in files: read with all that belongs to them, filled if they are surfaces, written whole or not at
//! all and verified.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, ensure};
use nalgebra::Vector3;
use objects::check::{Findings, Length, What};
use objects::format::{
    BodyToWrite, DuplicateNodes, Field, FormatError, Limits, ObjectToWrite, Sibling, VerifyError,
    WriteError, verify, write,
};
use objects::solid::{Filled, Progress, colours_at, fill};
use objects::{Body, Kind, Opened, Reading, Unit};
use physics::TetMesh;
use physics::family::solid::Solution;

pub(crate) use crate::replace::Existing;
use crate::replace::put_checked;

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
        let sizes = self.findings.findings.iter().any(|finding| finding.what == What::Size);
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
pub(crate) fn kind(path: &Path) -> Result<Kind, FormatError> {
    let name = || path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    Kind::of(path).ok_or_else(|| FormatError::UnknownKind(name()))
}

/// Reads and checks whatever a file holds. Without a unit it is guessed, and the findings say so.
pub(crate) fn open(path: &Path, unit: Option<Unit>) -> anyhow::Result<Opened> {
    open_as(path, unit, DuplicateNodes::default())
}

/// The same, and says what becomes of a solid's nodes in one place.
pub(crate) fn open_as(
    path: &Path,
    unit: Option<Unit>,
    duplicate_nodes: DuplicateNodes,
) -> anyhow::Result<Opened> {
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
    let reading = Reading { unit, duplicate_nodes, limits: limits.clone() };
    Ok(objects::open(kind, &bytes, &mut siblings, &reading)?)
}

fn bytes(path: &Path, limits: &Limits) -> anyhow::Result<Vec<u8>> {
    let most = limits.file_bytes;
    let mut bytes = Vec::new();
    // A device has no size, and a file may grow meanwhile, so what comes is counted.
    File::open(path)?.take(most as u64 + 1).read_to_end(&mut bytes)?;
    ensure!(bytes.len() <= most, "it has more than {most} bytes");
    Ok(bytes)
}

/// Reads a solid, or fills the surface that is there instead with about `n_nodes` nodes.
pub(crate) fn open_solid(
    path: &Path,
    unit: Option<Unit>,
    n_nodes: u32,
    progress: &Progress,
) -> anyhow::Result<SolidFile> {
    let Opened { body, fields, findings } = open(path, unit)?;
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
    existing: Existing,
) -> anyhow::Result<()> {
    save_object(path, &ObjectToWrite { body, unit: Unit::Metre, fields }, existing)
}

/// The same for numbers that count something else.
pub(crate) fn save_object(
    path: &Path,
    object: &ObjectToWrite<'_>,
    existing: Existing,
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
    kind: Kind,
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
    use objects::format::Place;

    use super::*;

    #[test]
    fn fields_that_would_spoil_a_file_are_left_out_and_named() {
        let field =
            |name: &str, value: f64| Field::new(name, Place::Nodes, 1, vec![value]).unwrap();
        let fields = vec![field("a", 1.0), field("", 2.0), field("b\n", 3.0), field("a", 4.0)];
        let (kept, left) = fields_for(Kind::Vtu, fields).unwrap();
        assert_eq!(kept, [field("a", 1.0)]);
        assert_eq!(left, ["values without a name", "b\n", "a for the second time"]);
    }
}
