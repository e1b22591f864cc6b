//! Runs every test of the workspace.

use std::process::Command;

use anyhow::Result;

use crate::{headset, setup, shell};

/// Doc tests, then all others. The runner takes our place, so its summary ends the output.
pub(crate) fn test(args: &[String]) -> Result<()> {
    setup::or_fail()?;
    setup::browser_or_warn();
    headset::or_warn();
    // System tests start our programs and an example. `--tests` makes cargo choose the same features of
    // dependencies as the runner does; with fewer packages, many would be compiled twice.
    shell::run(&mut shell::cargo(["build", "--workspace", "--bins", "--examples", "--tests"]))?;
    shell::run(&mut shell::cargo(["test", "--workspace", "--doc"]))?;
    shell::become_command(runner().args(args))
}

fn runner() -> Command {
    if shell::succeeds(&mut shell::cargo(["nextest", "--version"])) {
        shell::cargo(["nextest", "run", "--workspace", "--no-fail-fast"])
    } else {
        eprintln!("test: no cargo-nextest here, so `cargo test` runs them");
        shell::cargo(["test", "--workspace", "--no-fail-fast", "--lib", "--bins", "--tests"])
    }
}
