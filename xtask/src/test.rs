//! `test`: runs all tests of the workspace.

use std::process::Command;

use anyhow::Result;

use crate::{headset, python, setup, shell};

/// Number of tests that run at the same time on each core: most system tests mostly wait for a
/// device, a server or a window.
const TESTS_PER_CORE: usize = 2;
/// Environment variable with nextest's number of threads; its command line has priority.
const THREADS: &str = "NEXTEST_TEST_THREADS";

/// Runs doc tests, then all others. The runner replaces this process, so its summary ends the
/// output.
pub(crate) fn test(args: &[String]) -> Result<()> {
    setup()?;
    shell::run(&mut build())?;
    shell::run(&mut doc())?;
    shell::become_command(runner().args(args))
}

/// Installs everything that the tests need from the system.
pub(crate) fn setup() -> Result<()> {
    setup::or_fail()?;
    setup::test_tools_or_warn();
    headset::or_warn();
    python::for_tests_or_warn();
    Ok(())
}

/// Builds everything, because system tests start our programs and an example. Cargo chooses the
/// same features of dependencies as for the runner; with fewer packages, many would be compiled
/// twice.
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
        eprintln!("test: cargo-nextest is not installed, using `cargo test`");
        shell::cargo(["test", "--workspace", "--no-fail-fast", "--lib", "--bins", "--tests"])
    }
}
