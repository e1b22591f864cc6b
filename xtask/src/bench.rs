//! `bench`: builds the benchmarks, installs the solvers that they compare with, and starts them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use cargo_metadata::MetadataCommand;

use crate::shell;

/// Python environments with other solvers: the name, and the requirements file in
/// `peer-bench/peers`. There are two versions of MKL, because only the older one lets processors of
/// all manufacturers use its best kernels.
const ENVIRONMENTS: [(&str, &str); 2] =
    [("mkl", "requirements.txt"), ("mkl2019", "requirements-mkl2019.txt")];

/// Parts that are benchmarks of other packages.
const ELSEWHERE: [&str; 2] = ["collision", "rendering"];

/// Starts the benchmarks with these arguments.
pub(crate) fn bench(without_peers: bool, args: &[String]) -> Result<()> {
    let wanted = Wanted::by(args);
    if let Some(args) = &wanted.solver {
        let mut bench = solver_bench(without_peers, args)?;
        if wanted.elsewhere.is_empty() {
            return shell::become_command(&mut bench);
        }
        shell::run(&mut bench)?;
    }
    for part in wanted.elsewhere {
        // Built for the whole workspace, so that dependencies have the same features as elsewhere.
        shell::run(&mut shell::cargo(["bench", "--workspace", "--bench", part]))?;
    }
    Ok(())
}

/// Benchmarks selected by the arguments.
#[derive(Debug, PartialEq, Eq)]
struct Wanted {
    /// Arguments for the benchmark of solver and drivers; `None` if it is not selected.
    solver: Option<Vec<String>>,
    elsewhere: Vec<&'static str>,
}

impl Wanted {
    /// Selects benchmarks; all of them if there are no arguments.
    fn by(args: &[String]) -> Self {
        let is_named = |part: &&str| args.iter().any(|arg| arg == part);
        let elsewhere =
            ELSEWHERE.into_iter().filter(|part| args.is_empty() || is_named(part)).collect();
        let is_other = |arg: &&String| !ELSEWHERE.contains(&arg.as_str());
        let others: Vec<String> = args.iter().filter(is_other).cloned().collect();
        Self { solver: (args.is_empty() || !others.is_empty()).then_some(others), elsewhere }
    }
}

/// Builds the benchmark of solver and drivers, and installs the solvers that it compares with.
fn solver_bench(without_peers: bool, args: &[String]) -> Result<Command> {
    let workspace = MetadataCommand::new().no_deps().exec().context("cannot read the workspace")?;
    let root = workspace.workspace_root.into_std_path_buf();
    let target = workspace.target_directory.into_std_path_buf();
    let pythons: Vec<PathBuf> = if without_peers {
        Vec::new()
    } else {
        let peers = root.join("peer-bench/peers");
        ENVIRONMENTS
            .iter()
            .filter_map(|(name, needs)| {
                let folder = target.join("peers").join(name);
                environment(&folder, &peers.join(needs))
                    .inspect_err(|e| eprintln!("warning: {e:#}; continuing without {name}"))
                    .ok()
            })
            .collect()
    };
    // Built for the whole workspace, so that dependencies have the same features as elsewhere.
    let programs = ["--bin", "peer-bench", "--bin", "solver-server"];
    shell::run(shell::cargo(["build", "--release", "--workspace"]).args(programs))?;
    let mut bench = shell::command(target.join("release/peer-bench"), []);
    for python in &pythons {
        bench.arg("--mkl").arg(python);
    }
    if let Some(python) = pythons.first() {
        bench.arg("--cholmod").arg(python);
    }
    bench.args(args);
    Ok(bench)
}

/// Interpreter of an environment in which everything in `requirements` is installed.
fn environment(folder: &Path, requirements: &Path) -> Result<PathBuf> {
    let python = folder.join("bin/python");
    let wanted = fs::read_to_string(requirements)
        .with_context(|| format!("cannot read {}", requirements.display()))?;
    // Written last, so that an interrupted installation is repeated.
    let installed = folder.join("installed.txt");
    if fs::read_to_string(&installed).is_ok_and(|is| is == wanted) {
        return Ok(python);
    }
    shell::run(shell::command("python3", ["-m", "venv"]).arg(folder))
        .context("cannot make a Python environment (on Debian: apt install python3-venv)")?;
    let mut pip = shell::command(&python, ["-m", "pip", "install", "--quiet", "-r"]);
    shell::run(pip.arg(requirements))?;
    fs::write(&installed, wanted)
        .with_context(|| format!("cannot write {}", installed.display()))?;
    Ok(python)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(args: &[&str], solver: Option<&[&str]>, elsewhere: &[&'static str]) {
        let owned = |args: &[&str]| args.iter().map(|&arg| arg.to_owned()).collect::<Vec<_>>();
        let expected = Wanted { solver: solver.map(owned), elsewhere: elsewhere.to_vec() };
        assert_eq!(Wanted::by(&owned(args)), expected);
    }

    #[test]
    fn parts_go_to_the_benchmark_that_has_them() {
        check(&[], Some(&[]), &ELSEWHERE);
        check(&["collision"], None, &["collision"]);
        check(&["rendering", "collision"], None, &ELSEWHERE);
        check(&["load", "--nodes", "5000"], Some(&["load", "--nodes", "5000"]), &[]);
        check(&["load", "rendering"], Some(&["load"]), &["rendering"]);
    }
}
