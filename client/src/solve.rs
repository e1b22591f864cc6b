//! `palpate solve`: solves one touch of one object, from files to a file.

mod json_files;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::{Context, bail, ensure};
use engine::model_cache::WorkHandle;
use engine::single_solve::{Algorithm, SolveAnswer, SolveQuestion, answer};
use engine::{MemoryBudget, SolverResources, ask};
use objects::format::BodyToWrite;
use objects::{Body, FileKind};
use physics::{SolidSpec, WhenUnderdetermined};

use crate::atomic_write::replace_file;
use crate::command_line::{SolveAlgorithm, SolveOptions};
use crate::materials;
use crate::object_file::{self, ExistingFile};
use crate::progress_bar::run_with_bar;
use json_files::{ResultFile, TouchFile};

/// Residual above which the program warns.
const UNBALANCED: f64 = 1e-6;

/// Reads, solves, writes.
pub fn solve(options: &SolveOptions) -> anyhow::Result<()> {
    options.out.as_deref().map_or(Ok(()), |out| may_write(out, options))?;
    let start = Instant::now();
    let question = question(options)?;
    let read = start.elapsed();
    let found = find(&question, options)?;
    let answered = start.elapsed();
    if found.solution.residual > UNBALANCED {
        tracing::warn!(
            "free nodes carry {:.1e} of the largest reaction: the object is too ill-conditioned to trust this",
            found.solution.residual
        );
    }
    if let Some(path) = options.out.as_deref().filter(|path| is_vtu(Some(path))) {
        write_fields(&question, &found, path)?;
        tracing::info!("wrote {}: {}", path.display(), ResultFile::new(&found, read));
        return Ok(());
    }
    let mut result = ResultFile::new(&found, read);
    if options.server.is_some() {
        // The waiting time without the server's own stages.
        let solved = found.stages.iter().map(|(_, time)| *time).sum();
        result.add_stage("transfer", (answered - read).saturating_sub(solved));
    }
    write(&result, options.out.as_deref())
}

fn is_vtu(path: Option<&Path>) -> bool {
    path.and_then(FileKind::of) == Some(FileKind::Vtu)
}

/// Returns the mesh with the results at its nodes and elements.
fn write_fields(question: &SolveQuestion, found: &SolveAnswer, path: &Path) -> anyhow::Result<()> {
    let mesh = question.spec.mesh();
    let fields = object_file::solution_fields(mesh, &found.solution);
    object_file::save(path, BodyToWrite::Solid(mesh), &fields, ExistingFile::Replace)
}

/// Refuses bad options before the work instead of after it.
fn may_write(out: &Path, options: &SolveOptions) -> anyhow::Result<()> {
    let place = |path: &Path| path.canonicalize().ok();
    let files = [&options.object, &options.touch];
    let is_there = place(out).is_some();
    if let Some(file) = files.into_iter().find(|file| is_there && place(file) == place(out)) {
        bail!("the result would overwrite {}, from which it is computed", file.display());
    }
    let is_json = out.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    ensure!(
        is_json || is_vtu(Some(out)),
        "{} has another extension, expected .json or .vtu for a result",
        out.display()
    );
    ensure!(
        options.existing.replace || !is_there,
        "{} exists already; --replace overwrites it",
        out.display()
    );
    Ok(())
}

fn question(options: &SolveOptions) -> anyhow::Result<SolveQuestion> {
    let opened = object_file::open_unguessed(&options.object, options.unit)
        .with_context(|| format!("cannot use {}", options.object.display()))?;
    for finding in opened.findings.in_words() {
        tracing::warn!("{}: {finding}", options.object.display());
    }
    let Body::Solid(mesh) = opened.body else {
        bail!(
            "{} holds a surface, expected a solid of tetrahedra: `palpate object solid` fills it",
            options.object.display()
        );
    };
    let touch: TouchFile = serde_json::from_slice(&read(&options.touch)?)
        .with_context(|| format!("cannot use {}", options.touch.display()))?;
    let (supports, known) = touch.checked()?;
    let material = materials::chosen(&options.material, None)?;
    ensure!(
        !(options.least_motion && options.algorithm == SolveAlgorithm::Invert),
        "the dense inverse cannot compute a least motion; use --algorithm factorise"
    );
    Ok(SolveQuestion {
        spec: SolidSpec::new(mesh, material, supports)?,
        known,
        when_underdetermined: if options.least_motion {
            WhenUnderdetermined::LeastMotion
        } else {
            WhenUnderdetermined::Refuse
        },
        algorithm: match options.algorithm {
            SolveAlgorithm::Factorise => Algorithm::Factorise,
            SolveAlgorithm::Invert => Algorithm::Invert,
        },
        wants_stresses: options.stress || is_vtu(options.out.as_deref()),
    })
}

fn find(question: &SolveQuestion, options: &SolveOptions) -> anyhow::Result<SolveAnswer> {
    if let Some(url) = &options.server {
        let share = AtomicU64::new(0);
        let hear = |news: f64| share.store(news.to_bits(), Ordering::Relaxed);
        let said = || f64::from_bits(share.load(Ordering::Relaxed));
        return run_with_bar("solving", said, || ask(url, question, hear))?
            .with_context(|| format!("asked {url}"));
    }
    let mut budget = MemoryBudget::default();
    budget.object.factor_bytes = options.memory as usize * 1_000_000;
    let resources = SolverResources::new(options.threads.map(usize::from), budget)?;
    let handle = WorkHandle::default();
    Ok(run_with_bar("solving", || handle.share(), || answer(question, &resources, &handle))??)
}

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Writes to standard output, or to a file that is replaced only when the new one is complete.
fn write(result: &ResultFile, out: Option<&Path>) -> anyhow::Result<()> {
    let mut text = serde_json::to_vec(result).context("cannot put the result into JSON")?;
    text.push(b'\n');
    let Some(path) = out else {
        return std::io::stdout().write_all(&text).context("cannot write to standard output");
    };
    replace_file(path, &text).with_context(|| format!("cannot write {}", path.display()))?;
    tracing::info!("wrote {}: {result}", path.display());
    Ok(())
}
