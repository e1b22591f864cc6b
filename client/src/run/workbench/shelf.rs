//! Things from files, standing on the table, and shapes into files.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use engine::Solvers;
use engine::solve::{Algorithm, Question};
use interaction::thing::{Colours, ThingParts};
use nalgebra::{Isometry3, Vector3};
use objects::format::{BodyToWrite, Field, WriteError};
use objects::generate::{Generated, Kind, generate};
use objects::solid::Progress;
use physics::{KnownDisplacement, Loose, ObjectSpec, SolidSpec};

use super::found::Found;
use crate::object_file;
use crate::settings::Opening;
use crate::wiring::on_table;

/// Fineness of what is made by formula.
const MADE_NODES: usize = 800;

/// How a file is to be read.
#[derive(Clone)]
pub(super) struct ToRead {
    /// What the new thing is made of the same matter as.
    pub(super) like: Arc<ObjectSpec>,
    pub(super) opening: Opening,
    pub(super) progress: Arc<Progress>,
    /// Whose threads for long work fill a surface: they give way to the hand.
    pub(super) solvers: Solvers,
}

/// A shape on its way into a file.
pub(super) struct ToSave {
    /// At rest.
    pub(super) spec: Arc<ObjectSpec>,
    /// What the fingers do to it.
    pub(super) known: Vec<KnownDisplacement>,
    pub(super) colours: Option<Colours>,
    /// Who finds out what becomes of it.
    pub(super) solvers: Solvers,
}

/// What was saved.
pub(super) struct Saved {
    /// The shape, if the file holds all of it.
    pub(super) whole: Option<Arc<ObjectSpec>>,
    /// What else there is to say.
    pub(super) words: String,
}

/// The object of a file, of the matter that another one is made of, standing on the table.
pub(super) fn thing(path: &Path, how: &ToRead) -> anyhow::Result<(ThingParts, Found)> {
    let Opening { unit, n_nodes } = how.opening;
    let open = || object_file::open_solid(path, unit, n_nodes, &how.progress);
    let found = match &how.solvers {
        Solvers::Embedded(workshop) => workshop.install(open)??,
        Solvers::Remote(_) => open()?,
    };
    let found = found.for_a_hand()?;
    let colours = found.colours().map(Arc::new);
    let said = Found {
        name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        words: found.to_string(),
        is_remarkable: found.is_remarkable(),
    };
    let spec = SolidSpec::new(found.mesh, *how.like.material(), Vec::new())?;
    let spec = ObjectSpec::from(spec);
    let name =
        path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let home = standing(&spec);
    Ok((ThingParts { name, spec: Arc::new(spec), home, colours }, said))
}

/// Something made by formula, of the matter that another one is made of.
pub(super) fn made(kind: Kind, like: &ObjectSpec) -> anyhow::Result<ThingParts> {
    let Generated { mesh, colours } = generate(kind, MADE_NODES)?;
    let spec = ObjectSpec::from(SolidSpec::new(mesh, *like.material(), Vec::new())?);
    let home = standing(&spec);
    let (name, colours) = (kind.name().to_owned(), Some(Arc::new(colours)));
    Ok(ThingParts { name, spec: Arc::new(spec), home, colours })
}

/// Writes a shape in the format that the name asks for, over whatever is there.
pub(super) fn save(path: &Path, shape: &ToSave) -> anyhow::Result<Saved> {
    let kind = object_file::kind(path)?;
    let solid = shape.spec.solid().context("only solids are saved as files")?;
    let mut fields: Vec<Field> =
        shape.colours.iter().map(|colours| Field::colours(colours)).collect();
    let holds = kind.holds().ok_or(WriteError::ReadOnly(kind))?;
    let mut words = if holds.solids { String::new() } else { ": its skin".to_owned() };
    if holds.fields && !shape.known.is_empty() {
        let question = Question {
            spec: solid.clone(),
            known: shape.known.clone(),
            loose: Loose::Refuse,
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
    object_file::save(path, body, &fields, object_file::Existing::Replace)?;
    let whole = holds.solids.then(|| Arc::clone(&shape.spec));
    Ok(Saved { whole, words })
}

/// On the table, over its middle.
fn standing(spec: &ObjectSpec) -> Isometry3<f64> {
    on_table(&spec.bounds(&Isometry3::identity()), Vector3::zeros())
}

#[cfg(test)]
pub(super) mod tests {
    use std::fs;

    use super::*;
    use engine::{Budget, Workshop};
    use nalgebra::Vector3;
    use objects::Unit;
    use physics::NodeId;
    use physics::material::IsotropicElastic;

    pub(in super::super) fn cube() -> ObjectSpec {
        let mesh = objects::generate::cube(0.06, 2).unwrap();
        let material = IsotropicElastic::new(1e4, 0.3).unwrap();
        ObjectSpec::from(SolidSpec::new(mesh, material, Vec::new()).unwrap())
    }

    pub(in super::super) fn to_read(like: &Arc<ObjectSpec>, opening: Opening) -> ToRead {
        let solvers = to_save(like).solvers;
        ToRead { like: Arc::clone(like), opening, progress: Arc::default(), solvers }
    }

    pub(in super::super) fn to_save(spec: &Arc<ObjectSpec>) -> ToSave {
        let solvers = Solvers::Embedded(Workshop::new(Some(1), Budget::default()).unwrap());
        ToSave { spec: Arc::clone(spec), known: Vec::new(), colours: None, solvers }
    }

    #[test]
    fn what_is_no_object_is_refused_in_words() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stone.obj3");
        fs::write(&path, "this is a stone").unwrap();
        let how = to_read(&Arc::new(cube()), Opening::default());
        let refused = thing(&path, &how).unwrap_err();
        assert!(refused.to_string().contains("line 1"), "{refused:#}");
        let nothing = folder.path().join("nothing.msh");
        assert!(thing(&nothing, &how).is_err());
    }

    /// A squeezed shape, its skin, and the skin filled again.
    #[test]
    fn a_squeezed_shape_goes_into_every_format_and_a_surface_becomes_a_solid() {
        let folder = tempfile::tempdir().unwrap();
        let spec = Arc::new(cube());
        let held = [0, 2, 20].map(|node| KnownDisplacement::whole(NodeId(node), Vector3::zeros()));
        let pushed = KnownDisplacement::whole(NodeId(24), Vector3::new(0.0, 0.0, -0.002));
        let shape = ToSave {
            known: held.into_iter().chain([pushed]).collect(),
            colours: Some(Arc::new(vec![[0.5, 0.25, 0.125]; 27])),
            ..to_save(&spec)
        };
        let saved = save(&folder.path().join("squeezed.vtu"), &shape).unwrap();
        assert_eq!(saved.words, " with displacement, reaction and stress");
        let read =
            object_file::open(&folder.path().join("squeezed.vtu"), Some(Unit::Metre)).unwrap();
        let field = |name: &str| read.fields.iter().find(|f| f.name() == name).unwrap().clone();
        assert!((field("displacement").values()[3 * 24 + 2] + 0.002).abs() < 1e-12);
        let pull: f64 = field("reaction").values()[2..].iter().step_by(3).sum();
        assert!(pull.abs() < 1e-9, "forces balance: {pull}");
        assert_eq!(field("stress").n_rows(), 48);

        let skin = folder.path().join("skin.glb");
        assert!(save(&skin, &shape).unwrap().whole.is_none());
        let opening = Opening { unit: None, n_nodes: 300 };
        let (parts, Found { words, is_remarkable, .. }) =
            thing(&skin, &to_read(&spec, opening)).unwrap();
        assert!(words.contains("filled with") && words.contains("as the format has it"), "{words}");
        assert!(is_remarkable);
        let colours = parts.colours.unwrap();
        assert!((200..400).contains(&colours.len()));
        assert!(colours.iter().all(|colour| (colour[1] - 0.25).abs() < 1e-6));
        let cancelled = to_read(&spec, opening);
        cancelled.progress.cancel();
        let given_up = thing(&skin, &cancelled).unwrap_err();
        assert_eq!(given_up.to_string(), "filling was cancelled");
        assert!(save(&folder.path().join("no.ply"), &shape).is_err());
    }
}
