//! Runs every test of the workspace.

use std::process::Command;

use anyhow::Result;

use crate::{headset, setup, shell};

/// Most of the time of most system tests is waiting: for a device, a server, a window.
const TESTS_PER_CORE: usize = 2;
/// What nextest goes by, unless its own arguments say otherwise.
const THREADS: &str = "NEXTEST_TEST_THREADS";

/// Doc tests, then all others. The runner takes our place, so its summary ends the output.
pub(crate) fn test(args: &[String]) -> Result<()> {
    setup()?;
    shell::run(&mut build())?;
    shell::run(&mut doc())?;
    shell::become_command(runner().args(args))
}

/// What the tests need of the system.
pub(crate) fn setup() -> Result<()> {
    setup::or_fail()?;
    setup::browser_or_warn();
    headset::or_warn();
    Ok(())
}

/// Everything, since system tests start our programs and an example. Cargo chooses the same
/// features of dependencies as the runner does; with fewer packages, many would be compiled twice.
pub(crate) fn build() -> Command {
    shell::cargo(["build", "--workspace", "--all-targets"])
}

pub(crate) fn doc() -> Command {
    shell::cargo(["test", "--workspace", "--doc"])
}

pub(crate) fn runner() -> Command {
    if shell::succeeds(&mut shell::cargo(["nextest", "--version"])) {
        let mut nextest = shell::cargo(["nextest", "run", "--workspace", "--no-fail-fast"]);
        if std::env::var_os(THREADS).is_none() {
            let n_cores = std::thread::available_parallelism().map_or(1, |n| n.get());
            nextest.env(THREADS, (TESTS_PER_CORE * n_cores).to_string());
        }
        nextest
    } else {
        eprintln!("test: no cargo-nextest here, so `cargo test` runs them");
        shell::cargo(["test", "--workspace", "--no-fail-fast", "--lib", "--bins", "--tests"])
    }
}
