//! Runs every test of the workspace.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use cargo_metadata::MetadataCommand;

use crate::{setup, shell};

/// Doc tests, then all others. The runner takes our place, so its summary ends the output.
pub(crate) fn test(args: &[String]) -> Result<()> {
    setup::or_fail()?;
    let metadata = MetadataCommand::new().no_deps().exec().context("cannot read the workspace")?;
    let bin_dir = metadata.target_directory.join("debug").into_std_path_buf();

    // System tests start our programs. `--tests` makes cargo choose the same features of
    // dependencies as the runner does; with fewer packages, many would be compiled twice.
    shell::run(&mut shell::cargo(["build", "--workspace", "--bins", "--tests"]))?;
    let mut doc_tests = shell::cargo(["test", "--workspace", "--doc"]);
    shell::run(with_test_env(&mut doc_tests, &bin_dir))?;
    shell::become_command(with_test_env(&mut runner(), &bin_dir).args(args))
}

/// What tests may read from their environment. All of it is set here.
fn with_test_env<'a>(command: &'a mut Command, bin_dir: &Path) -> &'a mut Command {
    // Absolute folder with the programs `palpate` and `solver-server`.
    command.env("PALPATE_BIN_DIR", bin_dir)
}

fn runner() -> Command {
    if shell::succeeds(&mut shell::cargo(["nextest", "--version"])) {
        shell::cargo(["nextest", "run", "--workspace"])
    } else {
        eprintln!("test: no cargo-nextest here, so `cargo test` runs them");
        shell::cargo(["test", "--workspace", "--lib", "--bins", "--tests"])
    }
}
