//! What is squeezed: things by name or from files, side by side on the table.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use ::objects::generate::{Kind, generate};
use anyhow::{Context, bail};
use nalgebra::{Isometry3, Vector3};
use physics::material::IsotropicElastic;
use physics::{ObjectSpec, SolidSpec, TetMesh};

use super::warn_of_locking;
use crate::command_line::Run;
use crate::session::{Colours, ThingParts};

/// From the middle of one thing to the next, in metres.
const BESIDE: f64 = 0.13;

/// The things that the command line names, the first in the middle of the table; a cube if it names none.
pub(super) fn things(names: &[String], run: &Run) -> anyhow::Result<Vec<ThingParts>> {
    let a_cube = [Kind::Cube.name().to_owned()];
    let names = if names.is_empty() { &a_cube[..] } else { names };
    warn_of_locking(run.poisson);
    names.iter().enumerate().map(|(i, name)| thing(name, i, run)).collect()
}

fn thing(name: &str, place: usize, run: &Run) -> anyhow::Result<ThingParts> {
    let (mesh, colours) = match name.parse::<Kind>() {
        Ok(kind) => made(kind, run)?,
        Err(unknown) => {
            let path = Path::new(name);
            if !path.exists() && path.extension().is_none() {
                bail!("{unknown}, or a file");
            }
            (read(path)?, None)
        }
    };
    let home = standing(&mesh, place);
    let material = IsotropicElastic::new(run.young, run.poisson)?;
    let spec = SolidSpec::new(mesh, material, Vec::new());
    let spec = ObjectSpec::Solid(spec.with_context(|| format!("cannot squeeze {name}"))?);
    Ok(ThingParts { name: name.to_owned(), spec: Arc::new(spec), home, colours })
}

fn made(kind: Kind, run: &Run) -> anyhow::Result<(TetMesh, Option<Colours>)> {
    let cannot = || format!("cannot make the {kind}");
    match (kind, run.nodes) {
        // The cube in the colour that nothing else has, its fineness by cells.
        (Kind::Cube, None) => {
            let mesh = ::objects::generate::cube(kind.size(), run.cells.into());
            Ok((mesh.with_context(cannot)?, None))
        }
        (_, n_nodes) => {
            let made = generate(kind, n_nodes.unwrap_or(800) as usize).with_context(cannot)?;
            Ok((made.mesh, Some(Arc::new(made.colours))))
        }
    }
}

fn read(path: &Path) -> anyhow::Result<TetMesh> {
    let context = || format!("cannot squeeze {}", path.display());
    let bytes = fs::read(path).with_context(context)?;
    ::objects::format::read(path, &bytes).with_context(context)
}

/// On the table: the first in the middle, the others to its left, a little behind.
fn standing(mesh: &TetMesh, place: usize) -> Isometry3<f64> {
    let (mut low, mut high) = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
    for x in mesh.rest_positions() {
        (low, high) = (low.inf(&x.coords), high.sup(&x.coords));
    }
    let middle = (low + high) / 2.0;
    let row = place as f64;
    Isometry3::translation(-BESIDE * row - middle.x, -low.y, -0.3 * BESIDE * row - middle.z)
}
