//! `palpate solve`: solves one touch of one object, from files to a file.

mod json_files;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use anyhow::{Context, bail, ensure};
use engine::model_cache::WorkHandle;
use engine::single_solve::{Algorithm, SolveAnswer, SolveQuestion, answer};
use engine::{MemoryBudget, SolverResources, ask};
use objects::format::{BodyToWrite, Field, FieldPlace};
use objects::{Body, FileKind, Unit};
use physics::{KnownDisplacement, NodeId, SolidSpec, WhenUnderdetermined};

use crate::atomic_write::replace_file;
use crate::command_line::{SolveAlgorithm, SolveOptions};
use crate::materials;
use crate::object_file::{self, ExistingFile};
use crate::progress_bar::run_interruptibly;
use json_files::{ResultFile, TouchFile};

/// Residual above which the program warns.
const UNBALANCED: f64 = 1e-6;
/// Largest move without a warning, as a share of the object's length.
const SMALL_MOVE: f64 = 0.1;
/// Words of the error about supports that leave a body loose, from here or from a server.
const LOOSE_SUPPORTS: &str = "the supports do not hold the object";
/// Words of the errors with which a server with a pass meets a client without it: the server hangs
/// up, and its TLS alert, if it arrives first, reads as a frame that is far too long.
const HUNG_UP: &[&str] = &["broken pipe", "stream closed", "frame with invalid size"];

/// Reads, solves, writes. `stop` ends it before any file is written.
pub fn solve(options: &SolveOptions, stop: &AtomicBool) -> anyhow::Result<()> {
    options.out.as_deref().map_or(Ok(()), |out| may_write(out, options))?;
    let start = Instant::now();
    let title = format!("reading {}", options.object.display());
    let asked = options.clone();
    let (question, unit) = run_interruptibly(&title, || 0.0, stop, move || question(&asked))??;
    let question = Arc::new(question);
    let read = start.elapsed();
    let has_unwanted_supports = options.least_motion && !question.spec.supports().is_empty();
    let found = find(&question, options, stop).map_err(|error| {
        match has_unwanted_supports && mentions(&error, &[LOOSE_SUPPORTS]) {
            true => error.context(
                "`supports` do not suffice; with --least-motion, leave them empty and list fixed \
                 nodes under `known`",
            ),
            false => error,
        }
    })?;
    let answered = start.elapsed();
    if found.solution.residual > UNBALANCED {
        tracing::warn!(
            "free nodes carry {:.1e} of the largest reaction: the object is too ill-conditioned to trust this",
            found.solution.residual
        );
    }
    if let Some(path) = options.out.as_deref().filter(|path| is_vtu(Some(path))) {
        write_fields(&question, &found, path)?;
        tracing::info!("wrote {}: {}", path.display(), ResultFile::new(&found, &question, read));
        return Ok(());
    }
    let mut result = ResultFile::new(&found, &question, read);
    result.name_source(&options.object, unit, options.material.material.as_deref());
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
    let mut fields = object_file::solution_fields(mesh, &found.solution);
    let material = question.spec.material();
    for (name, unit, value) in
        [("Young's modulus", "Pa", material.young()), ("Poisson's ratio", "1", material.poisson())]
    {
        let values = vec![value; mesh.elements().len()];
        let field = Field::new(name, FieldPlace::Elements, 1, values)?;
        fields.push(field.with_unit(unit));
    }
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
    ExistingFile::from(options.existing).check(out)
}

/// Reads the question, and the unit of the mesh file.
fn question(options: &SolveOptions) -> anyhow::Result<(SolveQuestion, Unit)> {
    let opened = object_file::open_unguessed(&options.object, options.unit)
        .with_context(|| format!("cannot use {}", options.object.display()))?;
    for finding in opened.findings.in_words() {
        tracing::warn!("{}: {finding}", options.object.display());
    }
    let (unit, size) = (opened.findings.unit, opened.findings.size);
    let Body::Solid(mesh) = opened.body else {
        bail!(
            "{} holds a surface, expected a solid of tetrahedra: `palpate object solid` fills it",
            options.object.display()
        );
    };
    let of_touch = || format!("cannot use {}", options.touch.display());
    let touch = TouchFile::read(&read(&options.touch)?).with_context(of_touch)?;
    let (supports, known) = touch.checked().with_context(of_touch)?;
    let moved = largest_move(&supports, &known) / size.into_iter().fold(0.0, f64::max);
    if moved > SMALL_MOVE {
        tracing::warn!(
            "{}: nodes move by {moved:.2} of the object's length against each other; the solver takes \
             strains as small, so expect a rough answer above {SMALL_MOVE}",
            options.touch.display()
        );
    }
    let material = materials::chosen(&options.material, None)?;
    ensure!(
        !(options.least_motion && options.algorithm == SolveAlgorithm::Invert),
        "the dense inverse cannot compute a least motion; use --algorithm factorise"
    );
    let question = SolveQuestion {
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
    };
    Ok((question, unit))
}

/// Largest known displacement of nodes against each other, in metres; supports stay in place.
fn largest_move(supports: &[NodeId], known: &[KnownDisplacement]) -> f64 {
    let component = |axis: usize| {
        let known = known.iter().filter_map(move |known| known.displacement[axis]);
        let all = || known.clone().chain((!supports.is_empty()).then_some(0.0));
        let (low, high) = (all().reduce(f64::min), all().reduce(f64::max));
        high.zip(low).map_or(0.0, |(high, low)| high - low)
    };
    (0..3).map(component).map(|c| c * c).sum::<f64>().sqrt()
}

fn find(
    question: &Arc<SolveQuestion>,
    options: &SolveOptions,
    stop: &AtomicBool,
) -> anyhow::Result<SolveAnswer> {
    let question = Arc::clone(question);
    if let Some(url) = options.server.clone() {
        let share = Arc::new(AtomicU64::new(0));
        let (stored, asked) = (Arc::clone(&share), url.clone());
        let store_share = move |done: f64| stored.store(done.to_bits(), Ordering::Relaxed);
        let load_share = || f64::from_bits(share.load(Ordering::Relaxed));
        let work = move || ask(&asked, &question, store_share);
        return run_interruptibly("solving", load_share, stop, work)?.map_err(|error| {
            let error = anyhow::Error::from(error);
            let is_unprotected = url.to_string().starts_with("http://");
            match is_unprotected && mentions(&error, HUNG_UP) {
                true => error.context(format!(
                    "asked {url} (if that server has a pass, expected --server with the pass file)"
                )),
                false => error.context(format!("asked {url}")),
            }
        });
    }
    let mut budget = MemoryBudget::default();
    budget.object.factor_bytes = options.memory_mb as usize * 1_000_000;
    let resources = SolverResources::new(options.threads.map(usize::from), budget)?;
    let handle = Arc::new(WorkHandle::default());
    let worked = Arc::clone(&handle);
    let work = move || answer(&question, &resources, &worked);
    Ok(run_interruptibly("solving", || handle.share(), stop, work)??)
}

/// True if the text of an error, or of one of its causes, has one of these words.
fn mentions(error: &anyhow::Error, words: &[&str]) -> bool {
    let text = format!("{error:#}");
    words.iter().any(|words| text.contains(words))
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
