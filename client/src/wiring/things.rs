//! Makes the objects of a run, by name or from files, side by side on the table.

use std::path::Path;
use std::sync::Arc;

use ::objects::filling::Progress;
use ::objects::generate::{GeneratedKind, generate};
use anyhow::{Context, bail};
use interaction::thing::{Colours, ThingParts};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use physics::material::IsotropicElastic;
use physics::{Grip, ObjectSpec, SolidSpec, TetMesh};

use super::resting_turn::resting_turn;
use crate::command_line::RunOptions;
use crate::materials;
use crate::object_file::{self, SolidFile, USUAL_NODES};
use crate::progress_bar::run_with_bar;

/// Default Young's modulus and Poisson's ratio: soft enough for a hand.
const USUAL: [f64; 2] = [1e4, 0.4];
/// Distance between the middles of two objects, in metres.
const BESIDE: f64 = 0.13;

/// Makes the objects of the command line, the first in the middle of the table; a cube if there are
/// none.
pub(super) fn things(names: &[String], run: &RunOptions) -> anyhow::Result<Vec<ThingParts>> {
    let a_cube = [GeneratedKind::Cube.name().to_owned()];
    let names = if names.is_empty() { &a_cube[..] } else { names };
    let material = materials::chosen(&run.material, Some(USUAL))?;
    names.iter().enumerate().map(|(i, name)| thing(name, i, run, material)).collect()
}

fn thing(
    name: &str,
    place: usize,
    run: &RunOptions,
    material: IsotropicElastic,
) -> anyhow::Result<ThingParts> {
    let (mesh, colours) = match name.parse::<GeneratedKind>() {
        Ok(kind) => made(kind, run)?,
        Err(unknown) => {
            let path = Path::new(name);
            if !path.exists() && path.extension().is_none() {
                bail!("{unknown}, or a file");
            }
            read(path, run)?
        }
    };
    let cannot = || format!("cannot squeeze {name}");
    let spec = ObjectSpec::from(SolidSpec::new(mesh, material, Vec::new()).with_context(cannot)?);
    let spec = spec.with_contact_settings(run.contact.settings()).with_context(cannot)?;
    let spec = match run.contact.grip {
        Some(grip) if !run.contact.is_kept => spec.held_by(grip.into()).with_context(cannot)?,
        Some(_) | None => {
            let (spec, trouble) = held_if_possible(spec, run.contact.grip());
            trouble.iter().for_each(|trouble| tracing::warn!("{name}: {trouble}"));
            spec
        }
    };
    // The first is in the middle, the others to its left and a little behind.
    let home = on_table(&spec, beside(place));
    Ok(ThingParts { name: name.to_owned(), spec: Arc::new(spec), home, colours })
}

/// Returns the object held in this way; if it cannot be, as it was, with the reason in words.
pub(crate) fn held_if_possible(spec: ObjectSpec, grip: Grip) -> (ObjectSpec, Option<String>) {
    match spec.held_by(grip) {
        Ok(held) => (held, None),
        Err(why) => (spec, Some(format!("fingertips hold its nodes, not friction: {why}"))),
    }
}

fn made(kind: GeneratedKind, run: &RunOptions) -> anyhow::Result<(TetMesh, Option<Colours>)> {
    let cannot = || format!("cannot make the {kind}");
    match (kind, run.nodes) {
        // The cube has its own colour; its fineness is given in cells.
        (GeneratedKind::Cube, None) => {
            let mesh = ::objects::generate::cube(kind.size(), run.cells.into());
            Ok((mesh.with_context(cannot)?, None))
        }
        (_, n_nodes) => {
            let made = generate(kind, n_nodes.unwrap_or(800) as usize).with_context(cannot)?;
            Ok((made.mesh, Some(Arc::new(made.colours))))
        }
    }
}

/// Reads an object from a file, fills a surface, and logs the findings.
fn read(path: &Path, run: &RunOptions) -> anyhow::Result<(TetMesh, Option<Colours>)> {
    let n_nodes = run.nodes.unwrap_or(USUAL_NODES);
    let progress = Progress::default();
    let open = || object_file::open_solid(path, run.unit.unit, n_nodes, &progress);
    let title = format!("reading {}", path.display());
    let found = run_with_bar(&title, || progress.share(), open)?
        .and_then(SolidFile::for_a_hand)
        .with_context(|| format!("cannot squeeze {}", path.display()))?;
    found.to_string().lines().for_each(|line| tracing::info!("{line}"));
    let colours = found.colours().map(Arc::new);
    Ok((found.mesh, colours))
}

/// Returns the pose of an object on the table, with its middle over `place`. An object with weight
/// lies there as it would come to rest.
pub(crate) fn on_table(spec: &ObjectSpec, place: Vector3<f64>) -> Isometry3<f64> {
    let turn = match spec.grip() {
        Grip::Contact => resting_turn(spec),
        Grip::Nodes => UnitQuaternion::identity(),
    };
    let bounds = spec.bounds(&Isometry3::from_parts(Translation3::identity(), turn));
    let middle = bounds.middle();
    Translation3::new(place.x - middle.x, -bounds.low.y, place.z - middle.z) * turn
}

/// Returns the offset from the middle of the table of an object beside `n_others` others.
pub(crate) fn beside(n_others: usize) -> Vector3<f64> {
    let row = n_others as f64;
    Vector3::new(-BESIDE * row, 0.0, -0.3 * BESIDE * row)
}
