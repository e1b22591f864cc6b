//! `palpate bench`: measures with a progress bar or plots in a window, writes the report, compares
//! runs.
//!
//! - `report_folder`: files of a run; `measurement`: a run on a separate thread; `page`: that run
//!   in a window, with `chart`; `window`: a window with only that page.

mod chart;
mod measurement;
mod page;
mod report_folder;
mod window;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use benchmark::compare::compare;
use benchmark::machine::Machine;
use benchmark::plan::MachineSpeed;
use benchmark::report::ReportOptions;
use benchmark::results::{Completeness, Measure, Point, read_json};
use benchmark::run::Observer;
use benchmark::server::Server;
use benchmark::{
    Event, GivenServer, Plan, Request, Results, Subject, text_table, thesis_comparison,
};
use engine::{ServerUrl, info};
use objects::Body;

use crate::atomic_write::{ExistingFile, replace_file};
use crate::command_line::{BenchCommand, BenchOptions, CompareRuns, ReproduceOptions};
use crate::object_file;
use crate::progress_bar::{Interrupted, ProgressBar};
pub(crate) use page::{BenchmarkPage, OtherWork, PageRequest};
use report_folder::ReportFolder;

/// Measures, compares or reproduces. `stop` ends a measurement early and keeps the results so far.
pub fn run(options: &BenchOptions, stop: &AtomicBool) -> anyhow::Result<()> {
    match &options.command {
        None if options.window => window::show(options, stop),
        None => bench(options, stop),
        Some(BenchCommand::Compare(runs)) => compare_runs(runs),
        Some(BenchCommand::Reproduce(reproduce)) => reproduce_thesis(reproduce, stop),
    }
}

fn bench(options: &BenchOptions, stop: &AtomicBool) -> anyhow::Result<()> {
    let mut bar = ProgressBar::new();
    let results = into_folder(options, stop, &mut |event, _| show_progress(&mut bar, &event))?;
    drop(bar);
    print_results(&results, options)
}

fn show_progress(bar: &mut ProgressBar, event: &Event<'_>) {
    match event {
        Event::Began { title, share, remaining } => bar.show(*share, Some(*remaining), title),
        Event::Measured(point) => tracing::debug!("{point:?}"),
        Event::Noted(note) => tracing::debug!("{note}"),
    }
}

/// Measures and writes the folder, repeatedly during the run, so that even a power cut leaves a
/// report, and at its end.
fn into_folder(
    options: &BenchOptions,
    stop: &AtomicBool,
    observe: &mut Observer<'_>,
) -> anyhow::Result<Results> {
    const BETWEEN_KEEPING: Duration = Duration::from_secs(10);
    let plan = plan(&request(options)?)?;
    let mut folder =
        ReportFolder::make(&options.out, ReportOptions { within: 1e-3 * options.within })?;
    let mut last_kept = Instant::now();
    let mut trouble = None;
    let results = benchmark::run(&plan, stop, &mut |event, results| {
        let is_due = last_kept.elapsed() > BETWEEN_KEEPING;
        if matches!(event, Event::Began { .. }) && is_due && results.points.iter().any(is_answer) {
            trouble = folder.write(results).err();
            last_kept = Instant::now();
        }
        observe(event, results);
    })?;
    match results.completeness {
        Completeness::Partial if results.points.is_empty() => {
            return Err(Interrupted::leaving_nothing().into());
        }
        Completeness::Whole if !results.points.iter().any(is_answer) => {
            let notes = results.notes.join("; ");
            bail!("no touch was answered, so nothing could be measured: {notes}");
        }
        Completeness::Whole | Completeness::Partial => {}
    }
    // A disk that was full may have room again.
    folder.write(&results).map_err(|last| trouble.unwrap_or(last))?;
    Ok(results)
}

/// Factorisation costs are known even if no touch was answered.
fn is_answer(point: &Point) -> bool {
    matches!(point.measure, Measure::FirstTouch | Measure::Frame)
}

/// Prints the table and the path of the report.
fn print_results(results: &Results, options: &BenchOptions) -> anyhow::Result<()> {
    write!(std::io::stdout(), "{}", text_table::terminal(results))?;
    let report = options.out.join("report.html");
    match results.completeness {
        Completeness::Whole => tracing::info!("the report is {}", report.display()),
        Completeness::Partial => {
            return Err(Interrupted::leaving(format!(
                "the results so far are in {}",
                report.display()
            ))
            .into());
        }
    }
    Ok(())
}

fn request(options: &BenchOptions) -> anyhow::Result<Request> {
    let numbers = |list: &[u32]| list.iter().map(|n| *n as usize).collect::<Vec<usize>>();
    let threads: Vec<usize> = options.threads.iter().map(|n| usize::from(*n)).collect();
    let objects = options.objects.iter().map(|path| {
        fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
        subject(path).with_context(|| format!("cannot use {}", path.display()))
    });
    let mut objects = objects.collect::<anyhow::Result<Vec<Subject>>>()?;
    tell_apart(&mut objects, &options.objects);
    Ok(Request {
        bodies: options.bodies.clone(),
        nodes: Some(numbers(&options.nodes)).filter(|nodes| !nodes.is_empty()),
        objects,
        threads: Some(threads).filter(|threads| !threads.is_empty()),
        contacts: options.contacts.into(),
        algorithms: options.algorithms.clone(),
        repetitions: options.repetitions.map(usize::from),
        seconds: options.seconds.into(),
        server: options.server.as_ref().map(described).transpose()?,
        server_program: Server::program(),
        ..Request::default()
    })
}

/// Reads a mesh file as `palpate solve` does: with its companion files, and never in a guessed
/// unit.
fn subject(path: &Path) -> anyhow::Result<Subject> {
    let Body::Solid(mesh) = object_file::open_unguessed(path, None)?.body else {
        bail!("it holds a surface of triangles, expected a solid: `palpate object solid` fills it");
    };
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    Ok(Subject::own(name, mesh)?)
}

/// Files of the same name in different folders are named by their paths.
fn tell_apart(objects: &mut [Subject], paths: &[PathBuf]) {
    let names: Vec<String> = objects.iter().map(|object| object.name.clone()).collect();
    for (object, path) in objects.iter_mut().zip(paths) {
        if names.iter().filter(|name| **name == object.name).count() > 1 {
            object.name = path.display().to_string();
        }
    }
}

/// Asks a server for its description. Reports a missing server before the run instead of after it.
fn described(server: &ServerUrl) -> anyhow::Result<GivenServer> {
    let info = info(server).with_context(|| {
        format!(
            "cannot use {server}: is a solver-server running there? (One that was started with --pass is named by \
             that file)"
        )
    })?;
    Ok(GivenServer { url: server.clone(), description: info.into() })
}

fn plan(request: &Request) -> anyhow::Result<Plan> {
    let speed = MachineSpeed::measured().context("cannot measure the speed of this machine")?;
    Ok(Plan::new(request, Machine::this().n_cores, &speed)?)
}

fn compare_runs(runs: &CompareRuns) -> anyhow::Result<()> {
    let read = |path: &Path| -> anyhow::Result<Results> {
        let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        read_json(&bytes).with_context(|| format!("cannot use {}", path.display()))
    };
    let comparison = compare(&read(&runs.before)?, &read(&runs.after)?, 1e-2 * runs.threshold);
    let text = comparison.to_string().replace(['\u{a0}', '\u{202f}'], " ");
    writeln!(std::io::stdout(), "{text}")?;
    match comparison.n_worse() {
        0 if comparison.changes.is_empty() => bail!("the two runs have nothing in common"),
        0 => Ok(()),
        1 => bail!("one quantity is worse by more than {} %", runs.threshold),
        n => bail!("{n} quantities are worse by more than {} %", runs.threshold),
    }
}

fn reproduce_thesis(reproduce: &ReproduceOptions, stop: &AtomicBool) -> anyhow::Result<()> {
    let out = &reproduce.out;
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty());
    ensure!(
        folder.is_none_or(Path::is_dir),
        "cannot write {}: there is no such folder",
        out.display()
    );
    ExistingFile::from(reproduce.existing).check(out)?;
    let request = Request { seconds: reproduce.seconds.into(), ..thesis_comparison::request() };
    let mut bar = ProgressBar::new();
    let results =
        benchmark::run(&plan(&request)?, stop, &mut |event, _| show_progress(&mut bar, &event))?;
    drop(bar);
    if results.completeness == Completeness::Partial {
        return Err(Interrupted::leaving(format!("{} was not written", out.display())).into());
    }
    replace_file(out, thesis_comparison::page(&results).as_bytes())
        .with_context(|| format!("cannot write {}", out.display()))?;
    tracing::info!("the page is {}", out.display());
    Ok(())
}
