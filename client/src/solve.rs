//! `palpate solve`: one touch of one object, from files to a file.

mod files;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, anyhow};
use engine::Threads;
use nalgebra::Vector3;
use physics::family::solid::SolidModel;
use physics::linear::{ContactAnswer, assemble};
use physics::material::IsotropicElastic;
use physics::{Dof, KnownDisplacement, NodeId, SolidSpec};

use crate::command_line::Solve;
use files::{ResultFile, Seconds, TouchFile};

/// Reads, solves, writes.
pub fn solve(options: &Solve) -> anyhow::Result<()> {
    let threads = Threads::new(options.threads.map(usize::from))?;
    let mut seconds = Seconds::default();
    let start = Instant::now();
    let bytes = read(&options.object)?;
    let mesh = objects::format::read(&options.object, &bytes)
        .with_context(|| format!("cannot use {}", options.object.display()))?;
    let touch: TouchFile = serde_json::from_slice(&read(&options.touch)?)
        .with_context(|| format!("cannot use {}", options.touch.display()))?;
    seconds.read = start.elapsed().as_secs_f64();

    let (supports, known) = touch.checked()?;
    let material = IsotropicElastic::new(options.young, options.poisson)?;
    let spec = SolidSpec::new(mesh, material, supports)?;
    let mut result = threads.install(|| answer(&spec, &known, &mut seconds))?;
    result.threads = threads.count();
    result.seconds = seconds;
    write(&result, options.out.as_deref())
}

fn answer(
    spec: &SolidSpec,
    known: &[KnownDisplacement],
    seconds: &mut Seconds,
) -> anyhow::Result<ResultFile> {
    let start = Instant::now();
    let model = SolidModel::new(spec)?;
    seconds.prepare = start.elapsed().as_secs_f64();
    model.check_known(known).map_err(|why| anyhow!(why))?;

    let start = Instant::now();
    let (touched, prescribed): (Vec<Dof>, Vec<f64>) =
        known.iter().flat_map(KnownDisplacement::components).unzip();
    let every_node: Vec<NodeId> = (0..spec.mesh().n_nodes() as u32).map(NodeId).collect();
    let system = model.contact_system_at(&touched, &every_node)?;
    seconds.contact = start.elapsed().as_secs_f64();

    let start = Instant::now();
    let answer = system.answer(&prescribed);
    seconds.solve = start.elapsed().as_secs_f64();
    // The work of the reactions; supports do none.
    let strain_energy: f64 = answer
        .reactions
        .iter()
        .filter_map(|reaction| {
            let at = known.binary_search_by_key(&reaction.node, |k| k.node).ok()?;
            Some(0.5 * known[at].vector().dot(&reaction.force))
        })
        .sum();
    let residual = residual(spec, &answer);
    Ok(ResultFile::new(&answer, strain_energy, residual))
}

/// The largest force at a node that nothing holds, as a share of the largest reaction: zero in exact
/// arithmetic. Computed from the assembled stiffness, not from the factor.
fn residual(spec: &SolidSpec, answer: &ContactAnswer) -> f64 {
    let u: Vec<f64> = answer.displacements.iter().flat_map(|u| [u.x, u.y, u.z]).collect();
    let mut forces: Vec<Vector3<f64>> = assemble(spec.mesh(), spec.material())
        .times(&u)
        .chunks_exact(3)
        .map(Vector3::from_column_slice)
        .collect();
    let mut scale = 0.0_f64;
    for reaction in &answer.reactions {
        scale = scale.max(reaction.force.norm());
        forces[reaction.node.index()] -= reaction.force;
    }
    for support in spec.supports() {
        forces[support.index()] = Vector3::zeros();
    }
    let largest = forces.iter().map(|f| f.norm()).fold(0.0, f64::max);
    // A rigid motion costs no force; then what remains is measured against one newton.
    if scale > 0.0 { largest / scale } else { largest }
}

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// To a file, which is replaced only when the new one is complete, or to standard output.
fn write(result: &ResultFile, out: Option<&Path>) -> anyhow::Result<()> {
    let text = serde_json::to_vec(result).context("cannot put the result into JSON")?;
    match out {
        None => std::io::stdout().write_all(&text).context("cannot write to standard output"),
        Some(path) => {
            let unfinished = path.with_extension("json.part");
            fs::write(&unfinished, text)
                .and_then(|()| fs::rename(&unfinished, path))
                .with_context(|| format!("cannot write {}", path.display()))?;
            tracing::info!("{result}");
            Ok(())
        }
    }
}
