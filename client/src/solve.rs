//! `palpate solve`: one touch of one object, from files to a file.

mod files;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, ensure};
use engine::cache::Wish;
use engine::solve::{Algorithm, Answer, Question, answer};
use engine::{Budget, Workshop, ask};
use physics::material::IsotropicElastic;
use physics::{Loose, SolidSpec};

use crate::command_line::{Solve, SolveAlgorithm};
use crate::wiring::warn_of_locking;
use files::{ResultFile, TouchFile};

/// Reads, solves, writes.
pub fn solve(options: &Solve) -> anyhow::Result<()> {
    let start = Instant::now();
    let question = question(options)?;
    let read = start.elapsed();
    let found = find(&question, options)?;
    let answered = start.elapsed();
    let mut result = ResultFile::new(&found, read);
    if options.server.is_some() {
        // What is left of the waiting time after the server's own stages.
        let solved = found.stages.iter().map(|(_, time)| *time).sum();
        result.add_stage("transfer", (answered - read).saturating_sub(solved));
    }
    write(&result, options.out.as_deref())
}

fn question(options: &Solve) -> anyhow::Result<Question> {
    let mesh = objects::format::read(&options.object, &read(&options.object)?)
        .with_context(|| format!("cannot use {}", options.object.display()))?;
    let touch: TouchFile = serde_json::from_slice(&read(&options.touch)?)
        .with_context(|| format!("cannot use {}", options.touch.display()))?;
    let (supports, known) = touch.checked()?;
    let material = IsotropicElastic::new(options.young, options.poisson)?;
    warn_of_locking(options.poisson);
    ensure!(
        !(options.least_motion && options.algorithm == SolveAlgorithm::Invert),
        "the dense inverse knows no least motion; use --algorithm factorise"
    );
    Ok(Question {
        spec: SolidSpec::new(mesh, material, supports)?,
        known,
        loose: if options.least_motion { Loose::LeastMotion } else { Loose::Refuse },
        algorithm: match options.algorithm {
            SolveAlgorithm::Factorise => Algorithm::Factorise,
            SolveAlgorithm::Invert => Algorithm::Invert,
        },
        wants_stresses: options.stress,
    })
}

fn find(question: &Question, options: &Solve) -> anyhow::Result<Answer> {
    if let Some(url) = &options.server {
        return ask(url, question).with_context(|| format!("{url} gave no answer"));
    }
    let mut budget = Budget::default();
    budget.object.factor_bytes = options.memory as usize * 1_000_000;
    let workshop = Workshop::new(options.threads.map(usize::from), budget)?;
    Ok(answer(question, &workshop, &Wish::default())?)
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
