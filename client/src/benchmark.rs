//! `palpate bench`: measures with a bar on the terminal or plots in a window, writes the report, compares runs.
//!
//! - `folder`: what a run leaves; `measurement`: a run on a thread of its own; `page`: that run in a
//!   window, with `chart`; `window`: the page alone.

mod chart;
mod folder;
mod measurement;
mod page;
mod window;

use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use benchmark::compare::compare;
use benchmark::machine::Machine;
use benchmark::plan::Speed;
use benchmark::report::Question;
use benchmark::results::{Completeness, read_json};
use benchmark::run::Observer;
use benchmark::server::Server;
use benchmark::{Event, Plan, Request, Results, Subject, table, thesis};
use engine::ServerUrl;

use crate::bar::Bar;
use crate::command_line::{Bench, BenchCommand, CompareRuns, Reproduce};
use crate::replace::replace;
use folder::Folder;
pub(crate) use page::{Asked, BenchPage, Beside};

/// Measures, compares or reproduces. `stop` ends a measurement early, with what there is.
pub fn run(options: &Bench, stop: &AtomicBool) -> anyhow::Result<()> {
    match &options.command {
        None if options.window => window::show(options, stop),
        None => bench(options, stop),
        Some(BenchCommand::Compare(runs)) => compare_runs(runs),
        Some(BenchCommand::Reproduce(reproduce)) => reproduce_thesis(reproduce, stop),
    }
}

fn bench(options: &Bench, stop: &AtomicBool) -> anyhow::Result<()> {
    let mut bar = Bar::new();
    let results = into_folder(options, stop, &mut |event, _| hear(&mut bar, &event))?;
    drop(bar);
    tell(&results, options)
}

fn hear(bar: &mut Bar, event: &Event<'_>) {
    match event {
        Event::Began { title, share, remaining } => bar.show(*share, Some(*remaining), title),
        Event::Measured(point) => tracing::debug!("{point:?}"),
        Event::Noted(note) => tracing::debug!("{note}"),
    }
}

/// Measures and writes the folder, now and then while it goes on, so that even a power cut leaves a report, and at
/// its end.
fn into_folder(
    options: &Bench,
    stop: &AtomicBool,
    observe: &mut Observer<'_>,
) -> anyhow::Result<Results> {
    const BETWEEN_KEEPING: Duration = Duration::from_secs(10);
    let plan = plan(&request(options)?)?;
    options.server.map_or(Ok(()), reached)?;
    let folder = Folder::make(&options.out, Question { within: 1e-3 * options.within })?;
    let mut last_kept = Instant::now();
    let mut trouble = None;
    let results = benchmark::run(&plan, stop, &mut |event, results| {
        if matches!(event, Event::Began { .. }) && last_kept.elapsed() > BETWEEN_KEEPING {
            trouble = folder.write(results).err();
            last_kept = Instant::now();
        }
        observe(event, results);
    })?;
    // A disk that was full for a while may have room again.
    folder.write(&results).map_err(|last| trouble.unwrap_or(last))?;
    Ok(results)
}

/// The table, and where the rest is.
fn tell(results: &Results, options: &Bench) -> anyhow::Result<()> {
    write!(std::io::stdout(), "{}", table::terminal(results))?;
    let report = options.out.join("report.html");
    match results.completeness {
        Completeness::Whole => tracing::info!("the report is {}", report.display()),
        Completeness::Partial => {
            tracing::warn!("interrupted; what was measured is in {}", report.display());
        }
    }
    Ok(())
}

fn request(options: &Bench) -> anyhow::Result<Request> {
    let numbers = |list: &[u32]| list.iter().map(|n| *n as usize).collect::<Vec<usize>>();
    let threads: Vec<usize> = options.threads.iter().map(|n| usize::from(*n)).collect();
    let objects = options.objects.iter().map(|path| {
        let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        Subject::file(path, &bytes).with_context(|| format!("cannot use {}", path.display()))
    });
    Ok(Request {
        bodies: options.bodies.clone(),
        nodes: Some(numbers(&options.nodes)).filter(|nodes| !nodes.is_empty()),
        objects: objects.collect::<anyhow::Result<_>>()?,
        threads: Some(threads).filter(|threads| !threads.is_empty()),
        contacts: options.contacts.into(),
        algorithms: options.algorithms.clone(),
        repetitions: options.repetitions.map(usize::from),
        seconds: options.seconds.into(),
        server: options.server,
        server_program: Server::program(),
        ..Request::default()
    })
}

/// A server that was asked for and is not there is better told now than after the run.
fn reached(server: ServerUrl) -> anyhow::Result<()> {
    let url = server.to_string();
    let address = url.trim_start_matches("http://");
    TcpStream::connect(address)
        .with_context(|| format!("cannot reach {url}; is a solver-server running there?"))?;
    Ok(())
}

fn plan(request: &Request) -> anyhow::Result<Plan> {
    let speed = Speed::measured().context("cannot find out how fast this machine is")?;
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
        n => bail!("{n} quantities are worse by more than {} %", runs.threshold),
    }
}

fn reproduce_thesis(reproduce: &Reproduce, stop: &AtomicBool) -> anyhow::Result<()> {
    let request = Request { seconds: reproduce.seconds.into(), ..thesis::request() };
    let mut bar = Bar::new();
    let results = benchmark::run(&plan(&request)?, stop, &mut |event, _| hear(&mut bar, &event))?;
    drop(bar);
    if results.completeness == Completeness::Partial {
        bail!("interrupted; {} was not written", reproduce.out.display());
    }
    replace(&reproduce.out, thesis::page(&results).as_bytes())
        .with_context(|| format!("cannot write {}", reproduce.out.display()))
}
