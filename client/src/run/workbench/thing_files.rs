//! Reads things from files, places them on the table, and writes shapes to files.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use engine::SolverLocation;
use engine::single_solve::{Algorithm, SolveQuestion};
use interaction::thing::{Colours, ThingParts};
use nalgebra::{Isometry3, Vector3};
use objects::filling::Progress;
use objects::format::{BodyToWrite, Field, WriteError};
use objects::generate::{Generated, GeneratedKind, generate};
use physics::{KnownDisplacement, ObjectSpec, SolidSpec, TetMesh, WhenUnderdetermined};

use super::file_report::FileReport;
use crate::object_file;
use crate::settings::ReadOptions;
use crate::wiring::{held_if_possible, on_table};

/// Approximate number of nodes of generated things.
const MADE_NODES: usize = 800;

/// Request to read a file.
#[derive(Clone)]
pub(super) struct ReadRequest {
    /// Object whose material the new thing gets.
    pub(super) like: Arc<ObjectSpec>,
    pub(super) read_options: ReadOptions,
    pub(super) progress: Arc<Progress>,
    /// Solver whose threads for long work fill a surface, so that filling does not slow down the
    /// hand.
    pub(super) solvers: SolverLocation,
}

/// A shape to write to a file.
pub(super) struct ShapeToSave {
    /// The rest shape.
    pub(super) spec: Arc<ObjectSpec>,
    /// Displacements that the fingers impose.
    pub(super) known: Vec<KnownDisplacement>,
    pub(super) colours: Option<Colours>,
    /// Solver of the displacements and forces in the file.
    pub(super) solvers: SolverLocation,
}

/// Result of saving a shape.
pub(super) struct SavedShape {
    /// The shape, if the file holds all of it.
    pub(super) whole: Option<Arc<ObjectSpec>>,
    /// Addition to the message: the contents of the file.
    pub(super) words: String,
}

/// Reads an object, gives it the material of another one, and places it on the table.
pub(super) fn read_thing(
    path: &Path,
    how: &ReadRequest,
) -> anyhow::Result<(ThingParts, FileReport)> {
    let ReadOptions { unit, n_nodes } = how.read_options;
    let open = || object_file::open_solid(path, unit, n_nodes, &how.progress);
    let found = match &how.solvers {
        SolverLocation::Embedded(resources) => resources.install(open)??,
        SolverLocation::Remote(_) => open()?,
    };
    let found = found.for_a_hand()?;
    let colours = found.colours().map(Arc::new);
    let words = found.to_string();
    let is_remarkable = found.is_remarkable();
    let (spec, trouble) = solid_like(&how.like, found.mesh)?;
    let said = FileReport {
        name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        words: [Some(words), trouble.clone()].into_iter().flatten().collect::<Vec<_>>().join("\n"),
        is_remarkable: is_remarkable || trouble.is_some(),
    };
    let name =
        path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let home = standing(&spec);
    Ok((ThingParts { name, spec: Arc::new(spec), home, colours }, said))
}

/// Generates a thing with the material of another one.
pub(super) fn generate_thing(kind: GeneratedKind, like: &ObjectSpec) -> anyhow::Result<ThingParts> {
    let Generated { mesh, colours } = generate(kind, MADE_NODES)?;
    let (spec, _) = solid_like(like, mesh)?;
    let home = standing(&spec);
    let (name, colours) = (kind.name().to_owned(), Some(Arc::new(colours)));
    Ok(ThingParts { name, spec: Arc::new(spec), home, colours })
}

/// Returns a solid with material and contact of another object; where its grip is impossible, held
/// by nodes, with the reason in words.
fn solid_like(like: &ObjectSpec, mesh: TetMesh) -> anyhow::Result<(ObjectSpec, Option<String>)> {
    let spec = ObjectSpec::from(SolidSpec::new(mesh, *like.material(), Vec::new())?);
    let spec = spec.with_contact_settings(*like.contact_settings())?;
    Ok(held_if_possible(spec, like.grip()))
}

/// Writes a shape in the format of the path's extension; replaces an existing file.
pub(super) fn save_shape(path: &Path, shape: &ShapeToSave) -> anyhow::Result<SavedShape> {
    let kind = object_file::kind(path)?;
    let solid = shape.spec.solid().context("only solids are saved as files")?;
    let mut fields: Vec<Field> =
        shape.colours.iter().map(|colours| Field::colours(colours)).collect();
    let holds = kind.holds().ok_or(WriteError::ReadOnly(kind))?;
    let mut words = if holds.solids { String::new() } else { ": only the skin".to_owned() };
    if holds.fields && !shape.known.is_empty() {
        let question = SolveQuestion {
            spec: solid.clone(),
            known: shape.known.clone(),
            when_underdetermined: WhenUnderdetermined::Refuse,
            algorithm: Algorithm::Factorise,
            wants_stresses: true,
        };
        let answer = shape.solvers.answer(&question)?;
        fields.extend(object_file::solution_fields(solid.mesh(), &answer.solution));
        words = " with displacement, reaction and stress".to_owned();
    }
    let (fields, left_out) = object_file::fields_for(kind, fields)?;
    if !left_out.is_empty() {
        words += &format!("; left out: {}", left_out.join(", "));
    }
    let body = BodyToWrite::Solid(solid.mesh());
    object_file::save(path, body, &fields, object_file::ExistingFile::Replace)?;
    let whole = holds.solids.then(|| Arc::clone(&shape.spec));
    Ok(SavedShape { whole, words })
}

/// Placement on the table, over its middle.
fn standing(spec: &ObjectSpec) -> Isometry3<f64> {
    on_table(spec, Vector3::zeros())
}

#[cfg(test)]
pub(super) mod tests {
    use std::fs;

    use super::*;
    use engine::{MemoryBudget, SolverResources};
    use nalgebra::Vector3;
    use objects::Unit;
    use physics::NodeId;
    use physics::material::IsotropicElastic;

    pub(in super::super) fn cube() -> ObjectSpec {
        let mesh = objects::generate::cube(0.06, 2).unwrap();
        let material = IsotropicElastic::new(1e4, 0.3).unwrap();
        ObjectSpec::from(SolidSpec::new(mesh, material, Vec::new()).unwrap())
    }

    pub(in super::super) fn to_read(
        like: &Arc<ObjectSpec>,
        read_options: ReadOptions,
    ) -> ReadRequest {
        let solvers = to_save(like).solvers;
        ReadRequest { like: Arc::clone(like), read_options, progress: Arc::default(), solvers }
    }

    pub(in super::super) fn to_save(spec: &Arc<ObjectSpec>) -> ShapeToSave {
        let solvers = SolverLocation::Embedded(
            SolverResources::new(Some(1), MemoryBudget::default()).unwrap(),
        );
        ShapeToSave { spec: Arc::clone(spec), known: Vec::new(), colours: None, solvers }
    }

    #[test]
    fn a_file_without_an_object_is_refused_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stone.obj3");
        fs::write(&path, "this is a stone").unwrap();
        let how = to_read(&Arc::new(cube()), ReadOptions::default());
        let refused = read_thing(&path, &how).unwrap_err();
        assert!(refused.to_string().contains("line 1"), "{refused:#}");
        let nothing = folder.path().join("nothing.msh");
        assert!(read_thing(&nothing, &how).is_err());
    }

    /// A squeezed shape, its skin, and the skin filled again.
    #[test]
    fn a_squeezed_shape_goes_into_every_format_and_a_surface_becomes_a_solid() {
        let folder = tempfile::tempdir().unwrap();
        let spec = Arc::new(cube());
        let held = [0, 2, 20].map(|node| KnownDisplacement::whole(NodeId(node), Vector3::zeros()));
        let pushed = KnownDisplacement::whole(NodeId(24), Vector3::new(0.0, 0.0, -0.002));
        let shape = ShapeToSave {
            known: held.into_iter().chain([pushed]).collect(),
            colours: Some(Arc::new(vec![[0.5, 0.25, 0.125]; 27])),
            ..to_save(&spec)
        };
        let saved = save_shape(&folder.path().join("squeezed.vtu"), &shape).unwrap();
        assert_eq!(saved.words, " with displacement, reaction and stress");
        let read =
            object_file::open(&folder.path().join("squeezed.vtu"), Some(Unit::Metre)).unwrap();
        let field = |name: &str| read.fields.iter().find(|f| f.name() == name).unwrap().clone();
        assert!((field("displacement").values()[3 * 24 + 2] + 0.002).abs() < 1e-12);
        let pull: f64 = field("reaction").values()[2..].iter().step_by(3).sum();
        assert!(pull.abs() < 1e-9, "forces balance: {pull}");
        assert_eq!(field("stress").n_rows(), 48);

        let skin = folder.path().join("skin.glb");
        assert!(save_shape(&skin, &shape).unwrap().whole.is_none());
        let read_options = ReadOptions { unit: None, n_nodes: 300 };
        let (parts, FileReport { words, is_remarkable, .. }) =
            read_thing(&skin, &to_read(&spec, read_options)).unwrap();
        let has = |part: &str| words.contains(part);
        assert!(has("filled with") && has("as the format defines"), "{words}");
        assert!(is_remarkable);
        let colours = parts.colours.unwrap();
        assert!((200..400).contains(&colours.len()));
        assert!(colours.iter().all(|colour| (colour[1] - 0.25).abs() < 1e-6));
        let cancelled = to_read(&spec, read_options);
        cancelled.progress.cancel();
        let given_up = read_thing(&skin, &cancelled).unwrap_err();
        assert_eq!(given_up.to_string(), "filling was cancelled");
        assert!(save_shape(&folder.path().join("no.ply"), &shape).is_err());
    }
}
