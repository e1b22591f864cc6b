//! `palpate bench`: measures with a bar on the terminal, writes the report, compares runs.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use benchmark::compare::compare;
use benchmark::machine::Machine;
use benchmark::plan::Speed;
use benchmark::report::{Question, html};
use benchmark::results::{Completeness, read_json, write_csv, write_json};
use benchmark::server::Server;
use benchmark::{Event, Plan, Request, Results, Subject, table, thesis};

use crate::bar::Bar;
use crate::command_line::{Bench, BenchCommand, CompareRuns, Reproduce};
use crate::replace::replace;

/// Measures, compares or reproduces. `stop` ends a measurement early, with what there is.
pub fn run(options: &Bench, stop: &AtomicBool) -> anyhow::Result<()> {
    match &options.command {
        None => bench(options, stop),
        Some(BenchCommand::Compare(runs)) => compare_runs(runs),
        Some(BenchCommand::Reproduce(reproduce)) => reproduce_thesis(reproduce, stop),
    }
}

fn bench(options: &Bench, stop: &AtomicBool) -> anyhow::Result<()> {
    let plan = plan(&request(options)?)?;
    fs::create_dir_all(&options.out)
        .with_context(|| format!("cannot make the folder {}", options.out.display()))?;
    let question = Question { within: 1e-3 * options.within };
    let results = measure(&plan, stop, |results| write_folder(results, &options.out, &question))?;
    write_folder(&results, &options.out, &question)?;
    write!(std::io::stdout(), "{}", table::terminal(&results))?;
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

fn plan(request: &Request) -> anyhow::Result<Plan> {
    let speed = Speed::measured().context("cannot find out how fast this machine is")?;
    Ok(Plan::new(request, Machine::this().n_cores, &speed)?)
}

/// Runs with a bar. `keep` gets what there is now and then, so that even a power cut leaves a report.
fn measure(
    plan: &Plan,
    stop: &AtomicBool,
    keep: impl Fn(&Results) -> anyhow::Result<()>,
) -> anyhow::Result<Results> {
    const BETWEEN_KEEPING: Duration = Duration::from_secs(10);
    let mut bar = Bar::new();
    let mut last_kept = Instant::now();
    let mut trouble = None;
    let mut observe = |event: Event<'_>, results: &Results| match event {
        Event::Began { title, share, remaining } => {
            bar.show(share, Some(remaining), title);
            if last_kept.elapsed() > BETWEEN_KEEPING {
                trouble = keep(results).err();
                last_kept = Instant::now();
            }
        }
        Event::Measured(point) => tracing::debug!("{point:?}"),
        Event::Noted(note) => tracing::debug!("{note}"),
    };
    let results = benchmark::run(plan, stop, &mut observe);
    drop(bar);
    match trouble {
        Some(trouble) => Err(trouble),
        None => Ok(results?),
    }
}

fn write_folder(results: &Results, folder: &Path, question: &Question) -> anyhow::Result<()> {
    for (name, content) in [
        ("results.json", write_json(results)),
        ("results.csv", write_csv(results).into_bytes()),
        ("report.html", html(results, question).into_bytes()),
    ] {
        let path = folder.join(name);
        replace(&path, &content).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
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
    let results = measure(&plan(&request)?, stop, |_| Ok(()))?;
    if results.completeness == Completeness::Partial {
        bail!("interrupted; {} was not written", reproduce.out.display());
    }
    replace(&reproduce.out, thesis::page(&results).as_bytes())
        .with_context(|| format!("cannot write {}", reproduce.out.display()))
}
