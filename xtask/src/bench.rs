//! Builds the benchmark, sets up the solvers that it compares with, and starts it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use cargo_metadata::MetadataCommand;

use crate::shell;

/// Python environments with other solvers in them: a name and what `bench/peers` says it needs. Two
/// versions of MKL, since only the older one lets processors of all makers run its best kernels.
const ENVIRONMENTS: [(&str, &str); 2] =
    [("mkl", "requirements.txt"), ("mkl2019", "requirements-mkl2019.txt")];

/// Starts the benchmark with these arguments.
pub(crate) fn bench(without_peers: bool, args: &[String]) -> Result<()> {
    let workspace = MetadataCommand::new().no_deps().exec().context("cannot read the workspace")?;
    let root = workspace.workspace_root.into_std_path_buf();
    let target = workspace.target_directory.into_std_path_buf();
    let pythons: Vec<PathBuf> = if without_peers {
        Vec::new()
    } else {
        let peers = root.join("bench/peers");
        ENVIRONMENTS
            .iter()
            .filter_map(|(name, needs)| {
                let folder = target.join("peers").join(name);
                environment(&folder, &peers.join(needs))
                    .inspect_err(|e| eprintln!("warning: {e:#}; going on without {name}"))
                    .ok()
            })
            .collect()
    };
    shell::run(&mut shell::cargo(["build", "--release", "-p", "bench", "-p", "solver-server"]))?;
    let mut bench = shell::command(target.join("release/bench"), []);
    for python in &pythons {
        bench.arg("--mkl").arg(python);
    }
    if let Some(python) = pythons.first() {
        bench.arg("--cholmod").arg(python);
    }
    shell::become_command(bench.args(args))
}

/// The interpreter of an environment with everything in it that `requirements` names.
fn environment(folder: &Path, requirements: &Path) -> Result<PathBuf> {
    let python = folder.join("bin/python");
    let wanted = fs::read_to_string(requirements)
        .with_context(|| format!("cannot read {}", requirements.display()))?;
    // Written last, so that a set-up that was cut off is done again.
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
